import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("Prefetcher: what will be wanted soon, in list order, in nobody's way")
struct PrefetcherTests {
    private static let fresh: HTTPFields = ["Cache-Control": "max-age=600"]
    private static let size = ImageRequest.Size.pixels(8, 8)

    /// What came of each path, in words, in the order in which it was told.
    private final class OutcomeLog: Sendable {
        private let outcomes = Mutex<[(path: String, result: String)]>([])

        var append: @Sendable (ImagePrefetcher.Outcome) -> Void {
            { [self] outcome in
                let result =
                    switch outcome.result {
                    case .loaded(let report): "loaded from \(report.layer)"
                    case .stored: "stored"
                    case .alreadyThere: "already there"
                    case .failed(let error): "\(error.reason)"
                    case .cancelled: "cancelled"
                    }
                outcomes.withLock { $0.append((outcome.request.url?.path() ?? "", result)) }
            }
        }

        var all: [(path: String, result: String)] { outcomes.withLock { $0 } }
        var results: [String] { all.map(\.result) }
        subscript(path: String) -> [String] { all.filter { $0.path == path }.map(\.result) }
    }

    // MARK: Outcomes

    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var destination: ImagePrefetcher.Destination
        var size = PrefetcherTests.size
        var policy = ImageRequest.CachePolicy.http
        var response = Response.fresh
        var before = Before.nothing
        var hasStore = true
        var expected: String
        /// Requests that reach the server.
        var requestCount = 1
        /// Whether memory, and the store, have it afterwards.
        var isInMemory = false
        var isStored = false
        var testDescription: String { title }

