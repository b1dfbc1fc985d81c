import Synchronization

/// Knows of most keys that aren't in the index, without a look at it: a Bloom filter of those that are.
///
/// A look costs a change of threads, which takes longer than the look itself, and most pictures that are asked for the
/// first time aren't stored.
///
/// It is never wrong about what is stored, by whatever process: it is complete as of one state of the index, and speaks
/// only while the index is in that state (``WriteAheadLogHeader``). The writer's own transactions carry the state on; after
/// another process's, or a truncated log, it is silent until it has been brought up to date.
///
/// - Isolation: Questions may come from any thread: one short lock, and no call of the system. Changes come on the writer's
///   queue alone.
/// - Memory: 4 to 8 bytes for each response.
final class StoreFilter: Sendable {
    private struct State {
        /// That of the writer's connection: valid as long as it is open. `nil` until the keys have been loaded.
        var log: WriteAheadLogHeader?
        /// What the keys are complete for.
        var current: WriteAheadLogHeader.Value?
        var digestKey = DigestKey(0, 0)
        var generation = 0
        var keys = KeyBits(count: 0)
        /// The newest response that a look has brought.
        var lastID: Int64 = 0
        /// Looks in vain since the keys were loaded or brought up to date.
        var missCount = 0
        /// So many are enough to do that again.
        var missLimit = State.leastMissLimit

        static let leastMissLimit = 16
    }

    private let state = Mutex(State())

    // MARK: Any thread

    /// Whether the key isn't in the index. `false` says nothing.
    ///
    /// - Parameter generation: That of the present index.
    func rulesOut(_ key: FetchKey, generation: Int) -> Bool {
        // The digest is made outside of the lock: it is most of the work.
        let digestKey = state.withLock { $0.log != nil && $0.generation == generation ? $0.digestKey : nil }
        guard let digestKey, let digest = key.diskDigest(digestKey) else { return false }
        return state.withLock { state in
            // It may have been loaded anew meanwhile, from another index.
            guard let log = state.log, state.digestKey == digestKey else { return false }
            return state.generation == generation && !state.keys.mayContain(digest) && log.value == state.current
        }
    }

    /// Notes a look in vain.
    ///
    /// - Returns: Whether ``load(from:)`` is worth it by now.
    func noteMiss() -> Bool {
        state.withLock { state in
            state.missCount += 1
            return state.missCount.isMultiple(of: state.missLimit)
        }
    }

    // MARK: The writer's queue

    /// Forgets everything. Called before the writer's connection is closed.
    func detach() {
        state.withLock { $0 = State() }
    }

    /// Reads the keys that have come since the last time, or all of them if there have been enough misses to pay for that.
    func load(from connection: StoreConnection) throws {
        // Looked at first: what is committed from here on may be among the keys, and isn't said to be.
        guard let log = try WriteAheadLogHeader(connection.database) else { return }
        let current = log.value
        let count = try connection.usage().responseCount
        let (lastID, isWorthwhile) = state.withLock { state -> (Int64?, Bool) in
            if state.log != nil, !state.keys.areWorn(count) { return (state.lastID, true) }
            // All the keys take about a sixteenth of what as many looks take.
            state.missLimit = max(State.leastMissLimit, count / 16)
            return (nil, state.missCount >= state.missLimit)
        }
        guard isWorthwhile else { return }
        var found: [Digest] = []
        let newest = try connection.keys(after: lastID) { found.append($0) }
        state.withLock { state in
            if lastID == nil {
                state = State()
                state.log = log
                state.digestKey = connection.digestKey
                state.generation = connection.generation
                state.keys = KeyBits(count: count)
            }
            for digest in found { state.keys.insert(digest) }
            state.lastID = max(state.lastID, newest)
            state.current = current
            state.missCount = 0
        }
    }

    /// Adds the key of a response that is about to be committed.
    func insert(_ digest: Digest) {
        state.withLock { if $0.log != nil { $0.keys.insert(digest) } }
    }

    /// The state of the index in a transaction that writes, before it has written: nobody else changes it.
    func stateInTransaction() -> WriteAheadLogHeader.Value? {
        state.withLock { $0.log?.value }
    }

    /// Carries the state on over a transaction that has been committed, unless another process's has followed already.
    func noteCommit(since before: WriteAheadLogHeader.Value?) {
        guard let before else { return }
        state.withLock { state in
            guard let after = state.log?.value, state.current == before else { return }
            if after.transactionCount &- before.transactionCount <= 1 { state.current = after }
        }
    }
}

/// A Bloom filter: the four bits of a key stand in one word.
///
/// - Source: Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters" (2007), with a word for a block.
private struct KeyBits {
    private var words: [UInt64]
    private var count = 0

    /// - Parameter count: How many keys to begin with. There is room for as many more.
    init(count: Int) {
        var wordCount = 256
        while wordCount * 4 < 2 * count { wordCount *= 2 }
        words = Array(repeating: 0, count: wordCount)
    }

    /// Whether too many bits are set: by more keys than there is room for, or by keys that have gone.
    ///
    /// - Parameter present: How many keys there are.
    func areWorn(_ present: Int) -> Bool { count > words.count * 4 || count > 2 * present + 1_024 }

    func mayContain(_ key: Digest) -> Bool {
        let bits = Self.bits(of: key)
        return words[index(of: key)] & bits == bits
    }

    mutating func insert(_ key: Digest) {
        guard !mayContain(key) else { return }
        words[index(of: key)] |= Self.bits(of: key)
        count += 1
    }

    private func index(of key: Digest) -> Int { Int(truncatingIfNeeded: key.low) & (words.count - 1) }

    private static func bits(of key: Digest) -> UInt64 {
        1 << (key.high & 63) | 1 << (key.high >> 6 & 63) | 1 << (key.high >> 12 & 63) | 1 << (key.high >> 18 & 63)
    }
}

extension StoreConnection {
    /// Gives the keys of the responses that are newer than `id`; `nil` asks for all.
    ///
    /// - Returns: The newest response's ID; 0 if there is none.
    fileprivate func keys(after id: Int64?, _ body: (Digest) -> Void) throws -> Int64 {
        let rows = try database.statement(id == nil ? .keys : .keysAfter)
        if let id { rows.bind(1, id) }
        var newest: Int64 = 0
        while try rows.step() {
            newest = max(newest, rows.number(0))
            rows.withBytes(1) { bytes in if let digest = Digest(stored: bytes) { body(digest) } }
        }
        return newest
    }
}
