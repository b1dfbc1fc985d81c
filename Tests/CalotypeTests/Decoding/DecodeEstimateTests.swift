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

    /// A JPEG's beginning: some segment, a frame header of that kind, and the header of a scan.
    private static func jpeg(
        frame: UInt8, components: UInt8 = 3, luma: UInt8 = 0x11, scanned: UInt8? = nil
    ) -> Data {
        var data = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, frame, 0, 8 + components * 3, 8, 0, 1, 0, 1])
        data += [components] + (1...components).flatMap { [$0, $0 == 1 ? luma : 0x11, 0] }
        let scanned = scanned ?? components
        data += [0xFF, 0xDA, 0, 6 + scanned * 2, scanned] + (1...scanned).flatMap { [$0, 0] } + [0, 63, 0]
        return data
    }

    private static func png(interlaced: Bool) -> Data {
        var data = TestImages.solidPNG(width: 1, height: 1, color: .red)
        data[28] = interlaced ? 1 : 0
        return data
    }

    private static let whole = 4_000 * 3_000 * 4
    private static let result = 200 * 150 * 4
    private static let rows = 1...450_000

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
            title: "progressive JPEG at 4:2:0: half as many", data: jpeg(frame: 0xC2, luma: 0x22), format: .jpeg,
            expected: whole * 3 / 4...whole * 3 / 4 + result + rows.upperBound),
        Case(
            title: "progressive JPEG of inks: a third more", data: jpeg(frame: 0xCA, components: 4), format: .jpeg,
            expected: whole * 2...whole * 2 + result + rows.upperBound),
        Case(
            title: "baseline JPEG with a scan for each component: as if progressive",
            data: jpeg(frame: 0xC0, scanned: 1), format: .jpeg,
            expected: whole * 6 / 4...whole * 6 / 4 + result + rows.upperBound),
        Case(
            title: "JPEG whose frame isn't found: as if progressive, of inks", data: Data([0xFF, 0xD8, 0xFF]),
            format: .jpeg, expected: whole * 2...whole * 2 + result + rows.upperBound),
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

    @Test("a decoder that counts what it passes on estimates as the one that it passes it on to")
    func forwarded() {
        func estimate(_ decoder: any ImageDecoder) -> Int {
            decoder.estimatedByteCount(
                of: Self.jpeg(frame: 0xC0), format: .jpeg, pixelSize: Self.photo,
                target: .fill(width: 200, height: 150))
        }
        let system = estimate(SystemImageDecoder())
        #expect(estimate(CountingDecoder()) == system)
        #if os(Linux)
        // Otherwise it would be what a decoder comes to that says nothing.
        #expect(system < Self.whole)
        #endif
    }
}

// What libwebp and giflib take; Image I/O has its own ways.
#if os(Linux)
@Suite("Decode estimates of WebP and GIF: what the libraries keep beside the result")
struct FrameEstimateTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var data: Data
        var format = ImageFormat.webP
        var height = 360
        /// The target's width; 0 for the file's own.
        var width: Int
        /// Bytes for each pixel of the file, and of the size that the library scales to, beside rows and the result.
        var perPixel: Int
        var scaledWidth = 0

        var testDescription: String { title }
    }

    private static func cases() throws -> [Case] {
        let lossy = try ImageFixture.data("picture.webp")
        let alpha = try ImageFixture.data("picture-alpha.webp")
        let lossless = try ImageFixture.data("picture-lossless.webp")
        /// The beginning of an animation with a first frame of 480 columns and so many rows, at most 256.
        func animation(_ chunk: String, rows: Int) -> Data {
            let frame = [0, 0, 0, 0, 0, 0, 0xDF, 1, 0] + [UInt8(rows - 1), 0, 0, 100, 0, 0, 0]
            let image = WebPEncoder.chunk(chunk, [0x2F, 0, 0, 0])
            return WebPEncoder.file(
                WebPEncoder.extendedHeader(0x12, width: 480, height: 256)
                    + WebPEncoder.chunk("ANIM", [0, 0, 0, 0, 0, 0]) + WebPEncoder.chunk("ANMF", frame + image))
        }
        func gif(_ isInterlaced: Bool) -> Data {
            TestImages.gif(width: 8, height: 8, isInterlaced: isInterlaced) { x, y in PixelColor(UInt8(x), UInt8(y), 9)
            }
        }
        return [
            Case(title: "lossy, small", data: lossy, width: 48, perPixel: 0, scaledWidth: 80),
            Case(title: "lossy, a third", data: lossy, width: 160, perPixel: 0, scaledWidth: 264),
            Case(title: "lossy, planes", data: lossy, width: 132, perPixel: 2),
            Case(title: "lossy, whole", data: lossy, width: 0, perPixel: 0),
            Case(title: "alpha beside lossy colours, small", data: alpha, width: 48, perPixel: 9),
            Case(title: "alpha beside lossy colours, whole", data: alpha, width: 0, perPixel: 9),
            Case(title: "lossless, small", data: lossless, width: 48, perPixel: 4, scaledWidth: 80),
            Case(title: "lossless, nearly whole", data: lossless, width: 400, perPixel: 8),
            Case(
                title: "an animation's whole frame", data: animation("VP8L", rows: 256), height: 256, width: 48,
                perPixel: 4, scaledWidth: 80),
            Case(
                title: "an animation's part of the canvas", data: animation("VP8L", rows: 255), height: 256, width: 48,
                perPixel: 8),
            Case(
                title: "a lossy part of the canvas", data: animation("VP8 ", rows: 255), height: 256, width: 48,
                perPixel: 4),
            Case(title: "no frame to be found: what takes most", data: lossy.prefix(14), width: 48, perPixel: 9),
            Case(title: "GIF", data: gif(false), format: .gif, width: 48, perPixel: 0),
            Case(title: "interlaced GIF", data: gif(true), format: .gif, width: 48, perPixel: 1),
            Case(title: "GIF without a frame", data: gif(false).prefix(14), format: .gif, width: 48, perPixel: 1),
        ]
    }

    @Test("what is kept of the file's pixels is counted")
    func kept() throws {
        for row in try Self.cases() {
            let size = PixelSize(width: 480, height: row.height)
            let target = row.width == 0 ? PixelTarget.original : .fit(width: row.width, height: nil)
            let result = target.pixelSize(for: size)
            let expected =
                row.perPixel * size.pixelCount + row.scaledWidth * (result.height * row.scaledWidth / result.width) * 4
                + result.pixelCount * 4 + DecodeEstimate.rows(from: size, to: result)
            let bytes = SystemImageDecoder().estimatedByteCount(
                of: row.data, format: row.format, pixelSize: size, target: target)
            #expect(bytes == expected, "\(row.title)")
        }
    }

    @Test("sides that can't be multiplied make no sum overflow")
    func overflow() throws {
        let size = PixelSize(width: .max, height: .max)
        for row in try Self.cases() {
            let bytes = SystemImageDecoder().estimatedByteCount(
                of: row.data, format: row.format, pixelSize: size, target: .original)
            #expect(bytes == .max, "\(row.title)")
        }
    }
}
#endif
