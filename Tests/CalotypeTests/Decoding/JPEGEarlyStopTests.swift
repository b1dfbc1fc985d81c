#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Progressive JPEG for small results: scans that aren't needed are left out")
struct JPEGEarlyStopTests {
    private static let photo = PixelSize(width: 4000, height: 3000)

    private static func plan(width: Int, quality: ResizeQuality = .balanced) -> JPEGPlan {
        JPEGPlan(stored: photo, orientation: .up, target: .fit(width: width, height: nil), quality: quality)
    }

    /// The first 100 bytes from each hundred: frequencies, refinement, fewer samples.
    private static func scans(_ rows: [(ClosedRange<Int>, Bool, Bool)]) -> [JPEGScan] {
        rows.enumerated().map { index, row in
            JPEGScan(
                range: index * 100..<index * 100 + 100, frequencies: row.0, isRefinement: row.1, isSubsampled: row.2)
        }
    }

    /// As libjpeg writes them.
    private static let usual = scans([
        (0...0, false, true), (1...5, false, false), (1...63, false, true), (1...63, false, true),
        (6...63, false, false), (1...63, true, false), (0...0, true, true), (1...63, true, true), (1...63, true, true),
        (1...63, true, false),
    ])

    @Test("what is left out goes by the scale, the ratio, the quantization and the quality")
    func needless() {
        let most = [400..<600, 700..<1000]
        let means = [100..<200, 400..<600, 900..<1000]
        for (width, step, quality, expected) in [
            // At 1/8: no luma beyond the means; all of chroma at half the size.
            (160, 2, ResizeQuality.balanced, means), (160, 200, .balanced, means), (264, 0, .balanced, means),
            (160, 2, .fast, means),
            (270, 2, .balanced, most), (270, 7, .balanced, most), (270, 8, .balanced, []), (270, 0, .balanced, []),
            (333, 4, .balanced, most), (333, 5, .balanced, []), (334, 2, .balanced, []),
            (1179, 1, .balanced, []), (4000, 1, .balanced, []),
            (700, 20, .fast, most), (1179, 1, .fast, []),
        ] {
            let ranges = Self.plan(width: width, quality: quality).needlessScans(of: Self.usual, quantizerStep: step)
            #expect(ranges == expected, "\(width) at \(step)")
        }
    }

    @Test("scans of all frequencies are never left out")
    func sequential() {
        let scans = Self.scans([(0...63, false, false), (0...63, false, true), (0...63, false, true)])
        #expect(Self.plan(width: 100, quality: .fast).needlessScans(of: scans, quantizerStep: 1).isEmpty)
    }

    @Test("a photograph's scans are found by their markers")
    func found() throws {
        let scans = try JPEGFixture.scans(JPEGFixture.progressive())
        #expect(scans.map(\.frequencies) == Self.usual.map(\.frequencies))
        #expect(scans.map(\.isRefinement) == Self.usual.map(\.isRefinement))
        #expect(scans.map(\.isSubsampled) == Self.usual.map(\.isSubsampled))
        #expect(scans.last?.range.upperBound == 75_577)
    }

    @Test(
        "a photograph made small is within 48 dB of all its pixels, resized by the reference", arguments: [23, 40, 50])
    func quality(_ width: Int) throws {
        let data = try JPEGFixture.progressive()
        let image = try JPEGFixture.decode(data, width: width)
        let full = try JPEGFixture.decode(data)
        let quality = ResizeTests.quality(image, ResizeTests.reference(full, image.size))
        #expect(quality >= 48, "\(quality) dB")
    }

    @Test("what is left out isn't read")
    func unread() throws {
        var data = try JPEGFixture.progressive()
        let scan = try #require(JPEGFixture.scans(data).last)
        let small = try JPEGFixture.decode(data, width: 40)
        // Damage in the middle of the last scan's data, short of a marker.
        for offset in scan.range.dropFirst(2_000).prefix(20_000) { data[offset] = 0x55 }
        #expect(PixelComparison(try JPEGFixture.decode(data, width: 40), small).isWithin(.exact))
        #expect(imageErrorReason { _ = try JPEGFixture.decode(data, width: 400) } != nil)
    }

    @Test("a file that was cut off is incomplete, wherever that was")
    func cutOff() throws {
        let data = try JPEGFixture.progressive()
        for length in Array(stride(from: 700, to: data.count, by: 1_777)) + [data.count - 2, data.count - 1] {
            let reason = imageErrorReason { _ = try JPEGFixture.decode(data.prefix(length), width: 40) }
            #expect(reason == .incomplete(.jpeg), "at \(length) of \(data.count)")
        }
    }

    @Test("more scans than the limit are refused, though they would be left out")
    func limit() throws {
        let data = try JPEGFixture.progressive()
        #expect(imageErrorReason { _ = try JPEGFixture.decode(data, width: 40, limits: .init(scanCount: 10)) } == nil)
        #expect(
            imageErrorReason { _ = try JPEGFixture.decode(data, width: 40, limits: .init(scanCount: 9)) }
                == .limitExceeded(.jpeg, detail: "more than 9 scans"))
    }
}
#endif
