import Foundation
import Synchronization

/// Decoded images, by what they depict and how large they are.
///
/// A lookup is synchronous and takes one short lock. Entries that are evicted stay findable as long as somebody still
/// shows their image.
///
/// - Isolation: Any thread. `@unchecked Sendable`: entries are guarded as `MemoryEntry` says; `policy`, `weak`,
///   `removals` and the limits by `policyLock`; the table of a shard by the shard's lock. Locks are taken in the order
///   policy, shard, and never two shards at once.
/// - Memory: At most ``costLimit`` bytes of pixels and ``countLimit`` images, at every moment.
public final class MemoryCache: @unchecked Sendable {
    private typealias Entry = MemoryEntry.Pointer

    /// A part of the table with a lock of its own, so that readers seldom meet.
    private struct Shard: ~Copyable {
        let lock = Mutex(())
        var buckets: UnsafeMutablePointer<Entry?>
        var bucketCount = 16
        var count = 0
        var hitCount: UInt64
        /// Keeps the locks of neighbours on cache lines of their own.
        let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

        init(number: Int) {
            buckets = .allocate(capacity: bucketCount)
            buckets.initialize(repeating: nil, count: bucketCount)
            // Out of phase, so that the shards don't move the clock together.
            hitCount = UInt64(number)
        }

        @inline(__always)
        func bucket(of key: Digest) -> UnsafeMutablePointer<Entry?> {
            buckets + (Int(truncatingIfNeeded: key.high) & (bucketCount &- 1))
        }
    }

    private static let shardCount = 16
    /// Uses in quicker succession than this many ticks of the clock count as one: a view that asks again isn't another
    /// viewer.
    private static let ticksBetweenUses: UInt64 = 8

    private let shards: UnsafeMutablePointer<Shard>
    /// Advances with each insertion, and with every fourth hit of a shard.
    private let clock = Atomic<UInt64>(1)

    private let policyLock = Mutex(())
    private var policy: EvictionPolicy
    private var countLimitValue: Int
    private var removals = RemovalLog()
    /// Entries that the policy doesn't count: their image lives as long as somebody shows it.
    private var weak = EntryList(.place)

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - costLimit: Bytes of pixels.
    ///   - countLimit: Images.
    public init(costLimit: Int = MemoryCache.defaultCostLimit, countLimit: Int = .max) {
        policy = EvictionPolicy(capacity: max(0, costLimit))
        countLimitValue = max(0, countLimit)
        shards = .allocate(capacity: Self.shardCount)
        for index in 0..<Self.shardCount { (shards + index).initialize(to: Shard(number: index)) }
    }

    deinit {
        for index in 0..<Self.shardCount {
            let shard = shards + index
            for bucket in 0..<shard.pointee.bucketCount {
                var next = shard.pointee.buckets[bucket]
                while let entry = next {
                    next = entry.pointee.next
                    entry.deinitialize(count: 1)
                    entry.deallocate()
                }
            }
            shard.pointee.buckets.deallocate()
            shard.deinitialize(count: 1)
        }
        shards.deallocate()
    }

    /// A sixth of the machine's memory, 512 MiB at most.
    public static var defaultCostLimit: Int {
        Int(min(ProcessInfo.processInfo.physicalMemory / 6, 512 << 20))
    }

    // MARK: Looking up

    /// The best rendition there is for a query.
    ///
    /// - Parameters:
    ///   - countsAsUse: Whether the lookup says something about what will be wanted again. A view that evaluates its body
    ///     once more doesn't.
    ///   - detail: What is known of the rendition, if there is one.
    func find(_ query: RenditionQuery, countsAsUse: Bool, _ detail: inout FoundDetail) -> DecodedImage? {
        let shard = shard(of: query.key)
        var found: DecodedImage?
        shard.pointee.lock.withLock { _ in
            guard let (entry, match) = Self.best(for: query, in: shard) else { return }
            if let image = entry.pointee.image {
                found = image
            } else {
                // Whoever showed the image may have let go of it in this moment: then it is a miss.
                guard let image = entry.pointee.shown else { return }
                found = image
                detail.isEvicted = true
            }
            detail.match = match
            detail.version = entry.pointee.version
            detail.source = entry.pointee.source
            detail.freshness = entry.pointee.freshness
            detail.decodedSize = entry.pointee.decodedSize
            if countsAsUse, match != .preview { noteUse(of: entry, in: shard) }
        }
        return found
    }

