#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Previews of the rows so far")
struct RowsSoFarTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var format: ImageFormat
        var data: Data
        /// Each preview shows the whole image, ever finer.
        var isCoarse = false

        var testDescription: String { title }
    }

    private static let size = PixelSize(width: 64, height: 48)

    private static func color(_ x: Int, _ y: Int) -> PixelColor { PixelColor(UInt8(x * 3), UInt8(y * 5), 200) }

    private static func png(isInterlaced: Bool) -> Data {
        let header = PNGEncoder.header(
            width: size.width, height: size.height, bitDepth: 8, colorType: 2, isInterlaced: isInterlaced)
        let stream = PNGEncoder.stream(width: size.width, height: size.height, isInterlaced: isInterlaced) { x, y in
            [color(x, y).red, color(x, y).green, color(x, y).blue]
        }
        // Chunks as short as writers make them for large files.
        let pieces = stride(from: 0, to: stream.count, by: 512).map { start in
            PNGEncoder.Chunk("IDAT", Array(stream[start..<min(start + 512, stream.count)]))
        }
        return PNGEncoder.file([header] + pieces)
    }

    private static let cases: [Case] = [
        Case(title: "PNG", format: .png, data: png(isInterlaced: false)),
        Case(title: "interlaced PNG", format: .png, data: png(isInterlaced: true), isCoarse: true),
        Case(
            title: "GIF", format: .gif,
            data: TestImages.gif(width: 64, height: 48) { x, y in color(x / 8 * 8, y / 4 * 4) }),
        Case(
            title: "an animated GIF", format: .gif,
            data: GIFEncoder.encode(
                width: 64, height: 48,
                frames: [
                    .init(width: 64, height: 48) { x, y in color(x / 8 * 8, y / 4 * 4) },
                    .init(width: 64, height: 48) { _, _ in .white },
                ])),
        Case(title: "WebP", format: .webP, data: TestImages.webP(width: 64, height: 48, pixel: color)),
    ]

    @Test("as bytes arrive, rows appear; those that are there are those of the whole image", arguments: cases)
    func rows(_ row: Case) throws {
        for target in [PixelTarget.original, .fit(width: 20, height: nil)] {
            let options = DecodeOptions(target: target)
            let whole = try ImageDecoders.system.decode(row.data, options: options).bitmap
            let decoding = try #require(
                SystemImageDecoder().progressiveDecoding(format: row.format, options: options))
            #expect(try decoding.preview() == nil)
            var rowCounts: [Int] = []
            for start in stride(from: 0, to: row.data.count, by: 300) {
                try decoding.append(row.data[start..<min(start + 300, row.data.count)])
                guard let image = try decoding.preview() else { continue }
                #expect(image.pixelSize == whole.size && image.animation == nil)
                let count = (0..<whole.size.height).first { image.bitmap[3, $0].alpha < 255 } ?? whole.size.height
                rowCounts.append(count)
                // The resize looks a few rows ahead.
                for y in 0..<max(0, count - (target == .original ? 0 : 4)) where !row.isCoarse {
                    #expect(image.bitmap.pixel(3, y) == whole.pixel(3, y), "row \(y) of \(count)")
                }
            }
            #expect(rowCounts.count >= 2 && rowCounts == rowCounts.sorted(), "\(rowCounts)")
            #expect(row.isCoarse || (rowCounts.first ?? 0) < whole.size.height, "\(rowCounts)")
        }
    }

    @Test("an interlaced PNG is seen whole after its first pass, as a mosaic")
    func mosaic() throws {
        let data = Self.png(isInterlaced: true)
        let decoding = RowsSoFar(format: .png, options: DecodeOptions())
        // 48 pixels in the first pass, of 3,072: 6 rows of 1 + 24 bytes, and as many in the second.
        try decoding.append(data.prefix(1200))
        let bitmap = try #require(try decoding.preview()).bitmap
        for (x, y) in [(0, 0), (3, 3), (63, 47), (40, 20)] {
            #expect(bitmap.pixel(x, y).alpha == 255, "(\(x), \(y))")
        }
        #expect([(0, 0), (2, 0), (0, 2), (2, 2)].contains { Self.color($0, $1) == bitmap.pixel(3, 3) })
    }

    @Test("what is asked for too soon gives nothing; previews cost no more than three decodes together")
    func costs() throws {
        let data = Self.png(isInterlaced: false)
        let decoding = RowsSoFar(format: .png, options: DecodeOptions())
        var decodedByteCount = 0
        for start in stride(from: 0, to: data.count, by: 16) {
            try decoding.append(data[start..<min(start + 16, data.count)])
            if try decoding.preview() != nil { decodedByteCount += min(start + 16, data.count) }
            #expect(try decoding.preview() == nil)
        }
        #expect(decodedByteCount > data.count / 2 && decodedByteCount <= 3 * data.count)
    }

    @Test("damage, a limit and a cancellation end it with an error")
    func errors() throws {
        var damaged = Self.png(isInterlaced: false)
        damaged[60] ^= 0xFF
        let decoding = RowsSoFar(format: .png, options: DecodeOptions())
        try decoding.append(damaged.prefix(5000))
        guard case .corrupt(.png, _, _) = imageErrorReason({ _ = try decoding.preview() }) else {
            Issue.record("damage")
            return
        }
        let limited = RowsSoFar(format: .png, options: DecodeOptions(limits: ImageLimits(bodyByteCount: 10)))
        try limited.append(Data(count: 10))
        #expect(
            imageErrorReason { try limited.append(Data(count: 1)) } == .bodyTooLarge(byteCount: 11, limit: 10))
        let cancellation = DecodeCancellation()
        let cancelled = RowsSoFar(format: .png, options: DecodeOptions(cancellation: cancellation))
        try cancelled.append(Self.png(isInterlaced: false))
        cancellation.cancel()
        #expect(throws: CancellationError.self) { try cancelled.preview() }
    }
}
#endif
