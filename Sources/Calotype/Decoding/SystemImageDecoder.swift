#if !canImport(ImageIO)
public import Foundation

/// The decoder of what the system's libraries can read.
///
/// Image I/O's formats on Apple platforms; JPEG (libjpeg-turbo) and PNG (libpng) elsewhere.
///
/// - Isolation: A value without state. A decode runs on the calling thread and looks at its cancellation between rows.
/// - Memory: For JPEG and PNG, a few rows besides the result: rows are resized as they are decoded. Progressive JPEG
///   adds its coefficients (up to 384 MiB), interlaced PNG its pixels.
public struct SystemImageDecoder: ImageDecoder {
    /// Makes a decoder.
    public init() {}

    /// Whether the format is JPEG or PNG.
    public func supports(_ format: ImageFormat) -> Bool { format == .jpeg || format == .png }

    /// See the memory above.
    public func estimatedByteCount(
        of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget
    ) -> Int {
        DecodeEstimate.streaming(of: data, format: format, pixelSize: pixelSize, target: target)
    }

    /// Decodes straight to the target's size.
    public func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
        let check = DecodeGuard(format: format, options: options)
        guard supports(format) else { throw ImageError(.decoding, .unsupportedFormat(format)) }
        let header = try check.header(of: data)
        return try data.withUnsafeBytes { bytes in
            if format == .png {
                return try PNGDecoder(bytes: bytes, header: header, target: options.target, check: check).decode()
            } else {
                return try JPEGDecoder(bytes: bytes, header: header, target: options.target, check: check).decode()
            }
        }
    }
}
#endif
