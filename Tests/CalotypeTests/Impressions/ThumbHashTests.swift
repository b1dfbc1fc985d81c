import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("ThumbHash: an image in 25 bytes")
struct ThumbHashTests {
    // MARK: Decoding

    @Test("published hashes have the published ratio, average colour and pixels", arguments: ThumbHashVector.all)
    func vectors(_ vector: ThumbHashVector) throws {
        let hash = try #require(ThumbHash(bytes: vector.hash))
        #expect(hash.bytes == vector.hash)
        #expect(abs(hash.approximateAspectRatio - vector.aspectRatio) < 1e-6)
        let average = hash.averageColor
        for (channel, expected) in zip([average.red, average.green, average.blue, average.alpha], vector.averageColor) {
            #expect(abs(channel - expected) < 1e-5)
        }
        guard let (width, height, colors) = vector.pixels else { return }
        #expect(hash.approximatePixelSize == PixelSize(width: width, height: height))
        let bitmap = hash.bitmap(size: hash.approximatePixelSize)
        let points = [0, height / 2, height - 1].flatMap { y in [0, width / 2, width - 1].map { (x: $0, y: y) } }
        for (point, color) in zip(points, colors) {
            let pixel = bitmap.pixel(point.x, point.y)
            #expect(pixel.isClose(to: color.premultiplied, within: 1), "\(point): \(pixel), not \(color)")
        }
    }

    @Test("the picture has whatever size it is asked for, and looks the same")
    func decodedSize() throws {
        let hash = try #require(ThumbHash(bytes: ThumbHashVector.all[2].hash))
        #expect(hash.bitmap(size: PixelSize(width: 1, height: 1)).size == PixelSize(width: 1, height: 1))
        for size in [PixelSize(width: 9, height: 90), .init(width: 100, height: 70)] {
            let bitmap = hash.bitmap(size: size)
            #expect(bitmap.size == size)
            #expect(bitmap.average.isClose(to: .init(106, 118, 116), within: 12), "\(bitmap.average)")
        }
    }

