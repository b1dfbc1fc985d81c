import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Impressions: what a pipeline remembers of what it has decoded")
struct ImpressionPipelineTests {
    private func impression(_ request: ImageRequest, _ fixture: Fixture) async throws -> Impression? {
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.waitUntilIdle()
        return fixture.pipeline.impression(for: request)
    }

    @Test("an image that was decoded leaves its colours and its size, after memory and store have lost it")
    func afterEviction() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 300, height: 200, color: .green)
        let request = ImageRequest(url: url, size: .pixels(30, 30, .fit))
        #expect(fixture.pipeline.impression(for: request) == nil)
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.waitUntilIdle()
        fixture.memory.removeAll()
        try await fixture.store.removeAll()
        let impression = try #require(fixture.pipeline.impression(for: ImageRequest(url: url)))
        #expect(impression.aspectRatio == 1.5)
        #expect(impression.originalPixelSize == PixelSize(width: 300, height: 200))
        #expect(impression.image.pixelSize == PixelSize(width: 32, height: 21))
        #expect(impression.image.originalPixelSize == PixelSize(width: 300, height: 200))
        #expect(impression.image === fixture.pipeline.impression(for: request)?.image)
        #expect(impression.image.bitmap.average.isClose(to: .green, within: 4))
        let color = impression.averageColor
        #expect(abs(color.red) < 0.02 && abs(color.green - 1) < 0.02 && abs(color.blue) < 0.02 && color.alpha == 1)
    }

    struct Trace: CustomTestStringConvertible {
        var testDescription: String
        var width = 64
        var fields: HTTPFields = [:]
        var policy = ImageRequest.CachePolicy.http
        var processors: [any ImageProcessor] = []
        var leaves: Bool

        static let all = [
            Trace(testDescription: "an ordinary response", leaves: true),
            Trace(testDescription: "no-store", fields: ["Cache-Control": "no-store"], leaves: false),
            Trace(testDescription: "no-cache", fields: ["Cache-Control": "no-cache"], leaves: true),
            Trace(testDescription: "the policy .noStore", policy: .noStore, leaves: false),
            Trace(testDescription: "the policy .reload", policy: .reload, leaves: true),
            Trace(testDescription: "16 pixels", width: 16, leaves: true),
            Trace(testDescription: "15 pixels", width: 15, leaves: false),
            Trace(testDescription: "a processor", processors: [.recolored], leaves: true),
        ]
    }

    @Test("an image leaves an impression unless it is tiny, or nothing of it may stay", arguments: Trace.all)
    func traces(_ trace: Trace) async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: trace.width, height: 9, color: .green, fields: trace.fields)
        let request = ImageRequest(url: url, processors: trace.processors, cachePolicy: trace.policy)
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.waitUntilIdle()
        let impression = fixture.pipeline.impression(for: ImageRequest(url: url))
        #expect((impression != nil) == trace.leaves)
        // Never of what a processor has made.
        if let impression { #expect(impression.image.bitmap.average.isClose(to: .green, within: 4)) }
    }

    @Test("requests that don't look at memory see no impression either")
    func policies() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a")
        _ = try await fixture.pipeline.image(for: url)
        await fixture.pipeline.waitUntilIdle()
        for policy in [ImageRequest.CachePolicy.http, .storedOnly, .revalidate, .reload, .noStore] {
            let found = fixture.pipeline.impression(for: ImageRequest(url: url, cachePolicy: policy)) != nil
            #expect(found == (policy != .reload && policy != .noStore), "\(policy)")
        }
    }

    @Test("another picture under the same URL takes the place of the impression")
    func newVersion() async throws {
        let fixture = try Fixture()
        let (red, blue) = (PixelColor.red, PixelColor.blue)
        fixture.server.respond(
            to: "/a", with: .ok(TestImages.solidPNG(width: 20, height: 20, color: red), type: "image/png"),
            .ok(TestImages.solidPNG(width: 20, height: 10, color: blue), type: "image/png"))
        let url = fixture.server.url("/a")
        let first = try await impression(ImageRequest(url: url), fixture)
        #expect(first?.image.bitmap.average.isClose(to: red, within: 4) == true)
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, cachePolicy: .reload))
        await fixture.pipeline.waitUntilIdle()
        let impression = fixture.pipeline.impression(for: ImageRequest(url: url))
        #expect(impression?.image.bitmap.average.isClose(to: blue, within: 4) == true)
        #expect(impression?.aspectRatio == 2)
    }

    @Test("partitions don't see each other's impressions, and a removed one's are gone")
    func partitions() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a")
        let requests = ([nil, "first-account", "second-account"] as [Partition?]).map {
            ImageRequest(url: url, partition: $0)
        }
        #expect(try await impression(requests[1], fixture) != nil)
        #expect(fixture.pipeline.impression(for: requests[0]) == nil)
        #expect(fixture.pipeline.impression(for: requests[2]) == nil)
        #expect(try await impression(requests[2], fixture) != nil)
        await fixture.pipeline.removePartition("first-account")
        #expect(fixture.pipeline.impression(for: requests[1]) == nil)
        #expect(fixture.pipeline.impression(for: requests[2]) != nil)
    }

    @Test("invalidating a resource and removing everything take its impression, and what was under way brings none")
    func removals() async throws {
        let fixture = try Fixture()
        let request = ImageRequest(url: fixture.serve("/a"))
        #expect(try await impression(request, fixture) != nil)
        await fixture.pipeline.invalidate(request.id)
        #expect(fixture.pipeline.impression(for: request) == nil)
        #expect(try await impression(request, fixture) != nil)
        await fixture.pipeline.removeAll()
        #expect(fixture.pipeline.impression(for: request) == nil)

        let gate = ProcessingGate()
        fixture.decoder.hold(at: gate)
        let load = fixture.pipeline.load(request)
        await gate.waitUntilReached()
        await fixture.pipeline.invalidate(request.id)
        gate.open()
        _ = try await load.result
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.impression(for: request) == nil)
    }

    @Test("without a table nothing is remembered")
    func none() async throws {
        let fixture = try Fixture { $0.impressions = nil }
        #expect(try await impression(ImageRequest(url: fixture.serve("/a")), fixture) == nil)
        await fixture.pipeline.prepare()
    }

    // MARK: From launch to launch

    @Test("what a store has kept is there after prepare(), and nothing is handed over twice")
    func restart() async throws {
        let store = MemoryImpressionStore()
        let first = try Fixture { $0.store = store }
        let url = first.serve("/a", width: 300, height: 200, color: .green, fields: ["Cache-Control": "no-cache"])
        let request = ImageRequest(url: url)
        #expect(try await impression(request, first) != nil)
        #expect(store.impressionCount == 1)

        let second = try Fixture { $0.store = store }
        await second.pipeline.prepare()
        #expect(second.pipeline.impression(for: request)?.aspectRatio == 1.5)
        // Decoded again, it is the same as the store has.
        #expect(try await impression(request, second) != nil)
        #expect(store.keepCount == 1)

        await second.pipeline.removeAll()
        #expect(store.impressionCount == 0)
        let third = try Fixture { $0.store = store }
        await third.pipeline.prepare()
        #expect(third.pipeline.impression(for: request) == nil)
    }

    @Test("impressions of a partition that lasts as long as the process stay out of the store")
    func credentials() async throws {
        let store = MemoryImpressionStore()
        let fixture = try Fixture {
            $0.store = store
            $0.fields["Authorization"] = "Bearer secret"
        }
        let request = ImageRequest(url: fixture.serve("/a"))
        #expect(try await impression(request, fixture) != nil)
        #expect(store.keepCount == 0)
    }

    @Test("a store that can't be read is an event, and loads go on")
    func fault() async throws {
        let store = MemoryImpressionStore { throw CocoaError(.fileReadCorruptFile) }
        let fixture = try Fixture { $0.store = store }
        await fixture.pipeline.prepare()
        await fixture.events.wait { if case .cacheFault("load impressions", _) = $0 { true } else { false } }
        #expect(try await impression(ImageRequest(url: fixture.serve("/a")), fixture) != nil)
    }
}

extension ImageProcessor where Self == CustomProcessor {
    /// Makes everything black.
    fileprivate static var recolored: CustomProcessor {
        CustomProcessor(identifier: "black") { image in
            DecodedImage(
                bitmap: TestImages.solidBitmap(
                    width: image.pixelSize.width, height: image.pixelSize.height, color: .black))
        }
    }
}
