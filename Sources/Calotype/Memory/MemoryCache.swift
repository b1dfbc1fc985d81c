import Synchronization

/// Decoded images, by what they depict and how large they are.
///
/// A lookup is synchronous and takes one short lock. Entries that are evicted stay findable as long as somebody still
/// shows their image.
///
/// - Isolation: Any thread. `@unchecked Sendable`: entries are guarded as `MemoryEntry` says; `guarded` by `policyLock`.
///   Locks are taken in the order policy, shard.
/// - Memory: At most ``costLimit`` bytes of pixels and ``countLimit`` images, at every moment.
public final class MemoryCache: MemoryPressureResponder, @unchecked Sendable {
    private typealias Entry = MemoryTable.Entry

    /// Uses in quicker succession than this many ticks of the clock count as one: a view that asks again isn't another
    /// viewer.
    private static let ticksBetweenUses: UInt64 = 8

    private let table = MemoryTable()
    /// The table's own, without the way through the object.
    private let shards: UnsafeMutableRawPointer
    /// Advances with each insertion, and with every eighth hit of a shard.
    private let clock: UnsafeMutablePointer<Atomic<UInt64>>

    /// What the policy's lock guards.
    struct Guarded {
        var policy: EvictionPolicy
        var countLimit: Int
        var removals = RemovalLog()
        /// Entries that the policy doesn't count: their image lives as long as somebody shows it.
        var weak = EntryList(.place)
    }

    private let policyLock = Mutex(())
    /// Its lock keeps accesses apart: the check for that, 80 instructions each time, is left out.
    @exclusivity(unchecked) private var guarded: Guarded

    func withPolicy<Result>(_ body: (inout Guarded) -> Result) -> Result {
        policyLock.withLock { _ in body(&guarded) }
    }

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - costLimit: Bytes of pixels.
    ///   - countLimit: Images.
    ///   - reactsToMemoryPressure: Whether images go when the system runs short of memory: see
    ///     ``respondToMemoryPressure(_:)``.
    public init(
        costLimit: Int = MemoryCache.defaultCostLimit, countLimit: Int = .max, reactsToMemoryPressure: Bool = true
    ) {
        guarded = Guarded(policy: EvictionPolicy(capacity: max(0, costLimit)), countLimit: max(0, countLimit))
        shards = table.shards
        clock = table.clock
        if reactsToMemoryPressure { MemoryPressureCenter.shared.add(self) }
    }

    // MARK: Looking up

    /// The pixels that answer a query best, if there are any: the way of every hit.
    ///
    /// - Parameters:
    ///   - countsAsUse: Whether the lookup says something about what will be wanted again. A view that evaluates its body
    ///     once more doesn't.
    ///   - hit: How well they answer, and until when.
    func find(_ query: RenditionQuery, countsAsUse: Bool, _ hit: inout MemoryHit) -> DecodedImage? {
        find(query, countsAsUse: countsAsUse) { entry, match in
            hit.match = match
            hit.freshness = entry.pointee.freshness
        }
    }

    /// The pixels that answer a query best, with all that is known of them.
    func find(_ query: RenditionQuery, countsAsUse: Bool) -> FoundRendition? {
        var detail = FoundRendition.Detail()
        let image = find(query, countsAsUse: countsAsUse) { entry, match in
            detail.hit = MemoryHit(match: match, freshness: entry.pointee.freshness)
            detail.isEvicted = entry.pointee.image == nil
            detail.version = entry.pointee.version
            detail.source = entry.pointee.source
            detail.isThumbnail = entry.pointee.isThumbnail
            detail.decodedSize = entry.pointee.decodedSize
            detail.responseTime = entry.pointee.responseTime
        }
        return image.map { FoundRendition(image: $0, detail: detail) }
    }

    /// - Parameter describe: Notes what is wanted of the entry, under its shard's lock.
    @inline(__always)
    private func find(
        _ query: RenditionQuery, countsAsUse: Bool, _ describe: (Entry, RenditionQuery.Match) -> Void
    ) -> DecodedImage? {
        let shard = MemoryTable.shard(of: query.key, in: shards)
        var found: DecodedImage?
        var isEvicted = false
        shard.pointee.lock.withLock { _ in
            let buckets = shard.pointee.buckets
            guard let (entry, match) = MemoryTable.best(for: query, in: buckets.pointee.chain(of: query.key)) else {
                return
            }
            if let image = entry.pointee.image {
                found = image
            } else {
                // What was evicted may still be shown. It may also be let go of in this moment: then it is a miss.
                guard let image = entry.pointee.shown else { return }
                found = image
                isEvicted = countsAsUse
            }
            describe(entry, match)
            if countsAsUse, match != .preview { noteUse(of: entry, in: buckets) }
        }
        if isEvicted { readmit(query) }
        return found
    }

