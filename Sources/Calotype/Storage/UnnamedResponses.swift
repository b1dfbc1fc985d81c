import Foundation

/// The responses of partitions without a lasting name, which a store that writes to disk keeps in memory beside it.
///
/// Both number their responses from 1; here the numbers are negative, so that they never meet. Whoever owns it records each
/// removal here as well, under the lock of its own log: so an epoch of that log counts here, too.
///
/// - Isolation: Any thread; nothing blocks.
struct UnnamedResponses: Sendable {
    private let store: MemoryStore

    /// - Parameter byteLimit: The most bytes that bodies and metadata may take.
    init(byteLimit: Int = 16 << 20) {
        store = MemoryStore(byteLimit: byteLimit)
    }

    func responses(for key: FetchKey) -> [StoredResponse] {
        store.responsesAtOnce(for: key.digest).map(\.renumbered)
    }

    func body(of id: StoredResponse.ID) async throws -> StoredBody? { try await store.body(of: id.opposite) }

    func updateMetadata(of id: StoredResponse.ID, to metadata: Data) async throws -> Bool {
        try await store.updateMetadata(of: id.opposite, to: metadata)
    }

    func writer(of deposit: StoreDeposit) -> any ResponseWriter {
        BodyCollector(byteLimit: store.byteLimit - deposit.metadata.count) { add($0, deposit) }
    }

    func add(_ body: Data, _ deposit: StoreDeposit) -> StoredResponse? {
        store.addAtOnce(
            body, for: deposit.key.digest, partition: deposit.key.partition?.digest,
            resource: deposit.resource.digest, metadata: deposit.metadata, replacing: deposit.replaced?.opposite,
            since: deposit.epoch
        ).map {
            StoredResponse(id: $0.opposite, metadata: deposit.metadata, bodyByteCount: Int64(body.count))
        }
    }

    func remove(_ id: StoredResponse.ID) async throws { try await store.remove(id.opposite) }

    func erase(_ resource: ResourceID) { store.erase(resource) }
    func erase(_ partition: Partition) { store.erase(partition) }
    func eraseAll() { store.eraseAll() }
}

extension FetchKey {
    /// Whether nothing of it may be written to disk.
    var isUnnamed: Bool { partition?.isLasting == false }
}

extension StoredResponse.ID {
    /// Whether it names one of the responses in memory.
    var isUnnamed: Bool { number < 0 }
    fileprivate var opposite: StoredResponse.ID { .init(-number) }
}

extension StoredResponse {
    /// As callers know what the store in memory has.
    fileprivate var renumbered: StoredResponse {
        StoredResponse(id: id.opposite, metadata: metadata, bodyByteCount: bodyByteCount)
    }
}
