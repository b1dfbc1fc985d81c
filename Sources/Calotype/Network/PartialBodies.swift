import Synchronization

/// What loads that were cancelled or failed had received so far, for the next load of the same key: a row that is scrolled
/// away and back goes on with its download.
///
/// Only what a cache may keep is kept, in memory, and it goes with whatever else its own pipeline removes of its resource or
/// partition.
///
/// - Isolation: Any thread.
/// - Memory: Up to the byte limit; what was put in first goes first. Nothing once memory is critically short.
final class PartialBodies: MemoryPressureResponder {
    private struct Entry: Sendable {
        let key: FetchKey
        let resource: ResourceID
        let body: PartialBody
    }

    private struct State {
        /// Oldest first. They are few: the smallest is as large as `smallest`.
        var entries: [Entry] = []
        var byteCount = 0
        var removals = RemovalLog()
        /// Whether memory pressure is heard of: from the first body on.
        var isListening = false
    }

    private let center: MemoryPressureCenter?

    /// - Parameter center: Who tells of memory pressure; `nil` stands for the process's own.
    init(_ center: MemoryPressureCenter? = nil) {
        self.center = center
    }

    static let byteLimit = 16 << 20
    /// Fewer bytes are fetched again sooner than they are asked about.
    static let smallest = 16 << 10

    private let state = Mutex(State())
    /// Whether there is anything: asked with every load.
    var isEmpty: Bool { !hasEntries.load(ordering: .relaxed) }
    private let hasEntries = Atomic(false)

    /// The moment now: see ``RemovalLog``.
    var epoch: StoreEpoch { state.withLock { $0.removals.epoch } }

    /// Keeps the beginning of a body.
    ///
    /// - Parameter epoch: From before the load began. If the key's partition or its resource has been removed since, nothing
    ///   is kept.
    func keep(_ body: PartialBody, for key: FetchKey, resource: ResourceID, since epoch: StoreEpoch) {
        guard body.mayStore, Self.smallest...Self.byteLimit ~= body.byteCount else { return }
        let isFirst = state.withLock { state in
            defer { state.isListening = true }
            return !state.isListening
        }
        if isFirst { (center ?? .shared).add(self) }
        change { state in
            guard state.removals.permits(epoch, partition: key.partition?.digest, resource: resource.digest) else {
                return
            }
            state.entries.removeAll { $0.key == key }
            state.entries.append(Entry(key: key, resource: resource, body: body))
            state.byteCount = state.entries.reduce(0) { $0 + $1.body.byteCount }
            while state.byteCount > Self.byteLimit { state.byteCount -= state.entries.removeFirst().body.byteCount }
        }
    }

    /// Takes out what there is of a body that these fields ask for.
    func take(_ key: FetchKey, fields: HTTPFields) -> PartialBody? {
        change { state in
            guard let index = state.entries.firstIndex(where: { $0.key == key }) else { return nil }
            let body = state.entries.remove(at: index).body
            state.byteCount -= body.byteCount
            return HTTPCache.selected(of: [body.head], request: fields) == nil ? nil : body
        }
    }

    /// Forgets what there is of a resource.
    func remove(_ resource: ResourceID) {
        change { state in
            state.removals.record(resource)
            state.entries.removeAll { $0.resource == resource }
        }
    }

    /// Forgets what there is of a partition.
    func removePartition(_ partition: Partition) {
        change { state in
            state.removals.record(partition)
            state.entries.removeAll { $0.key.partition == partition }
        }
    }

    /// Forgets everything.
    func removeAll() {
        change { state in
            state.removals.recordEverything()
            state.entries = []
        }
    }

    /// Forgets everything when memory is critically short: it can be fetched again.
    func respondToMemoryPressure(_ level: MemoryPressure.Level) {
        guard level == .critical else { return }
        let dropped = change { state in
            defer { state.entries = [] }
            return state.entries
        }
        // Here, and not under the lock, the bytes go.
        withExtendedLifetime(dropped) {}
    }

    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        state.withLock { state in
            defer { hasEntries.store(!state.entries.isEmpty, ordering: .relaxed) }
            return body(&state)
        }
    }
}
