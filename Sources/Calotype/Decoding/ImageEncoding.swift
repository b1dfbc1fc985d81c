public import Foundation

#if canImport(ImageIO)
import ImageIO
import UniformTypeIdentifiers
#elseif canImport(CCodecs)
import CCodecs
#endif

/// Turns pixels into a file: for tools and tests, not for a cache.
public struct ImageEncoder: Sendable {
    /// What to write.
    public enum Output: Sendable, Hashable {
        /// PNG with straight alpha, or without alpha if no pixel is transparent.
        case png
        /// JPEG over white. The quality is 1 to 100; others count as the nearest of these.
        case jpeg(quality: Int)

        /// The format that is written.
        public var format: ImageFormat {
            switch self {
            case .png: .png
            case .jpeg: .jpeg
            }
        }
    }

    /// Makes an encoder.
    public init() {}

    /// Encodes the image in its colour space, which the file tells; of an animation, the first frame.
    ///
    /// - Throws: ``ImageError`` of stage `processing`: sides beyond what the format allows (65,500 pixels for JPEG), or
    ///   no memory.
    public func encoded(_ image: DecodedImage, as output: Output) throws -> Data {
        #if canImport(ImageIO)
        let data = NSMutableData()
        let type: UTType
        var properties: [CFString: Any] = [:]
        switch output {
        case .png:
            type = .png
        case .jpeg(let quality):
            type = .jpeg
            properties[kCGImageDestinationLossyCompressionQuality] = Double(min(max(quality, 1), 100)) / 100
        }
        guard
            let destination = CGImageDestinationCreateWithData(
                data as CFMutableData, type.identifier as CFString, 1, nil)
        else {
            throw ImageError(.processing, .unsupportedFormat(output.format))
        }
        CGImageDestinationAddImage(destination, image.cgImage, properties as CFDictionary)
        guard CGImageDestinationFinalize(destination) else {
            throw ImageError(
                .processing, .limitExceeded(output.format, detail: "what Image I/O writes, at \(image.pixelSize)"))
        }
        return data as Data
        #elseif canImport(CCodecs)
        let bitmap = image.bitmap
        let size = bitmap.size
        let space = image.colorSpace == .displayP3 ? CC_DISPLAY_P3 : CC_SRGB
        var result = cc_encoded()
        let status = bitmap.withUnsafeBytes { pixels in
            let rows = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let (width, height) = (UInt32(size.width), UInt32(size.height))
            switch output {
            case .png:
                return cc_png_encode(rows, bitmap.bytesPerRow, width, height, bitmap.isOpaque, space, &result)
            case .jpeg(let quality):
                return cc_jpeg_encode(
                    rows, bitmap.bytesPerRow, width, height, Int32(min(max(quality, 1), 100)), space, &result)
            }
        }
        guard status == CC_OK, let bytes = result.bytes else {
            let detail = withUnsafeBytes(of: &result.message) { text in
                String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw ImageError(
                .processing, .limitExceeded(output.format, detail: detail.isEmpty ? "out of memory" : detail))
        }
        // The bytes came from malloc.
        return Data(bytesNoCopy: bytes, count: result.count, deallocator: .free)
        #endif
    }
}

extension Bitmap {
    /// Whether no pixel is transparent at all. Looks at every pixel until one is.
    package var isOpaque: Bool {
        withUnsafeBytes { bytes in
            let base = bytes.baseAddress!
            var offset = 3
            while offset < bytes.count {
                if base.load(fromByteOffset: offset, as: UInt8.self) != 255 { return false }
                offset &+= 4
            }
            return true
        }
    }
}
