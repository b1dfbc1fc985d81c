import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Cache policies: each row of the table")
struct CachePolicyTests {
    /// What a request of some policy does in some state of the caches.
    struct Row: Sendable, CustomTestStringConvertible {
        enum State: String { case empty, fresh, stale, mustRevalidate, storedFresh, storedStale }

        let policy: ImageRequest.CachePolicy
        let state: State
        /// The layer that serves the first answer; `nil` for a failure with `notStored`.
        let layer: LoadReport.Layer?
        /// Whether what is in memory is a preview meanwhile.
        var hasPreview = false
        /// Requests that reach the server, background revalidation included.
        let requests: Int
        /// Whether those are conditional.
        var isConditional = false

        var testDescription: String { "\(policy), \(state.rawValue): \(layer?.rawValue ?? "not stored")" }

        static let all: [Row] = [
            Row(policy: .http, state: .empty, layer: .network, requests: 1),
            Row(policy: .http, state: .fresh, layer: .memory, requests: 0),
            Row(policy: .http, state: .stale, layer: .memory, requests: 1, isConditional: true),
            Row(
                policy: .http, state: .mustRevalidate, layer: .revalidation, hasPreview: true, requests: 1,
                isConditional: true),
            Row(policy: .http, state: .storedFresh, layer: .storage, requests: 0),
            Row(policy: .http, state: .storedStale, layer: .revalidation, requests: 1, isConditional: true),

            Row(policy: .storedElseLoad, state: .empty, layer: .network, requests: 1),
            Row(policy: .storedElseLoad, state: .fresh, layer: .memory, requests: 0),
            Row(policy: .storedElseLoad, state: .stale, layer: .memory, requests: 0),
            Row(policy: .storedElseLoad, state: .mustRevalidate, layer: .memory, requests: 0),
            Row(policy: .storedElseLoad, state: .storedFresh, layer: .storage, requests: 0),
            Row(policy: .storedElseLoad, state: .storedStale, layer: .storage, requests: 0),

            Row(policy: .storedOnly, state: .empty, layer: nil, requests: 0),
            Row(policy: .storedOnly, state: .stale, layer: .memory, requests: 0),
            Row(policy: .storedOnly, state: .storedFresh, layer: .storage, requests: 0),
            Row(policy: .storedOnly, state: .storedStale, layer: .storage, requests: 0),

            Row(policy: .revalidate, state: .empty, layer: .network, requests: 1),
            Row(
                policy: .revalidate, state: .fresh, layer: .revalidation, hasPreview: true, requests: 1,
                isConditional: true),
            Row(policy: .revalidate, state: .storedFresh, layer: .revalidation, requests: 1, isConditional: true),
            Row(policy: .revalidate, state: .storedStale, layer: .revalidation, requests: 1, isConditional: true),

            Row(policy: .reload, state: .empty, layer: .network, requests: 1),
            Row(policy: .reload, state: .fresh, layer: .network, requests: 1),
            Row(policy: .reload, state: .storedFresh, layer: .network, requests: 1),

            Row(policy: .immutable, state: .empty, layer: .network, requests: 1),
            Row(policy: .immutable, state: .stale, layer: .memory, requests: 0),
            Row(policy: .immutable, state: .mustRevalidate, layer: .memory, requests: 0),
            Row(policy: .immutable, state: .storedStale, layer: .storage, requests: 0),

            Row(policy: .noStore, state: .empty, layer: .network, requests: 1),
            Row(policy: .noStore, state: .fresh, layer: .network, requests: 1),
            Row(policy: .noStore, state: .storedFresh, layer: .network, requests: 1),
        ]
    }

    @Test("a request is answered as its policy says", arguments: Row.all)
    func row(_ row: Row) async throws {
        let fixture = try Fixture()
        let control = row.state == .mustRevalidate ? "max-age=60, must-revalidate" : "max-age=60"
        let resource = LoopbackServer.Resource(
            TestImages.gradientPNG(width: 16, height: 16), type: "image/png", etag: "\"v1\"",
            fields: ["Cache-Control": control, "Date": LoopbackServer.httpDate(fixture.clock.now())])
        fixture.server.serve(resource, at: "/a")
        let url = fixture.server.url("/a")
        if row.state != .empty {
            _ = try await fixture.pipeline.image(for: url)
            if row.state == .storedFresh || row.state == .storedStale { fixture.memory.removeAll() }
            if row.state != .fresh && row.state != .storedFresh { fixture.clock.advance(by: .seconds(61)) }
        }
        let before = fixture.server.requestCount

        // Of a load that has ended nobody is shown a preview: so it ends once its updates are read.
        let gate = LoopbackServer.Gate()
        fixture.server.route("/a") { resource.response(to: $0).gated(gate) }
        let load = fixture.pipeline.load(ImageRequest(url: url, cachePolicy: row.policy))
        let updates = load.updates
        gate.open()
        var previews = 0
        for await update in updates {
            if case .preview = update { previews += 1 }
        }
        switch await load.outcome {
        case .success(let result): #expect(result.layer == row.layer)
        case .failure(let error):
            #expect(row.layer == nil)
            #expect((error as? ImageError)?.reason == .notStored)
        }
        await fixture.pipeline.waitUntilIdle()
        #expect((previews > 0) == row.hasPreview)
        let requests = fixture.server.requests.dropFirst(before)
        #expect(requests.count == row.requests)
        #expect(requests.allSatisfy { ($0.fields["If-None-Match"] != nil) == row.isConditional })
        if row.policy == .noStore, row.state == .empty {
            #expect(try await fixture.store.usage().responseCount == 0)
            #expect(fixture.memory.count == 0)
        }
    }

