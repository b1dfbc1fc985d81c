package import Foundation

/// What the first bytes of an image tell: its format, its size and how it must be turned.
///
/// Pure Swift, the same on all platforms, so that a body can be accepted or refused while it still arrives, before any
/// decoder sees it. Reads are bounded by the bytes that are there; whatever those are, nothing traps.
package struct ImageHeader: Sendable, Hashable {
    /// The format, found by its signature.
    package var format: ImageFormat
    /// The upright size, as far as the bytes tell; it may have sides of 0, which no image can have. `nil` for formats
    /// whose size isn't read here (TIFF), where the header is broken, and while it lies behind the pixels.
    package var pixelSize: PixelSize?
    /// How the stored pixels must be turned; already applied to ``pixelSize``. `.up` where the bytes don't tell (yet).
    package var orientation: ImageOrientation

    /// What a prefix of a file is.
    package enum Parse: Sendable, Hashable {
        /// An image, with what is known of it.
        case image(ImageHeader)
        /// Perhaps an image: its size, or its signature, isn't complete.
        case needsMoreBytes
        /// No image, however it goes on.
        case notAnImage
    }

    init(format: ImageFormat, storedSize: PixelSize?, orientation: ImageOrientation = .up) {
        self.format = format
        self.pixelSize = storedSize.map(orientation.applied)
        self.orientation = orientation
    }

    /// Reads the header from the first bytes of a file, or from all of them.
    ///
    /// - Complexity: In the number of segments or chunks, not of bytes.
    package static func parse(_ prefix: Data) -> Parse {
        prefix.withUnsafeBytes { parse($0) }
    }

    static func parse(_ prefix: UnsafeRawBufferPointer) -> Parse {
        let reader = ByteReader(prefix)
        switch Signature.find(in: reader) {
        case .needsMoreBytes: return .needsMoreBytes
        case .none: return .notAnImage
        case .format(let format):
            switch format {
            case .jpeg: return parseJPEG(reader)
            case .png: return parsePNG(reader)
            case .gif: return parseGIF(reader)
            case .webP: return parseWebP(reader)
            case .bmp: return parseBMP(reader)
            case .avif, .heic: return parseHEIF(reader, format: format)
            case .jpegXL: return parseJPEGXL(reader)
            default: return .image(ImageHeader(format: format, storedSize: nil))
            }
        }
    }

    /// The logical screen's size.
    ///
    /// - Source: GIF89a, section 18.
    private static func parseGIF(_ reader: ByteReader) -> Parse {
        guard let width = reader.little(6, size: 2), let height = reader.little(8, size: 2) else {
            return .needsMoreBytes
        }
        return .image(ImageHeader(format: .gif, storedSize: PixelSize(width: width, height: height)))
    }

    /// The size from the first header's two forms. A negative height means rows from the top.
    ///
    /// - Source: Microsoft, BITMAPCOREHEADER and BITMAPINFOHEADER.
    private static func parseBMP(_ reader: ByteReader) -> Parse {
        guard let headerSize = reader.little(14, size: 4) else { return .needsMoreBytes }
        if headerSize == 12 {
            guard let width = reader.little(18, size: 2), let height = reader.little(20, size: 2) else {
                return .needsMoreBytes
            }
            return .image(ImageHeader(format: .bmp, storedSize: PixelSize(width: width, height: height)))
        }
        func signed(_ offset: Int) -> Int32? {
            guard let low = reader.little(offset, size: 2), let high = reader.little(offset + 2, size: 2) else {
                return nil
            }
            return Int32(bitPattern: UInt32(low) | UInt32(high) << 16)
        }
        guard let width = signed(18), let height = signed(22) else { return .needsMoreBytes }
        return .image(
            ImageHeader(
                format: .bmp, storedSize: PixelSize(width: Int(width), height: Int(clamping: height.magnitude))))
    }
}