    /// The best rendition there is for a query, with what is known of it.
    func find(_ query: RenditionQuery, countsAsUse: Bool) -> FoundRendition? {
        var detail = FoundDetail()
        return find(query, countsAsUse: countsAsUse, &detail).map { FoundRendition(image: $0, detail: detail) }
    }

    @inline(__always)
    private static func best(
        for query: RenditionQuery, in shard: UnsafeMutablePointer<Shard>
    ) -> (Entry, RenditionQuery.Match)? {
        var best: (Entry, RenditionQuery.Match)?
        var next = shard.pointee.bucket(of: query.key).pointee
        while let entry = next {
            next = entry.pointee.next
            guard entry.pointee.key == query.key, entry.pointee.processors == query.processors, entry.pointee.isAlive
            else { continue }
            let match = query.match(
                source: entry.pointee.source, decoded: entry.pointee.decodedSize, original: entry.pointee.originalSize)
            if match == .exact, entry.pointee.source == query.source { return (entry, match) }
            if let (other, otherMatch) = best, !prefers(entry, match, over: other, otherMatch) { continue }
            best = (entry, match)
        }
        return best
    }

    /// A final answer rather than a preview; of two that answer, the smaller; of two previews, the larger.
    private static func prefers(
        _ entry: Entry, _ match: RenditionQuery.Match, over best: Entry, _ bestMatch: RenditionQuery.Match
    ) -> Bool {
        if match != bestMatch { return match > bestMatch }
        let isLarger = entry.pointee.decodedSize.pixelCount > best.pointee.decodedSize.pixelCount
        return match == .preview ? isLarger : !isLarger
    }

    @inline(__always)
    private func noteUse(of entry: Entry, in shard: UnsafeMutablePointer<Shard>) {
        let now = clock.load(ordering: .relaxed)
        let use = entry.pointee.currentUse
        if use.lastUse != now {
            let counts = now &- use.lastUse >= Self.ticksBetweenUses
            let noted = Use(lastUse: now, hits: counts ? use.hits &+ 1 : use.hits)
            entry.pointee.use.store(noted.bits, ordering: .relaxed)
        }
        shard.pointee.hitCount &+= 1
        if shard.pointee.hitCount & 3 == 0 { clock.add(1, ordering: .relaxed) }
    }

    // MARK: Changing

    /// The moment from which a load counts as begun.
    var epoch: StoreEpoch {
        policyLock.withLock { _ in removals.epoch }
    }

    /// Holds a rendition. Others of the same URL that were made of other bytes go.
    ///
    /// - Parameter epoch: From before the load began. If the rendition's partition or resource has been removed since,
    ///   it is refused.
    /// - Returns: Whether it is held, if only as long as somebody shows it.
    @discardableResult
    func insert(_ rendition: Rendition, since epoch: StoreEpoch? = nil) -> Bool {
        // What is dropped is released when the lock has been given back.
        var dropped: [DecodedImage] = []
        return policyLock.withLock { _ in
            if let epoch,
                !removals.permits(epoch, partition: rendition.partition, resource: rendition.resource)
            {
                return false
            }
            let key = RenditionQuery.key(resource: rendition.resource, partition: rendition.partition)
            let now = clock.add(1, ordering: .relaxed).newValue
            var hits: UInt64 = 0
            for entry in entries(with: key, replacedBy: rendition) {
                if rendition.freshness.isTransient, entry.pointee.segment != .none { continue }
                if entry.pointee.version == rendition.version {
                    hits = entry.pointee.segment == .ghost ? policy.takeBack(entry) : entry.pointee.currentUse.hits
                }
                erase(entry, &dropped)
            }
            let entry = Entry.allocate(capacity: 1)
            entry.initialize(to: MemoryEntry(rendition, key: key, use: Use(lastUse: now, hits: hits)))
            if rendition.freshness.isTransient || rendition.cost > policy.capacity || countLimitValue == 0 {
                entry.pointee.shown = rendition.image
                entry.pointee.image = nil
                add(entry)
                holdWeakly(entry)
            } else {
                policy.makeRoom(for: rendition.cost, countLimit: countLimitValue - 1)
                add(entry)
                policy.insert(entry)
                settle(&dropped)
            }
            sweepWeak(&dropped)
            return true
        }
    }

