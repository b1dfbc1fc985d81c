import Synchronization

/// The memory cache's entries by key: sixteen hash tables, each with a lock of its own, so that readers seldom meet.
///
/// `@unchecked Sendable`: the tables are touched under their shard's lock alone, which `withShard` takes. No two are
/// ever held at once.
final class MemoryTable: @unchecked Sendable {
    typealias Entry = MemoryEntry.Pointer

    /// A hash table with chains, and the hits that it has had.
    struct Buckets {
        private var heads: UnsafeMutablePointer<Entry?>
        private var headCount = 16
        private var count = 0
        /// Wraps around.
        var hitCount: UInt64

        fileprivate init(number: Int) {
            heads = .allocate(capacity: headCount)
            heads.initialize(repeating: nil, count: headCount)
            // Out of phase, so that the shards don't move the cache's clock together.
            hitCount = UInt64(number)
        }

        /// The first entry of the chain that `key` belongs to. Others may be in it.
        @inline(__always)
        func chain(of key: Digest) -> Entry? { head(of: key).pointee }

        @inline(__always)
        private func head(of key: Digest) -> UnsafeMutablePointer<Entry?> {
            heads + (Int(truncatingIfNeeded: key.high) & (headCount &- 1))
        }

        mutating func add(_ entry: Entry) {
            if count >= 2 * headCount { grow() }
            link(entry)
            count += 1
        }

        private func link(_ entry: Entry) {
            let head = head(of: entry.pointee.key)
            entry.pointee.next = head.pointee
            head.pointee = entry
        }

        mutating func remove(_ entry: Entry) {
            let head = head(of: entry.pointee.key)
            if head.pointee == entry {
                head.pointee = entry.pointee.next
            } else {
                var previous = head.pointee
                while let candidate = previous, candidate.pointee.next != entry { previous = candidate.pointee.next }
                previous?.pointee.next = entry.pointee.next
            }
            count -= 1
        }

        func forEach(_ body: (Entry) -> Void) {
            for index in 0..<headCount {
                var next = heads[index]
                while let entry = next {
                    next = entry.pointee.next
                    body(entry)
                }
            }
        }

        private mutating func grow() {
            var entries: [Entry] = []
            forEach { entries.append($0) }
            heads.deallocate()
            headCount *= 4
            heads = .allocate(capacity: headCount)
            heads.initialize(repeating: nil, count: headCount)
            for entry in entries { link(entry) }
        }

        fileprivate func deallocate() {
            forEach { entry in
                entry.deinitialize(count: 1)
                entry.deallocate()
            }
            heads.deallocate()
        }
    }

    /// The lock, and where its table is: apart, so that taking the one never touches the other.
    struct Shard: ~Copyable {
        let lock = Mutex(())
        let buckets: UnsafeMutablePointer<Buckets>
        /// Keeps the locks of neighbours on cache lines of their own.
        let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

        fileprivate init(number: Int) {
            buckets = .allocate(capacity: 1)
            buckets.initialize(to: Buckets(number: number))
        }
    }

    private static let shardCount = 16
    /// They live as long as the table.
    let shards: UnsafeMutablePointer<Shard>

    init() {
        shards = .allocate(capacity: Self.shardCount)
        for index in 0..<Self.shardCount { (shards + index).initialize(to: Shard(number: index)) }
    }

    deinit {
        for index in 0..<Self.shardCount {
            shards[index].buckets.pointee.deallocate()
            shards[index].buckets.deallocate()
        }
        shards.deinitialize(count: Self.shardCount)
        shards.deallocate()
    }

    /// Calls `body` with the table that `key` belongs in, under its lock.
    func withShard(of key: Digest, _ body: (UnsafeMutablePointer<Buckets>) -> Void) {
        let shard = shard(of: key)
        shard.pointee.lock.withLock { _ in body(shard.pointee.buckets) }
    }

    private func shard(of key: Digest) -> UnsafeMutablePointer<Shard> { Self.shard(of: key, in: shards) }

    /// The shard itself, for the one caller in whose way a closure and a retain would stand: a hit.
    @inline(__always)
    static func shard(of key: Digest, in shards: UnsafeMutablePointer<Shard>) -> UnsafeMutablePointer<Shard> {
        shards + Int(truncatingIfNeeded: key.low &>> 60)
    }

    /// All entries. They stay valid as long as the caller keeps others from erasing them.
    var entries: [Entry] {
        var result: [Entry] = []
        for index in 0..<Self.shardCount {
            let shard = shards + index
            shard.pointee.lock.withLock { _ in shard.pointee.buckets.pointee.forEach { result.append($0) } }
        }
        return result
    }
}
