package import Foundation

/// Writes PNG files, animated ones included, whose image data is stored rather than compressed.
///
/// - Source: PNG (Third Edition) sections 5 and 11; RFC 1950 (zlib); RFC 1951 section 3.2.4 (stored blocks).
package enum PNGEncoder {
    static func encode(
        width: Int, height: Int, channels: TestImages.PNGChannels, exif: [UInt8]?,
        pixel: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        var chunks = [header(width: width, height: height, bitDepth: 8, colorType: channels.rawValue)]
        if let exif { chunks.append(Chunk("eXIf", exif)) }
        let stream = stream(width: width, height: height) { x, y in
            let color = pixel(x, y)
            return switch channels {
            case .gray: [color.gray]
            case .rgb: [color.red, color.green, color.blue]
            case .rgba: [color.red, color.green, color.blue, color.alpha]
            }
        }
        return file(chunks + [Chunk("IDAT", stream)])
    }

    // MARK: Chunks

    /// A chunk without its length and checksum.
    package struct Chunk {
        package var name: String
        package var content: [UInt8]

        package init(_ name: String, _ content: [UInt8]) {
            (self.name, self.content) = (name, content)
        }
    }

    /// The signature, these chunks and IEND.
    package static func file(_ chunks: [Chunk]) -> Data {
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        for chunk in chunks + [Chunk("IEND", [])] {
            let typed = Array(chunk.name.utf8) + chunk.content
            file += bigEndian(UInt32(chunk.content.count)) + typed + bigEndian(crc32(typed))
        }
        return Data(file)
    }

    /// IHDR.
    package static func header(
        width: Int, height: Int, bitDepth: UInt8, colorType: UInt8, isInterlaced: Bool = false
    ) -> Chunk {
        let sides = bigEndian(UInt32(width)) + bigEndian(UInt32(height))
        // The only method there is of compression, and of filters.
        return Chunk("IHDR", sides + [bitDepth, colorType, 0, 0, isInterlaced ? 1 : 0])
    }

    /// The content of IDAT, in one piece: rows of pixels that take whole bytes, each with filter 0.
    ///
    /// - Parameter pixel: The pixel's bytes, the same number for each.
    package static func stream(
        width: Int, height: Int, isInterlaced: Bool = false, pixel: (_ x: Int, _ y: Int) -> [UInt8]
    ) -> [UInt8] {
        // Adam7: the first column and row of each pass, and the steps between them.
        let passes =
            isInterlaced
            ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
            : [(0, 0, 1, 1)]
        var rows: [UInt8] = []
        rows.reserveCapacity(height * (1 + width * 4))
        for (left, top, columns, lines) in passes where left < width {
            for y in Swift.stride(from: top, to: height, by: lines) {
                rows.append(0)
                for x in Swift.stride(from: left, to: width, by: columns) { rows += pixel(x, y) }
            }
        }
        return zlibStored(rows)
    }

    /// A zlib stream of that content.
    package static func zlib(_ bytes: [UInt8]) -> [UInt8] { zlibStored(bytes) }

    // MARK: Animation

    /// A frame of an animation.
    package struct Frame {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        /// In seconds: numerator and denominator.
        var delay: (Int, Int)
        /// 0 keeps the frame, 1 clears its place, 2 restores what was there.
        var disposal: UInt8
        var isOver: Bool
        var isInterlaced: Bool
        var pixel: (_ x: Int, _ y: Int) -> PixelColor

        /// - Parameter pixel: Gets a column and a row of the frame.
        package init(
            left: Int = 0, top: Int = 0, width: Int, height: Int, delay: (Int, Int) = (1, 10), disposal: UInt8 = 0,
            isOver: Bool = false, pixel: @escaping (_ x: Int, _ y: Int) -> PixelColor
        ) {
            (self.left, self.top, self.width, self.height, self.pixel) = (left, top, width, height, pixel)
            (self.delay, self.disposal, self.isOver, isInterlaced) = (delay, disposal, isOver, false)
        }

        /// fcTL, with that sequence number.
        package func control(_ sequence: Int) -> Chunk {
            let numbers = [sequence, width, height, left, top].flatMap { PNGEncoder.bigEndian(UInt32($0)) }
            let delays = [delay.0, delay.1].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            return Chunk("fcTL", numbers + delays + [disposal, isOver ? 1 : 0])
        }

        package var stream: [UInt8] {
            PNGEncoder.stream(width: width, height: height, isInterlaced: isInterlaced) { x, y in
                let color = pixel(x, y)
                return [color.red, color.green, color.blue, color.alpha]
            }
        }
    }

    /// acTL.
    package static func animationControl(frameCount: Int, plays: Int = 0) -> Chunk {
        Chunk("acTL", bigEndian(UInt32(frameCount)) + bigEndian(UInt32(plays)))
    }

    /// fdAT.
    package static func frameData(_ sequence: Int, _ stream: [UInt8]) -> Chunk {
        Chunk("fdAT", bigEndian(UInt32(sequence)) + stream)
    }

    /// The chunks of an animation, without IEND. RGBA.
    ///
    /// - Parameters:
    ///   - plays: How often; 0 for ever.
    ///   - still: What decoders without animation show. If `nil`, that is the first frame, as large as the canvas.
    ///   - pieceLength: Each frame comes in chunks of at most so many bytes of its stream.
    package static func animation(
        width: Int, height: Int, plays: Int = 0, still: Frame? = nil, isInterlaced: Bool = false,
        pieceLength: Int = .max, frames: [Frame]
    ) -> [Chunk] {
        var chunks = [
            header(width: width, height: height, bitDepth: 8, colorType: 6, isInterlaced: isInterlaced),
            animationControl(frameCount: frames.count, plays: plays),
        ]
        var sequence = 0
        func next() -> Int {
            defer { sequence += 1 }
            return sequence
        }
        if var still {
            still.isInterlaced = isInterlaced
            chunks.append(Chunk("IDAT", still.stream))
        }
        for (index, frame) in frames.enumerated() {
            var frame = frame
            frame.isInterlaced = isInterlaced
            chunks.append(frame.control(next()))
            let stream = frame.stream
            if index == 0, still == nil {
                chunks.append(Chunk("IDAT", stream))
                continue
            }
            for start in Swift.stride(from: 0, to: stream.count, by: min(pieceLength, stream.count)) {
                let end = start + min(pieceLength, stream.count - start)
                chunks.append(frameData(next(), Array(stream[start..<end])))
            }
        }
        return chunks
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

    package static func bigEndian(_ value: UInt32) -> [UInt8] {
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