    /// Notes that bytes have been confirmed: what was made of them stays fresh until later.
    func freshen(_ key: Digest, version: Digest, to freshness: Freshness) {
        let shard = shard(of: key)
        shard.pointee.lock.withLock { _ in
            var next = shard.pointee.bucket(of: key).pointee
            while let entry = next {
                next = entry.pointee.next
                if entry.pointee.key == key, entry.pointee.version == version { entry.pointee.freshness = freshness }
            }
        }
    }

    /// Removes every rendition of a resource, in all partitions.
    public func remove(_ resource: ResourceID) {
        removeAll({ $0.record(resource) }) { $0.pointee.resource == resource }
    }

    /// Removes every rendition of a partition.
    public func removePartition(_ partition: Partition) {
        removeAll({ $0.record(partition) }) { $0.pointee.partition == partition }
    }

    /// Removes everything.
    public func removeAll() {
        removeAll({ $0.recordEverything() }) { _ in true }
    }

    private func removeAll(_ record: (inout RemovalLog) -> Void, where condition: (Entry) -> Bool) {
        var dropped: [DecodedImage] = []
        policyLock.withLock { _ in
            record(&removals)
            for entry in allEntries() where condition(entry) { erase(entry, &dropped) }
        }
    }

    // MARK: Limits

    /// The most bytes of pixels. Setting it lower evicts at once.
    public var costLimit: Int {
        get { policyLock.withLock { _ in policy.capacity } }
        set {
            changePolicy { policy, countLimit in
                policy.setCapacity(max(0, newValue), countLimit: countLimit)
            }
        }
    }

    /// The most images. Setting it lower evicts at once.
    public var countLimit: Int {
        get { policyLock.withLock { _ in countLimitValue } }
        set {
            changePolicy { policy, countLimit in
                countLimit = max(0, newValue)
                policy.makeRoom(for: 0, countLimit: countLimit)
            }
        }
    }

    /// The bytes of pixels that are held.
    public var totalCost: Int { policyLock.withLock { _ in policy.byteCount } }

    /// Entries of all kinds, ghosts included: for tests.
    var entryCount: Int { policyLock.withLock { _ in allEntries().count } }

    /// The images that are held.
    public var count: Int { policyLock.withLock { _ in policy.liveCount } }

    /// Evicts until no more than `cost` bytes are held; the limit stays.
    public func trim(toCost cost: Int) {
        changePolicy { policy, countLimit in
            policy.makeRoom(for: max(0, policy.capacity - max(0, cost)), countLimit: countLimit)
        }
    }

    private func changePolicy(_ change: (inout EvictionPolicy, inout Int) -> Void) {
        var dropped: [DecodedImage] = []
        policyLock.withLock { _ in
            change(&policy, &countLimitValue)
            settle(&dropped)
        }
    }

    // MARK: Under the policy's lock

    /// Carries out what the policy has decided.
    private func settle(_ dropped: inout [DecodedImage]) {
        for entry in policy.evicted {
            withShard(of: entry) { _ in
                if let image = entry.pointee.image {
                    entry.pointee.shown = image
                    dropped.append(image)
                }
                entry.pointee.image = nil
            }
        }
        policy.evicted.removeAll(keepingCapacity: true)
        for entry in policy.forgotten {
            if entry.pointee.shown != nil { holdWeakly(entry) } else { erase(entry, &dropped) }
        }
        policy.forgotten.removeAll(keepingCapacity: true)
    }

