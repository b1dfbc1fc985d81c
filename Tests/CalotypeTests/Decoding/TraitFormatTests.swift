// What libavif, libheif and libjxl are used for exactly. Each test runs where the trait of its files is on.
#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Decoding AVIF, HEIC and JPEG XL")
struct TraitFormatTests {
    /// Those of the names whose format is decoded here.
    private static func supported(_ names: String...) -> [String] { names.filter(CorpusTests.isSupported) }

    private func decode(_ name: String, _ target: PixelTarget = .original) throws -> DecodedImage {
        try ImageDecoders.system.decode(ImageFixture.data(name), options: DecodeOptions(target: target))
    }

    @Test(
        "a format without its trait is named in the error",
        arguments: [
            ("quadrants.avif", ImageFormat.avif), ("quadrants.heic", .heic), ("quadrants.jxl", .jpegXL),
        ].filter { !SystemImageDecoder().supports($0.1) })
    func unsupported(_ name: String, _ format: ImageFormat) throws {
        let data = try ImageFixture.data(name)
        let reason = imageErrorReason { _ = try ImageDecoders.system.decode(data) }
        #expect(reason == .unsupportedFormat(format))
        let direct = imageErrorReason {
            _ = try SystemImageDecoder().decode(data, format: format, options: DecodeOptions())
        }
        #expect(direct == .unsupportedFormat(format))
    }

    @Test(
        "crops, turns and mirrors of the file apply once, however small the image",
        arguments: (1...8).map { "orientation-\($0).avif" }.filter(CorpusTests.isSupported)
            + supported(
                "quadrants.avif", "quadrants.heic", "orientation-3.heic", "orientation-6.heic", "orientation-8.heic",
                "quadrants.jxl", "orientation-6-jpeg.jxl"))
    func upright(_ name: String) throws {
        for target in [PixelTarget.original, .fit(width: 40, height: nil), .fit(width: 12, height: nil)] {
            let image = try decode(name, target)
            #expect(image.originalPixelSize == PixelSize(width: 64, height: 48))
            #expect(image.pixelSize == target.pixelSize(for: image.originalPixelSize))
            #expect(image.animation == nil && !image.isToneMapped)
            #expect(Hue.corners(of: image.bitmap) == [.red, .green, .blue, .white], "\(image.pixelSize)")
        }
    }

    @Test("a crop is taken of the stored pixels, before they are turned", arguments: supported("cropped.avif"))
    func crop(_ name: String) throws {
        let bitmap = try decode(name).bitmap
        #expect(bitmap.size == PixelSize(width: 4, height: 32))
        // Columns 16 to 47, turned counterclockwise: the last is on top.
        for y in 0..<32 {
            let expected = Double((47 - y) * 255 / 63)
            #expect((0..<4).allSatisfy { abs(Double(bitmap[$0, y].green) - expected) <= 1 }, "row \(y)")
        }
    }

