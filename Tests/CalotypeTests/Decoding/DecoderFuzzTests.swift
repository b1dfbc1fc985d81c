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
        ])
    func mutations(_ name: String) throws {
        let data = try ImageFixture.data(name)
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
            } catch let error as ImageError {
                #expect(error.stage == .decoding)
            } catch {
                Issue.record("round \(round): \(error)")
            }
        }
    }
}
