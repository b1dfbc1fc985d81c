import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("An app's own store: whatever it throws, and however long it takes", .timeLimit(.minutes(5)))
struct OddStoreTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let call: OddStore.Call
        /// Whether it throws `CancellationError`, though nobody has cancelled anything.
        let isCancellation: Bool

        var testDescription: String { "\(call), \(isCancellation ? "CancellationError" : "an error of its own")" }

        static let all = OddStore.Call.allCases.flatMap { call in
            [false, true].map { Row(call: call, isCancellation: $0) }
        }
    }

    @Test(
        "what it throws fails no load and is reported, and the image is never another than the server's",
        arguments: Row.all)
    func faults(_ row: Row) async throws {
        let store = OddStore(failing: row.call, with: row.isCancellation ? CancellationError() : OddStore.Fault())
        let fixture = try Fixture { $0.store = store }
        let png = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.route("/a") { request in
            request.fields["If-None-Match"] == nil
                ? .ok(png, type: "image/png", fields: ["Cache-Control": "max-age=0", "ETag": "\"1\""]) : .status(304)
        }
        let request = ImageRequest(url: fixture.server.url("/a"))
        for _ in 0..<2 {
            let image = try await fixture.pipeline.image(for: request)
            #expect(image.bitmap.pixel(0, 0) == .red)
            fixture.memory.removeAll()
            await fixture.pipeline.waitUntilIdle()
        }
        if row.call == .remove { await fixture.pipeline.invalidate(request.id) }
        #expect(store.failureCount > 0)
        #expect(fixture.events.all.contains { if case .cacheFault = $0 { true } else { false } })
        #expect(!fixture.events.all.contains { if case .failed = $0 { true } else { false } })
        #expect(fixture.pipeline.isIdle)
    }

    @Test("a caller who has waited long enough for it goes on at once, and nothing stays behind when it answers")
    func neverReturns() async throws {
        let store = OddStore(failing: nil, with: OddStore.Fault())
        let gate = TestEvent()
        let isAsked = TestEvent()
        store.hold(until: gate, isAsked)
        let fixture = try Fixture { $0.store = store }
        let load = fixture.pipeline.load(ImageRequest(url: fixture.serve("/a")))
        await isAsked.wait()
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.result }
        gate.fire()
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle && fixture.server.requestCount == 0)
    }
}

/// A store in memory, one of whose calls fails each time.
final class OddStore: ResponseStore {
    enum Call: Sendable, CaseIterable { case responses, body, updateMetadata, writer, append, commit, remove }

    struct Fault: Error {}

    private let inner = MemoryStore()
    private let failing: Call?
    private let error: any Error
    private let failures = Counter()
    private let held = Mutex<(gate: TestEvent, isAsked: TestEvent)?>(nil)
    /// What happens while the removal of a partition is under way.
    let beforeRemoval = Mutex<(@Sendable () async -> Void)?>(nil)

    init(failing: Call?, with error: any Error) {
        self.failing = failing
        self.error = error
    }

    var failureCount: Int { failures.value }

    func hold(until gate: TestEvent, _ isAsked: TestEvent) { held.withLock { $0 = (gate, isAsked) } }

    fileprivate func check(_ call: Call) throws {
        guard call == failing else { return }
        failures.increment()
        throw error
    }

    func epoch() -> StoreEpoch { inner.epoch() }

    func responses(for key: FetchKey) async throws -> [StoredResponse] {
        if let held = held.withLock({ $0 }) {
            held.isAsked.fire()
            await held.gate.wait()
        }
        try check(.responses)
        return try await inner.responses(for: key)
    }

    func body(of id: StoredResponse.ID) async throws -> StoredBody? {
        try check(.body)
        return try await inner.body(of: id)
    }

    func updateMetadata(of id: StoredResponse.ID, to metadata: Data) async throws -> Bool {
        try check(.updateMetadata)
        return try await inner.updateMetadata(of: id, to: metadata)
    }

    func writer(
        for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> any ResponseWriter {
        try check(.writer)
        let writer = try await inner.writer(
            for: key, resource: resource, metadata: metadata, replacing: replaced, since: epoch)
        return Writer(writer, self)
    }

    func remove(_ id: StoredResponse.ID) async throws {
        try check(.remove)
        try await inner.remove(id)
    }

    func remove(_ resource: ResourceID) async throws {
        try check(.remove)
        try await inner.remove(resource)
    }

    func removePartition(_ partition: Partition) async throws {
        await beforeRemoval.withLock { $0 }?()
        try await inner.removePartition(partition)
    }

    func removeAll() async throws { try await inner.removeAll() }

    func usage() async throws -> StoreUsage { try await inner.usage() }

    private final class Writer: ResponseWriter {
        private let inner: any ResponseWriter
        private let store: OddStore

        init(_ inner: any ResponseWriter, _ store: OddStore) {
            self.inner = inner
            self.store = store
        }

        func append(_ bytes: Data) async throws {
            try store.check(.append)
            try await inner.append(bytes)
        }

        func commit() async throws -> StoredResponse? {
            try store.check(.commit)
            return try await inner.commit()
        }

        func abort() async { await inner.abort() }
    }
}
