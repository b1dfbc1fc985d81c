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
    var priority: ImageRequest.Priority {
        for level in ImageRequest.Priority.allCases.reversed() where counts[level] > 0 { return level }
        return .veryLow
    }

    mutating func join(_ waiter: Waiter, _ job: Waiter.Job) {
        waiter.position.job = job
        waiter.position.index = waiters.count
        counts[waiter.position.priority] += 1
        waiters.append(waiter)
    }

    mutating func leave(_ waiter: Waiter) {
        let index = waiter.position.index
        counts[waiter.position.priority] -= 1
        let last = waiters.removeLast()
        if index < waiters.count {
            waiters[index] = last
            last.position.index = index
        }
        waiter.position.job = nil
    }

    mutating func change(_ waiter: Waiter, to priority: ImageRequest.Priority) {
        counts[waiter.position.priority] -= 1
        waiter.position.priority = priority
        counts[priority] += 1
    }

    /// Lets everybody go.
    mutating func takeAll() -> ShortList<Waiter> {
        defer { self = WaiterList() }
        for waiter in waiters { waiter.position.job = nil }
        return waiters
    }
}

/// A number for each priority. In two vectors: one of eight would be aligned to 32 bytes, and with it every job, which costs
/// more to allocate than what is aligned to 16.
private struct PriorityCounts {
    private var low = SIMD4<Int32>.zero
    private var high = SIMD4<Int32>.zero

    subscript(priority: ImageRequest.Priority) -> Int32 {
        get {
            let index = priority.rawValue
            return index < 4 ? low[index] : high[index - 4]
        }
        set {
            let index = priority.rawValue
            if index < 4 { low[index] = newValue } else { high[index - 4] = newValue }
        }
    }
}
