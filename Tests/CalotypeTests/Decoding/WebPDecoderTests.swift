// What libwebp is used for exactly; Image I/O has its own ways.
#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Decoding WebP")
struct WebPDecoderTests {
    /// The picture of the fixtures, with straight alpha.
    static func picture(_ x: Int, _ y: Int, isOpaque: Bool = true) -> PixelColor {
        let wave = 127 + 100 * sin(Double(x) / 9) * cos(Double(y) / 7)
        let edge = (x / 23 + y / 17) % 2 == 0 ? 60.0 : 0
        let alpha = isOpaque ? 255 : min(255, (x * 5 + y * 3) % 320)
        if alpha == 0 { return PixelColor(0, 255, 0, 0) }
        let channels = (0..<3).map { UInt8(min(max(wave + edge * Double($0) / 2, 0), 255)) }
        return PixelColor(channels[0], channels[1], channels[2], UInt8(alpha))
    }

    static func decode(_ data: Data, _ target: PixelTarget = .original) throws -> DecodedImage {
        try ImageDecoders.system.decode(data, options: DecodeOptions(target: target))
    }

    @Test("a lossless file has exactly its pixels, premultiplied and rounded to the nearest")
    func lossless() throws {
        let bitmap = try Self.decode(ImageFixture.data("picture-lossless.webp")).bitmap
        let expected = TestImages.bitmap(width: 96, height: 64) { Self.picture($0, $1, isOpaque: false) }
        let comparison = PixelComparison(bitmap, expected)
        #expect(comparison.isWithin(.exact), "\(comparison)")
    }

    @Test("uncompressed lossless files of any size have exactly their pixels", arguments: [1, 2, 3, 17, 64])
    func sizes(_ width: Int) throws {
        for height in [1, 5, 33] {
            let data = TestImages.webP(width: width, height: height) { Self.picture($0, $1, isOpaque: false) }
            let expected = TestImages.bitmap(width: width, height: height) { Self.picture($0, $1, isOpaque: false) }
            let comparison = try PixelComparison(Self.decode(data).bitmap, expected)
            #expect(comparison.isWithin(.exact), "\(width) x \(height): \(comparison)")
        }
    }

    @Test("a lossy file is close to what was encoded")
    func lossy() throws {
        let comparison = try PixelComparison(
            Self.decode(ImageFixture.data("picture.webp")).bitmap,
            TestImages.bitmap(width: 480, height: 360) { Self.picture($0, $1) })
        #expect(comparison.isWithin(.init(leastPSNR: 30)), "\(comparison)")
    }

    @Test("a lossy file's alpha is exact, and its colours are premultiplied by it")
    func lossyAlpha() throws {
        let bitmap = try Self.decode(ImageFixture.data("picture-alpha.webp")).bitmap
        let expected = TestImages.bitmap(width: 160, height: 120) { Self.picture($0, $1, isOpaque: false) }
        let comparison = PixelComparison(bitmap, expected)
        #expect(comparison.isWithin(.init(leastPSNR: 30)), "\(comparison)")
        for y in 0..<120 {
            for x in 0..<160 {
                let pixel = bitmap[x, y]
                #expect(pixel.alpha == expected[x, y].alpha)
                #expect(max(pixel.red, pixel.green, pixel.blue) <= pixel.alpha)
            }
        }
    }

    @Test(
        "a scaled decode is close to a full one, resized by the reference",
        arguments: [
            ("picture.webp", [300, 191, 120, 90, 85, 76, 60, 31], 44.0), ("picture-alpha.webp", [100, 60, 33, 20], 45),
            ("picture-lossless.webp", [60, 38, 24, 15], 40),
        ])
    func scaledQuality(_ name: String, _ widths: [Int], _ least: Double) throws {
        let data = try ImageFixture.data(name)
        let full = try Self.decode(data).bitmap
        for width in widths {
            let bitmap = try Self.decode(data, .fit(width: width, height: nil)).bitmap
            let quality = ResizeTests.quality(bitmap, ResizeTests.reference(full, bitmap.size))
            #expect(quality >= least, "\(quality) dB at \(width)")
        }
    }

