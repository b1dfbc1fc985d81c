#if canImport(CCodecs)
import Foundation

/// Previews of PNG, GIF and WebP: the rows that have arrived, decoded anew for each preview; the others are transparent.
/// Interlaced PNG gives all rows, ever finer. Of an animated file it is the first frame, and of PNG the still image.
///
/// A preview costs as much as the rows it has. So the next one comes once there are half as many bytes again: all of them
/// together cost at most three decodes of the file, however often they are asked for.
///
/// `@unchecked Sendable`: used by one thread at a time, as ``ProgressiveDecoding`` says.
final class RowsSoFar: ProgressiveDecoding, @unchecked Sendable {
    private let format: ImageFormat
    private let options: DecodeOptions
    private var data = Data()
    private var nextByteCount = 1

    init(format: ImageFormat, options: DecodeOptions) {
        self.format = format
        self.options = options
    }

    /// Keeps the bytes.
    ///
    /// - Throws: If there are more than the limit.
    func append(_ bytes: Data) throws {
        guard bytes.count <= options.limits.bodyByteCount - data.count else {
            let count = Int64(data.count) + Int64(bytes.count)
            throw ImageError(
                .decoding, .bodyTooLarge(byteCount: count, limit: Int64(options.limits.bodyByteCount)))
        }
        data.append(bytes)
    }

    /// - Returns: `nil` if no row can be shown yet, or too little has come since the last preview.
    /// - Throws: ``ImageError`` if what has come is damaged or beyond a limit; `CancellationError`.
    func preview() throws -> DecodedImage? {
        guard data.count >= nextByteCount else { return nil }
        let check = DecodeGuard(format: format, options: options)
        var image: DecodedImage?
        // Before the header has come whole, there is nothing to show.
        _ = try isComplete { image = try decode(check) }
        if image != nil { nextByteCount = data.count + data.count / 2 }
        return image
    }

    private func decode(_ check: DecodeGuard) throws -> DecodedImage {
        let header = try check.header(of: data)
        return try data.withUnsafeBytes { bytes in
            switch format {
            case .png:
                try PNGDecoder(
                    data: data, bytes: bytes, header: header, options: options, check: check, isPartial: true
                ).decode()
            case .webP:
                try WebPDecoder(
                    data: data, bytes: bytes, header: header, options: options, check: check, isPartial: true
                ).decode()
            default:
                try GIFDecoder(data: data, bytes: bytes, options: options, check: check, isPartial: true).decode()
            }
        }
    }
}
#endif
