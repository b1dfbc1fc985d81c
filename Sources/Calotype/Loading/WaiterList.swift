/// Where somebody stands who waits for a job: which job, and how urgently.
///
/// `@unchecked Sendable`: guarded by the lock of the coordinator.
final class WaiterPosition<Job: AnyObject>: @unchecked Sendable {
    var job: Job?
    var index = -1
    var priority = ImageRequest.Priority.normal
}

/// Somebody who waits for a job.
protocol JobWaiter<Job> {
    associatedtype Job: AnyObject
    var position: WaiterPosition<Job> { get }
}

/// Those who wait for a job, and the highest priority among them. Guarded by the lock of the coordinator.
///
/// - Complexity: Joining, leaving and changing a priority take constant time.
struct WaiterList<Waiter: JobWaiter> {
    private(set) var waiters: [Waiter] = []
    private var counts = SIMD8<Int32>.zero

    var isEmpty: Bool { waiters.isEmpty }

    /// The highest priority of those who wait; the lowest there is if nobody does.
    var priority: ImageRequest.Priority {
        for level in ImageRequest.Priority.allCases.reversed() where counts[level.rawValue] > 0 { return level }
        return .veryLow
    }

    mutating func join(_ waiter: Waiter, _ job: Waiter.Job) {
        let position = waiter.position
        position.job = job
        position.index = waiters.count
        counts[position.priority.rawValue] += 1
        waiters.append(waiter)
    }

    mutating func leave(_ waiter: Waiter) {
        let position = waiter.position
        counts[position.priority.rawValue] -= 1
        let last = waiters.removeLast()
        if last.position !== position {
            waiters[position.index] = last
            last.position.index = position.index
        }
        position.job = nil
        position.index = -1
    }

    mutating func change(_ waiter: Waiter, to priority: ImageRequest.Priority) {
        let position = waiter.position
        counts[position.priority.rawValue] -= 1
        position.priority = priority
        counts[priority.rawValue] += 1
    }

    /// Lets everybody go.
    mutating func takeAll() -> [Waiter] {
        defer { self = WaiterList() }
        for waiter in waiters {
            waiter.position.job = nil
            waiter.position.index = -1
        }
        return waiters
    }
}
