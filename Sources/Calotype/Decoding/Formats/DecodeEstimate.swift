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
    ///     JPEG in several scans:   the same + its coefficients, whichever scans are read
    ///     interlaced GIF:          the same + a byte for each pixel
    ///     interlaced PNG:          all pixels + result
    static func streaming(of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget) -> Int {
        guard let pixelSize, pixelSize.width > 0, pixelSize.height > 0, format != .png || !isInterlaced(png: data)
        else { return whole(of: data, pixelSize: pixelSize, target: target) }
        let result = target.pixelSize(for: pixelSize)
        let kept =
            switch format {
            case .jpeg: multiply(pixelSize.pixelCount, coefficientByteCount(data))
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
        // The window has up to 21 rows, and three beside it, of as much as boxes leave, which is less than 3.3 times the
        // result (24 and 3.75 of a scaled JPEG, with three channels): floats, 4 bytes for each byte of the result. Besides
        // there is a row of the source in sums of 2 bytes.
        let windowRow = min(sourceRow, multiply(resultRow, 10) / 3)
        return add(multiply(sourceRow, 8 + 2), multiply(windowRow, 24 * 4))
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

    /// What a JPEG's coefficients take for each pixel while they are kept: 0 for a file in one scan, where they aren't; 2 bytes
    /// for each sample in all others, which are 3 at 4:2:0, 6 at 4:4:4 and 8 for inks, rounded up.
    ///
    /// A file in which no frame header is to be found counts as one of inks.
    private static func coefficientByteCount(_ data: Data) -> Int {
        data.withUnsafeBytes { bytes in
            var segments = JPEGSegments(ByteReader(bytes))
            var kept: Int?
            var componentCount = 0
            while case .segment(let segment) = segments.next() {
                if segment.isScan {
                    // The first scan of a sequential file may hold some of its components alone.
                    if segment.content.byte(0) ?? 0 >= componentCount { return 0 }
                    break
                }
                guard segment.isFrame, kept == nil else { continue }
                componentCount = segment.content.byte(5) ?? 0
                let sampling = (0..<componentCount).map { segment.content.byte(7 + $0 * 3) ?? 0x11 }
                let sum = sampling.reduce(0) { $0 + ($1 >> 4) * ($1 & 15) }
                let largest = max((sampling.map { $0 >> 4 }.max() ?? 1) * (sampling.map { $0 & 15 }.max() ?? 1), 1)
                kept = (2 * sum + largest - 1) / largest
                // Progressive, by Huffman or arithmetic codes.
                if segment.code == 0xC2 || segment.code == 0xCA { break }
            }
            return kept ?? 8
        }
    }
}
