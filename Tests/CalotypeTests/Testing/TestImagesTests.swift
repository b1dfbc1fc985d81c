import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Test images")
struct TestImagesTests {
    private struct Format: Error {}

    /// What a PNG file holds, its checksums verified.
    private struct PNG {
        var chunks: [(type: String, content: ArraySlice<UInt8>)] = []
        var rows: [UInt8] = []

        init(_ data: Data) throws {
            let bytes = Array(data)
            guard bytes.prefix(8) == [137, 80, 78, 71, 13, 10, 26, 10] else { throw Format() }
            var index = 8
            while index < bytes.count {
                let length = Int(Self.number(bytes[index..<index + 4]))
                let typed = bytes[index + 4..<index + 8 + length]
                #expect(Self.number(bytes[index + 8 + length..<index + 12 + length]) == Self.crc(typed))
                chunks.append((String(decoding: typed.prefix(4), as: UTF8.self), typed.dropFirst(4)))
                index += 12 + length
            }
            let stream = Array(chunks.filter { $0.type == "IDAT" }.flatMap { $0.content })
            #expect((Int(stream[0]) << 8 | Int(stream[1])) % 31 == 0)
            var block = 2
            var isLast = false
            while !isLast {
                isLast = stream[block] == 1
                let length = Int(stream[block + 1]) | Int(stream[block + 2]) << 8
                #expect(length ^ 0xffff == Int(stream[block + 3]) | Int(stream[block + 4]) << 8)
                rows += stream[block + 5..<block + 5 + length]
                block += 5 + length
            }
            #expect(Self.number(stream[block...]) == Self.adler(rows))
        }

        static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

        /// Bit by bit, unlike the encoder's.
        static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
            var crc = ~UInt32(0)
            for byte in bytes {
                for bit in 0..<8 {
                    let odd = (crc ^ UInt32(byte >> bit)) & 1 == 1
                    crc = odd ? crc >> 1 ^ 0xedb8_8320 : crc >> 1
                }
            }
            return ~crc
        }

