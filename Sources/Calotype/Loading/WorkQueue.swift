import Synchronization

/// Lets at most so many pieces of work run at once: the most urgent first, the newest first among equals.
///
/// - Isolation: Any thread. The queue runs nothing itself: it says which work may start, and the caller starts it once
///   no lock is held.
/// - Complexity: Every operation takes constant time, amortised.
final class WorkQueue: Sendable {
    /// A place in the array of a priority. It counts as long as the item's `ticket` is this one.
    fileprivate struct Place {
        let item: WorkItem
        let ticket: UInt64
    }

    fileprivate struct State {
        var levels: [[Place]] = Array(repeating: [], count: ImageRequest.Priority.allCases.count)
        var waitingCount = 0
        var placeCount = 0
        var runningCount = 0
        var nextTicket: UInt64 = 1
        var awaitingIdleness: [CheckedContinuation<Void, Never>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Adds work.
    ///
    /// - Returns: Whether it may start at once. If not, it starts when its turn comes.
    func add(_ item: WorkItem, priority: ImageRequest.Priority) -> Bool {
        state.withLock { state in
            if state.runningCount < limit {
                state.runningCount += 1
                return true
            }
            item.queuePriority = priority
            state.enqueue(item)
            return false
        }
    }

    /// Moves waiting work to another priority.
    func move(_ item: WorkItem, to priority: ImageRequest.Priority) {
        state.withLock { state in
            guard item.ticket != 0, item.queuePriority != priority else { return }
            item.queuePriority = priority
            state.waitingCount -= 1
            state.enqueue(item)
        }
    }

    /// Takes waiting work back.
    ///
    /// - Returns: Whether it was still waiting, and so won't start.
    func remove(_ item: WorkItem) -> Bool {
        state.withLock { state in
            guard item.ticket != 0 else { return false }
            item.ticket = 0
            state.waitingCount -= 1
            state.sweep()
            return true
        }
    }

    /// Says that a piece of work has ended, and starts the next one.
    func finishOne() {
        let (next, awaiting) = state.withLock { state -> (WorkItem?, [CheckedContinuation<Void, Never>]) in
            if let item = state.dequeue() { return (item, []) }
            state.runningCount -= 1
            guard state.runningCount == 0, !state.awaitingIdleness.isEmpty else { return (nil, []) }
            defer { state.awaitingIdleness = [] }
            return (nil, state.awaitingIdleness)
        }
        next?.start()
        for continuation in awaiting { continuation.resume() }
    }

    /// Returns once nothing runs, cancelled work included.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.runningCount > 0 { state.awaitingIdleness.append(continuation) }
                return state.runningCount == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// How many wait and how many run.
    var counts: (waiting: Int, running: Int) {
        state.withLock { ($0.waitingCount, $0.runningCount) }
    }
}

/// A piece of work that may have to wait for its turn.
///
/// `@unchecked Sendable`: `ticket` and `queuePriority` are guarded by the lock of the one queue it is in; subclasses name
/// the guard of what they add.
class WorkItem: @unchecked Sendable {
    fileprivate var ticket: UInt64 = 0
    fileprivate var queuePriority = ImageRequest.Priority.normal

    init() {}

    /// Begins the work. Called once, on whatever thread freed the place, with no lock held; it must not block.
    func start() {
        preconditionFailure("A subclass says what the work is.")
    }
}

extension WorkQueue.State {
    fileprivate mutating func enqueue(_ item: WorkItem) {
        item.ticket = nextTicket
        nextTicket += 1
        levels[item.queuePriority.rawValue].append(.init(item: item, ticket: item.ticket))
        waitingCount += 1
        placeCount += 1
        sweep()
    }

    fileprivate mutating func dequeue() -> WorkItem? {
        for level in levels.indices.reversed() {
            while let place = levels[level].popLast() {
                placeCount -= 1
                guard place.item.ticket == place.ticket else { continue }
                place.item.ticket = 0
                waitingCount -= 1
                return place.item
            }
        }
        return nil
    }

    /// Drops the places of what was moved or removed, once they are the larger part.
    fileprivate mutating func sweep() {
        guard placeCount > 2 * waitingCount + 32 else { return }
        for level in levels.indices {
            levels[level].removeAll { $0.item.ticket != $0.ticket }
        }
        placeCount = waitingCount
    }
}
