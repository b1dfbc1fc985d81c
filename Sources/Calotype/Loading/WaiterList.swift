/// Where somebody stands who waits for a job: which job, and how urgently. Guarded by the lock of the coordinator.
struct WaiterPosition<Job: AnyObject> {
    var job: Job?
    var index = -1
    var priority = ImageRequest.Priority.normal
}

/// Somebody who waits for a job.
protocol JobWaiter<Job> {
    associatedtype Job: AnyObject
    var position: WaiterPosition<Job> { get nonmutating set }
}

/// Those who wait for a job, and the highest priority among them. Guarded by the lock of the coordinator.
///
/// - Complexity: Joining, leaving and changing a priority take constant time.
struct WaiterList<Waiter: JobWaiter> {
    private(set) var waiters = ShortList<Waiter>()
    private var counts = PriorityCounts()

    var isEmpty: Bool { waiters.isEmpty }

    /// The highest priority of those who wait; the lowest there is if nobody does.
    var priority: ImageRequest.Priority { counts.highest }

    mutating func join(_ waiter: Waiter, _ job: Waiter.Job) {
        waiter.position.job = job
        waiter.position.index = waiters.count
        counts.add(1, to: waiter.position.priority)
        waiters.append(waiter)
    }

    mutating func leave(_ waiter: Waiter) {
        let index = waiter.position.index
        counts.add(-1, to: waiter.position.priority)
        let last = waiters.removeLast()
        if index < waiters.count {
            waiters[index] = last
            last.position.index = index
        }
        waiter.position.job = nil
    }

    mutating func change(_ waiter: Waiter, to priority: ImageRequest.Priority) {
        counts.add(-1, to: waiter.position.priority)
        waiter.position.priority = priority
        counts.add(1, to: priority)
    }

    /// Lets everybody go.
    mutating func takeAll() -> ShortList<Waiter> {
        defer { self = WaiterList() }
        for waiter in waiters { waiter.position.job = nil }
        return waiters
    }
}

/// A number for each priority. Plain fields, since a vector would have every job aligned to 16 bytes, and that costs a
/// hundred instructions more to allocate.
private struct PriorityCounts {
    private var counts: (Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0)

    /// The highest priority whose number isn't 0; the lowest there is if all are.
    var highest: ImageRequest.Priority {
        if counts.4 > 0 { return .veryHigh }
        if counts.3 > 0 { return .high }
        if counts.2 > 0 { return .normal }
        return counts.1 > 0 ? .low : .veryLow
    }

    mutating func add(_ change: Int32, to priority: ImageRequest.Priority) {
        switch priority {
        case .veryLow: counts.0 += change
        case .low: counts.1 += change
        case .normal: counts.2 += change
        case .high: counts.3 += change
        case .veryHigh: counts.4 += change
        }
    }
}
