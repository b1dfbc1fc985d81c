import Synchronization

/// The impressions of the images that have been decoded, and those that the app has brought, by what they depict and whose
/// they are. They stay when the images and the files that they came from have gone from the caches.
///
/// A lookup is synchronous: one short lock, no I/O. Where there are more impressions than there is room for, those give way
/// that nobody has looked at for long.
///
/// Impressions leave only by removal (``ImagePipeline/invalidate(_:)``, ``ImagePipeline/removePartition(_:)``,
/// ``ImagePipeline/removeAll()``), and what has begun before a removal brings none back.
///
/// - Isolation: Any thread.
/// - Ownership: Pipelines may share a table if they share their store as well, or have none that keeps impressions.
/// - Memory: About 70 bytes for each impression, from the first one on; their names as well until the store has been read.
public final class ImpressionTable: Sendable {
    private struct State {
        /// The store's own once its impressions have been loaded.
        var key = DigestKey.random()
        let slots: ImpressionSlots
        var removals = RemovalLog()
        var loading: Task<Void, Never>?
        /// From when a store is first read until that has gone well.
        var interim: Interim?

        /// Files an impression, and notes its name if it will have to be filed anew.
        mutating func file(_ named: Interim.Named, _ key: ImpressionKey) {
            slots.insert(named.record, key, version: named.version)
            interim?.insert(named, key, capacity: slots.capacity)
        }
    }

    /// What comes until a store has been read, and goes while it is. What is there by then is filed by another key than the
    /// store's.
    private struct Interim {
        struct Named {
            var record: ImpressionRecord
            var version: UInt32
            var resource: ResourceID
            var partition: Partition?
        }

        var inserted: [ImpressionKey: Named] = [:]
        var removals: [Removal] = []

        mutating func insert(_ named: Named, _ key: ImpressionKey, capacity: Int) {
            if inserted.count < capacity || inserted[key] != nil { inserted[key] = named }
        }

        mutating func remove(_ removal: Removal) {
            inserted = inserted.filter { !removal.concerns($0.value.resource, in: $0.value.partition) }
        }
    }

    /// The version of what the app has brought, which no content has: theirs are odd, and that of what a store has kept is 0.
    private static let given: UInt32 = 2

    private let state: Mutex<State>
    /// How many removals there have been: the log's own count, to be had without the lock.
    private let removalCount = Atomic<UInt64>(0)
    private let images = ImpressionImages()

    /// The most impressions that it holds.
    public let capacity: Int

    /// Makes an empty table.
    ///
    /// - Parameter capacity: The most impressions that it holds; 0 to 16,777,216.
    public init(capacity: Int = 20_000) {
        let slots = ImpressionSlots(capacity: capacity)
        self.capacity = slots.capacity
        state = Mutex(State(slots: slots))
    }

    /// How many there are.
    public var count: Int { state.withLock { $0.slots.count } }

    // MARK: Lookup

    /// What is remembered of a resource in a partition.
    package func impression(of resource: ResourceID, in partition: Partition?) -> Impression? {
        let record = state.withLock { state -> ImpressionRecord? in
            guard state.slots.count > 0, let key = ImpressionKey(resource, in: partition, by: state.key),
                let slot = state.slots.find(key)
            else { return nil }
            slot.pointee.isUsed = true
            return slot.pointee.record
        }
        return record.map { Impression($0, images) }
    }

    // MARK: What comes

    /// The moment from which a load counts as begun. Removals after it refuse what that load brings.
    package var epoch: StoreEpoch { StoreEpoch(removalCount.load(ordering: .acquiring)) }

    /// Whether there is an impression to be made of that version of a resource's content.
    package func wants(_ resource: ResourceID, in partition: Partition?, version: UInt32) -> Bool {
        guard capacity > 0 else { return false }
        return state.withLock { state in
            guard let key = ImpressionKey(resource, in: partition, by: state.key) else { return false }
            return state.slots.find(key)?.pointee.version != version
        }
    }