    /// Holds again what was evicted, is still shown, and has just been wanted.
    private func readmit(_ query: RenditionQuery) {
        var dropped: [DecodedImage] = []
        withPolicy { guarded in
            var wanted: (entry: Entry, image: DecodedImage)?
            table.withShard(of: query.key) { buckets in
                guard let (entry, match) = MemoryTable.best(for: query, in: buckets.pointee.chain(of: query.key)),
                    match != .preview, entry.pointee.image == nil, !entry.pointee.freshness.isTransient,
                    let image = entry.pointee.shown
                else { return }
                wanted = (entry, image)
            }
            guard let (entry, image) = wanted, entry.pointee.cost <= guarded.policy.capacity, guarded.countLimit > 0
            else {
                return
            }
            let now = clock.pointee.add(1, ordering: .relaxed).newValue
            var hits: UInt64 = 1
            if entry.pointee.segment == .ghost {
                hits = guarded.policy.takeBack(entry)
            } else {
                letGo(entry, &guarded)
            }
            entry.pointee.use.store(Use(lastUse: now, hits: hits).bits, ordering: .relaxed)
            guarded.policy.makeRoom(for: entry.pointee.cost, countLimit: guarded.countLimit - 1)
            table.withShard(of: query.key) { _ in entry.pointee.image = image }
            guarded.policy.insert(entry)
            settle(&guarded, &dropped)
        }
    }

    @inline(__always)
    private func noteUse(of entry: Entry, in buckets: UnsafeMutablePointer<MemoryTable.Buckets>) {
        let now = clock.pointee.load(ordering: .relaxed)
        let use = entry.pointee.currentUse
        if use.lastUse != now {
            let counts = now &- use.lastUse >= Self.ticksBetweenUses
            let noted = Use(lastUse: now, hits: counts ? use.hits &+ 1 : use.hits)
            entry.pointee.use.store(noted.bits, ordering: .relaxed)
        }
        buckets.pointee.hitCount &+= 1
        if buckets.pointee.hitCount & 7 == 0 { clock.pointee.add(1, ordering: .relaxed) }
    }

    // MARK: Changing

    /// The moment from which a load counts as begun.
    var epoch: StoreEpoch {
        withPolicy { $0.removals.epoch }
    }

    /// Whether neither the partition nor everything has been removed since `epoch`.
    func permits(_ epoch: StoreEpoch, in partition: Digest?) -> Bool {
        withPolicy { $0.removals.permits(epoch, partition: partition, resource: nil) }
    }

    /// Holds a rendition. Others of the same URL that were made of other bytes go.
    ///
    /// - Parameter epoch: From before the load began. If the rendition's partition or resource has been removed since,
    ///   it is refused.
    /// - Returns: Whether it is held, if only as long as somebody shows it.
    @discardableResult
    func insert(_ rendition: consuming Rendition, since epoch: StoreEpoch? = nil) -> Bool {
        let key = RenditionQuery.key(resource: rendition.resource, partition: rendition.partition)
        let now = clock.pointee.add(1, ordering: .relaxed).newValue
        // Made before the lock is taken; what is dropped is released once it has been given back.
        let entry = MemoryEntry.make(rendition, key: key, lastUse: now)
        var dropped: [DecodedImage] = []
        let insertion = withPolicy { insert(entry, since: epoch, &$0, &dropped) }
        if insertion != .held { MemoryEntry.destroy(entry) }
        return insertion != .refused
    }

    private enum Insertion {
        /// It is of the past.
        case refused
        /// What is there already stays.
        case superfluous
        case held
    }

    /// Notes that bytes have been confirmed: what was made of them stays fresh until later.
    func freshen(_ key: Digest, version: Digest, to freshness: Freshness) {
        table.withShard(of: key) { buckets in
            var next = buckets.pointee.chain(of: key)
            while let entry = next {
                next = entry.pointee.next
                if entry.pointee.key == key, entry.pointee.version == version { entry.pointee.freshness = freshness }
            }
        }
    }

    /// Removes every rendition of a resource, in all partitions.
    public func remove(_ resource: ResourceID) {
        removeAll({ $0.record(resource) }) { $0.pointee.resource == resource.digest }
    }

    /// Removes every rendition of a partition.
    public func removePartition(_ partition: Partition) {
        removeAll({ $0.record(partition) }) { $0.pointee.partition == partition.digest }
    }

    /// Removes everything.
    public func removeAll() {
        removeAll({ $0.recordEverything() }) { _ in true }
    }

