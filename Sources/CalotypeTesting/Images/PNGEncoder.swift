import Foundation

/// Writes PNG files whose image data is stored rather than compressed.
///
/// - Source: PNG (Third Edition) sections 5 and 11; RFC 1950 (zlib); RFC 1951 section 3.2.4 (stored blocks).
enum PNGEncoder {
    static func encode(
        width: Int, height: Int, channels: TestImages.PNGChannels, exif: [UInt8]?,
        pixel: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        // Bit depth 8, the color type, and the only method there is of compression, filter and no interlace.
        let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, channels.rawValue, 0, 0, 0]
        append("IHDR", header, to: &file)
        if let exif { append("eXIf", exif, to: &file) }

        var rows: [UInt8] = []
        rows.reserveCapacity(height * (1 + width * 4))
        for y in 0..<height {
            // Filter type 0: as they are.
            rows.append(0)
            for x in 0..<width {
                let color = pixel(x, y)
                switch channels {
                case .gray: rows.append(color.gray)
                case .rgb: rows.append(contentsOf: [color.red, color.green, color.blue])
                case .rgba: rows.append(contentsOf: [color.red, color.green, color.blue, color.alpha])
                }
            }
        }
        append("IDAT", zlibStored(rows), to: &file)
        append("IEND", [], to: &file)
        return Data(file)
    }

    private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
        let typed = Array(type.utf8) + content
        file += bigEndian(UInt32(content.count)) + typed + bigEndian(crc32(typed))
    }

    private static func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
        // Deflate with a 32 KB window, fastest level; the two bytes are a multiple of 31.
        var stream: [UInt8] = [0x78, 0x01]
        stream.reserveCapacity(bytes.count + bytes.count / 8192 + 16)
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let length = UInt16(end - start)
            stream.append(end == bytes.count ? 1 : 0)
            stream += [UInt8(length & 0xff), UInt8(length >> 8), UInt8(~length & 0xff), UInt8(~length >> 8)]
            stream += bytes[start..<end]
            start = end
        } while start < bytes.count
        return stream + bigEndian(adler32(bytes))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
    }

    /// - Source: PNG (Third Edition) annex D.
    static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        let table = crcTable
        return ~bytes.reduce(~UInt32(0)) { crc, byte in table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8) }
    }

    /// - Source: RFC 1950 section 8.
    static func adler32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var (a, b) = (UInt32(1), UInt32(0))
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return b << 16 | a
    }
}