    private func holdWeakly(_ entry: Entry) {
        entry.pointee.place = .weak
        weak.append(entry)
    }

    /// Looks at the two oldest of those that are held weakly: that keeps pace with what is added.
    private func sweepWeak(_ dropped: inout [DecodedImage]) {
        for _ in 0..<min(2, weak.count) {
            guard let oldest = weak.first else { return }
            if oldest.pointee.shown != nil { weak.moveToEnd(oldest) } else { erase(oldest, &dropped) }
        }
    }

    /// The entries that a new rendition takes the place of.
    private func entries(with key: Digest, replacedBy rendition: Rendition) -> [Entry] {
        var result: [Entry] = []
        let shard = shard(of: key)
        shard.pointee.lock.withLock { _ in
            var next = shard.pointee.bucket(of: key).pointee
            while let entry = next {
                next = entry.pointee.next
                guard entry.pointee.key == key, entry.pointee.source == rendition.source else { continue }
                let isSame =
                    entry.pointee.processors == rendition.processors ?? .zero
                    && entry.pointee.decodedSize == rendition.decodedSize
                if isSame || entry.pointee.version != rendition.version { result.append(entry) }
            }
        }
        return result
    }

    private func allEntries() -> [Entry] {
        var result: [Entry] = []
        for index in 0..<Self.shardCount {
            let shard = shards + index
            shard.pointee.lock.withLock { _ in
                for bucket in 0..<shard.pointee.bucketCount {
                    var next = shard.pointee.buckets[bucket]
                    while let entry = next {
                        result.append(entry)
                        next = entry.pointee.next
                    }
                }
            }
        }
        return result
    }

    private func add(_ entry: Entry) {
        withShard(of: entry) { shard in
            if shard.pointee.count >= 2 * shard.pointee.bucketCount { grow(shard) }
            let bucket = shard.pointee.bucket(of: entry.pointee.key)
            entry.pointee.next = bucket.pointee
            bucket.pointee = entry
            shard.pointee.count += 1
        }
    }

    private func grow(_ shard: UnsafeMutablePointer<Shard>) {
        let old = (buckets: shard.pointee.buckets, count: shard.pointee.bucketCount)
        shard.pointee.bucketCount = 4 * old.count
        shard.pointee.buckets = .allocate(capacity: shard.pointee.bucketCount)
        shard.pointee.buckets.initialize(repeating: nil, count: shard.pointee.bucketCount)
        for index in 0..<old.count {
            var next = old.buckets[index]
            while let entry = next {
                next = entry.pointee.next
                let bucket = shard.pointee.bucket(of: entry.pointee.key)
                entry.pointee.next = bucket.pointee
                bucket.pointee = entry
            }
        }
        old.buckets.deallocate()
    }

    /// Takes an entry out of everything and frees it.
    private func erase(_ entry: Entry, _ dropped: inout [DecodedImage]) {
        if entry.pointee.place == .weak {
            weak.remove(entry)
            entry.pointee.place = .none
        }
        policy.remove(entry)
        withShard(of: entry) { shard in
            var link = shard.pointee.bucket(of: entry.pointee.key)
            while let candidate = link.pointee, candidate != entry {
                link = withUnsafeMutablePointer(to: &candidate.pointee.next) { $0 }
            }
            link.pointee = entry.pointee.next
            shard.pointee.count -= 1
        }
        if let image = entry.pointee.image { dropped.append(image) }
        entry.deinitialize(count: 1)
        entry.deallocate()
    }

    @inline(__always)
    private func shard(of key: Digest) -> UnsafeMutablePointer<Shard> {
        shards + Int(truncatingIfNeeded: key.low &>> 60)
    }

    private func withShard(of entry: Entry, _ body: (UnsafeMutablePointer<Shard>) -> Void) {
        let shard = shard(of: entry.pointee.key)
        shard.pointee.lock.withLock { _ in body(shard) }
    }
}

extension MemoryEntry {
    /// Whether there are pixels to be had. Read under the shard's lock.
    fileprivate var isAlive: Bool { image != nil || shown != nil }
}
