/// Is a body an image that may be kept and decoded? Judged by its bytes as they come.
struct BodyValidation: Sendable {
    let limits: ImageLimits
    /// Those of the app may know formats of their own.
    private let decoders: ImageDecoders

    init(_ limits: ImageLimits, _ decoders: ImageDecoders) {
        self.limits = limits
        self.decoders = decoders
    }

    /// What the first bytes say, once they say it.
    ///
    /// - Parameters:
    ///   - bytes: Those so far, from the first.
    ///   - isComplete: Whether no more will come.
    /// - Returns: `nil` while more bytes are needed.
    /// - Throws: ``ImageError`` of `stage` for what is no image, or one beyond the limits.
    func header(
        of bytes: UnsafeRawBufferPointer, isComplete: Bool, stage: ImageError.Stage
    ) throws -> ImageHeader? {
        switch decoders.header(of: bytes, isComplete: isComplete) {
        case .image(let header):
            if let size = header.pixelSize {
                guard size.width > 0, size.height > 0 else { throw ImageError(stage, .invalidDimensions(size)) }
                guard size.pixelCount <= limits.pixelCount else {
                    throw ImageError(stage, .tooManyPixels(size, limit: limits.pixelCount))
                }
            }
            return header
        case .needsMoreBytes where !isComplete:
            return nil
        case .needsMoreBytes, .notAnImage:
            throw ImageError(stage, .notAnImage)
        }
    }
}