        enum Response: Sendable { case fresh, noStore, missing, page, staleWhileRevalidate }
        /// Who has loaded it before.
        enum Before: Sendable { case nothing, image, bytes }
    }

    private static let notStorable = ImageError.Reason.notStorable.description

    private static let cases = [
        Case(
            title: "memory: loaded", destination: .memory, expected: "loaded from network", isInMemory: true,
            isStored: true),
        Case(
            title: "memory: there already", destination: .memory, before: .image, expected: "already there",
            requestCount: 1, isInMemory: true, isStored: true),
        Case(
            title: "memory: made of stored bytes", destination: .memory, before: .bytes,
            expected: "loaded from storage",
            isInMemory: true, isStored: true),
        Case(
            title: "memory, automatic size: bytes alone", destination: .memory, size: .automatic, expected: "stored",
            isStored: true),
        Case(
            title: "memory, automatic size, without a store", destination: .memory, size: .automatic, hasStore: false,
            expected: ImageError.Reason.noSize.description, requestCount: 0),
        Case(
            title: "memory without a store", destination: .memory, hasStore: false, expected: "loaded from network",
            isInMemory: true),
        Case(title: "memory: no-store response", destination: .memory, response: .noStore, expected: notStorable),
        Case(
            title: "memory: policy noStore", destination: .memory, policy: .noStore, expected: notStorable,
            requestCount: 0),
        Case(
            title: "memory: failure", destination: .memory, response: .missing,
            expected: ImageError.Reason.status(404).description),
        Case(title: "disk: stored, not decoded", destination: .disk, expected: "stored", isStored: true),
        Case(
            title: "disk: stored already and fresh", destination: .disk, before: .bytes, expected: "already there",
            isStored: true),
        Case(
            title: "disk: in memory and stored", destination: .disk, before: .image, expected: "already there",
            isInMemory: true, isStored: true),
        Case(
            title: "disk, policy reload: fetched again", destination: .disk, policy: .reload, before: .bytes,
            expected: "stored", requestCount: 2, isStored: true),
        Case(
            title: "disk: stale within its window is revalidated", destination: .disk, response: .staleWhileRevalidate,
            before: .bytes, expected: "stored", requestCount: 2, isStored: true),
        Case(
            title: "disk, policy storedOnly: a miss", destination: .disk, policy: .storedOnly,
            expected: ImageError.Reason.notStored.description, requestCount: 0),
        Case(
            title: "disk, policy noStore", destination: .disk, policy: .noStore, expected: notStorable, requestCount: 0),
        Case(
            title: "disk without a store", destination: .disk, hasStore: false,
            expected: ImageError.Reason.noStore.description, requestCount: 0),
        Case(title: "disk: no-store response", destination: .disk, response: .noStore, expected: notStorable),
        Case(
            title: "disk: no image", destination: .disk, response: .page,
            expected: ImageError.Reason.notAnImage.description),
        Case(
            title: "disk: failure", destination: .disk, response: .missing,
            expected: ImageError.Reason.status(404).description),
    ]

    @Test(arguments: cases)
    func outcome(rule: Case) async throws {
        let fixture = try Fixture { if !rule.hasStore { $0.store = nil } }
        let picture = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.route("/a") { _ in
            switch rule.response {
            case .fresh: .ok(picture, type: "image/png", fields: Self.fresh)
            case .noStore: .ok(picture, type: "image/png", fields: ["Cache-Control": "no-store"])
            case .missing: .status(404)
            case .page: .ok(Data("<html>".utf8) + Data(count: 100))
            case .staleWhileRevalidate:
                .ok(picture, type: "image/png", fields: ["Cache-Control": "max-age=0, stale-while-revalidate=600"])
            }
        }
        let url = fixture.server.url("/a")
        switch rule.before {
        case .nothing: break
        case .image: _ = try await fixture.pipeline.image(for: ImageRequest(url: url, size: rule.size))
        case .bytes: _ = try await fixture.pipeline.data(for: url)
        }
        let decodeCount = fixture.decoder.count
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, to: rule.destination, onOutcome: log.append)
        let request = ImageRequest(url: url, size: rule.size, cachePolicy: rule.policy)
        prefetcher.start([request])
        await prefetcher.finished()
        #expect(log.results == [rule.expected])
        #expect(fixture.server.requestCount == rule.requestCount)
        #expect(fixture.pipeline.contains(ImageRequest(url: url, size: Self.size)) == rule.isInMemory)
        #expect(try await fixture.store.usage().responseCount == (rule.isStored ? 1 : 0))
        if rule.destination == .disk || rule.size == .automatic { #expect(fixture.decoder.count == decodeCount) }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle && prefetcher.pendingCount == 0 && prefetcher.runningCount == 0)
    }

    @Test("bytes that are stored and fresh are neither fetched nor read")
    func unread() async throws {
        let store = CountingStore()
        let fixture = try Fixture { $0.store = store }
        let url = fixture.serve("/a", fields: Self.fresh)
        _ = try await fixture.pipeline.data(for: url)
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, to: .disk)
        prefetcher.start([url])
        await prefetcher.finished()
        #expect(store.readCount.value == 0)
        // It counts: this one reads it.
        _ = try await fixture.pipeline.data(for: url)
        #expect(store.readCount.value == 1 && fixture.server.requestCount == 1)
    }

    @Test("what isn't HTTP goes to memory like anything else, and can't be stored")
    func otherSources() async throws {
        let fixture = try Fixture()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .red)
        let noSize = ImageError.Reason.noSize.description
        for (destination, size, expected) in [
            (ImagePrefetcher.Destination.memory, Self.size, "loaded from source"), (.disk, Self.size, Self.notStorable),
            (.memory, .automatic, noSize), (.disk, .automatic, Self.notStorable),
        ] {
            for request in [ImageRequest(data: data, size: size), ImageRequest(id: "closure", size: size) { data }] {
                let log = OutcomeLog()
                let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, to: destination, onOutcome: log.append)
                prefetcher.start([request])
                await prefetcher.finished()
                #expect(log.results == [expected])
                await fixture.pipeline.removeAll()
            }
        }
    }

    // MARK: The line

    @Test("the server is asked in list order, by no more than the limit at a time")
    func order() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let urls = (0..<20).map { fixture.serve("/\($0)", fields: Self.fresh) }
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
        prefetcher.start(Array(urls[..<10]), size: Self.size)
        prefetcher.start(Array(urls[10...]), size: Self.size)
        await prefetcher.finished()
        #expect(fixture.server.requests.map(\.path) == (0..<20).map { "/\($0)" })
    }

    @Test("what is pending or under way is one request, however often it is asked for; another size is another")
    func duplicates() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let urls = ["/a", "/b"].map(fixture.server.url)
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, onOutcome: log.append)
        prefetcher.start(urls, size: Self.size)
        try await gate.waitUntilHeld()
        for _ in 0..<3 { prefetcher.start(urls, size: Self.size) }
        #expect(prefetcher.pendingCount == 1 && prefetcher.runningCount == 1)
        prefetcher.start(urls, size: .original)
        #expect(prefetcher.pendingCount == 3)
        gate.open()
        await prefetcher.finished()
        #expect(log.results.count == 4)
        // What is over may be asked for again.
        prefetcher.start(urls, size: Self.size)
        await prefetcher.finished()
        #expect(log.results.suffix(2) == ["already there", "already there"])
    }

    @Test("stopping takes back what waits and what is under way; the rest goes on")
    func stop() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let urls = ["/a", "/b", "/c", "/d"].map(fixture.server.url)
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, to: .disk, onOutcome: log.append)
        prefetcher.start(urls)
        try await gate.waitUntilHeld()
        prefetcher.stop([urls[2]])
        #expect(log["/c"] == ["cancelled"])
        prefetcher.stop([urls[0]])
        _ = try await fixture.server.nextRequest(to: "/b")
        // Stopped and started again it goes to the end of the line.
        prefetcher.stop([urls[3]])
        prefetcher.start([urls[0], urls[3]])
        gate.open()
        await prefetcher.finished()
        #expect(fixture.server.requests.map(\.path) == ["/a", "/b", "/a", "/d"])
        #expect(log["/a"].sorted() == ["cancelled", "stored"] && log["/b"] == ["stored"])
        #expect(log["/c"] == ["cancelled"] && log["/d"] == ["cancelled", "stored"])
    }

    @Test("pausing holds the line and lets what is under way end; going on goes on where it stood")
    func pause() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 2 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let told = AsyncStream<Void>.makeStream()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline) { _ in told.continuation.yield() }
        prefetcher.start((0..<5).map { fixture.server.url("/\($0)") }, size: Self.size)
        try await gate.waitUntilHeld(count: 2)
        prefetcher.isPaused = true
        gate.open()
        var iterator = told.stream.makeAsyncIterator()
        for _ in 0..<2 { await iterator.next() }
        #expect(prefetcher.isPaused && prefetcher.pendingCount == 3 && prefetcher.runningCount == 0)
        #expect(fixture.server.requestCount == 2)
        prefetcher.start([fixture.server.url("/5")], size: Self.size)
        #expect(prefetcher.pendingCount == 4)
        // Waiting for the end of a line that stands can be given up.
        let waiting = Task { await prefetcher.finished() }
        waiting.cancel()
        await waiting.value
        prefetcher.isPaused = false
        await prefetcher.finished()
        #expect(fixture.server.requestCount == 6 && prefetcher.pendingCount == 0)
    }

    @Test("a visible request joins a prefetch under way, and stays when the prefetcher stops or goes")
    func joined() async throws {
        for destination in [ImagePrefetcher.Destination.memory, .disk] {
            let fixture = try Fixture()
            let gate = LoopbackServer.Gate()
            let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
            fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
            let urls = ["/a", "/b"].map(fixture.server.url)
            var prefetcher: ImagePrefetcher? = ImagePrefetcher(pipeline: fixture.pipeline, to: destination)
            prefetcher?.start(urls, size: Self.size)
            try await gate.waitUntilHeld(count: 2)
            let loads = urls.map { fixture.pipeline.load(ImageRequest(url: $0, size: Self.size, priority: .high)) }
            prefetcher?.stop([urls[0]], size: Self.size)
            prefetcher = nil
            gate.open()
            for load in loads { #expect(try await load.result.image.pixelSize.width == 11) }
            #expect(fixture.server.requestCount == 2)
        }
    }

    @Test("what stands in the line and is loaded for a visible request meanwhile is found")
    func overtaken() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let urls = [fixture.server.url("/a"), fixture.serve("/b", fields: Self.fresh)]
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, onOutcome: log.append)
        prefetcher.start(urls, size: Self.size)
        try await gate.waitUntilHeld()
        _ = try await fixture.pipeline.image(for: ImageRequest(url: urls[1], size: Self.size))
        gate.open()
        await prefetcher.finished()
        #expect(log.results == ["loaded from network", "already there"])
        #expect(fixture.server.requestCount == 2)
    }

    @Test("letting go of a prefetcher stops it; removing a partition does so for what stands in the line, too")
    func ends() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        fixture.server.fallback { _ in .hanging }
        let requests = (0..<3).map {
            ImageRequest(url: fixture.server.url("/\($0)"), size: Self.size, partition: $0 == 2 ? nil : "account")
        }
        let log = OutcomeLog()
        var prefetcher: ImagePrefetcher? = ImagePrefetcher(pipeline: fixture.pipeline, onOutcome: log.append)
        prefetcher?.start(requests)
        _ = try await fixture.server.nextRequest(to: "/0")
        await fixture.pipeline.removePartition("account")
        _ = try await fixture.server.nextRequest(to: "/2")
        #expect(log["/0"] == ["cancelled"] && log["/1"] == ["cancelled"])
        prefetcher = nil
        try await fixture.server.waitForOpenConnections(count: 0)
        #expect(fixture.pipeline.jobCounts.renditions == 0)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.server.requestCount == 2)
    }

    @Test("what is asked for again after its partition was removed is brought, and what stood in the line is cancelled")
    func removedAndAskedForAgain() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let requests = (0..<3).map {
            ImageRequest(url: fixture.server.url("/\($0)"), size: Self.size, partition: $0 == 1 ? "account" : nil)
        }
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, onOutcome: log.append)
        // Of another partition, so that it stays.
        prefetcher.start(requests)
        try await gate.waitUntilHeld()
        await fixture.pipeline.removePartition("account")
        prefetcher.start(requests)
        #expect(log.all.map(\.path) == ["/1"] && log.results == ["cancelled"])
        #expect(prefetcher.pendingCount == 2 && prefetcher.runningCount == 1)
        gate.open()
        await prefetcher.finished()
        #expect(log["/1"] == ["cancelled", "loaded from network"])
        #expect(fixture.server.requests.map(\.path) == ["/0", "/2", "/1"])
        #expect(fixture.pipeline.cachedImage(for: requests[1]) != nil)
    }

    @Test("an outcome's handler may start and stop, and is told of everything before the end")
    func handler() async throws {
        let fixture = try Fixture()
        fixture.server.respond(
            to: "/a", with: .status(503), .status(503),
            .ok(
                TestImages.solidPNG(width: 8, height: 8, color: .red), type: "image/png", fields: Self.fresh))
        let box = Mutex<ImagePrefetcher?>(nil)
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline) { outcome in
            log.append(outcome)
            if case .failed = outcome.result { box.withLock { $0 }?.start([outcome.request]) }
        }
        box.withLock { $0 = prefetcher }
        prefetcher.start([fixture.server.url("/a")], size: Self.size)
        await prefetcher.finished()
        let failure = ImageError.Reason.status(503).description
        #expect(log.results == [failure, failure, "loaded from network"])
        box.withLock { $0 = nil }
    }

    @Test("10,000 requests started and stopped again and again take constant time each, and leave nothing")
    func many() async throws {
        let fixture = try Fixture()
        fixture.server.fallback { _ in .hanging }
        let requests = (0..<10_000).map { ImageRequest(url: fixture.server.url("/\($0)"), size: Self.size) }
        let told = Counter()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline) { _ in told.increment() }
        prefetcher.start([requests[0]])
        // As a list calls: a few rows come into reach, others go out of it. Each call in a line of 10,000.
        prefetcher.start(requests)
        let count = 20_000
        for step in 0..<count {
            let rows = [requests[5_000 + step % 4_000]]
            prefetcher.stop(rows)
            prefetcher.start(rows)
        }
        #expect(prefetcher.pendingCount + prefetcher.runningCount == 10_000)
        prefetcher.stopAll()
        await prefetcher.finished()
        #expect(told.value == 10_000 + count)
        #expect(prefetcher.pendingCount == 0 && prefetcher.runningCount == 0)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
        #expect(fixture.server.requestCount <= 4)
    }
}

/// A store that counts how often a body is read.
private final class CountingStore: ResponseStore {
    let readCount = Counter()
    private let store = MemoryStore()

    func epoch() -> StoreEpoch { store.epoch() }

    func responses(for key: FetchKey) async throws -> [StoredResponse] { try await store.responses(for: key) }

    func body(of id: StoredResponse.ID) async throws -> StoredBody? {
        readCount.increment()
        return try await store.body(of: id)
    }

    func updateMetadata(of id: StoredResponse.ID, to metadata: Data) async throws -> Bool {
        try await store.updateMetadata(of: id, to: metadata)
    }

    func writer(
        for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> any ResponseWriter {
        try await store.writer(for: key, resource: resource, metadata: metadata, replacing: replaced, since: epoch)
    }

    func remove(_ id: StoredResponse.ID) async throws { try await store.remove(id) }
    func remove(_ resource: ResourceID) async throws { try await store.remove(resource) }
    func removePartition(_ partition: Partition) async throws { try await store.removePartition(partition) }
    func removeAll() async throws { try await store.removeAll() }
    func usage() async throws -> StoreUsage { try await store.usage() }
}
