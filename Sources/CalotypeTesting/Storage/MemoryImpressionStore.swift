package import Calotype
package import Foundation
import Synchronization

/// A `MemoryStore` that keeps impressions as well, by a key of its own and as the bytes that a file would hold: it stands for
/// a store that several launches open one after another.
package final class MemoryImpressionStore: ImpressionStore {
    private struct State {
        var records: [ImpressionKey: [UInt8]] = [:]
        /// Least recently kept first.
        var order: [ImpressionKey] = []
        var removals = RemovalLog()
        var keepCount = 0
    }

    private let responses = MemoryStore()
    private let key = DigestKey.random()
    private let state = Mutex(State())
    private let beforeLoading: @Sendable () async throws -> Void

    /// - Parameter beforeLoading: What happens each time before impressions are read. Its error is the store's.
    package init(beforeLoading: @escaping @Sendable () async throws -> Void = {}) {
        self.beforeLoading = beforeLoading
    }

    /// How often an impression has been handed over, refused ones included.
    package var keepCount: Int { state.withLock { $0.keepCount } }

    /// How many impressions there are.
    package var impressionCount: Int { state.withLock { $0.records.count } }

    // MARK: Impressions

    package func impressions(limit: Int) async throws -> StoredImpressions {
        let kept = state.withLock { state in state.order.suffix(limit).map { ($0, state.records[$0]) } }
        // As from a file: what was read may be removed before it arrives.
        try await beforeLoading()
        let entries = kept.compactMap { key, bytes -> (key: ImpressionKey, record: ImpressionRecord)? in
            bytes?.withUnsafeBytes { ImpressionRecord($0) }.map { (key, $0) }
        }
        return StoredImpressions(key: key, entries: entries)
    }

    package func keep(
        _ impression: ImpressionRecord, of resource: ResourceID, in partition: Partition?, since epoch: StoreEpoch
    ) {
        state.withLock { state in
            state.keepCount += 1
            guard state.removals.permits(epoch, partition: partition?.digest, resource: resource.digest),
                let key = ImpressionKey(resource, in: partition, by: key)
            else { return }
            if state.records.updateValue(impression.bytes, forKey: key) != nil { state.order.removeAll { $0 == key } }
            state.order.append(key)
        }
    }

    private func forget(_ record: (inout RemovalLog) -> Void, where condition: (ImpressionKey) -> Bool) {
        state.withLock { state in
            record(&state.removals)
            state.order.removeAll(where: condition)
            state.records = state.records.filter { !condition($0.key) }
        }
    }

    // MARK: Responses

    /// One log counts for both: it sees each removal before the responses do.
    package func epoch() -> StoreEpoch { responses.epoch() }

    package func remove(_ resource: ResourceID) async throws {
        let digest = resource.digest(by: key)?.low
        forget({ $0.record(resource) }, where: { $0.resource == digest })
        try await responses.remove(resource)
    }

    package func removePartition(_ partition: Partition) async throws {
        let digest = ImpressionKey.partition(partition, by: key)
        forget({ $0.record(partition) }, where: { $0.partition == digest })
        try await responses.removePartition(partition)
    }

    package func removeAll() async throws {
        forget({ $0.recordEverything() }, where: { _ in true })
        try await responses.removeAll()
    }

    package func responses(for key: FetchKey) async throws -> [StoredResponse] {
        try await responses.responses(for: key)
    }
    package func body(of id: StoredResponse.ID) async throws -> StoredBody? { try await responses.body(of: id) }
    package func remove(_ id: StoredResponse.ID) async throws { try await responses.remove(id) }
    package func usage() async throws -> StoreUsage { try await responses.usage() }

    package func updateMetadata(of id: StoredResponse.ID, to metadata: Data) async throws -> Bool {
        try await responses.updateMetadata(of: id, to: metadata)
    }

    package func writer(
        for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> any ResponseWriter {
        try await responses.writer(for: key, resource: resource, metadata: metadata, replacing: replaced, since: epoch)
    }
}
