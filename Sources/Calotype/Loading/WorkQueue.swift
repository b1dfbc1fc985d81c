import Synchronization

/// Lets at most so many pieces of work run at once: the most urgent first, the newest first among equals.
///
/// Work of priority `low` and below is background: it holds no more than its share of the places, and leaves half of the
/// bytes to others, so that what is visible finds a place at once or soon. Running work that is promoted stops counting as
/// background; work that is demoted counts again, though nothing is stopped for it.
///
/// The bytes that running work takes stay within a budget, but for a single piece that exceeds it by itself: that one runs
/// alone. Nothing overtakes the first in line because it is smaller, and what has been held back so stays first among its
/// equals, so that nothing waits for ever.
///
/// - Isolation: Any thread. The queue runs nothing itself: it starts items once no lock is held.
/// - Complexity: Every operation takes constant time, amortised.
final class WorkQueue: Sendable {
    /// How much may run at once.
    struct Limits: Sendable {
        /// Pieces of work.
        let count: Int
        /// Pieces of background work among them.
        let backgroundCount: Int
        /// Bytes, as the items estimate them.
        let byteCount: Int
        /// Whether running work that is demoted, and exceeds the background's share, holds no place any more. Right for what
        /// mostly waits elsewhere, as a fetch does for its connection; wrong for what keeps a processor busy.
        let demotedStepsAside: Bool

        /// At least one piece, and one in the background, may run, whatever the numbers say.
        init(count: Int, backgroundCount: Int, byteCount: Int = .max, demotedStepsAside: Bool = false) {
            self.count = max(1, count)
            self.backgroundCount = min(max(1, backgroundCount), self.count)
            self.byteCount = max(0, byteCount)
            self.demotedStepsAside = demotedStepsAside
        }
    }

    /// How much waits and how much runs.
    struct Counts: Hashable, Sendable {
        var waiting = 0
        var running = 0
        /// Of those that run.
        var background = 0
        /// Of those that run.
        var byteCount = 0
        /// What runs besides: see ``WorkQueue/takeSparePlace()``.
        var spare = 0
        /// What that takes: see ``WorkQueue/takeSpareBytes(_:)``.
        var spareByteCount = 0
    }

    /// A place in the array of a priority. It counts as long as the item's `ticket` is this one.
    fileprivate struct Place {
        let item: WorkItem
        let ticket: UInt64

        var isStale: Bool { item.ticket != ticket }
    }

    /// Between two operations the first in line can't start: each operation starts what it has made room for.
    struct State {
        var limits: Limits
        fileprivate var levels: [[Place]] = Array(repeating: [], count: ImageRequest.Priority.allCases.count)
        var counts = Counts()
        var placeCount = 0
        var nextTicket: UInt64 = 1
        /// Spare work that waits, and how much of it there has been.
        var spareLine: [SpareTurn] = []
        var spareCount: UInt64 = 0
        var awaitingIdleness: [CheckedContinuation<Void, Never>] = []

        /// Those who have waited until nothing runs, if nothing does.
        mutating func takeAwaitingIdleness() -> [CheckedContinuation<Void, Never>] {
            guard counts.running == 0, counts.waiting == 0, counts.spare == 0 else { return [] }
            defer { awaitingIdleness = [] }
            return awaitingIdleness
        }
    }

    let state: Mutex<State>

    init(_ limits: Limits) {
        state = Mutex(State(limits: limits))
    }

    /// Adds work.
    ///
    /// - Returns: Whether it may start at once. If not, it starts when its turn comes.
    func add(_ item: WorkItem, priority: ImageRequest.Priority) -> Bool {
        state.withLock { state in
            item.queuePriority = priority
            if state.counts.waiting == 0, state.hasRoom(for: item) {
                state.begin(item)
                return true
            }
            state.enqueue(item)
            // Those that wait already may lack what this one doesn't need.
            return state.takeFirst() === item
        }
    }

    /// Gives work that waits or runs another priority.
    func move(_ item: WorkItem, to priority: ImageRequest.Priority) {
        change { state in
            guard item.queuePriority != priority else { return }
            if item.ticket != 0 {
                item.queuePriority = priority
                state.counts.waiting -= 1
                state.enqueue(item)
            } else if item.isRunning {
                if item.isBackground { state.counts.background -= 1 }
                item.queuePriority = priority
                if item.isBackground { state.counts.background += 1 }
            }
        }
    }

    /// Takes waiting work back.
    ///
    /// - Returns: Whether it was still waiting, and so won't start.
    func remove(_ item: WorkItem) -> Bool {
        change { state in
            guard item.ticket != 0 else { return false }
            item.ticket = 0
            state.counts.waiting -= 1
            state.sweep()
            return true
        }
    }

    /// Says that a piece of work has ended.
    func finish(_ item: WorkItem) {
        // As a rule nobody waits for the place, or for the end.
        let isAwaited = state.withLock { state in
            let isAwaited = state.counts.waiting > 0 || !state.spareLine.isEmpty || !state.awaitingIdleness.isEmpty
            if !isAwaited { state.end(item) }
            return isAwaited
        }
        guard isAwaited else { return }
        // Not before: who came in between would begin what waits, and not start it.
        let awaiting = change { state in
            state.end(item)
            return state.takeAwaitingIdleness()
        }
        for continuation in awaiting { continuation.resume() }
    }

