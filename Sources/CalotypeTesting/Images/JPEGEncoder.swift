import Foundation

/// Writes baseline JPEG files in which each block has one color, or one mix of inks.
///
/// Such a block is its DC coefficient alone, so there is no transform: with every quantizer at 8, the coefficient is the
/// block's level itself.
///
/// - Source: ITU-T T.81 annexes B (syntax), C and F (Huffman coding); ITU-T T.871 (JFIF) for the colors.
enum JPEGEncoder {
    /// T.81 table K.3: how many codes there are of each length from 1 to 16; the categories follow in order.
    private static let categoryCodeCounts: [UInt8] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    private static let categories: [UInt8] = Array(0...11)
    /// One code, of one bit: the end of the block.
    private static let endOfBlockCodeCounts: [UInt8] = [1] + Array(repeating: 0, count: 15)

    static func encode(
        width: Int, height: Int, exif: [UInt8]?, pixel: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        precondition(max(width, height) <= 65_535, "JPEG allows 65,535 pixels a side; got \(width) x \(height).")
        // JFIF 1.02 without units, density 1 x 1, no thumbnail.
        let jfif = (code: UInt8(0xe0), content: Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0])
        let segment = exif.map { (code: UInt8(0xe1), content: Array("Exif\0\0".utf8) + $0) } ?? jfif
        return file(width: width, height: height, componentCount: 3, segments: [segment]) { levels(pixel($0, $1)) }
    }

    /// What an Adobe segment says of a file of inks.
    ///
    /// - Source: Adobe technical note 5116, section 18.
    enum InkTransform: UInt8 {
        /// Inks as they are.
        case none = 0
        /// The first three as if they were colours, turned into Y, Cb and Cr.
        case ycck = 2
    }

    /// A file of inks.
    ///
    /// - Parameters:
    ///   - transform: With an Adobe segment, whose files hold 255 for no ink; without one if `nil`, and 0 for no ink.
    ///   - inks: Cyan, magenta, yellow and black, 0 to 255, in the red, green, blue and alpha of a color.
    static func encodeInks(
        width: Int, height: Int, transform: InkTransform?, inks: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        let adobe = transform.map {
            (code: UInt8(0xee), content: Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, $0.rawValue])
        }
        return file(width: width, height: height, componentCount: 4, segments: adobe.map { [$0] } ?? []) { x, y in
            let ink = inks(x, y)
            let black = Int(ink.alpha)
            switch transform {
            case .ycck: return levels(ink) + [127 - black]
            case .some(.none): return [ink.red, ink.green, ink.blue, ink.alpha].map { 127 - Int($0) }
            case nil: return [ink.red, ink.green, ink.blue, ink.alpha].map { Int($0) - 128 }
            }
        }
    }

    private static func file(
        width: Int, height: Int, componentCount: Int, segments: [(code: UInt8, content: [UInt8])],
        levels: (_ x: Int, _ y: Int) -> [Int]
    ) -> Data {
        var file: [UInt8] = [0xff, 0xd8]
        for segment in segments { append(segment.code, segment.content, to: &file) }
        append(0xdb, [0] + Array(repeating: 8, count: 64), to: &file)
        let size = [UInt8(height >> 8), UInt8(height & 0xff), UInt8(width >> 8), UInt8(width & 0xff)]
        let components = (1...UInt8(componentCount))
        // 8 bits; each component is sampled once a block, all with quantization table 0.
        append(
            0xc0, [8] + size + [UInt8(componentCount)] + components.flatMap { [$0, 0x11, 0] }, to: &file)
        append(0xc4, [0x00] + categoryCodeCounts + categories, to: &file)
        append(0xc4, [0x10] + endOfBlockCodeCounts + [0], to: &file)
        // All components with tables 0 and 0; all 64 coefficients in one scan.
        append(0xda, [UInt8(componentCount)] + components.flatMap { [$0, 0] } + [0, 63, 0], to: &file)
        file += scan(width: width, height: height, componentCount: componentCount, levels: levels)
        file += [0xff, 0xd9]
        return Data(file)
    }

    private static func append(_ marker: UInt8, _ content: [UInt8], to file: inout [UInt8]) {
        let length = content.count + 2
        file += [0xff, marker, UInt8(length >> 8), UInt8(length & 0xff)] + content
    }

    private static func scan(
        width: Int, height: Int, componentCount: Int, levels: (_ x: Int, _ y: Int) -> [Int]
    ) -> [UInt8] {
        var writer = BitWriter()
        let codes = self.codes
        var previous = [Int](repeating: 0, count: componentCount)
        for top in stride(from: 0, to: height, by: 8) {
            for left in stride(from: 0, to: width, by: 8) {
                let levels = levels(min(left + 4, width - 1), min(top + 4, height - 1))
                for (component, level) in levels.enumerated() {
                    let difference = level - previous[component]
                    previous[component] = level
                    let bitCount = Int.bitWidth - abs(difference).leadingZeroBitCount
                    writer.append(codes[bitCount].bits, count: codes[bitCount].count)
                    // T.81 section F.1.2.1: a negative difference is written as its value less one.
                    writer.append(difference < 0 ? difference - 1 : difference, count: bitCount)
                    writer.append(0, count: 1)
                }
            }
        }
        return writer.finish()
    }

    /// The codes of the categories, made as T.81 annex C says.
    private static var codes: [(bits: Int, count: Int)] {
        var codes: [(bits: Int, count: Int)] = []
        var code = 0
        for (index, count) in categoryCodeCounts.enumerated() {
            for _ in 0..<count {
                codes.append((code, index + 1))
                code += 1
            }
            code <<= 1
        }
        return codes
    }

    /// Y, Cb and Cr, all around 0.
    private static func levels(_ color: PixelColor) -> [Int] {
        let (red, green, blue) = (Double(color.red), Double(color.green), Double(color.blue))
        return [
            0.299 * red + 0.587 * green + 0.114 * blue - 128,
            -0.168_736 * red - 0.331_264 * green + 0.5 * blue,
            0.5 * red - 0.418_688 * green - 0.081_312 * blue,
        ].map { Int(max(-128, min(127, $0.rounded()))) }
    }
}

/// Writes bits from the most significant on, with a zero after each byte of ones (T.81 section F.1.2.3).
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending = 0
    private var pendingCount = 0

    mutating func append(_ bits: Int, count: Int) {
        pending = pending << count | bits & (1 << count - 1)
        pendingCount += count
        while pendingCount >= 8 {
            pendingCount -= 8
            let byte = UInt8(pending >> pendingCount & 0xff)
            bytes.append(byte)
            if byte == 0xff { bytes.append(0) }
        }
        pending &= 1 << pendingCount - 1
    }

    /// Fills the last byte with ones.
    mutating func finish() -> [UInt8] {
        if pendingCount > 0 { append(0xff, count: 8 - pendingCount) }
        return bytes
    }
}
