// What libjpeg-turbo and libpng are used for exactly; Image I/O has its own ways.
#if os(Linux)
import Foundation
import Testing

@testable import Calotype

@Suite("The codecs' exact pixels")
struct CodecTests {
    @Test("16-bit PNG is rounded to 8 bits, not cut off")
    func deep() throws {
        let bitmap = try SystemImageDecoderTests.decode("gray-16bit.png").bitmap
        for x in 0..<16 { #expect(bitmap[x, 1].red == UInt8(x * 17), "column \(x)") }
    }

    @Test("straight alpha is premultiplied, rounded to the nearest")
    func alpha() throws {
        let bitmap = try SystemImageDecoderTests.decode("alpha.png").bitmap
        for x in 0..<16 {
            let pixel = bitmap[x, 3]
            let alpha = x * 17
            #expect(Int(pixel.alpha) == alpha)
            for (value, straight) in [(pixel.red, 200), (pixel.green, 100), (pixel.blue, 50)] {
                #expect(Int(value) == Int((Double(straight * alpha) / 255).rounded()), "column \(x)")
            }
        }
    }

    @Test("a scaled JPEG decode is within 45 dB of a full one, resized by the reference")
    func scaledQuality() throws {
        let source = ResizeTests.picture(PixelSize(width: 803, height: 601))
        let data = try ImageEncoder().encoded(DecodedImage(bitmap: source), as: .jpeg(quality: 90))
        let full = try ImageDecoders.system.decode(data).bitmap
        for width in [400, 230, 100, 47] {
            let image = try ImageDecoders.system.decode(
                data, options: DecodeOptions(target: .fit(width: width, height: nil)))
            let quality = ResizeTests.quality(image.bitmap, ResizeTests.reference(full, image.pixelSize))
            #expect(quality >= 45, "\(quality) dB at \(width)")
        }
    }

    @Test("only the scales with vector code are used, and they leave enough for the resize")
    func scales() {
        let photo = PixelSize(width: 4000, height: 3000)
        for (width, denominator) in [
            (1179, 2), (264, 8), (266, 8), (267, 4), (604, 4), (607, 2), (1330, 2), (1340, 1),
            (4000, 1),
        ] {
            let plan = JPEGPlan(
                stored: photo, orientation: .up, target: .fit(width: width, height: nil), quality: .balanced)
            #expect(plan.denominator == denominator, "\(width)")
        }
        let line = JPEGPlan(
            stored: PixelSize(width: 5000, height: 1), orientation: .up, target: .fit(width: 10, height: nil),
            quality: .balanced)
        #expect(line.denominator == 1)
    }
}
#endif
