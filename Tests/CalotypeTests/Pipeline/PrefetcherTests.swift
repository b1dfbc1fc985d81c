import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("Prefetcher: what will be wanted soon, in list order, in nobody's way")
struct PrefetcherTests {
    static let fresh: HTTPFields = ["Cache-Control": "max-age=600"]
    static let size = ImageRequest.Size.pixels(8, 8)

    /// What came of each path, in words, in the order in which it was told.
    final class OutcomeLog: Sendable {
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
