import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Sizes: what is in memory answers exactly, from larger pixels, or as a preview")
struct SizeTests {
    private let cacheable: HTTPFields = ["Cache-Control": "max-age=600"]

    /// The size that is in memory, the size that is asked for, and what comes of it.
    struct Row: Sendable, CustomTestStringConvertible {
        enum Outcome { case sameImage, madeOfMemory, fetched }

        let held: ImageRequest.Size
        let asked: ImageRequest.Size
        var processors: [any ImageProcessor] = []
        let outcome: Outcome
        let width: Int

        var testDescription: String { "\(asked) from \(held): \(outcome)" }

        static let all: [Row] = [
            Row(held: .pixels(100, 75, .fit), asked: .pixels(100, 75, .fit), outcome: .sameImage, width: 100),
            Row(held: .pixels(100, 75, .fit), asked: .pixels(100, 1_000, .fit), outcome: .sameImage, width: 100),
            Row(held: .pixels(200, 150, .fit), asked: .pixels(100, 75, .fit), outcome: .sameImage, width: 200),
            Row(held: .pixels(204, 153, .fit), asked: .pixels(100, 75, .fit), outcome: .madeOfMemory, width: 100),
            Row(held: .original, asked: .pixels(100, 75, .fit), outcome: .madeOfMemory, width: 100),
            Row(held: .original, asked: .pixels(4_000, 4_000), outcome: .sameImage, width: 400),
            Row(held: .pixels(100, 75, .fit), asked: .pixels(101, 76, .fit), outcome: .fetched, width: 101),
            Row(held: .pixels(100, 75, .fit), asked: .original, outcome: .fetched, width: 400),
            // A circle is made at its own size, from whatever pixels there are.
            Row(
                held: .pixels(200, 150, .fit), asked: .pixels(100, 75, .fit), processors: [.circle],
                outcome: .madeOfMemory, width: 75),
        ]
    }

    @Test("an image of 400 x 300 is answered by the rule", arguments: Row.all)
    func rule(_ row: Row) async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 400, height: 300, fields: cacheable)
        let held = try await fixture.pipeline.image(for: ImageRequest(url: url, size: row.held))
        let asked = ImageRequest(url: url, size: row.asked, processors: row.processors)
        let result = try await fixture.pipeline.result(for: asked)
        #expect(result.image.pixelSize.width == row.width)
        #expect((result.image === held) == (row.outcome == .sameImage))
        #expect(fixture.server.requestCount == 1)
        #expect(fixture.decoder.count == (row.outcome == .fetched ? 2 : 1))
        #expect((result.layer == .memory) == (row.outcome != .fetched))
        // From now on it is an answer of its own.
        #expect(fixture.pipeline.cachedImage(for: asked) === result.image)
    }

    @Test("a smaller rendition is the preview while the right one is made")
    func preview() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 400, height: 300, fields: cacheable)
        let small = try await fixture.pipeline.image(for: ImageRequest(url: url, size: .pixels(40, 30, .fit)))
        let load = fixture.pipeline.load(ImageRequest(url: url))
        var updates = load.updates.makeAsyncIterator()
        guard case .preview(let preview)? = await updates.next() else {
            Issue.record("No preview came first.")
            return
        }
        #expect(preview === small)
        #expect(try await load.result.image.pixelSize.width == 400)
    }

    @Test("another URL of the same resource previews, and answers only with as many pixels as are asked for")
    func sameResource() async throws {
        let fixture = try Fixture()
        let thumbnail = fixture.serve("/thumbnail", width: 60, height: 45, fields: cacheable)
        let full = fixture.serve("/full", width: 400, height: 300, fields: cacheable)
        let row = ImageRequest(url: thumbnail, id: "photo", size: .pixels(60, 45))
        let detail = ImageRequest(url: full, id: "photo", size: .pixels(300, 225))
        let small = try await fixture.pipeline.image(for: row)

        let load = fixture.pipeline.load(detail)
        var updates = load.updates.makeAsyncIterator()
        if case .preview(let preview)? = await updates.next() { #expect(preview === small) }
        #expect(try await load.result.image.pixelSize.width == 300)
        #expect(fixture.server.requestCount == 2)

        // Both stay: neither replaces the other.
        #expect(fixture.pipeline.cachedImage(for: row) === small)
        #expect(fixture.pipeline.cachedImage(for: detail)?.pixelSize.width == 300)
        // A third URL that is content with less is answered by the full image's pixels.
        let third = ImageRequest(url: fixture.server.url("/none"), id: "photo", size: .pixels(200, 150))
        #expect(fixture.pipeline.cachedImage(for: third)?.pixelSize.width == 300)
    }

    @Test("processors are part of what is looked up, in their order")
    func processors() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 40, height: 40, fields: cacheable)
        let plain = ImageRequest(url: url)
        let round = ImageRequest(url: url, processors: [.circle])
        _ = try await fixture.pipeline.image(for: plain)
        #expect(fixture.pipeline.cachedImage(for: round) == nil)
        let image = try await fixture.pipeline.image(for: round)
        #expect(image.bitmap.pixel(0, 0).alpha == 0)
        #expect(image.bitmap.pixel(20, 20) == .red)
        #expect(fixture.pipeline.cachedImage(for: plain)?.bitmap.pixel(0, 0) == .red)
        #expect(fixture.decoder.count == 1)
    }
}