    @Test("the colours of transparent pixels don't show, however small the image becomes")
    func bleeding() throws {
        let data = TestImages.webP(width: 64, height: 64) { x, _ in
            x < 32 ? PixelColor(0, 255, 0, 0) : PixelColor(200, 0, 0)
        }
        for width in [64, 40, 16, 7, 1] {
            let bitmap = try Self.decode(data, .fit(width: width, height: nil)).bitmap
            #expect((0..<bitmap.size.width).allSatisfy { bitmap[$0, 0].green == 0 }, "\(width)")
        }
    }

    @Test("EXIF's orientation is applied, whichever it is and however small the image", arguments: 1...8)
    func orientation(_ orientation: Int) throws {
        let upright = { (x: Int, y: Int) -> PixelColor in
            switch (x < 32, y < 24) {
            case (true, true): .red
            case (false, true): .green
            case (true, false): .blue
            case (false, false): .white
            }
        }
        let data = TestImages.webP(width: 64, height: 48, orientation: orientation, pixel: upright)
        for target in [PixelTarget.original, .fit(width: 40, height: nil), .fit(width: 16, height: nil)] {
            let image = try Self.decode(data, target)
            #expect(image.originalPixelSize == PixelSize(width: 64, height: 48))
            #expect(image.pixelSize == target.pixelSize(for: image.originalPixelSize))
            #expect(Hue.corners(of: image.bitmap) == [.red, .green, .blue, .white], "\(image.pixelSize)")
        }
        let whole = try Self.decode(data).bitmap
        #expect(PixelComparison(whole, TestImages.bitmap(width: 64, height: 48, pixel: upright)).isWithin(.exact))
    }

    @Test("the first frame of an animation stands on its canvas, which is transparent elsewhere")
    func animation() throws {
        let color = { (x: Int, y: Int) in PixelColor(UInt8(x * 9), UInt8(y * 9), 77, UInt8(255 - x * 4)) }
        let data = WebPEncoder.encode(
            width: 40, height: 30,
            frames: [
                .init(left: 6, top: 4, width: 21, height: 13, pixel: color),
                .init(width: 40, height: 30) { _, _ in .white },
            ])
        let expected = TestImages.bitmap(width: 40, height: 30) { x, y in
            (6..<27).contains(x) && (4..<17).contains(y) ? color(x - 6, y - 4) : .clear
        }
        for target in [PixelTarget.original, .fit(width: 23, height: nil), .fit(width: 9, height: nil)] {
            let bitmap = try Self.decode(data, target).bitmap
            let comparison = PixelComparison(bitmap, expected.resized(to: bitmap.size))
            #expect(comparison.isWithin(.exact), "\(bitmap.size): \(comparison)")
        }
    }

    @Test("a first frame as large as the canvas is all of it")
    func wholeFrame() throws {
        let color = { (x: Int, y: Int) in PixelColor(UInt8(x * 30), UInt8(y * 30), 7) }
        let data = WebPEncoder.encode(
            width: 8, height: 6,
            frames: [.init(width: 8, height: 6, pixel: color), .init(width: 2, height: 2) { _, _ in .white }])
        let comparison = try PixelComparison(
            Self.decode(data).bitmap, TestImages.bitmap(width: 8, height: 6, pixel: color))
        #expect(comparison.isWithin(.exact), "\(comparison)")
    }

    @Test("luma and chroma are resized where they come to between 1.65 times and twice the result")
    func joined() {
        let photo = PixelSize(width: 4000, height: 3000)
        for (width, joins) in [(4000, false), (1216, false), (1208, true), (1179, true), (1004, true), (1000, false)] {
            let result = PixelTarget.fit(width: width, height: nil).pixelSize(for: photo)
            #expect(WebPDecoder.joinsChroma(from: photo, to: result) == joins, "\(width)")
        }
    }

    @Test("the library scales to what leaves enough for the resize, where that saves work")
    func scales() {
        let photo = PixelSize(width: 4000, height: 3000)
        for (width, scaled) in [
            (4000, 4000), (1700, 4000), (1600, 2640), (667, 1101), (264, 436), (1, 2),
        ] {
            let result = PixelTarget.fit(width: width, height: nil).pixelSize(for: photo)
            #expect(WebPDecoder.scaledSize(from: photo, to: result).width == scaled, "\(width)")
        }
        let thin = PixelSize(width: 5000, height: 1)
        #expect(WebPDecoder.scaledSize(from: thin, to: PixelSize(width: 10, height: 1)) == thin)
    }
}
#endif
