/// Is a body an image that may be kept and decoded? Judged by its bytes as they come.
enum BodyValidation {
    /// What the first bytes say, once they say it.
    ///
    /// - Parameters:
    ///   - bytes: Those so far, from the first.
    ///   - isComplete: Whether more will come.
    /// - Returns: `nil` while more bytes are needed.
    /// - Throws: ``ImageError`` of `stage` for what is no image, or one beyond the limits.
    static func header(
        of bytes: UnsafeRawBufferPointer, isComplete: Bool, _ limits: ImageLimits, stage: ImageError.Stage
    ) throws -> ImageHeader? {
        switch ImageHeader.parse(bytes) {
        case .image(let header):
            if let size = header.pixelSize {
                guard size.width > 0, size.height > 0 else { throw ImageError(stage, .invalidDimensions(size)) }
                guard size.pixelCount <= limits.pixelCount else {
                    throw ImageError(stage, .tooManyPixels(size, limit: limits.pixelCount))
                }
            }
            return header
        case .needsMoreBytes:
            guard isComplete else { return nil }
            throw ImageError(stage, .notAnImage)
        case .notAnImage:
            throw ImageError(stage, .notAnImage)
        }
    }
}
