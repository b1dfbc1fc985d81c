import Synchronization

/// The memory cache's entries by key: hash tables with a lock each, so many that readers seldom meet.
///
/// `@unchecked Sendable`: the tables are touched under their shard's lock alone, which `withShard` takes. No two are
/// ever held at once.
final class MemoryTable: @unchecked Sendable {
    typealias Entry = MemoryEntry.Pointer

    /// A hash table with chains, and the hits that it has had.
    struct Buckets {
        private var heads: UnsafeMutablePointer<Entry?>
        private var headCount = 4
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
            forEach { MemoryEntry.destroy($0) }
            heads.deallocate()
        }
    }

    /// The lock, and where its table is: apart, so that taking the one never touches the other.
    struct Shard: ~Copyable {
        let lock = Mutex(())
        let buckets: UnsafeMutablePointer<Buckets>
    }

    private static let shardCount = 512
    private static let shardBits: UInt64 = 9
    /// A shard and its table share a cache line, and no two shards do, nor the pair of lines that is fetched at once.
    private static let stride = 128

    private let memory: UnsafeMutableRawPointer

    init() {
        memory = .allocate(byteCount: (Self.shardCount + 1) * Self.stride, alignment: Self.stride)
        clock.initialize(to: Atomic(1))
        for index in 0..<Self.shardCount {
            let place = memory + index * Self.stride
            let buckets = (place + Self.stride / 4).bindMemory(to: Buckets.self, capacity: 1)
            buckets.initialize(to: Buckets(number: index))
            place.bindMemory(to: Shard.self, capacity: 1).initialize(to: Shard(buckets: buckets))
        }
    }

    deinit {
        for index in 0..<Self.shardCount {
            let shard = shards + index * Self.stride
            shard.assumingMemoryBound(to: Shard.self).pointee.buckets.pointee.deallocate()
            shard.assumingMemoryBound(to: Shard.self).deinitialize(count: 1)
        }
        clock.deinitialize(count: 1)
        memory.deallocate()
    }

    /// The cache's clock. On a line of its own: it moves while others read the shards.
    var clock: UnsafeMutablePointer<Atomic<UInt64>> {
        (memory + Self.shardCount * Self.stride).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Where the shards begin. They live as long as the table.
    var shards: UnsafeMutableRawPointer { memory }

    /// Calls `body` with the table that `key` belongs in, under its lock.
    func withShard(of key: Digest, _ body: (UnsafeMutablePointer<Buckets>) -> Void) {
        let shard = shard(of: key)
        shard.pointee.lock.withLock { _ in body(shard.pointee.buckets) }
    }

    private func shard(of key: Digest) -> UnsafeMutablePointer<Shard> { Self.shard(of: key, in: shards) }

    /// The shard itself, for the one caller in whose way a closure and a retain would stand: a hit.
    @inline(__always)
    static func shard(of key: Digest, in shards: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Shard> {
        let index = Int(truncatingIfNeeded: key.low &>> (64 &- shardBits))
        return (shards + index &* stride).assumingMemoryBound(to: Shard.self)
    }

    /// All entries. They stay valid as long as the caller keeps others from erasing them.
    var entries: [Entry] {
        var result: [Entry] = []
        for index in 0..<Self.shardCount {
            let shard = (shards + index * Self.stride).assumingMemoryBound(to: Shard.self)
            shard.pointee.lock.withLock { _ in shard.pointee.buckets.pointee.forEach { result.append($0) } }
        }
        return result
    }
}
