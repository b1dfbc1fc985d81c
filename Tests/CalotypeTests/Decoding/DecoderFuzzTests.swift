import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Decoding mutated files")
struct DecoderFuzzTests {
    @Test(
        "mutations give an image or a typed error, never a crash",
        arguments: [
            "orientation-6.jpg", "progressive.jpg", "cmyk-adobe.jpg", "gray.jpg", "rgb-transform-0.jpg", "alpha.png",
            "palette-2bit.png", "interlaced.png", "gray-16bit.png", "transparent-palette.png", "exif-after-pixels.png",
            "lossy.webp", "alpha.webp", "webp-by-another-name.jpg", "picture-lossless.webp", "quadrants.gif",
        ])
    func mutations(_ name: String) throws {
        try Self.decodeMutations(of: ImageFixture.data(name))
    }

    @Test("so do mutations of frames smaller than their canvas", arguments: [false, true])
    func frames(_ isInterlaced: Bool) throws {
        let frame = GIFEncoder.Frame(left: 3, top: 2, width: 14, height: 11, isInterlaced: isInterlaced) { x, y in
            x == y ? .clear : PixelColor(UInt8(x * 16), UInt8(y * 16), 0)
        }
        try Self.decodeMutations(of: GIFEncoder.encode(width: 20, height: 16, frames: [frame, frame]))
        guard !isInterlaced else { return }
        let webP = WebPEncoder.Frame(left: 2, top: 4, width: 6, height: 5) { x, y in
            PixelColor(UInt8(x * 40), UInt8(y * 40), 9, UInt8(x * 20))
        }
        try Self.decodeMutations(of: WebPEncoder.encode(width: 20, height: 16, frames: [webP, webP]))
    }

    #if os(Linux)
    @Test("so do mutations of animations, played to their ends, and of what has arrived of them")
    func animations() throws {
        for format in [CompositionTests.Format.gif, .interlacedGIF, .apng, .apngBesideStill, .interlacedAPNG, .webP] {
            let data = CompositionTests.encode(CompositionTests.frames(format, count: 4, seed: 7), format)
            try Self.decodeMutations(of: data)
        }
    }
    #endif

    @Test(
        "so do those of formats that are traits",
        arguments: [
            "orientation-7.avif", "alpha.avif", "frames.avif", "cropped.avif", "ramp-12bit.avif", "orientation-6.heic",
            "alpha.heic", "ramp-10bit.heic", "quadrants.jxl", "alpha-lossless.jxl", "orientation-6-jpeg.jxl",
            "frames.jxl",
        ].filter(CorpusTests.isSupported))
    func traits(_ name: String) throws {
        try Self.decodeMutations(of: ImageFixture.data(name))
    }

    private static func decodeMutations(of data: Data) throws {
        var generator = SeededGenerator(seed: UInt64(data.count))
        // A mutated size may be large: the limit keeps the work small.
        let limits = ImageLimits(pixelCount: 1_000_000)
        for round in 0..<300 {
            let target = [PixelTarget.original, .fit(width: 20, height: nil), .fill(width: 3, height: 3)][round % 3]
            let mutated = data.mutated(using: &generator)
            do {
                let image = try ImageDecoders.system.decode(
                    mutated, options: DecodeOptions(target: target, limits: limits))
                #expect(image.pixelSize == target.pixelSize(for: image.originalPixelSize))
                for index in (image.animation?.durations.indices ?? 0..<0).reversed() {
                    let frame = try image.animation?.frame(at: index)
                    #expect(frame?.pixelSize == image.pixelSize)
                }
            } catch let error as ImageError {
                #expect(error.stage == .decoding)
            } catch {
                Issue.record("round \(round): \(error)")
            }
        }
    }
}
