import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Partitions: kept apart, and erased as one")
struct PartitionTests {
    private static let cacheable: HTTPFields = ["Cache-Control": "max-age=600"]

    @Test("requests of two partitions never share a download, pixels or stored bytes")
    func apart() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", fields: Self.cacheable)
        let a = ImageRequest(url: url, partition: "a")
        _ = try await fixture.pipeline.image(for: a)
        #expect(fixture.pipeline.contains(a))
        #expect(!fixture.pipeline.contains(ImageRequest(url: url, partition: "b")))
        #expect(!fixture.pipeline.contains(ImageRequest(url: url)))
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, partition: "b"))
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url))
        #expect(fixture.server.requestCount == 3)
        #expect(try await fixture.store.usage().responseCount == 3)
    }

    @Test("removing a partition erases its pixels and stored bytes, and no others")
    func removal() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", fields: Self.cacheable)
        let mine = ImageRequest(url: url, partition: "mine")
        let other = ImageRequest(url: url, partition: "other")
        _ = try await fixture.pipeline.image(for: mine)
        _ = try await fixture.pipeline.image(for: other)
        await fixture.pipeline.removePartition("mine")
        #expect(!fixture.pipeline.contains(mine))
        #expect(fixture.pipeline.contains(other))
        #expect(try await fixture.store.usage().responseCount == 1)
        let result = try await fixture.pipeline.result(for: mine)
        #expect(result.layer == .network)
    }

    @Test("removed during a download: the load is cancelled, and nothing of it is in memory or store afterwards")
    func duringDownload() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let data = TestImages.gradientPNG(width: 64, height: 64)
        fixture.server.route("/a") { _ in
            .ok(data, type: "image/png", fields: Self.cacheable).gated(gate, afterBodyBytes: 1_000)
        }
        let request = ImageRequest(url: fixture.server.url("/a"), partition: "account")
        let bytes = Task { try await fixture.pipeline.data(for: request) }
        // It has begun, then, and the load joins it.
        try await gate.waitUntilHeld()
        let load = fixture.pipeline.load(request)
        await fixture.pipeline.removePartition("account")
        gate.open()
        await #expect(throws: CancellationError.self) { try await load.result }
        await #expect(throws: CancellationError.self) { try await bytes.value }
        try await fixture.server.waitForOpenConnections(count: 0)
        #expect(fixture.memory.count == 0)
        #expect(try await fixture.store.usage() == StoreUsage(responseCount: 0, byteCount: 0))
    }

    @Test("removed during a decode: nothing of it is in memory or store afterwards")
    func duringDecode() async throws {
        let fixture = try Fixture()
        let gate = ProcessingGate()
        fixture.decoder.hold(at: gate)
        let request = ImageRequest(url: fixture.serve("/a", fields: Self.cacheable), partition: "account")
        let load = fixture.pipeline.load(request)
        await gate.waitUntilReached()
        await fixture.pipeline.removePartition("account")
        gate.open()
        await #expect(throws: CancellationError.self) { try await load.result }
        _ = try await fixture.pipeline.image(for: fixture.serve("/b", fields: Self.cacheable))
        #expect(fixture.memory.count == 1)
        #expect(try await fixture.store.usage().responseCount == 1)
    }

    @Test("a commit that began before the removal is refused, even where no job was left to cancel")
    func lateCommit() async throws {
        let store = MemoryStore()
        let key = FetchKey(url: URL(string: "http://h/a")!, partition: "account")
        let epoch = store.epoch()
        let writer = try await store.writer(
            for: key, resource: "a", metadata: Data(), replacing: nil, since: epoch)
        try await writer.append(Data([1, 2, 3]))
        try await store.removePartition("account")
        #expect(try await writer.commit() == nil)
        #expect(try await store.usage().responseCount == 0)

        // The same key, from after the removal, is stored.
        let later = try await store.writer(
            for: key, resource: "a", metadata: Data(), replacing: nil, since: store.epoch())
        #expect(try await later.commit() != nil)
    }

    @Test(
        "invalidate forgets every size and every partition of a resource, and what is under way leaves nothing behind")
    func invalidation() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", fields: Self.cacheable)
        let small = ImageRequest(url: url, size: .pixels(16, 16))
        let mine = ImageRequest(url: url, partition: "mine")
        _ = try await fixture.pipeline.image(for: small)
        _ = try await fixture.pipeline.image(for: mine)

        let gate = ProcessingGate()
        fixture.decoder.hold(at: gate)
        let load = fixture.pipeline.load(ImageRequest(url: url, cachePolicy: .reload))
        await gate.waitUntilReached()
        await fixture.pipeline.invalidate(small.id)
        gate.open()
        #expect(try await load.result.image.pixelSize.width > 0)
        #expect(fixture.memory.count == 0)
        #expect(try await fixture.store.usage().responseCount == 0)
    }

    @Test("a pipeline that signs its requests shares no pixels with one that doesn't")
    func authorizer() async throws {
        let memory = MemoryCache(costLimit: 1 << 20)
        let plain = try Fixture(memory: memory)
        let url = plain.serve("/a", fields: Self.cacheable)
        let signing = try Fixture(memory: memory) { configuration in
            configuration.authorize = { request in
                var request = request
                request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        _ = try await signing.pipeline.image(for: url)
        #expect(plain.server.requests.last?.fields["Authorization"] == "Bearer t")
        #expect(signing.pipeline.cachedImage(for: url) != nil)
        #expect(plain.pipeline.cachedImage(for: url) == nil)
    }

    @Test("a 401 lets the app refresh what it signs with, once")
    func refresh() async throws {
        let tokens = Counter()
        let fixture = try Fixture { configuration in
            configuration.authorize = { request in
                var request = request
                let refused = request.value(forHTTPHeaderField: "Authorization")
                let token = refused == nil ? tokens.value : tokens.increment()
                request.setValue("token \(token)", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        let data = TestImages.solidPNG(width: 4, height: 4, color: .red)
        fixture.server.route("/a") { request in
            request.fields["Authorization"] == "token 1" ? .ok(data, type: "image/png") : .status(401)
        }
        fixture.server.route("/never") { _ in .status(401) }
        let result = try await fixture.pipeline.result(for: ImageRequest(url: fixture.server.url("/a")))
        #expect(result.report.retryCount == 1)
        #expect(fixture.server.requests(to: "/a").map { $0.fields["Authorization"] } == ["token 0", "token 1"])
        #expect(await failure { try await fixture.pipeline.image(for: fixture.server.url("/never")) } == .status(401))
        #expect(fixture.server.requests(to: "/never").count == 2)
    }

    @Test("a load begun after invalidate doesn't join one begun before it, whatever its size")
    func joinAfterInvalidation() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let old = TestImages.solidPNG(width: 40, height: 40, color: .red)
        let new = TestImages.solidPNG(width: 40, height: 40, color: .blue)
        fixture.server.respond(
            to: "/a", with: .ok(old, type: "image/png", fields: Self.cacheable).gated(gate),
            .ok(new, type: "image/png", fields: Self.cacheable))
        let request = ImageRequest(url: fixture.server.url("/a"))
        let before = fixture.pipeline.load(request)
        try await gate.waitUntilHeld()
        await fixture.pipeline.invalidate(request.id)
        let same = fixture.pipeline.load(request)
        let small = fixture.pipeline.load(ImageRequest(url: fixture.server.url("/a"), size: .pixels(10, 10)))
        #expect(try await same.result.image.bitmap.pixel(0, 0) == .blue)
        #expect(try await small.result.image.bitmap.pixel(0, 0) == .blue)
        gate.open()
        #expect(try await before.result.image.bitmap.pixel(0, 0) == .red)
        #expect(fixture.pipeline.cachedImage(for: request)?.bitmap.pixel(0, 0) == .blue)
        #expect(fixture.server.requestCount == 2)
    }

    @Test("what an invalidation has set apart is still cancelled with its partition")
    func removalAfterInvalidation() async throws {
        let fixture = try Fixture()
        fixture.server.respond(to: "/a", with: .hanging)
        let request = ImageRequest(url: fixture.server.url("/a"), partition: "account")
        let load = fixture.pipeline.load(request)
        _ = try await fixture.server.nextRequest(to: "/a")
        await fixture.pipeline.invalidate(request.id)
        #expect(fixture.pipeline.jobCounts.renditions == 1)
        await fixture.pipeline.removePartition("account")
        await #expect(throws: CancellationError.self) { try await load.result }
        try await fixture.server.waitForOpenConnections(count: 0)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
    }

    @Test("credentials in a configuration keep its pictures from pipelines with others")
    func configuredCredentials() async throws {
        let memory = MemoryCache(costLimit: 1 << 20)
        let first = try Fixture(memory: memory) { $0.fields["Authorization"] = "a" }
        let second = try Fixture(memory: memory) { $0.fields["Authorization"] = "b" }
        let url = first.serve("/a", fields: Self.cacheable)
        _ = try await first.pipeline.image(for: url)
        #expect(first.pipeline.cachedImage(for: url) != nil)
        #expect(second.pipeline.cachedImage(for: url) == nil)
    }
}
