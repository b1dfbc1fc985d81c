#if canImport(ImageIO)
public import Foundation
import CoreGraphics
import ImageIO

/// The decoder of what Image I/O can read.
///
/// - Isolation: A value without state. A decode runs on the calling thread. Image I/O can't be interrupted: the
///   cancellation and the time limit are looked at before and after its work.
/// - Memory: Image I/O's own: it subsamples JPEG and HEIC as it decodes.
public struct SystemImageDecoder: ImageDecoder {
    /// Makes a decoder.
    public init() {}

    /// Whether this system's Image I/O reads the format.
    public func supports(_ format: ImageFormat) -> Bool {
        guard let identifier = Self.identifiers[format] else { return false }
        return Self.readableIdentifiers.contains(identifier)
    }

    /// Decodes to the target's size, upright.
    public func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
        let check = DecodeGuard(format: format, options: options)
        // Our own header first: it costs nothing, and refuses before Image I/O sees the bytes.
        _ = try check.header(of: data)
        // Whether Image I/O reports a cut-off file isn't certain for every format: this much can be seen.
        guard !ImageHeader.isCutOff(data, format: format) else { throw ImageError(.decoding, .incomplete(format)) }
        let sourceOptions: [CFString: Any] = [kCGImageSourceShouldCache: false]
        let noCache = sourceOptions as CFDictionary
        guard let source = CGImageSourceCreateWithData(data as CFData, noCache) else {
            throw ImageError(.decoding, .notAnImage)
        }
        let index = CGImageSourceGetPrimaryImageIndex(source)
        try Self.check(CGImageSourceGetStatusAtIndex(source, index), format: format)
        guard let properties = CGImageSourceCopyPropertiesAtIndex(source, index, noCache) as? [CFString: Any],
            let width = properties[kCGImagePropertyPixelWidth] as? Int,
            let height = properties[kCGImagePropertyPixelHeight] as? Int
        else { throw ImageError(.decoding, .corrupt(format, detail: "no size", offset: nil)) }
        let stored = PixelSize(width: width, height: height)
        try check.check(stored)
        let orientation = (properties[kCGImagePropertyOrientation] as? Int).flatMap(ImageOrientation.init(rawValue:))
        let original = (orientation ?? .up).applied(to: stored)
        let result = options.target.pixelSize(for: original)
        let thumbnailOptions: [CFString: Any] = [
            kCGImageSourceCreateThumbnailFromImageAlways: true,
            kCGImageSourceCreateThumbnailWithTransform: true,
            kCGImageSourceShouldCacheImmediately: true,
            kCGImageSourceThumbnailMaxPixelSize: max(result.width, result.height),
        ]
        guard let cgImage = CGImageSourceCreateThumbnailAtIndex(source, index, thumbnailOptions as CFDictionary) else {
            throw ImageError(.decoding, .corrupt(format, detail: "Image I/O made no image", offset: nil))
        }
        // A truncated file may be found out only as its pixels are read.
        try Self.check(CGImageSourceGetStatusAtIndex(source, index), format: format)
        try check.check()
        let isWide = cgImage.colorSpace?.name == CGColorSpace.displayP3
        let image = DecodedImage(
            cgImage: cgImage, originalPixelSize: original, colorSpace: isWide ? .displayP3 : .sRGB)
        // Image I/O rounds the shorter side in its own way.
        guard image.pixelSize != result else { return image }
        let bitmap = try image.bitmap.resized(to: result, cancellation: options.cancellation)
        return DecodedImage(bitmap: bitmap, originalPixelSize: original, colorSpace: image.colorSpace)
    }

    private static func check(_ status: CGImageSourceStatus, format: ImageFormat) throws {
        switch status {
        case .statusComplete: return
        case .statusIncomplete, .statusUnexpectedEOF, .statusReadingHeader:
            throw ImageError(.decoding, .incomplete(format))
        case .statusUnknownType: throw ImageError(.decoding, .unsupportedFormat(format))
        case .statusInvalidData: throw ImageError(.decoding, .corrupt(format, detail: "invalid data", offset: nil))
        @unknown default: throw ImageError(.decoding, .corrupt(format, detail: "unknown status", offset: nil))
        }
    }

    private static let readableIdentifiers = Set(CGImageSourceCopyTypeIdentifiers() as? [String] ?? [])

    /// Uniform type identifiers. Image I/O lists them without their supertypes.
    private static let identifiers: [ImageFormat: String] = [
        .jpeg: "public.jpeg",
        .png: "public.png",
        .gif: "com.compuserve.gif",
        .webP: "org.webmproject.webp",
        .avif: "public.avif",
        .heic: "public.heic",
        .jpegXL: "public.jpeg-xl",
        .bmp: "com.microsoft.bmp",
        .tiff: "public.tiff",
    ]
}
#endif
