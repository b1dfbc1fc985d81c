/// Decides what leaves the memory cache: an LRU that lends part of its space to proven entries, as long as that pays.
///
/// Scrolling back through a feed is a stack, where LRU is close to the best there is; a popular set among pictures seen
/// once is the opposite, where LRU does badly. So:
///
///     new entry -> RECENT (by last use) -> used twice or more -> PROTECTED (a clock)
///                                       -> otherwise          -> evicted; a ghost keeps its place
///
/// `lent` is the space that PROTECTED may take; RECENT has the rest. Whether the loan pays is counted against a plain LRU
/// of the same capacity. What that would hold is RECENT and SHADOW: the entries that left RECENT last, protected or
/// evicted, as many bytes of them as RECENT leaves over.
///
/// - A hit on a protected entry that has dropped out of SHADOW is a gain (LRU would have missed): `lent` grows.
/// - A miss on a ghost within SHADOW is a loss (LRU would have hit): `lent` shrinks, twice as fast, so that an even
///   balance, which is what a feed gives, falls back to LRU.
///
/// Ghosts that drop out of SHADOW live on in FAR, `lent` bytes of them, only to remember how often they were used.
/// Hits are silent: they set the entry's `use` and nothing else. What follows from them is found on the next insertions.
///
/// - Isolation: Used under the cache's policy lock.
/// - Source: measured against LRU, CLOCK, SIEVE, S3-FIFO, ARC, W-TinyLFU and the optimum on traces of feeds and of
///   popular sets; `calo bench` replays them.
struct EvictionPolicy {
    typealias Entry = MemoryEntry.Pointer

    /// One use is what turning round in a feed gives every row.
    private static let usesToProve: UInt64 = 2
    /// What it costs to measure whether a loan would pay. It has to hold an entry, or nothing can ever be gained.
    private static let smallestLoan = 1.0 / 32
    /// The rest is the probation that new entries need to prove themselves.
    private static let largestLoan = 0.9
    private static let lossWeight = 2
    /// Overdue entries that an insertion looks at, to find gains.
    private static let sweepCount = 2
    private static let ghostsPerEntry = 2

    private(set) var capacity: Int
    private(set) var lent: Int = 0
    private(set) var liveCount = 0
    private(set) var ghostCount = 0
    private(set) var recentByteCount = 0
    private(set) var protectedByteCount = 0
    private var recent = RecentHeap()
    private var protected = EntryList(.protected)
    private var shadow = EntryList(.place)
    private var shadowByteCount = 0
    private var overdue = EntryList(.place)
    private var far = EntryList(.place)
    private var farByteCount = 0

    /// Entries that were evicted by the last operation: to be turned into ghosts.
    var evicted: [Entry] = []
    /// Ghosts that were forgotten by the last operation.
    var forgotten: [Entry] = []

    init(capacity: Int) {
        self.capacity = capacity
        lend(0)
    }

    var byteCount: Int { recentByteCount + protectedByteCount }

    /// Makes room for `cost` more bytes, with no more than `countLimit` entries in all.
    mutating func makeRoom(for cost: Int, countLimit: Int) {
        while liveCount > 0, cost > capacity - byteCount || liveCount > countLimit {
            if protected.count > 0, protectedByteCount > lent || recent.isEmpty { turnHand() } else { leaveRecent() }
        }
    }

    /// Takes a new entry, for which there is room.
    mutating func insert(_ entry: Entry) {
        entry.pointee.segment = .recent
        recentByteCount += entry.pointee.cost
        liveCount += 1
        recent.push(entry)
        trim()
        for _ in 0..<min(Self.sweepCount, overdue.count) {
            guard let oldest = overdue.first else { break }
            if !gained(oldest) { overdue.moveToEnd(oldest) }
        }
    }

    /// A ghost is wanted again: what it tells of the loan, and the hits it remembers.
    mutating func takeBack(_ ghost: Entry) -> UInt64 {
        if ghost.pointee.place == .shadow { lend(-Self.lossWeight * ghost.pointee.cost) }
        unplace(ghost)
        ghost.pointee.segment = .none
        ghostCount -= 1
        return ghost.pointee.currentUse.hits + 1
    }

    /// Forgets an entry that is being removed, live or ghost.
    mutating func remove(_ entry: Entry) {
        switch entry.pointee.segment {
        case .none: break
        case .recent:
            recent.remove(entry)
            recentByteCount -= entry.pointee.cost
            liveCount -= 1
        case .protected:
            protected.remove(entry)
            protectedByteCount -= entry.pointee.cost
            liveCount -= 1
        case .ghost:
            ghostCount -= 1
        }
        unplace(entry)
        entry.pointee.segment = .none
    }

