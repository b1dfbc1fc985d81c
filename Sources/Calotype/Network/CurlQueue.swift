#if os(Linux)
/// What the loop knows of one origin: how many of its transfers run, and which wait.
///
/// - Isolation: the transport's thread alone; not `Sendable`, so the compiler sees to it.
final class CurlOrigin {
    fileprivate struct Waiting {
        var transfer: CurlTransfer
        var arrival: UInt64
    }

    /// Whether the origin speaks HTTP/2: then transfers share a connection, and the limit on connections isn't one on
    /// transfers.
    var isMultiplexed = false
    fileprivate(set) var runningCount = 0
    /// Of those, transfers of priority `low` and below.
    fileprivate(set) var backgroundCount = 0
    /// By priority; each list in the order of arrival.
    fileprivate var waiting = [[Waiting]](repeating: [], count: ImageRequest.Priority.allCases.count)

    /// The place of the transfer that goes first.
    fileprivate var first: (priority: Int, arrival: UInt64)? {
        guard let priority = waiting.lastIndex(where: { !$0.isEmpty }) else { return nil }
        return (priority, waiting[priority][waiting[priority].count - 1].arrival)
    }
}

/// Which transfer runs next: the one with the highest priority, and the newest among equals, whose origin has a
/// connection to spare.
///
/// Transfers of priority `low` and below leave two of an origin's connections to others, if there are as many, and a
/// quarter of all. Pipelines bound their prefetches themselves; but each does so by itself, where they share a transport
/// what they share is its connections, and how many those are only the transport knows.
///
/// Transfers wait here rather than in libcurl, whose own queue goes by age alone.
///
/// - Isolation: the transport's thread alone; not `Sendable`, so the compiler sees to it.
/// - Complexity: `next` is O(origins), `remove` O(waiting transfers), `insert` O(1).
struct CurlQueue {
    /// Origins with nothing to do are remembered until there are this many.
    private static let maximumOriginCount = 64

    private let limitPerOrigin: Int
    private let limit: Int
    private var runningCount = 0
    private var backgroundCount = 0
    private var origins: [String: CurlOrigin] = [:]
    private var arrivalCount: UInt64 = 0
    /// How many transfers wait.
    private(set) var count = 0

    /// Makes an empty queue.
    init(limitPerOrigin: Int, limit: Int) {
        self.limitPerOrigin = limitPerOrigin
        self.limit = limit
    }

    /// Adds a transfer as the newest of its priority.
    mutating func insert(_ transfer: CurlTransfer) {
        arrivalCount += 1
        count += 1
        let waiting = CurlOrigin.Waiting(transfer: transfer, arrival: arrivalCount)
        origin(named: transfer.request.origin).waiting[transfer.request.priority.value.rawValue].append(waiting)
    }

    /// Takes out a transfer.
    /// - Returns: It, if it was there.
    mutating func remove(_ id: ObjectIdentifier) -> CurlTransfer? {
        guard count > 0 else { return nil }
        for origin in origins.values {
            for priority in origin.waiting.indices {
                if let index = origin.waiting[priority].lastIndex(where: { ObjectIdentifier($0.transfer) == id }) {
                    count -= 1
                    return origin.waiting[priority].remove(at: index).transfer
                }
            }
        }
        return nil
    }

    /// A transfer whose turn has come.
    struct Turn {
        let transfer: CurlTransfer
        let origin: CurlOrigin
        /// Whether it counts as background.
        fileprivate(set) var isBackground: Bool
    }

    /// Takes out the transfer whose turn it is and counts it as running until ``finished(_:)``.
    mutating func next() -> Turn? {
        guard count > 0, runningCount < limit else { return nil }
        var best: (origin: CurlOrigin, priority: Int, arrival: UInt64)?
        for origin in origins.values {
            guard let (priority, arrival) = origin.first, hasRoom(in: origin, isBackground: Self.isBackground(priority))
            else { continue }
            if best.map({ (priority, arrival) > ($0.priority, $0.arrival) }) ?? true {
                best = (origin, priority, arrival)
            }
        }
        guard let best else { return nil }
        count -= 1
        let transfer = best.origin.waiting[best.priority].removeLast().transfer
        let turn = Turn(transfer: transfer, origin: best.origin, isBackground: Self.isBackground(best.priority))
        note(turn, 1)
        return turn
    }

    private func hasRoom(in origin: CurlOrigin, isBackground: Bool) -> Bool {
        if isBackground, backgroundCount >= max(1, limit - limit / 4) { return false }
        if origin.isMultiplexed { return true }
        return origin.runningCount < limitPerOrigin
            && (!isBackground || origin.backgroundCount < max(1, limitPerOrigin - 2))
    }

    private static func isBackground(_ priority: Int) -> Bool { priority <= ImageRequest.Priority.low.rawValue }

    /// Notes that a running transfer has another priority.
    mutating func changed(_ turn: inout Turn, to priority: ImageRequest.Priority) {
        note(turn, -1)
        turn.isBackground = Self.isBackground(priority.rawValue)
        note(turn, 1)
    }

    /// Notes that a transfer doesn't run any more.
    mutating func finished(_ turn: Turn) { note(turn, -1) }

    private mutating func note(_ turn: Turn, _ change: Int) {
        runningCount += change
        turn.origin.runningCount += change
        guard turn.isBackground else { return }
        backgroundCount += change
        turn.origin.backgroundCount += change
    }

    /// Takes out every transfer.
    mutating func removeAll() -> [CurlTransfer] {
        defer {
            origins = [:]
            count = 0
        }
        return origins.values.flatMap { $0.waiting.joined().map(\.transfer) }
    }

    private mutating func origin(named name: String) -> CurlOrigin {
        if let origin = origins[name] { return origin }
        if origins.count >= Self.maximumOriginCount {
            origins = origins.filter { $0.value.runningCount > 0 || $0.value.first != nil }
        }
        let origin = CurlOrigin()
        origins[name] = origin
        return origin
    }
}
#endif
