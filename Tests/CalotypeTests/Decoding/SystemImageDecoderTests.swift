import Foundation
import Testing

@testable import Calotype

@Suite("Decoding JPEG, PNG, WebP and GIF")
struct SystemImageDecoderTests {
    static func decode(
        _ name: String, target: PixelTarget = .original, limits: ImageLimits = ImageLimits()
    ) throws -> DecodedImage {
        try ImageDecoders.system.decode(
            ImageFixture.data(name), options: DecodeOptions(target: target, limits: limits))
    }

    @Test(
        "all colour models come out upright and in their colours",
        arguments: (1...8).map { "orientation-\($0).jpg" } + [
            "progressive.jpg", "cmyk-adobe.jpg", "rgb-transform-0.jpg", "quadrants.png", "palette-2bit.png",
            "orientation-6-exif.png", "lossy.webp", "webp-by-another-name.jpg", "quadrants.gif",
        ])
    func colours(_ name: String) throws {
        for target in [PixelTarget.original, .fit(width: 40, height: nil), .fit(width: 8, height: nil)] {
            let image = try Self.decode(name, target: target)
            let original = PixelSize(width: 64, height: 48)
            #expect(image.originalPixelSize == original)
            #expect(image.pixelSize == target.pixelSize(for: original))
            #expect(Hue.corners(of: image.bitmap) == [.red, .green, .blue, .white], "\(image.pixelSize)")
        }
    }

    @Test("a JPEG of one component is gray")
    func gray() throws {
        let pixel = try Self.decode("gray.jpg").bitmap[4, 4]
        // Red has a luminance of 76.
        #expect(abs(Int(pixel.red) - 76) <= 3 && pixel.red == pixel.green && pixel.green == pixel.blue)
        #expect(pixel.alpha == 255)
    }

    @Test("tRNS makes gray and palette entries transparent")
    func transparency() throws {
        let gray = try Self.decode("transparent-gray.png").bitmap
        #expect(gray[0, 0] == (0, 0, 0, 0))
        #expect(gray[1, 0] == (128, 128, 128, 255))
        let palette = try Self.decode("transparent-palette.png").bitmap
        #expect(palette[0, 0] == (128, 0, 0, 128))
        #expect(palette[1, 0] == (0, 255, 0, 255))
    }

    @Test("an interlaced PNG has the pixels of its plain twin, at each size")
    func interlaced() throws {
        for target in [PixelTarget.original, .fit(width: 5, height: nil)] {
            let bitmap = try Self.decode("interlaced.png", target: target).bitmap
            let twin = try Self.decode("interlaced-reference.png", target: target).bitmap
            #expect(bitmap.size == twin.size)
            bitmap.withUnsafeBytes { bytes in twin.withUnsafeBytes { #expect(bytes.elementsEqual($0)) } }
        }
    }

    @Test("an orientation after a PNG's pixels counts")
    func lateOrientation() throws {
        let bitmap = try Self.decode("exif-after-pixels.png").bitmap
        #expect(bitmap.size == PixelSize(width: 2, height: 3))
        #expect((0..<3).map { bitmap[0, $0].red } == [4, 5, 6])
        #expect((0..<3).map { bitmap[1, $0].red } == [1, 2, 3])
    }

    static let targets: [PixelTarget] = [
        .original, .fit(width: 63, height: nil), .fit(width: nil, height: 24), .fit(width: 31, height: 31),
        .fit(width: 500, height: 500), .fill(width: 17, height: 17), .fill(width: 5, height: 40),
        .fill(width: nil, height: 3), .fit(width: 1, height: 1), .fill(width: 1, height: 1), .fit(width: 0, height: 0),
    ]

    @Test("the output has exactly the target's size", arguments: targets)
    func exactSize(_ target: PixelTarget) throws {
        for name in [
            "orientation-1.jpg", "orientation-6.jpg", "orientation-8.jpg", "progressive.jpg", "alpha.png", "lossy.webp",
            "alpha.webp", "quadrants.gif",
        ] {
            let original = name == "alpha.png" ? PixelSize(width: 16, height: 8) : PixelSize(width: 64, height: 48)
            #expect(try Self.decode(name, target: target).pixelSize == target.pixelSize(for: original), "\(name)")
        }
    }

}