    mutating func setCapacity(_ newValue: Int, countLimit: Int) {
        lent = capacity > 0 ? Int(Double(lent) * Double(newValue) / Double(capacity)) : 0
        capacity = newValue
        lend(0)
        makeRoom(for: 0, countLimit: countLimit)
        trim()
    }

    // MARK: The loan

    private mutating func lend(_ byteCount: Int) {
        let bounds = (Double(capacity) * Self.smallestLoan, Double(capacity) * Self.largestLoan)
        lent = Int(min(max(Double(lent) + Double(byteCount), bounds.0), bounds.1))
    }

    /// Whether a protected entry that LRU would have dropped has been used since.
    private mutating func gained(_ entry: Entry) -> Bool {
        guard entry.pointee.place == .overdue, entry.pointee.currentUse.lastUse > entry.pointee.mark else {
            return false
        }
        lend(entry.pointee.cost)
        moveToShadow(entry)
        return true
    }

    // MARK: The segments

    private mutating func leaveRecent() {
        guard let entry = recent.pop() else { return }
        recentByteCount -= entry.pointee.cost
        moveToShadow(entry)
        if entry.pointee.currentUse.hits >= Self.usesToProve,
            protectedByteCount + entry.pointee.cost <= lent || handYields()
        {
            entry.pointee.setHits(0)
            entry.pointee.segment = .protected
            protected.append(entry)
            protectedByteCount += entry.pointee.cost
        } else {
            evict(entry)
        }
    }

    /// Whether the entry at the clock's hand gives way. If it has been used, it loses one use and stays.
    private mutating func handYields() -> Bool {
        guard let entry = protected.first else { return true }
        _ = gained(entry)
        let hits = entry.pointee.currentUse.hits
        if hits == 0 { return true }
        entry.pointee.setHits(hits - 1)
        protected.moveToEnd(entry)
        return false
    }

    private mutating func turnHand() {
        guard handYields(), let entry = protected.first else { return }
        protected.remove(entry)
        protectedByteCount -= entry.pointee.cost
        evict(entry)
    }

    private mutating func evict(_ entry: Entry) {
        entry.pointee.segment = .ghost
        liveCount -= 1
        ghostCount += 1
        evicted.append(entry)
        if entry.pointee.place != .shadow { moveToFar(entry) }
    }

    // MARK: The shadow, and what dropped out of it

    private mutating func trim() {
        while shadow.count > 0, shadowByteCount > capacity - recentByteCount { popShadow() }
        let ghostLimit = Self.ghostsPerEntry * liveCount
        while far.count > 0, farByteCount > lent || ghostCount > ghostLimit { forgetOldest() }
        while shadow.count > 0, ghostCount > ghostLimit {
            popShadow()
            if far.count > 0 { forgetOldest() }
        }
    }

    private mutating func popShadow() {
        guard let entry = shadow.first else { return }
        if entry.pointee.segment == .ghost {
            moveToFar(entry)
        } else if entry.pointee.currentUse.lastUse > entry.pointee.mark {
            moveToShadow(entry)
        } else {
            unplace(entry)
            entry.pointee.place = .overdue
            overdue.append(entry)
        }
    }

    private mutating func forgetOldest() {
        guard let ghost = far.first else { return }
        unplace(ghost)
        ghost.pointee.segment = .none
        ghostCount -= 1
        forgotten.append(ghost)
    }

    private mutating func moveToShadow(_ entry: Entry) {
        unplace(entry)
        entry.pointee.mark = entry.pointee.currentUse.lastUse
        entry.pointee.place = .shadow
        shadow.append(entry)
        shadowByteCount += entry.pointee.cost
    }

    private mutating func moveToFar(_ entry: Entry) {
        unplace(entry)
        entry.pointee.place = .far
        far.append(entry)
        farByteCount += entry.pointee.cost
    }

    private mutating func unplace(_ entry: Entry) {
        switch entry.pointee.place {
        case .none, .weak: return
        case .shadow:
            shadow.remove(entry)
            shadowByteCount -= entry.pointee.cost
        case .overdue:
            overdue.remove(entry)
        case .far:
            far.remove(entry)
            farByteCount -= entry.pointee.cost
        }
        entry.pointee.place = .none
    }
}
