import Foundation

/// About how much memory a decode takes, by what the header tells: what the budget of the decode queue counts.
///
/// An estimate errs upwards where it must: one that is too high makes a decode wait, one that is too low ends the process.
enum DecodeEstimate {
    /// A decoder that holds all pixels of the file, and then makes the result of them.
    ///
    /// Where the size isn't known, it is told by the length: photographs in formats of that kind (HEIC, AVIF, JPEG XL) take
    /// a bit and more for each pixel, so 32 bytes of pixels, at most, for each byte.
    static func whole(of data: Data, pixelSize: PixelSize?, target: PixelTarget) -> Int {
        guard let pixelSize, pixelSize.width > 0, pixelSize.height > 0 else { return multiply(data.count, 32) }
        let result = target.pixelSize(for: pixelSize)
        return result == pixelSize ? byteCount(of: pixelSize) : add(byteCount(of: pixelSize), byteCount(of: result))
    }

    /// A decoder that resizes rows as they come, as ``SystemImageDecoder``'s are for JPEG, PNG and GIF.
    ///
    ///     baseline JPEG, PNG, GIF: 8 rows of the source + the resizer's window + result
    ///     progressive JPEG:        the same + its coefficients
    ///     interlaced GIF:          the same + a byte for each pixel
    ///     interlaced PNG:          all pixels + result
    static func streaming(of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget) -> Int {
        guard let pixelSize, pixelSize.width > 0, pixelSize.height > 0, format != .png || !isInterlaced(png: data)
        else { return whole(of: data, pixelSize: pixelSize, target: target) }
        let result = target.pixelSize(for: pixelSize)
        let kept =
            switch format {
            // 6 bytes a pixel at 4:4:4, 3 at 4:2:0.
            case .jpeg where isProgressive(data): multiply(pixelSize.pixelCount, 6)
            case .gif where isInterlaced(gif: data): pixelSize.pixelCount
            default: 0
            }
        return add(add(rows(from: pixelSize, to: result), kept), byteCount(of: result))
    }

    /// A few rows of the source, and the resizer's window.
    static func rows(from pixelSize: PixelSize, to result: PixelSize) -> Int {
        // The longer side, as rows may run along either: the orientation turns them.
        let sourceRow = multiply(max(pixelSize.width, pixelSize.height), 4)
        let resultRow = multiply(max(result.width, result.height), 4)
        // The window has up to 19 rows of floats, 4 bytes for each byte of the result; besides there are two rows of the
        // source in wider numbers.
        return add(multiply(sourceRow, 8 + 2 + 4), multiply(resultRow, 20 * 4))
    }

    /// The bytes of a bitmap: RGBA.
    static func byteCount(of size: PixelSize) -> Int { multiply(size.pixelCount, 4) }

    static func add(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    static func multiply(_ a: Int, _ b: Int) -> Int {
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        return overflow ? .max : product
    }

    /// Whether a PNG comes in passes; one whose header isn't where it should be counts as such.
    ///
    /// - Source: PNG, section 11.2.1: IHDR is first, and its last byte is the interlace method.
    private static func isInterlaced(png data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            return !reader.has("IHDR", at: 12) || reader.byte(28) != 0
        }
    }

    /// Whether a GIF's first frame comes in passes; one that isn't found counts as such.
    ///
    /// - Source: GIF89a, section 20.
    private static func isInterlaced(gif data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            guard var blocks = GIFBlocks(ByteReader(bytes)) else { return true }
            var block = blocks.next()
            while case .extension = block { block = blocks.next() }
            guard case .frame(let flags) = block else { return true }
            return flags & 0x40 != 0
        }
    }

    /// Whether a JPEG has more scans than one: its frame header says so, or there is none to be found.
    ///
    /// - Source: ISO/IEC 10918-1, table B.1.
    private static func isProgressive(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            var offset = 2
            while let marker = reader.byte(offset), marker == 0xFF, let code = reader.byte(offset + 1) {
                switch code {
                case 0xC0, 0xC1: return false
                case 0xFF: offset += 1
                default:
                    guard let length = reader.big(offset + 2, size: 2), length >= 2 else { return true }
                    if code == 0xC2 || code == 0xDA { return true }
                    offset += 2 + length
                }
            }
            return true
        }
    }
}
