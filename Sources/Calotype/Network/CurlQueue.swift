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
/// Transfers wait here rather than in libcurl, whose own queue goes by age alone.
///
/// - Isolation: the transport's thread alone; not `Sendable`, so the compiler sees to it.
/// - Complexity: `next` is O(origins), `remove` O(waiting transfers), `insert` O(1).
struct CurlQueue {
    /// Origins with nothing to do are remembered until there are this many.
    private static let maximumOriginCount = 64

    private let limitPerOrigin: Int
    private var origins: [String: CurlOrigin] = [:]
    private var arrivalCount: UInt64 = 0
    /// How many transfers wait.
    private(set) var count = 0

    /// Makes an empty queue.
    init(limitPerOrigin: Int) { self.limitPerOrigin = limitPerOrigin }

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

    /// Takes out the transfer whose turn it is and counts it as running until ``finished(_:)``.
    mutating func next() -> (CurlTransfer, CurlOrigin)? {
        guard count > 0 else { return nil }
        var best: (origin: CurlOrigin, priority: Int, arrival: UInt64)?
        for origin in origins.values where origin.isMultiplexed || origin.runningCount < limitPerOrigin {
            guard let (priority, arrival) = origin.first else { continue }
            if best.map({ (priority, arrival) > ($0.priority, $0.arrival) }) ?? true {
                best = (origin, priority, arrival)
            }
        }
        guard let best else { return nil }
        count -= 1
        best.origin.runningCount += 1
        return (best.origin.waiting[best.priority].removeLast().transfer, best.origin)
    }

    /// Notes that a transfer of that origin doesn't run any more.
    mutating func finished(_ origin: CurlOrigin) { origin.runningCount -= 1 }

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
