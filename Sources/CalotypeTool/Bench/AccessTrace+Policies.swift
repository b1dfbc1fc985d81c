/// Other policies that the memory cache's is measured against. Capacities are in the accesses' costs.
extension AccessTrace {
    /// The least recently used goes first.
    static func lruHits(_ accesses: [Access], capacity: Int) -> Int {
        var lastUse: [Int: Int] = [:]
        var queue: [(key: Int, use: Int)] = []
        var (head, used, hits) = (0, 0, 0)
        let costs = Dictionary(accesses.map { ($0.key, $0.cost) }) { first, _ in first }
        for (time, access) in accesses.enumerated() {
            if lastUse[access.key] != nil {
                hits += 1
            } else {
                guard access.cost <= capacity else { continue }
                while used + access.cost > capacity {
                    let oldest = queue[head]
                    head += 1
                    guard lastUse[oldest.key] == oldest.use else { continue }
                    lastUse[oldest.key] = nil
                    used -= costs[oldest.key] ?? 0
                }
                used += access.cost
            }
            lastUse[access.key] = time
            queue.append((access.key, time))
        }
        return hits
    }

    /// - Source: Yang et al., "FIFO queues are all you need for cache eviction", 2023; a tenth for the small queue.
    static func s3FIFOHits(_ accesses: [Access], capacity: Int) -> Int {
        struct Entry { var uses = 0; var isSmall: Bool; let cost: Int }
        var entries: [Int: Entry] = [:]
        var small = Queue(), main = Queue(), ghosts = Queue()
        var isGhost: Set<Int> = []
        var (smallBytes, mainBytes, ghostBytes, hits) = (0, 0, 0, 0)
        var ghostCosts: [Int: Int] = [:]
        let smallCapacity = max(1, capacity / 10)
        for access in accesses {
            if let entry = entries[access.key] {
                hits += 1
                entries[access.key]?.uses = min(3, entry.uses + 1)
                continue
            }
            guard access.cost <= capacity else { continue }
            while smallBytes + mainBytes + access.cost > capacity {
                if smallBytes >= smallCapacity || main.isEmpty, let key = small.pop(), var entry = entries[key] {
                    smallBytes -= entry.cost
                    if entry.uses > 1 {
                        entry.uses = 0
                        entry.isSmall = false
                        entries[key] = entry
                        main.push(key)
                        mainBytes += entry.cost
                    } else {
                        entries[key] = nil
                        isGhost.insert(key)
                        ghosts.push(key)
                        ghostCosts[key] = entry.cost
                        ghostBytes += entry.cost
                        while ghostBytes > capacity - smallCapacity, let old = ghosts.pop() {
                            if isGhost.remove(old) != nil { ghostBytes -= ghostCosts[old] ?? 0 }
                        }
                    }
                } else if let key = main.pop(), var entry = entries[key] {
                    if entry.uses > 0 {
                        entry.uses -= 1
                        entries[key] = entry
                        main.push(key)
                    } else {
                        entries[key] = nil
                        mainBytes -= entry.cost
                    }
                }
            }
            if isGhost.remove(access.key) != nil {
                ghostBytes -= access.cost
                entries[access.key] = Entry(isSmall: false, cost: access.cost)
                main.push(access.key)
                mainBytes += access.cost
            } else {
                entries[access.key] = Entry(isSmall: true, cost: access.cost)
                small.push(access.key)
                smallBytes += access.cost
            }
        }
        return hits
    }

    private struct Queue {
        private var keys: [Int] = []
        private var head = 0
        var isEmpty: Bool { head == keys.count }

        mutating func push(_ key: Int) { keys.append(key) }

        mutating func pop() -> Int? {
            guard head < keys.count else { return nil }
            defer { head += 1 }
            return keys[head]
        }
    }
}