    /// Takes an impression, unless it has been removed since `epoch`.
    ///
    /// - Parameter version: Odd.
    /// - Returns: Whether it is news: there was none of the image itself, or another one.
    @discardableResult
    package func insert(
        _ record: ImpressionRecord, of resource: ResourceID, in partition: Partition?, version: UInt32,
        since epoch: StoreEpoch
    ) -> Bool {
        state.withLock { state in
            guard state.removals.permits(epoch, partition: partition?.digest, resource: resource.digest),
                let key = ImpressionKey(resource, in: partition, by: state.key)
            else { return false }
            let former = state.slots.find(key)?.pointee
            let isNews = former?.record != record || former?.version == Self.given
            state.file(
                .init(record: record, version: version, resource: resource, partition: partition), key)
            return isNews
        }
    }

    /// Takes an impression that the app brings, unless there is one: that is of the image itself, or was brought before. It
    /// isn't kept by a store.
    package func insertGiven(_ record: ImpressionRecord, of resource: ResourceID, in partition: Partition?) {
        state.withLock { state in
            guard let key = ImpressionKey(resource, in: partition, by: state.key), state.slots.find(key) == nil else {
                return
            }
            state.file(
                .init(record: record, version: Self.given, resource: resource, partition: partition), key)
        }
    }

    // MARK: What goes

    /// Removes what is remembered of a resource in every partition.
    package func remove(_ resource: ResourceID) { remove(.resource(resource)) }

    /// Removes what is remembered of a partition.
    package func removePartition(_ partition: Partition) { remove(.partition(partition)) }

    /// Removes everything.
    package func removeAll() { remove(.everything) }

    private func remove(_ removal: Removal) {
        state.withLock { state in
            switch removal {
            case .resource(let resource): state.removals.record(resource)
            case .partition(let partition): state.removals.record(partition)
            case .everything: state.removals.recordEverything()
            }
            state.slots.remove(removal, by: state.key)
            state.interim?.remove(removal)
            if state.loading != nil { state.interim?.removals.append(removal) }
            removalCount.store(state.removals.epoch.number, ordering: .releasing)
        }
        images.removeAll()
    }

    // MARK: What a store has kept

    /// Begins to load what a store has kept, unless that has begun already.
    ///
    /// - Parameter onFault: Is told if the store can't be read. It can be tried again then.
    /// - Returns: The work.
    @discardableResult
    package func load(
        from store: any ImpressionStore, onFault: @escaping @Sendable (any Error) -> Void
    ) -> Task<Void, Never> {
        state.withLock { state in
            if let loading = state.loading { return loading }
            if state.interim == nil { state.interim = Interim() }
            let loading = Task.detached(priority: .utility) { [self] in
                do {
                    take(try await store.impressions(limit: capacity))
                } catch {
                    giveUpLoading()
                    onFault(error)
                }
            }
            state.loading = loading
            return loading
        }
    }

    private func giveUpLoading() {
        state.withLock { state in
            // What has come stays at hand for the next attempt, which files everything anew.
            state.interim?.removals = []
            state.loading = nil
        }
    }

    /// Files everything anew, by the store's key: what it has kept, less what was removed meanwhile, and what has come.
    private func take(_ stored: StoredImpressions) {
        state.withLock { state in
            let interim = state.interim.take() ?? Interim()
            state.key = stored.key
            state.slots.removeAll()
            for entry in stored.entries.suffix(capacity) { state.slots.insert(entry.record, entry.key, version: 0) }
            for removal in interim.removals { state.slots.remove(removal, by: stored.key) }
            for named in interim.inserted.values {
                guard let key = ImpressionKey(named.resource, in: named.partition, by: stored.key) else { continue }
                if named.version == Self.given, state.slots.find(key) != nil { continue }
                state.slots.insert(named.record, key, version: named.version)
            }
        }
    }
}

extension ImpressionSlots {
    fileprivate func remove(_ removal: Removal, by key: DigestKey) {
        switch removal {
        case .resource(let resource):
            if let digest = resource.digest(by: key) { remove(resource: digest.low) }
        case .partition(let partition): remove(partition: ImpressionKey.partition(partition, by: key))
        case .everything: removeAll()
        }
    }
}

extension Removal {
    /// Whether it is about a resource in a partition.
    fileprivate func concerns(_ resource: ResourceID, in partition: Partition?) -> Bool {
        switch self {
        case .resource(let removed): removed == resource
        case .partition(let removed): removed == partition
        case .everything: true
        }
    }
}
