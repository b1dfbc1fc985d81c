// What libpng is used for exactly; Image I/O has its own ways.
#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Decoding PNG")
struct PNGDecoderTests {
    private typealias Chunk = PNGEncoder.Chunk

    /// A kind of pixel: its bytes, and the colour that they are.
    struct Kind: Sendable, CustomTestStringConvertible {
        var title: String
        var bitDepth: UInt8
        var colorType: UInt8
        var chunks: [PNGEncoder.Chunk] = []
        var bytes: @Sendable (_ x: Int, _ y: Int) -> [UInt8]
        /// With straight alpha.
        var color: @Sendable (_ x: Int, _ y: Int) -> PixelColor

        var testDescription: String { title }
    }

    private static func pair(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    /// 16 bits to 8, to the nearest.
    private static func narrow(_ value: Int) -> UInt8 { UInt8((Double(value) / 257).rounded()) }

    private static func wide(_ x: Int, _ y: Int) -> Int { (x * 2_741 + y * 7_919) % 65_536 }

    private static let palette: [UInt8] = (0..<40).flatMap { [UInt8($0 * 6), UInt8(255 - $0), UInt8($0)] }

    private static let kinds: [Kind] = [
        Kind(
            title: "gray", bitDepth: 8, colorType: 0, bytes: { x, y in [UInt8((x * 9 + y) % 256)] },
            color: { x, y in
                let level = UInt8((x * 9 + y) % 256)
                return PixelColor(level, level, level)
            }),
        Kind(
            title: "gray and alpha", bitDepth: 8, colorType: 4,
            bytes: { x, y in [UInt8(x * 9 % 256), UInt8(y * 11 % 256)] },
            color: { x, y in
                let level = UInt8(x * 9 % 256)
                return PixelColor(level, level, level, UInt8(y * 11 % 256))
            }),
        Kind(
            title: "gray of 16 bits", bitDepth: 16, colorType: 0, bytes: { x, y in pair(wide(x, y)) },
            color: { x, y in
                let level = narrow(wide(x, y))
                return PixelColor(level, level, level)
            }),
        Kind(
            title: "gray and alpha of 16 bits", bitDepth: 16, colorType: 4,
            bytes: { x, y in pair(wide(x, y)) + pair(wide(y, x)) },
            color: { x, y in
                let level = narrow(wide(x, y))
                return PixelColor(level, level, level, narrow(wide(y, x)))
            }),
        Kind(
            title: "colours of 16 bits", bitDepth: 16, colorType: 2,
            bytes: { x, y in pair(wide(x, y)) + pair(wide(y, x)) + pair(32_896) },
            color: { x, y in PixelColor(narrow(wide(x, y)), narrow(wide(y, x)), 128) }),
        Kind(
            title: "colours of 16 bits, of which one is transparent", bitDepth: 16, colorType: 2,
            chunks: [Chunk("tRNS", pair(wide(3, 2)) + pair(wide(2, 3)) + pair(0))],
            bytes: { x, y in pair(wide(x, y)) + pair(wide(y, x)) + pair(0) },
            color: { x, y in
                // All 16 bits count: others that are the same in 8 stay.
                (x, y) == (3, 2) ? .clear : PixelColor(narrow(wide(x, y)), narrow(wide(y, x)), 0)
            }),
        Kind(
            title: "colours and alpha of 16 bits", bitDepth: 16, colorType: 6,
            bytes: { x, y in pair(wide(x, y)) + pair(wide(y, x)) + pair(x * 999) + pair(65_535 - y * 777) },
            color: { x, y in
                PixelColor(narrow(wide(x, y)), narrow(wide(y, x)), narrow(x * 999), narrow(65_535 - y * 777))
            }),
        Kind(
            title: "gray, of which one is transparent", bitDepth: 8, colorType: 0, chunks: [Chunk("tRNS", [0, 20])],
            bytes: { x, y in [UInt8((x + y) * 4 % 256)] },
            color: { x, y in
                let level = UInt8((x + y) * 4 % 256)
                return level == 20 ? .clear : PixelColor(level, level, level)
            }),
        Kind(
            title: "a palette, the first of it with alpha", bitDepth: 8, colorType: 3,
            chunks: [Chunk("PLTE", palette), Chunk("tRNS", (0..<10).map { UInt8($0 * 20) })],
            bytes: { x, y in [UInt8((x + y * 3) % 40)] },
            color: { x, y in
                let index = (x + y * 3) % 40
                let alpha = index < 10 ? UInt8(index * 20) : 255
                return PixelColor(palette[index * 3], palette[index * 3 + 1], palette[index * 3 + 2], alpha)
            }),
    ]

    @Test("each kind of pixel has its colour, to the nearest, interlaced or not, at each size", arguments: kinds)
    func exact(_ kind: Kind) throws {
        for (width, height) in [(1, 1), (2, 3), (5, 5), (9, 4), (24, 17)] {
            let expected = TestImages.bitmap(width: width, height: height, pixel: kind.color)
            for isInterlaced in [false, true] {
                let header = PNGEncoder.header(
                    width: width, height: height, bitDepth: kind.bitDepth, colorType: kind.colorType,
                    isInterlaced: isInterlaced)
                let stream = PNGEncoder.stream(
                    width: width, height: height, isInterlaced: isInterlaced, pixel: kind.bytes)
                let data = PNGEncoder.file([header] + kind.chunks + [Chunk("IDAT", stream)])
                let comparison = PixelComparison(try ImageDecoders.system.decode(data).bitmap, expected)
                // Both round: straight colours to 8 bits, then their product with alpha.
                #expect(comparison.isWithin(.init(maximum: 1)), "\(width) x \(height): \(comparison)")
                let small = try ImageDecoders.system.decode(
                    data, options: DecodeOptions(target: .fit(width: 3, height: 3))
                ).bitmap
                let again = PixelComparison(small, expected.resized(to: small.size))
                #expect(again.isWithin(.init(maximum: 2)), "\(width) x \(height), small: \(again)")
            }
        }
    }
}
#endif
