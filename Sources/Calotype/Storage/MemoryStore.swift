public import Foundation
import Synchronization

/// A store that lasts as long as the process: for tests, and where nothing may be written.
///
/// - Isolation: Any thread; nothing blocks.
/// - Memory: Bodies and metadata up to the byte limit; the least recently used go first.
public final class MemoryStore: ResponseStore {
    /// An object, since both tables of the state hold it. It knows what it is by digests alone.
    fileprivate final class Entry {
        let id: Int64
        let key: Digest
        let partition: Digest?
        let resource: Digest
        var metadata: Data
        let body: Data
        var lastUse: UInt64 = 0
        var byteCount: Int { metadata.count + body.count }

        init(id: Int64, key: Digest, partition: Digest?, resource: Digest, metadata: Data, body: Data) {
            self.id = id
            self.key = key
            self.partition = partition
            self.resource = resource
            self.metadata = metadata
            self.body = body
        }

        var response: StoredResponse {
            StoredResponse(id: .init(id), metadata: metadata, bodyByteCount: Int64(body.count))
        }
    }

    /// A number as a key. The numbers follow one another, which is all that a table can wish for: no hasher is needed.
    fileprivate struct Number: Hashable {
        let value: Int64

        init(_ value: Int64) { self.value = value }

        /// See ``Digest``.
        func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: value) ^ seed }
    }

    fileprivate struct State {
        var entries: [Number: Entry] = [:]
        /// The variants of each key, oldest first.
        var variants: [Digest: ShortList<Entry>] = [:]
        /// Uses, oldest first. Only an entry's latest use counts; the others are passed over when they come up.
        var uses: [(id: Int64, use: UInt64)] = []
        /// The first of `uses` that hasn't come up yet.
        var firstUse = 0
        var byteCount = 0
        var nextID: Int64 = 1
        var useCount: UInt64 = 0
        var removals = RemovalLog()
    }

    /// The most bytes that bodies and metadata may take.
    public let byteLimit: Int
    private let state = Mutex(State())

    /// Makes an empty store.
    ///
    /// - Parameter byteLimit: The most bytes that bodies and metadata may take. It holds at every moment.
    public init(byteLimit: Int = 64 << 20) {
        self.byteLimit = byteLimit
    }

    /// The moment now.
    public func epoch() -> StoreEpoch {
        state.withLock { $0.removals.epoch }
    }

    /// The variants stored under a key, newest first.
    public func responses(for key: FetchKey) async throws -> [StoredResponse] { responsesAtOnce(for: key.digest) }

    /// The body of a variant. This is what counts as a use.
    public func body(of id: StoredResponse.ID) async throws -> StoredBody? {
        state.withLock { state in
            guard let entry = state.entries[Number(id.number)] else { return nil }
            state.noteUse(of: entry)
            return .data(entry.body)
        }
    }

    /// Replaces the metadata and leaves the body as it is.
    public func updateMetadata(of id: StoredResponse.ID, to metadata: Data) async throws -> Bool {
        state.withLock { state in
            guard let entry = state.entries[Number(id.number)] else { return false }
            state.byteCount += metadata.count - entry.metadata.count
            entry.metadata = metadata
            state.trim(to: byteLimit)
            return state.entries[Number(id.number)] != nil
        }
    }

    /// Begins to store a response.
    public func writer(
        for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> any ResponseWriter {
        BodyCollector(byteLimit: byteLimit - metadata.count) { [self] body in
            try await add(body, for: key, resource: resource, metadata: metadata, replacing: replaced, since: epoch)
        }
    }

    /// Stores a response whose whole body is at hand.
    public func add(
        _ body: Data, for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> StoredResponse? {
        addAtOnce(
            body, for: key.digest, partition: key.partition?.digest, resource: resource.digest, metadata: metadata,
            replacing: replaced, since: epoch
        ).map { StoredResponse(id: $0, metadata: metadata, bodyByteCount: Int64(body.count)) }
    }

    /// Removes one variant.
    public func remove(_ id: StoredResponse.ID) async throws {
        state.withLock { $0.remove(id.number) }
    }

    /// Removes what is stored for a resource, in every partition.
    public func remove(_ resource: ResourceID) async throws { erase(resource) }

    /// Removes what is stored for a partition.
    public func removePartition(_ partition: Partition) async throws { erase(partition) }

    /// Removes everything.
    public func removeAll() async throws { eraseAll() }

    /// The same at once, for a store that keeps this one beside it and has a lock to hold.
    func erase(_ resource: ResourceID) {
        state.withLock { state in
            state.removals.record(resource)
            state.removeAll { $0.resource == resource.digest }
        }
    }

    func erase(_ partition: Partition) {
        state.withLock { state in
            state.removals.record(partition)
            state.removeAll { $0.partition == partition.digest }
        }
    }

    func eraseAll() {
        state.withLock { state in
            state.removals.recordEverything()
            state.removeAll { _ in true }
        }
    }

    /// What the store holds.
    public func usage() async throws -> StoreUsage {
        state.withLock { StoreUsage(responseCount: $0.entries.count, byteCount: Int64($0.byteCount)) }
    }
}

extension MemoryStore: PromptStore {
    package func responsesAtOnce(for key: Digest) -> [StoredResponse] {
        state.withLock { $0.variants[key]?.reversed().map(\.response) ?? [] }
    }

    package func addAtOnce(
        _ body: Data, for key: Digest, partition: Digest?, resource: Digest, metadata: Data,
        replacing replaced: StoredResponse.ID?, since epoch: StoreEpoch
    ) -> StoredResponse.ID? {
        state.withLock { state in
            let byteCount = metadata.count + body.count
            guard state.removals.permits(epoch, partition: partition, resource: resource), byteCount <= byteLimit
            else { return nil }
            if let replaced { state.remove(replaced.number) }
            state.trim(to: byteLimit - byteCount)
            let entry = Entry(
                id: state.nextID, key: key, partition: partition, resource: resource, metadata: metadata, body: body)
            state.nextID += 1
            state.entries[Number(entry.id)] = entry
            state.variants[entry.key, default: ShortList()].append(entry)
            state.noteUse(of: entry)
            state.byteCount += byteCount
            return StoredResponse.ID(entry.id)
        }
    }
}

extension MemoryStore.State {
    fileprivate mutating func remove(_ id: Int64) {
        guard let entry = entries.removeValue(forKey: MemoryStore.Number(id)) else { return }
        byteCount -= entry.byteCount
        variants[entry.key]?.removeAll { $0 === entry }
        if variants[entry.key]?.isEmpty == true { variants[entry.key] = nil }
    }

    fileprivate mutating func removeAll(where condition: (MemoryStore.Entry) -> Bool) {
        for entry in entries.values where condition(entry) { remove(entry.id) }
    }

    fileprivate mutating func noteUse(of entry: MemoryStore.Entry) {
        useCount += 1
        entry.lastUse = useCount
        uses.append((entry.id, useCount))
        if uses.count > 2 * entries.count + 64 {
            uses.removeAll { entries[MemoryStore.Number($0.id)]?.lastUse != $0.use }
            firstUse = 0
        }
    }

    fileprivate mutating func trim(to limit: Int) {
        while byteCount > limit, firstUse < uses.count {
            let (id, use) = uses[firstUse]
            if entries[MemoryStore.Number(id)]?.lastUse == use { remove(id) }
            firstUse += 1
        }
    }
}
