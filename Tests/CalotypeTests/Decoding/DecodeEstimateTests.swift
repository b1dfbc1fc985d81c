import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Decode estimates: about how much memory a decode takes, told from the header")
struct DecodeEstimateTests {
    private static let photo = PixelSize(width: 4_000, height: 3_000)

    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var data: Data
        var format: ImageFormat
        var size: PixelSize? = photo
        var target = PixelTarget.fill(width: 200, height: 150)
        /// In bytes.
        var expected: ClosedRange<Int>
        var testDescription: String { title }
    }

    /// A JPEG's beginning: some segment, and a frame header of that kind.
    private static func jpeg(frame: UInt8) -> Data {
        Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, frame, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0])
    }

    private static func png(interlaced: Bool) -> Data {
        var data = TestImages.solidPNG(width: 1, height: 1, color: .red)
        data[28] = interlaced ? 1 : 0
        return data
    }

    private static let whole = 4_000 * 3_000 * 4
    private static let result = 200 * 150 * 4
    private static let rows = 1...400_000

    private static let cases = [
        Case(
            title: "baseline JPEG: rows and the result", data: jpeg(frame: 0xC0), format: .jpeg,
            expected: result + rows.lowerBound...result + rows.upperBound),
        Case(
            title: "PNG: rows and the result", data: png(interlaced: false), format: .png,
            expected: result + rows.lowerBound...result + rows.upperBound),
        Case(
            title: "JPEG to its own size: rows and the result", data: jpeg(frame: 0xC1), format: .jpeg,
            target: .original,
            expected: whole + 1...whole + 2_000_000),
        Case(
            title: "progressive JPEG: its coefficients as well", data: jpeg(frame: 0xC2), format: .jpeg,
            expected: whole * 6 / 4...whole * 6 / 4 + result + rows.upperBound),
        Case(
            title: "JPEG whose frame isn't found: as if progressive", data: Data([0xFF, 0xD8, 0xFF]), format: .jpeg,
            expected: whole * 6 / 4...whole * 6 / 4 + result + rows.upperBound),
        Case(
            title: "interlaced PNG: all pixels and the result", data: png(interlaced: true), format: .png,
            expected: whole + result...whole + result),
        Case(
            title: "PNG of another make: all pixels and the result", data: Data(count: 3), format: .png,
            expected: whole + result...whole + result),
        Case(
            title: "no size: by the length", data: Data(count: 1_000), format: .png, size: nil,
            expected: 32_000...32_000),
        Case(
            title: "sides that can't be multiplied", data: jpeg(frame: 0xC2), format: .jpeg,
            size: PixelSize(width: .max, height: .max), target: .original, expected: Int.max...Int.max),
    ]

    @Test(arguments: cases)
    func estimate(rule: Case) {
        let bytes = DecodeEstimate.streaming(
            of: rule.data, format: rule.format, pixelSize: rule.size, target: rule.target)
        #expect(rule.expected.contains(bytes), "\(bytes) bytes")
    }

    @Test("a decoder that says nothing holds all pixels, and the result beside them if it is smaller")
    func fallback() {
        struct Silent: ImageDecoder {
            func supports(_ format: ImageFormat) -> Bool { true }
            func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
                throw ImageError(.decoding, .unsupportedFormat(format))
            }
        }
        func estimate(_ target: PixelTarget) -> Int {
            Silent().estimatedByteCount(of: Data(), format: .webP, pixelSize: Self.photo, target: target)
        }
        #expect(estimate(.original) == Self.whole)
        #expect(estimate(.fill(width: 200, height: 150)) == Self.whole + Self.result)
    }
}