    private func removeAll(_ record: (inout RemovalLog) -> Void, where condition: (Entry) -> Bool) {
        var dropped: [DecodedImage] = []
        withPolicy { guarded in
            record(&guarded.removals)
            for entry in table.entries where condition(entry) { erase(entry, &guarded, &dropped) }
        }
    }

    /// Entries of all kinds, ghosts included: for tests.
    var entryCount: Int { withPolicy { _ in table.entries.count } }

    // MARK: Under the policy's lock

    /// Changes what the policy's lock guards, and carries out what the policy decides.
    func change(_ body: (inout Guarded) -> Void) {
        var dropped: [DecodedImage] = []
        withPolicy { guarded in
            body(&guarded)
            settle(&guarded, &dropped)
        }
    }

    private func insert(
        _ entry: Entry, since epoch: StoreEpoch?, _ guarded: inout Guarded, _ dropped: inout [DecodedImage]
    ) -> Insertion {
        let (key, version) = (entry.pointee.key, entry.pointee.version)
        if let epoch,
            !guarded.removals.permits(epoch, partition: entry.pointee.partition, resource: entry.pointee.resource)
        {
            return .refused
        }
        let replaced = table.entries(replacedBy: entry)
        // What a request of policy `noStore` brings leaves the caches as they are.
        if entry.pointee.freshness == .transient, replaced.contains(where: { $0.pointee.image != nil }) {
            return .superfluous
        }
        // So does what a slow decode brings of older bytes.
        let isOutdated = replaced.contains {
            $0.pointee.image != nil && $0.pointee.version != version
                && $0.pointee.responseTime > entry.pointee.responseTime
        }
        if isOutdated { return .superfluous }
        for other in replaced {
            if other.pointee.version == version {
                entry.pointee.setHits(
                    other.pointee.segment == .ghost ? guarded.policy.takeBack(other) : other.pointee.currentUse.hits)
            }
            erase(other, &guarded, &dropped)
        }
        let cost = entry.pointee.cost
        if entry.pointee.freshness.isTransient || cost > guarded.policy.capacity || guarded.countLimit == 0 {
            entry.pointee.shown = entry.pointee.image
            if let image = entry.pointee.image.take() { dropped.append(image) }
            table.withShard(of: key) { $0.pointee.add(entry) }
            holdWeakly(entry, &guarded)
        } else {
            guarded.policy.makeRoom(for: cost, countLimit: guarded.countLimit - 1)
            table.withShard(of: key) { $0.pointee.add(entry) }
            guarded.policy.insert(entry)
            settle(&guarded, &dropped)
        }
        sweepWeak(&guarded, &dropped)
        return .held
    }

    /// Carries out what the policy has decided.
    private func settle(_ guarded: inout Guarded, _ dropped: inout [DecodedImage]) {
        if guarded.policy.evicted.isEmpty, guarded.policy.forgotten.isEmpty { return }
        for entry in guarded.policy.evicted {
            table.withShard(of: entry.pointee.key) { _ in
                if let image = entry.pointee.image {
                    entry.pointee.shown = image
                    dropped.append(image)
                }
                entry.pointee.image = nil
            }
        }
        guarded.policy.evicted.removeAll(keepingCapacity: true)
        for entry in guarded.policy.forgotten {
            if entry.pointee.shown != nil { holdWeakly(entry, &guarded) } else { erase(entry, &guarded, &dropped) }
        }
        guarded.policy.forgotten.removeAll(keepingCapacity: true)
    }

    private func holdWeakly(_ entry: Entry, _ guarded: inout Guarded) {
        entry.pointee.place = .weak
        guarded.weak.append(entry)
    }

    private func letGo(_ entry: Entry, _ guarded: inout Guarded) {
        guard entry.pointee.place == .weak else { return }
        guarded.weak.remove(entry)
        entry.pointee.place = .none
    }

    /// Looks at the two oldest of those that are held weakly: that keeps pace with what is added.
    private func sweepWeak(_ guarded: inout Guarded, _ dropped: inout [DecodedImage]) {
        for _ in 0..<min(2, guarded.weak.count) {
            guard let oldest = guarded.weak.first else { return }
            if oldest.pointee.shown != nil { guarded.weak.moveToEnd(oldest) } else { erase(oldest, &guarded, &dropped) }
        }
    }

    /// Takes an entry out of everything and frees it.
    private func erase(_ entry: Entry, _ guarded: inout Guarded, _ dropped: inout [DecodedImage]) {
        letGo(entry, &guarded)
        guarded.policy.remove(entry)
        table.withShard(of: entry.pointee.key) { $0.pointee.remove(entry) }
        if let image = entry.pointee.image { dropped.append(image) }
        MemoryEntry.destroy(entry)
    }
}