    @Test(
        "alpha is premultiplied, whether the file has it so or not",
        arguments: supported("alpha.avif", "alpha.heic", "alpha-lossless.jxl"))
    func alpha(_ name: String) throws {
        let bitmap = try decode(name).bitmap
        let expected = TestImages.bitmap(width: 32, height: 16) { x, _ in PixelColor(200, 100, 50, UInt8(x * 8)) }
        let comparison = PixelComparison(bitmap, expected)
        #expect(comparison.isWithin(name.hasSuffix("jxl") ? .exact : .init(maximum: 8, mean: 1.5)), "\(comparison)")
        let small = try decode(name, .fit(width: 7, height: nil)).bitmap
        for x in 0..<7 { #expect(small[x, 0].red <= small[x, 0].alpha) }
    }

    @Test("premultiplied samples stay as they are", arguments: supported("premultiplied.avif"))
    func premultiplied(_ name: String) throws {
        let bitmap = try decode(name).bitmap
        for x in 0..<64 {
            #expect(abs(Int(bitmap[x, 4].alpha) - (255 - x * 4)) <= 1)
            #expect(abs(Int(bitmap[x, 4].red) - (255 - x * 4) / 2) <= 1)
        }
    }

    @Test(
        "samples of more bits are rounded to the nearest",
        arguments: supported("ramp-10bit.avif", "ramp-12bit.avif", "ramp-10bit.heic"))
    func depth(_ name: String) throws {
        let bitmap = try decode(name).bitmap
        let maximum = name.contains("12") ? 4095 : 1023
        for x in 0..<64 {
            let sample = x * maximum / 63
            let expected = (Double(sample) * 255 / Double(maximum)).rounded()
            let pixel = bitmap[x, 3]
            // HEIC's is lossy.
            let tolerance = name.hasSuffix("heic") ? 2.0 : 0
            #expect(abs(Double(pixel.green) - expected) <= tolerance, "column \(x)")
            #expect(abs(Double(pixel.red) - expected) <= tolerance && abs(Double(pixel.blue) - expected) <= tolerance)
        }
    }

    @Test("gray is gray", arguments: supported("gray.avif", "gray.heic", "gray.jxl"))
    func gray(_ name: String) throws {
        let bitmap = try decode(name).bitmap
        for y in 0..<48 {
            let pixel = bitmap[20, y]
            #expect(pixel.red == pixel.green && pixel.green == pixel.blue, "row \(y)")
            #expect(abs(Double(pixel.green) - Double(y) * 255 / 47) <= 8, "row \(y): \(pixel.green)")
        }
    }

    @Test(
        "HDR is tone-mapped by the curve that is documented, and says so",
        arguments: supported("ramp-pq.avif", "ramp-hlg.avif", "ramp-pq.jxl", "ramp-pq-lossless.jxl"))
    func toneMapping(_ name: String) throws {
        let image = try decode(name)
        #expect(image.isToneMapped)
        let tolerance = name == "ramp-pq.jxl" ? 6 : name.contains("hlg") ? 2 : 1
        for x in 0..<64 {
            let sample = Double(x) / 63
            // White of 1,000 cd/m2, and a system gamma of 1.2, is what HLG's light is of.
            let light =
                name.contains("hlg")
                ? Double(ToneCurve.peak) * pow(SourceColor.Transfer.hlg.light(of: sample), 1.2)
                : SourceColor.Transfer.pq.light(of: sample)
            let expected = Int(ScreenCurve.byte(Double(ToneCurve.value(at: Float(light)))))
            #expect(abs(Int(image.bitmap[x, 4].green) - expected) <= tolerance, "column \(x)")
        }
    }

    @Test("the dark of PQ has all of its steps", arguments: supported("ramp-pq.avif", "ramp-pq-lossless.jxl"))
    func darkSteps(_ name: String) throws {
        let bitmap = try decode(name).bitmap
        let greens = (0..<64).map { bitmap[$0, 4].green }
        #expect(greens == greens.sorted())
        // From 0.1 to 100 cd/m2, each of the ramp's steps is one of the result.
        #expect(Set(greens[4..<32]).count == 28)
    }

    @Test(
        "a picture in Display P3 is left as it is where that is asked for, and is sRGB elsewhere",
        arguments: supported("wide.jxl", "wide-lossless.jxl"))
    func displayP3(_ name: String) throws {
        let data = try ImageFixture.data(name)
        let wide = try ImageDecoders.system.decode(data, options: DecodeOptions(colorSpace: .displayP3))
        let narrow = try ImageDecoders.system.decode(data)
        #expect(wide.colorSpace == .displayP3 && narrow.colorSpace == .sRGB)
        #expect(!wide.isToneMapped && !narrow.isToneMapped)
        let tolerance = name == "wide.jxl" ? 8 : 1
        for (image, expected) in [(wide, [200, 100, 50]), (narrow, [215, 93, 31])] {
            let pixel = image.bitmap[6, 8]
            let distances = zip([pixel.red, pixel.green, pixel.blue], expected).map { abs(Int($0) - $1) }
            #expect(distances.max() ?? 255 <= tolerance, "\(image.colorSpace): \(pixel)")
        }
    }

    @Test(
        "a sequence is an animation: its frames, their durations, in any order, at the size that is asked for",
        arguments: supported("frames.avif", "frames.jxl"))
    func animation(_ name: String) throws {
        let image = try decode(name, .fit(width: 16, height: nil))
        let animation = try #require(image.animation)
        #expect(animation.durations == [.milliseconds(100), .milliseconds(200), .milliseconds(300)])
        #expect(animation.loopCount == 0)
        #expect(Hue(image.bitmap[8, 6]) == .red)
        for index in [0, 1, 2, 2, 0, 2, 1] {
            let frame = try animation.frame(at: index)
            #expect(frame.pixelSize == PixelSize(width: 16, height: 12))
            #expect(Hue(frame.bitmap[8, 6]) == [.red, .green, .blue][index], "frame \(index)")
        }
    }

    @Test("more frames than the limit are refused", arguments: supported("frames.avif", "frames.jxl"))
    func frameLimit(_ name: String) throws {
        let data = try ImageFixture.data(name)
        let reason = imageErrorReason {
            _ = try ImageDecoders.system.decode(data, options: DecodeOptions(limits: ImageLimits(frameCount: 2)))
        }
        switch reason {
        case .limitExceeded, .corrupt: break
        default: Issue.record("\(String(describing: reason))")
        }
    }

    @Test(
        "of a file that lacks its end nothing is shown as the image, wherever it ends",
        arguments: supported(
            "orientation-6.avif", "alpha.avif", "frames.avif", "orientation-6.heic", "alpha.heic", "quadrants.jxl",
            "alpha-lossless.jxl", "orientation-6-jpeg.jxl"))
    func truncated(_ name: String) throws {
        let data = try ImageFixture.data(name)
        let lengths = Set((1..<16).map { data.count * $0 / 16 } + [data.count - 1, data.count - 2])
        for length in lengths.sorted() {
            let reason = imageErrorReason {
                let image = try ImageDecoders.system.decode(data.prefix(length))
                Issue.record("\(image.pixelSize) of \(length) of \(data.count) bytes")
            }
            switch reason {
            case .incomplete, .notAnImage: break
            default: Issue.record("\(String(describing: reason)) at \(length) of \(data.count)")
            }
        }
    }

    @Test("an animation without its end is incomplete at the frame that lacks it", arguments: supported("frames.jxl"))
    func truncatedAnimation(_ name: String) throws {
        let data = try ImageFixture.data(name)
        for length in Set((1..<16).map { data.count * $0 / 16 } + [data.count - 1, data.count - 2]).sorted() {
            let reason = imageErrorReason {
                let image = try ImageDecoders.system.decode(data.prefix(length))
                let animation = try #require(image.animation)
                #expect(animation.frameCount == 3)
                _ = try animation.frame(at: 1)
                _ = try animation.frame(at: 2)
            }
            #expect(reason == .incomplete(.jpegXL) || length < 3 && reason == .notAnImage, "at \(length)")
        }
    }

    @Test(
        "the estimate covers what the library was seen to take",
        arguments: [
            // Bytes a pixel, beside the result.
            ("quadrants.avif", 2.3, 6.0), ("alpha.avif", 3.9, 9), ("quadrants.heic", 7.1, 14), ("gray.heic", 4, 9),
            ("quadrants.jxl", 26, 31), ("alpha-lossless.jxl", 39.5, 45),
        ])
    func estimates(_ name: String, _ least: Double, _ most: Double) throws {
        let data = try ImageFixture.data(name)
        // What the file says of itself counts, and not its size, which is that of a photograph here.
        let size = PixelSize(width: 4000, height: 3000)
        guard case .image(let header) = ImageHeader.parse(data) else { throw ImageError(.decoding, .notAnImage) }
        let estimate = DecodeEstimate.planes(
            of: data, format: header.format, pixelSize: size, target: .fit(width: 264, height: nil))
        #expect((least...most).contains(Double(estimate) / 12_000_000), "\(Double(estimate) / 12_000_000)")
    }

    @Test(
        "an image beyond the limit is refused before a decoder sees it",
        arguments: supported("quadrants.avif", "quadrants.heic", "quadrants.jxl"))
    func pixelLimit(_ name: String) throws {
        let data = try ImageFixture.data(name)
        let reason = imageErrorReason {
            _ = try ImageDecoders.system.decode(data, options: DecodeOptions(limits: ImageLimits(pixelCount: 3000)))
        }
        #expect(reason == .tooManyPixels(PixelSize(width: 64, height: 48), limit: 3000))
    }

    @Test(
        "a cancelled decode ends",
        arguments: supported("quadrants.avif", "quadrants.heic", "quadrants.jxl"))
    func cancellation(_ name: String) throws {
        let data = try ImageFixture.data(name)
        let cancellation = DecodeCancellation()
        cancellation.cancel()
        #expect(throws: CancellationError.self) {
            try ImageDecoders.system.decode(data, options: DecodeOptions(cancellation: cancellation))
        }
    }
}
#endif
