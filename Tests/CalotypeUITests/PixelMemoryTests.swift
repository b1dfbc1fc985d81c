import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

@Suite("The memory of a long feed")
@MainActor
struct PixelMemoryTests {
    nonisolated private static let rowCount = 2_000

    /// Images that have been shown, as long as anybody holds them.
    @MainActor
    private final class Census {
        private struct Member { weak var image: DecodedImage? }

        private var members: [ObjectIdentifier: Member] = [:]
        private(set) var largestByteCount = 0
        private(set) var shownCount = 0

        var byteCount: Int { members.values.compactMap(\.image).reduce(0) { $0 + $1.byteCount } }

        func note(_ frame: Frame) {
            members = members.filter { $0.value.image != nil }
            for image in frame.images.compactMap(\.decoded) where members[ObjectIdentifier(image)] == nil {
                members[ObjectIdentifier(image)] = Member(image: image)
                shownCount += 1
            }
            largestByteCount = max(largestByteCount, byteCount)
        }
    }

    @Test(
        "2,000 rows of 88 points at 3x hold no more pixels than the cache may and the screen shows",
        arguments: [false, true])
    func feed(keepsStateOfRows: Bool) async throws {
        let limit = 4 << 20
        let images = try ImageServer(memoryByteCount: limit)
        let data = TestImages.solidPNG(width: 264, height: 264, color: .number(1))
        images.server.fallback { _ in .ok(data, type: "image/png", fields: ["Cache-Control": "max-age=3600"]) }
        let urls = (0..<Self.rowCount).map { images.server.url("/\($0)") }
        var settings = ViewHost.Settings()
        settings.keepsStateOfRows = keepsStateOfRows
        let host = ViewHost(size: CGSize(width: 320, height: 880), settings: settings) {
            List(urls, id: \.self) { Thumbnail(url: $0) }
                .environment(\.displayScale, 3)
                .imagePipeline(images.pipeline)
        }
        let census = Census()
        host.onFrame = { census.note($0) }
        for offset in stride(from: 0, through: host.scrollLimit, by: 880) {
            try host.scroll(to: offset)
            try await host.next { $0.isComplete }
        }
        await host.settle()
        census.note(host.frame)
        // Two screens: what is shown, and what the frame before showed as the rows changed.
        let screen = 264 * 264 * 4 * 10
        print(
            "\(Self.rowCount) rows\(keepsStateOfRows ? " that keep their state" : ""): "
                + "\(census.largestByteCount >> 10) KB of pixels at most, \(census.byteCount >> 10) KB at the end; "
                + "the cache may hold \(limit >> 10) KB, a screen shows \(screen >> 10) KB")
        #expect(census.shownCount >= Self.rowCount)
        #expect(census.largestByteCount <= limit + 2 * screen)
        #expect(images.memory.totalCost <= limit)
        #expect(images.server.requestCount == Self.rowCount)
    }
}