    @Test("a stale rendition is shown at once and revalidated; new bytes replace it in a further update")
    func staleWhileRevalidating() async throws {
        let fixture = try Fixture()
        func resource(_ color: PixelColor, _ tag: String) -> LoopbackServer.Resource {
            .init(
                TestImages.solidPNG(width: 8, height: 8, color: color), type: "image/png", etag: tag,
                fields: ["Cache-Control": "max-age=60"])
        }
        fixture.server.serve(resource(.red, "\"1\""), at: "/a")
        let url = fixture.server.url("/a")
        _ = try await fixture.pipeline.image(for: url)
        fixture.clock.advance(by: .seconds(61))
        fixture.server.serve(resource(.blue, "\"2\""), at: "/a")

        let load = fixture.pipeline.load(ImageRequest(url: url))
        var shown: [(PixelColor, LoadReport.Layer)] = []
        for await case .image(let result) in load.updates {
            shown.append((result.image.bitmap.pixel(0, 0), result.layer))
        }
        #expect(shown.map(\.0) == [.red, .blue])
        #expect(shown.map(\.1) == [.memory, .network])
        #expect(try await load.result.image.bitmap.pixel(0, 0) == .red)
        #expect(fixture.pipeline.cachedImage(for: url)?.bitmap.pixel(0, 0) == .blue)
        #expect(fixture.memory.count == 1)
    }

    @Test("a 304 keeps the pixels and makes them fresh again")
    func notModified() async throws {
        let fixture = try Fixture()
        fixture.server.serve(
            .init(
                TestImages.gradientPNG(width: 8, height: 8), type: "image/png", etag: "\"1\"",
                fields: ["Cache-Control": "max-age=60"]), at: "/a")
        let request = ImageRequest(url: fixture.server.url("/a"))
        let first = try await fixture.pipeline.image(for: request)
        fixture.clock.advance(by: .seconds(61))
        #expect(try await fixture.pipeline.image(for: request) === first)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.server.requestCount == 2)
        #expect(try await fixture.pipeline.image(for: request) === first)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.server.requestCount == 2)
        #expect(fixture.decoder.count == 1)
    }

    @Test("what asks for validation first is no synchronous answer once it is stale")
    func mustRevalidate() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=60, must-revalidate", "ETag": "\"1\""])
        _ = try await fixture.pipeline.image(for: url)
        #expect(fixture.pipeline.cachedImage(for: url) != nil)
        fixture.clock.advance(by: .seconds(61))
        #expect(fixture.pipeline.cachedImage(for: url) == nil)
        #expect(!fixture.pipeline.contains(ImageRequest(url: url)))
    }

    @Test("no-store pixels live only as long as somebody shows them, and are never an answer")
    func noStoreResponse() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", fields: ["Cache-Control": "no-store"])
        var image: DecodedImage? = try await fixture.pipeline.image(for: url)
        #expect(fixture.memory.count == 0)
        #expect(try await fixture.store.usage().responseCount == 0)
        #expect(fixture.pipeline.cachedImage(for: url) == nil)

        // While it is shown, it is the preview of the next load.
        let gate = LoopbackServer.Gate()
        fixture.server.route("/a") { _ in
            .ok(TestImages.solidPNG(width: 8, height: 8, color: .blue), type: "image/png").gated(gate)
        }
        let load = fixture.pipeline.load(ImageRequest(url: url))
        var updates = load.updates.makeAsyncIterator()
        guard case .preview(let preview)? = await updates.next() else { throw ImageError(.request, .notAnImage) }
        #expect(preview === image)
        gate.open()
        _ = try await load.result
        image = nil
    }

    @Test("stale-while-revalidate in the store answers at once, and asks the server in the background")
    func storedStaleWhileRevalidate() async throws {
        let fixture = try Fixture()
        fixture.server.serve(
            .init(
                TestImages.gradientPNG(width: 8, height: 8), type: "image/png", etag: "\"1\"",
                fields: ["Cache-Control": "max-age=60, stale-while-revalidate=600"]), at: "/a")
        let request = ImageRequest(url: fixture.server.url("/a"))
        _ = try await fixture.pipeline.image(for: request)
        fixture.memory.removeAll()
        fixture.clock.advance(by: .seconds(100))
        #expect(try await fixture.pipeline.result(for: request).layer == .storage)
        _ = try await fixture.server.waitForRequests(count: 2)
        #expect(fixture.server.requests.last?.fields["If-None-Match"] == "\"1\"")
    }

    @Test("a load that is to leave no trace doesn't disturb what is in memory")
    func noStorePolicy() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=600"])
        let held = try await fixture.pipeline.image(for: url)
        let traceless = try await fixture.pipeline.image(for: ImageRequest(url: url, cachePolicy: .noStore))
        #expect(traceless !== held)
        #expect(fixture.pipeline.cachedImage(for: url) === held)
        #expect(fixture.memory.count == 1)
    }

    @Test(
        "a new response takes the place of the one it supersedes",
        arguments: [ImageRequest.CachePolicy.http, .revalidate, .reload])
    func superseded(_ policy: ImageRequest.CachePolicy) async throws {
        let fixture = try Fixture()
        // Without a validator there is nothing to confirm: each load fetches anew.
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=60"])
        for _ in 0..<5 {
            fixture.memory.removeAll()
            fixture.clock.advance(by: .seconds(61))
            _ = try await fixture.pipeline.image(for: ImageRequest(url: url, cachePolicy: policy))
        }
        #expect(fixture.server.requestCount == 5)
        #expect(try await fixture.store.usage().responseCount == 1)
    }
}