    @Test("bytes that no picture has are refused, and others always have a picture")
    func anyBytes() {
        var random = SeededGenerator(seed: 25)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = (0..<Int(random.next() % 40)).map { _ in random.byte() }
            // Half of them with a length that could be right.
            if bytes.count > 4, random.next() % 2 == 0 {
                bytes[3] = bytes[3] & 0xf8 | 5
                bytes[2] &= 0x7f
                bytes = Array((bytes + (0..<21).map { _ in random.byte() }).prefix(21))
            }
            guard let hash = ThumbHash(bytes: bytes) else { continue }
            accepted += 1
            #expect(hash.bytes == bytes)
            #expect(hash.approximateAspectRatio > 0 && hash.approximateAspectRatio.isFinite)
            #expect(hash.bitmap(size: PixelSize(width: 4, height: 3)).isPremultiplied)
        }
        #expect(accepted > 5_000)
    }

    @Test("a hash with a byte too few or too many is none, nor is one with an impossible header")
    func wrongLength() {
        for vector in ThumbHashVector.all {
            for count in 0..<vector.hash.count { #expect(ThumbHash(bytes: vector.hash.prefix(count)) == nil) }
            #expect(ThumbHash(bytes: vector.hash + [0]) == nil)
            #expect(ThumbHash(bytes: [UInt8](repeating: 0, count: 1_000)) == nil)
        }
        // No frequencies along the shorter side; more of them than along the longer one.
        #expect(ThumbHash(bytes: [0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 14)) == nil)
        for count in 1..<22 {
            #expect(ThumbHash(bytes: [0, 0, 0x80, 6] + [UInt8](repeating: 0, count: count)) == nil)
        }
    }

    // MARK: Encoding

    struct Picture: CustomTestStringConvertible {
        var testDescription: String
        var bitmap: Bitmap

        static let all = [
            Picture(testDescription: "gradient, landscape", bitmap: TestImages.gradientBitmap(width: 100, height: 67)),
            Picture(testDescription: "gradient, portrait", bitmap: TestImages.gradientBitmap(width: 31, height: 64)),
            Picture(testDescription: "quadrants, square", bitmap: TestImages.quadrantBitmap(width: 50, height: 50)),
            Picture(testDescription: "quadrants, very wide", bitmap: TestImages.quadrantBitmap(width: 100, height: 3)),
            Picture(testDescription: "quadrants, very tall", bitmap: TestImages.quadrantBitmap(width: 2, height: 90)),
            Picture(testDescription: "one pixel", bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .blue)),
            Picture(
                testDescription: "one colour", bitmap: TestImages.solidBitmap(width: 40, height: 30, color: .green)),
            Picture(testDescription: "nothing", bitmap: TestImages.solidBitmap(width: 20, height: 30, color: .clear)),
            Picture(
                testDescription: "alpha from left to right",
                bitmap: TestImages.bitmap(width: 60, height: 40) { x, y in
                    PixelColor(UInt8(y * 6), 200, 40, UInt8(x * 4))
                }),
            Picture(
                testDescription: "one pixel that isn't opaque",
                bitmap: TestImages.bitmap(width: 30, height: 30) { x, y in
                    PixelColor(90, 10, UInt8(x * 8), x == 3 && y == 4 ? 254 : 255)
                }),
            Picture(
                testDescription: "noise",
                bitmap: {
                    var random = SeededGenerator(seed: 1)
                    return TestImages.bitmap(width: 77, height: 90) { _, _ in
                        PixelColor(random.byte(), random.byte(), random.byte())
                    }
                }()),
        ]
    }

    @Test("the hash is what the formulas give", arguments: Picture.all)
    func encoding(_ picture: Picture) throws {
        let hash = ThumbHash(picture.bitmap, cellLimit: 100)
        #expect(hash.bytes == ThumbHashReference.encode(picture.bitmap))
        #expect(ThumbHash(bytes: hash.bytes) == hash)
    }

    @Test("the hashes of fixtures stay what they are, so that what is stored can be read for ever")
    func fixtures() {
        let gradient = ThumbHash(TestImages.gradientBitmap(width: 264, height: 176))
        #expect(Data(gradient.bytes).base64EncodedString() == "2vkJNZqAh4eAiIiHiHiIiICAB/iI")
        let quadrants = ThumbHash(TestImages.quadrantBitmap(width: 48, height: 48))
        #expect(Data(quadrants.bytes).base64EncodedString() == "IAgOpyiAiobAaIiIiKiGiIiGSPiKj8gI")
    }

    @Test("a large picture has about the hash of all its pixels", arguments: [(1_000, 700), (333, 900), (140, 99)])
    func cells(width: Int, height: Int) {
        var random = SeededGenerator(seed: 7)
        // Rough, so that it matters which pixels count.
        let whole = TestImages.bitmap(width: width, height: height) { x, y in
            let wave = x * 7 / width % 2 * 60 + y * 3 / height % 2 * 90
            return PixelColor(UInt8(wave), UInt8(wave / 2 + Int(random.next() % 100)), UInt8(x * 255 / width))
        }
        let hash = ThumbHash(whole)
        let all = ThumbHash(
            whole.resized(to: PixelTarget.fit(width: 100, height: 100).pixelSize(for: whole.size)), cellLimit: 100)
        // The header holds what is seen most. A coefficient that is halfway between two of 4 bits may come out as either.
        #expect(hash.bytes.prefix(5) == all.bytes.prefix(5))
        for (byte, other) in zip(hash.bytes, all.bytes).dropFirst(5) {
            #expect(abs(Int(byte >> 4) - Int(other >> 4)) <= 1 && abs(Int(byte & 15) - Int(other & 15)) <= 1)
        }
    }
}

extension PixelColor {
    /// The largest difference of a channel.
    func distance(to other: PixelColor) -> Int {
        let pairs = [(red, other.red), (green, other.green), (blue, other.blue), (alpha, other.alpha)]
        return pairs.map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    func isClose(to other: PixelColor, within tolerance: Int) -> Bool { distance(to: other) <= tolerance }
}

extension Bitmap {
    fileprivate var colors: [PixelColor] {
        (0..<size.height).flatMap { y in (0..<size.width).map { pixel($0, y) } }
    }

    var average: PixelColor {
        let colors = colors
        func mean(_ channel: KeyPath<PixelColor, UInt8>) -> UInt8 {
            UInt8(colors.reduce(0) { $0 + Int($1[keyPath: channel]) } / colors.count)
        }
        return PixelColor(mean(\.red), mean(\.green), mean(\.blue), mean(\.alpha))
    }

    fileprivate var isPremultiplied: Bool {
        colors.allSatisfy { max($0.red, $0.green, $0.blue) <= $0.alpha }
    }
}
