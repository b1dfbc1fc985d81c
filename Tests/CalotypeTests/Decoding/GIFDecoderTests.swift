// What giflib is used for exactly; Image I/O has its own ways.
#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Decoding GIF")
struct GIFDecoderTests {
    /// 200 colours, and some transparent pixels.
    static func color(_ x: Int, _ y: Int) -> PixelColor {
        (x + y) % 7 == 0 ? .clear : PixelColor(UInt8(x % 20 * 12), UInt8(y % 10 * 25), 90)
    }

    private static func decode(_ data: Data, _ target: PixelTarget = .original) throws -> DecodedImage {
        try ImageDecoders.system.decode(data, options: DecodeOptions(target: target))
    }

    @Test(
        "each pixel has its colour, or is transparent, at each number of colours",
        arguments: [1, 2, 3, 4, 17, 255, 256])
    func exact(_ colorCount: Int) throws {
        for (width, height) in [(1, 1), (16, 16), (150, 90)] {
            let color = { (x: Int, y: Int) -> PixelColor in
                let index = (x * 31 + y * 17 + x * y) % colorCount
                return index == 1 ? .clear : PixelColor(UInt8(index), UInt8(255 - index), 3)
            }
            let image = try Self.decode(TestImages.gif(width: width, height: height, pixel: color))
            let comparison = PixelComparison(
                image.bitmap, TestImages.bitmap(width: width, height: height, pixel: color))
            #expect(comparison.isWithin(.exact), "\(width) x \(height): \(comparison)")
        }
    }

    @Test("an interlaced file has the pixels of its plain twin, at each height and size", arguments: 1...18)
    func interlaced(_ height: Int) throws {
        let plain = TestImages.gif(width: 23, height: height, pixel: Self.color)
        let interlaced = TestImages.gif(width: 23, height: height, isInterlaced: true, pixel: Self.color)
        #expect(height == 1 || plain != interlaced)
        for target in [PixelTarget.original, .fit(width: 9, height: nil)] {
            let comparison = try PixelComparison(
                Self.decode(interlaced, target).bitmap, Self.decode(plain, target).bitmap)
            #expect(comparison.isWithin(.exact), "\(comparison)")
        }
    }

    struct Place: Sendable, CustomTestStringConvertible {
        var title: String
        var left = 0
        var top = 0
        var width: Int
        var height: Int

        var testDescription: String { title }

        static let all = [
            Place(title: "in the middle", left: 7, top: 5, width: 20, height: 11),
            Place(title: "in the last corner", left: 39, top: 29, width: 1, height: 1),
            Place(title: "as wide as the canvas", top: 8, width: 40, height: 3),
            Place(title: "beyond the right and the bottom", left: 30, top: 20, width: 33, height: 31),
            Place(title: "larger on all sides", width: 50, height: 50),
        ]
    }

    @Test("a frame stands where it belongs; the rest of the canvas is transparent", arguments: Place.all)
    func canvas(_ place: Place) throws {
        for isInterlaced in [false, true] {
            let frame = GIFEncoder.Frame(
                left: place.left, top: place.top, width: place.width, height: place.height, isInterlaced: isInterlaced,
                pixel: Self.color)
            let other = GIFEncoder.Frame(width: 40, height: 30) { _, _ in .white }
            let data = GIFEncoder.encode(width: 40, height: 30, frames: [frame, other])
            let expected = TestImages.bitmap(width: 40, height: 30) { x, y in
                let (x, y) = (x - place.left, y - place.top)
                return (0..<place.width).contains(x) && (0..<place.height).contains(y) ? Self.color(x, y) : .clear
            }
            for target in [PixelTarget.original, .fit(width: 17, height: nil), .fit(width: 4, height: nil)] {
                let bitmap = try Self.decode(data, target).bitmap
                let comparison = PixelComparison(bitmap, expected.resized(to: bitmap.size))
                #expect(comparison.isWithin(.exact), "\(bitmap.size): \(comparison)")
            }
        }
    }

    @Test("a frame's own colour table comes before the file's")
    func localTable() throws {
        let local = GIFEncoder.Frame(width: 2, height: 1, table: .local) { x, _ in x == 0 ? .red : .blue }
        let global = GIFEncoder.Frame(width: 2, height: 1) { x, _ in x == 0 ? .green : .white }
        let both = try Self.decode(GIFEncoder.encode(width: 2, height: 1, frames: [local, global])).bitmap
        #expect([both.pixel(0, 0), both.pixel(1, 0)] == [.red, .blue])
        let alone = try Self.decode(GIFEncoder.encode(width: 2, height: 1, frames: [local])).bitmap
        #expect([alone.pixel(0, 0), alone.pixel(1, 0)] == [.red, .blue])
    }

    @Test("a colour that the table doesn't have is transparent")
    func shortTable() throws {
        let colors = [PixelColor.red, .green, .blue, .white]
        var data = TestImages.gif(width: 4, height: 1) { x, _ in colors[x] }
        // Two entries instead of four.
        data[10] = 0xF0
        data.removeSubrange(19..<25)
        let bitmap = try Self.decode(data).bitmap
        #expect((0..<4).map { bitmap.pixel($0, 0) } == [.red, .green, .clear, .clear])
    }

    @Test("comments, applications' blocks and empty ones before the frame are passed over")
    func extensions() throws {
        var data = TestImages.gif(width: 3, height: 2) { _, _ in .blue }
        let blocks: [[UInt8]] = [
            [0x21, 0xFE, 2, 65, 66, 1, 67, 0], [0x21, 0xFE, 0],
            [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0],
        ]
        data.insert(contentsOf: blocks.joined(), at: 19)
        #expect(try Self.decode(data).bitmap.pixel(2, 1) == .blue)
    }

    @Test("a downsampled file is within 45 dB of the reference")
    func quality() throws {
        let size = PixelSize(width: 320, height: 240)
        let data = TestImages.gif(width: 320, height: 240) { x, y in
            let level = WebPDecoderTests.picture(x, y)
            return PixelColor(level.red & 0xF0, level.green & 0xF0, 128)
        }
        let full = try Self.decode(data).bitmap
        #expect(full.size == size)
        for width in [200, 100, 40, 13] {
            let bitmap = try Self.decode(data, .fit(width: width, height: nil)).bitmap
            let quality = ResizeTests.quality(bitmap, ResizeTests.reference(full, bitmap.size))
            #expect(quality >= 45, "\(quality) dB at \(width)")
        }
    }
}
#endif
