/// The line itself. Guarded by its lock.
extension PrefetchLine.State {
    var isEnded: Bool { waitingCount == 0 && runningCount == 0 && tellingCount == 0 }

    mutating func takeEnded() -> [CheckedContinuation<Void, Never>] {
        guard !awaitingEnd.isEmpty, isEnded else { return [] }
        defer { awaitingEnd = [:] }
        return Array(awaitingEnd.values)
    }

    mutating func add(_ item: PrefetchLine.Item) {
        guard items[item.key] == nil else { return }
        items[item.key] = item
        line.append(item)
        waitingCount += 1
    }

    mutating func stop(_ item: PrefetchLine.Item) {
        items[item.key] = nil
        if item.stage == .waiting { waitingCount -= 1 }
        item.stage = .stopped
        sweep()
    }

    mutating func takeFirst() -> PrefetchLine.Item? {
        while first < line.count {
            let item = line[first]
            line[first] = nil
            first += 1
            guard let item, item.stage == .waiting else { continue }
            sweep()
            item.stage = .running
            waitingCount -= 1
            runningCount += 1
            return item
        }
        sweep()
        return nil
    }

    /// Drops the places of what was taken or stopped, once they are the larger part.
    private mutating func sweep() {
        guard line.count > 2 * waitingCount + 32 else { return }
        line.removeAll { $0?.stage != .waiting }
        first = 0
    }
}