        static func adler(_ bytes: [UInt8]) -> UInt32 {
            var (a, b) = (1, 0)
            for byte in bytes { (a, b) = ((a + Int(byte)) % 65_521, (b + a + Int(byte)) % 65_521) }
            return UInt32(b << 16 | a)
        }
    }

    @Test("the checksums used here are right themselves")
    func checksums() {
        // The check values of CRC-32/ISO-HDLC and of Adler-32's usual example.
        #expect(PNG.crc(ArraySlice("123456789".utf8)) == 0xcbf4_3926)
        #expect(PNG.adler(Array("Wikipedia".utf8)) == 0x11e6_0398)
    }

    @Test("a PNG has its header, one filter byte a row and the colors, alpha not premultiplied")
    func png() throws {
        let colors: [PixelColor] = [.red, PixelColor(10, 20, 30, 40), .clear, .white]
        let file = try PNG(TestImages.png(width: 2, height: 2) { x, y in colors[y * 2 + x] })
        #expect(file.chunks.map(\.type) == ["IHDR", "IDAT", "IEND"])
        #expect(Array(file.chunks[0].content) == [0, 0, 0, 2, 0, 0, 0, 2, 8, 6, 0, 0, 0])
        #expect(file.rows == [0, 255, 0, 0, 255, 10, 20, 30, 40, 0, 0, 0, 0, 0, 255, 255, 255, 255])
    }

    @Test("a PNG may be gray or without alpha")
    func channels() throws {
        let rgb = try PNG(TestImages.png(width: 1, height: 1, channels: .rgb) { _, _ in PixelColor(1, 2, 3, 4) })
        #expect(rgb.rows == [0, 1, 2, 3])
        let gray = try PNG(TestImages.png(width: 2, height: 1, channels: .gray) { x, _ in x == 0 ? .green : .white })
        #expect(gray.rows == [0, 150, 255])
    }

    @Test("image data larger than one stored block is cut into several")
    func largePNG() throws {
        let file = try PNG(TestImages.gradientPNG(width: 300, height: 200))
        #expect(file.rows.count == 200 * 901)
        #expect(file.rows.suffix(3) == [255, 255, 64])
    }

    @Test("a solid PNG is of one color")
    func solid() throws {
        let file = try PNG(TestImages.solidPNG(width: 3, height: 1, color: PixelColor(7, 8, 9)))
        #expect(file.rows == [0, 7, 8, 9, 255, 7, 8, 9, 255, 7, 8, 9, 255])
    }

    @Test("a stored image is turned so that its orientation makes it upright", arguments: 1...8)
    func orientation(_ orientation: Int) throws {
        let file = try PNG(TestImages.quadrantPNG(width: 4, height: 2, orientation: orientation))
        let exif = try #require(file.chunks.first { $0.type == "eXIf" })
        #expect(exif.content.dropFirst(10).prefix(10) == [1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation)])
        let header = Array(file.chunks[0].content)
        let (width, height) = (Int(header[3]), Int(header[7]))
        #expect((width, height) == (orientation >= 5 ? (2, 4) : (4, 2)))
        let stored = { (x: Int, y: Int) -> PixelColor in
            let offset = y * (width * 3 + 1) + 1 + x * 3
            return PixelColor(file.rows[offset], file.rows[offset + 1], file.rows[offset + 2])
        }
        let corners = [stored(0, 0), stored(width - 1, 0), stored(0, height - 1), stored(width - 1, height - 1)]
        // As Exif 2.32 describes the values: the stored first row is the visual top (1, 2), bottom (3, 4), left (5, 8)
        // or right (6, 7); the first column is the left (1, 4), right (2, 3), top (5, 6) or bottom (7, 8).
        let (r, g, b, w) = (PixelColor.red, PixelColor.green, PixelColor.blue, PixelColor.white)
        let expected = [
            [r, g, b, w], [g, r, w, b], [w, b, g, r], [b, w, r, g],
            [r, b, g, w], [g, w, r, b], [w, g, b, r], [b, r, w, g],
        ]
        #expect(corners == expected[orientation - 1])
    }

    @Test("a JPEG's segments follow each other to the end mark")
    func jpeg() throws {
        let bytes = Array(TestImages.quadrantJPEG(width: 32, height: 16, orientation: 6))
        #expect(bytes.prefix(2) == [0xff, 0xd8])
        #expect(bytes.suffix(2) == [0xff, 0xd9])
        var markers: [UInt8] = []
        var index = 2
        while markers.last != 0xda {
            #expect(bytes[index] == 0xff)
            markers.append(bytes[index + 1])
            // Stored on its side: 16 wide, 32 high.
            if markers.last == 0xc0 { #expect(Array(bytes[index + 4..<index + 9]) == [8, 0, 32, 0, 16]) }
            index += 2 + (Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
        }
        #expect(markers == [0xe1, 0xdb, 0xc0, 0xc4, 0xc4, 0xda])
        let scan = bytes[index..<bytes.count - 2]
        #expect(zip(scan, scan.dropFirst()).allSatisfy { $0 != 0xff || $1 == 0 })
    }

    @Test("bitmaps are premultiplied, and PNG files of them are not")
    func premultiplication() throws {
        let bitmap = TestImages.solidBitmap(width: 1, height: 1, color: PixelColor(200, 100, 0, 128))
        #expect(bitmap.pixel(0, 0) == PixelColor(100, 50, 0, 128))
        #expect(try PNG(TestImages.png(bitmap)).rows == [0, 199, 100, 0, 128])
        #expect(PixelColor(9, 9, 9, 0).unpremultiplied == .clear)
    }

    @Test("the quadrants of a bitmap are where they should be")
    func quadrants() {
        #expect(TestImages.quadrantBitmap(width: 5, height: 3).corners == .quadrants)
        let gradient = TestImages.gradientBitmap(width: 9, height: 7).corners
        #expect(gradient.topLeft == PixelColor(0, 0, 64))
        #expect(gradient.bottomRight == PixelColor(255, 255, 64))
    }
}

@Suite("Pixel comparison")
struct PixelComparisonTests {
    private let base = TestImages.gradientBitmap(width: 10, height: 10)

    @Test("equal bitmaps don't differ")
    func equal() {
        let comparison = PixelComparison(base, TestImages.gradientBitmap(width: 10, height: 10))
        #expect(comparison.isWithin(.exact))
        #expect(comparison.psnr == .infinity)
        #expect(comparison.description == "no difference")
    }

    @Test("one pixel that differs is found, measured and described")
    func onePixel() {
        let changed = TestImages.bitmap(width: 10, height: 10) { x, y in
            let color = base.pixel(x, y)
            return (x, y) == (3, 7) ? PixelColor(color.red, color.green, color.blue + 40) : color
        }
        let comparison = PixelComparison(changed, base)
        #expect(comparison.maximumDifference == 40)
        #expect(comparison.meanDifference == 0.1)
        // 10 log10(255² · 400 / 40²)
        #expect(abs(comparison.psnr - 42.11) < 0.005)
        #expect(
            comparison.description
                == "maximum 40, mean 0.1, PSNR 42.11 dB; worst at (3, 7): (85, 198, 104, 255), expected (85, 198, 64, 255)"
        )
        #expect(comparison.isWithin(.init(maximum: 40, mean: 0.1, leastPSNR: 42)))
        #expect(!comparison.isWithin(.init(maximum: 39)))
        #expect(!comparison.isWithin(.init(mean: 0.09)))
        #expect(!comparison.isWithin(.init(leastPSNR: 43)))
        #expect(PixelComparison.Tolerance(maximum: 2, leastPSNR: 40).description == "maximum 2, PSNR at least 40.0 dB")
    }

    @Test("bitmaps of different sizes are never alike")
    func sizes() {
        let comparison = PixelComparison(base, TestImages.gradientBitmap(width: 10, height: 9))
        #expect(!comparison.isWithin(.init()))
        #expect(comparison.description == "10 x 10 pixels, expected 10 x 9")
    }

    @Test("WebP and GIF files hold their colors exactly, and what is transparent")
    func webPAndGIF() throws {
        let color = { (x: Int, y: Int) in x == y ? PixelColor.clear : PixelColor(UInt8(x * 50), UInt8(y * 60), 7) }
        let expected = TestImages.bitmap(width: 5, height: 4, pixel: color)
        for data in [
            TestImages.webP(width: 5, height: 4, pixel: color), TestImages.gif(width: 5, height: 4, pixel: color),
            TestImages.gif(width: 5, height: 4, isInterlaced: true, pixel: color),
        ] {
            let comparison = PixelComparison(try ImageDecoders.system.decode(data).bitmap, expected)
            #expect(comparison.isWithin(.exact), "\(comparison)")
        }
        let turned = TestImages.webP(width: 5, height: 4, orientation: 6, pixel: color)
        #expect(PixelComparison(try ImageDecoders.system.decode(turned).bitmap, expected).isWithin(.exact))
    }
}
