extension AccessTrace {
    /// The hits of somebody who knows what comes: what is wanted furthest in the future goes first, and isn't kept at all
    /// if that is the image that has just come. For images of one cost, no policy has more.
    ///
    /// With costs of many sizes it is a good policy rather than the best, which can't be found in reasonable time.
    ///
    /// - Source: Belady, "A study of replacement algorithms for a virtual-storage computer", 1966.
    static func optimalHits(_ accesses: [Access], capacity: Int) -> Int {
        let nextUses = nextUses(accesses)
        /// The next use of what is kept.
        var kept: [Int: Int] = [:]
        var queue = FurthestFirst()
        var (used, hits) = (0, 0)
        for (time, access) in accesses.enumerated() {
            if kept[access.key] != nil {
                hits += 1
            } else {
                guard access.cost <= capacity else { continue }
                var evicted: [(key: Int, nextUse: Int, cost: Int)] = []
                var freed = 0
                while used - freed + access.cost > capacity, let first = queue.first, first.nextUse > nextUses[time] {
                    queue.removeFirst()
                    // Used since it was queued: it is queued again, further behind.
                    guard kept[first.key] == first.nextUse else { continue }
                    evicted.append(first)
                    freed += first.cost
                }
                guard used - freed + access.cost <= capacity else {
                    for entry in evicted { queue.insert(entry) }
                    continue
                }
                for entry in evicted { kept[entry.key] = nil }
                used += access.cost - freed
            }
            kept[access.key] = nextUses[time]
            queue.insert((access.key, nextUses[time], access.cost))
        }
        return hits
    }

    /// When the key of each access is accessed again; `Int.max` for never.
    private static func nextUses(_ accesses: [Access]) -> [Int] {
        var nextUses = [Int](repeating: .max, count: accesses.count)
        var known: [Int: Int] = [:]
        for time in accesses.indices.reversed() {
            nextUses[time] = known[accesses[time].key] ?? .max
            known[accesses[time].key] = time
        }
        return nextUses
    }

    /// A heap whose first entry has the furthest next use.
    private struct FurthestFirst {
        typealias Entry = (key: Int, nextUse: Int, cost: Int)

        private var entries: [Entry] = []
        var first: Entry? { entries.first }

        mutating func insert(_ entry: Entry) {
            entries.append(entry)
            var index = entries.count - 1
            while index > 0, entries[index].nextUse > entries[(index - 1) / 2].nextUse {
                entries.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        mutating func removeFirst() {
            entries.swapAt(0, entries.count - 1)
            entries.removeLast()
            var index = 0
            while true {
                var largest = index
                for child in [2 * index + 1, 2 * index + 2]
                where child < entries.count && entries[child].nextUse > entries[largest].nextUse {
                    largest = child
                }
                if largest == index { return }
                entries.swapAt(index, largest)
                index = largest
            }
        }
    }
}