    /// Lets more or fewer pieces run from now on. What runs already goes on to its end.
    func setLimits(_ limits: Limits) {
        change { $0.limits = limits }
    }

    /// Changes the state, and starts what may run now.
    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        var ready: [WorkItem] = []
        var turns: [SpareTurn] = []
        let value = state.withLock { state in
            let value = body(&state)
            while let item = state.takeFirst() { ready.append(item) }
            while !state.spareLine.isEmpty, let turn = state.takeSpareTurn() { turns.append(turn) }
            return value
        }
        for item in ready { item.start() }
        for turn in turns { turn.continuation.resume(returning: true) }
        return value
    }

    /// Returns once nothing runs, cancelled work included.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                let isIdle = state.counts.running == 0 && state.counts.spare == 0
                if !isIdle { state.awaitingIdleness.append(continuation) }
                return isIdle
            }
            if isIdle { continuation.resume() }
        }
    }

    /// How much waits and how much runs.
    var counts: Counts { state.withLock { $0.counts } }
}

/// A piece of work that may have to wait for its turn.
///
/// `@unchecked Sendable`: `byteCount` is set before the item enters the queue; the other properties are guarded by the lock
/// of the one queue it is in. Subclasses name the guard of what they add.
class WorkItem: @unchecked Sendable {
    /// About how many bytes the work takes while it runs. Never negative, whatever a decoder of the app's says; so no sum
    /// here overflows: beside other work an item runs only where both fit the limit.
    final var byteCount = 0 { didSet { byteCount = max(0, byteCount) } }
    /// Not 0 while it waits.
    fileprivate final var ticket: UInt64 = 0
    fileprivate final var queuePriority = ImageRequest.Priority.normal
    fileprivate final var isRunning = false
    /// Whether it was the first in line, and there weren't bytes enough.
    fileprivate final var isHeldBack = false

    fileprivate final var isBackground: Bool { queuePriority <= .low }

    init() {}

    /// Begins the work. Called once for each time in the queue, on whatever thread made room, with no lock held; it must
    /// not block.
    func start() {
        preconditionFailure("A subclass says what the work is.")
    }
}

extension WorkQueue.State {
    /// Whether `item` may run beside what runs.
    fileprivate func hasRoom(for item: WorkItem) -> Bool {
        hasPlace && (!item.isBackground || counts.background < limits.backgroundCount)
            && hasBytes(for: item)
    }

    private var hasPlace: Bool {
        let aside = limits.demotedStepsAside ? max(0, counts.background - limits.backgroundCount) : 0
        return counts.running - aside < limits.count
    }

    private func hasBytes(for item: WorkItem) -> Bool {
        let limit = item.isBackground ? limits.byteCount / 2 : limits.byteCount
        return counts.running == 0 || item.byteCount <= limit - counts.byteCount
    }

    fileprivate mutating func begin(_ item: WorkItem) {
        item.isRunning = true
        counts.running += 1
        counts.byteCount += item.byteCount
        if item.isBackground { counts.background += 1 }
    }

    fileprivate mutating func end(_ item: WorkItem) {
        item.isRunning = false
        counts.running -= 1
        counts.byteCount -= item.byteCount
        if item.isBackground { counts.background -= 1 }
    }

    /// Puts `item` first among its equals, but for one that has been held back.
    fileprivate mutating func enqueue(_ item: WorkItem) {
        item.ticket = nextTicket
        item.isHeldBack = false
        nextTicket += 1
        let level = item.queuePriority.rawValue
        let first = first(of: level)
        levels[level].append(.init(item: item, ticket: item.ticket))
        if let first, first.isHeldBack { levels[level].swapAt(levels[level].count - 1, levels[level].count - 2) }
        counts.waiting += 1
        placeCount += 1
        sweep()
    }

    /// Takes out the first in line and begins it, if it may run.
    fileprivate mutating func takeFirst() -> WorkItem? {
        guard counts.waiting > 0, hasPlace else { return nil }
        for level in levels.indices.reversed() {
            guard let item = first(of: level) else { continue }
            guard hasRoom(for: item) else {
                item.isHeldBack = !hasBytes(for: item)
                return nil
            }
            levels[level].removeLast()
            placeCount -= 1
            counts.waiting -= 1
            item.ticket = 0
            begin(item)
            sweep()
            return item
        }
        return nil
    }

    /// The first in line of one priority. Drops the places of what was moved or removed on the way.
    private mutating func first(of level: Int) -> WorkItem? {
        while let place = levels[level].last {
            if !place.isStale { return place.item }
            levels[level].removeLast()
            placeCount -= 1
        }
        return nil
    }

    /// Drops the places of what was moved or removed, once they are the larger part; and when nothing waits, so that a queue
    /// that stands still keeps no job, and with it whatever owns the queue.
    fileprivate mutating func sweep() {
        guard placeCount > (counts.waiting == 0 ? 0 : 2 * counts.waiting + 32) else { return }
        for level in levels.indices { levels[level].removeAll { $0.isStale } }
        placeCount = counts.waiting
    }
}
