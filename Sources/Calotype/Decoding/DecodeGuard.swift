import Foundation

/// What a running decode looks at between steps: whether anybody still waits, and whether its time is over.
struct DecodeGuard {
    private let format: ImageFormat
    let limits: ImageLimits
    private let cancellation: DecodeCancellation
    private let deadline: ContinuousClock.Instant

    /// - Parameter spent: What the decode has taken of its time before.
    init(format: ImageFormat, options: DecodeOptions, spent: Duration = .zero) {
        self.format = format
        limits = options.limits
        cancellation = options.cancellation
        deadline = .now + (options.limits.decodeTime - spent)
    }

    /// - Throws: `CancellationError`, or ``ImageError`` when the time is over. About 50 ns.
    func check() throws {
        try cancellation.check()
        guard ContinuousClock.now < deadline else {
            throw ImageError(.decoding, .limitExceeded(format, detail: "\(limits.decodeTime) of decoding"))
        }
    }

    /// Reads the header, and refuses what it tells already: too many bytes, another format, a size beyond the limit.
    func header(of data: Data) throws -> ImageHeader {
        guard data.count <= limits.bodyByteCount else {
            throw ImageError(
                .decoding, .bodyTooLarge(byteCount: Int64(data.count), limit: Int64(limits.bodyByteCount)))
        }
        try check()
        switch ImageHeader.parse(data) {
        case .image(let header) where header.format == format:
            if let size = header.pixelSize { try check(size) }
            return header
        case .needsMoreBytes:
            throw ImageError(.decoding, .incomplete(format))
        default:
            throw ImageError(.decoding, .corrupt(format, detail: "the signature of another format", offset: 0))
        }
    }

    /// Refuses sizes that no image has, and those beyond the limit. To be called before memory is taken for pixels.
    func check(_ size: PixelSize) throws {
        guard size.width > 0, size.height > 0 else { throw ImageError(.decoding, .invalidDimensions(size)) }
        guard size.pixelCount <= limits.pixelCount else {
            throw ImageError(.decoding, .tooManyPixels(size, limit: limits.pixelCount))
        }
    }
}
