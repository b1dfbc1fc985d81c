#if !canImport(ImageIO)
public import Foundation

/// The decoder of what the system's libraries can read.
///
/// Image I/O's formats on Apple platforms; JPEG (libjpeg-turbo), PNG (libpng), WebP (libwebp) and GIF (giflib) elsewhere,
/// and with the package's traits also AVIF (libavif), HEIC (libheif) and JPEG XL (libjxl).
/// Of an animated file, the first frame; the others on demand.
///
/// - Isolation: A value without state. A decode runs on the calling thread and looks at its cancellation between rows.
/// - Memory: For JPEG, PNG and GIF, a few rows besides the result: rows are resized as they are decoded. Progressive JPEG
///   adds its coefficients (up to 384 MiB), interlaced PNG its pixels, interlaced GIF a byte for each. WebP adds pixels of
///   up to three times the result's sides; if lossless, also the file's, and if lossy with alpha, those instead, and its
///   alpha plane. AVIF and HEIC add the planes that the codec decodes to, JPEG XL the library's own and rows that wait.
public struct SystemImageDecoder: ImageDecoder {
    /// Makes a decoder.
    public init() {}

    /// Whether the format is JPEG, PNG, WebP or GIF, or one whose trait is on.
    public func supports(_ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg, .png, .webP, .gif: return true
        default: break
        }
        #if canImport(CCodecsAVIF)
        if format == .avif { return true }
        #endif
        #if canImport(CCodecsHEIC)
        if format == .heic { return true }
        #endif
        #if canImport(CCodecsJPEGXL)
        if format == .jpegXL { return true }
        #endif
        return false
    }

    /// See the memory above.
    public func estimatedByteCount(
        of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget
    ) -> Int {
        switch format {
        case .webP: DecodeEstimate.webP(of: data, pixelSize: pixelSize, target: target)
        case .avif, .heic, .jpegXL:
            DecodeEstimate.planes(of: data, format: format, pixelSize: pixelSize, target: target)
        default: DecodeEstimate.streaming(of: data, format: format, pixelSize: pixelSize, target: target)
        }
    }

    /// Previews of JPEG by scan, or of the rows so far; of PNG, GIF and WebP of the rows so far.
    public func progressiveDecoding(format: ImageFormat, options: DecodeOptions) -> (any ProgressiveDecoding)? {
        switch format {
        case .jpeg: JPEGProgressiveDecoding(options: options)
        case .png, .gif, .webP: RowsSoFar(format: format, options: options)
        default: nil
        }
    }

    /// Decodes straight to the target's size.
    public func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
        let check = DecodeGuard(format: format, options: options)
        guard supports(format) else { throw ImageError(.decoding, .unsupportedFormat(format)) }
        let header = try check.header(of: data)
        #if canImport(CCodecsAVIF)
        if format == .avif { return try AVIFDecoder.decode(data, options: options, check: check) }
        #endif
        #if canImport(CCodecsHEIC)
        if format == .heic {
            return try data.withUnsafeBytes { try HEICDecoder(bytes: $0, options: options, check: check).decode() }
        }
        #endif
        #if canImport(CCodecsJPEGXL)
        if format == .jpegXL { return try JPEGXLDecoder.decode(data, options: options, check: check) }
        #endif
        return try data.withUnsafeBytes { bytes in
            switch format {
            case .png: try PNGDecoder(data: data, bytes: bytes, header: header, options: options, check: check).decode()
            case .webP:
                try WebPDecoder(data: data, bytes: bytes, header: header, options: options, check: check).decode()
            case .gif: try GIFDecoder(data: data, bytes: bytes, options: options, check: check).decode()
            default: try JPEGDecoder(bytes: bytes, header: header, options: options, check: check).decode()
            }
        }
    }
}
#endif
