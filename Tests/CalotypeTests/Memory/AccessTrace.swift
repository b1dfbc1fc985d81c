import Foundation

@testable import Calotype

/// Accesses as feeds and popular sets make them, and the policies that do best on each.
enum AccessTrace: String, CaseIterable, CustomStringConvertible, Sendable {
    /// 5,000 images by Zipf's law, with scans over images that are seen once.
    case popularWithScans
    /// 300 rows, ten passes down and up.
    case feed
    /// Feeds scrolled part of the way and back, with avatars between.
    case mixedFeeds

    struct Access {
        let key: Int
        let cost: Int
    }

    /// How large the images are.
    enum Costs: String, Sendable {
        case equal, lognormal, threeSizes
    }

    var description: String { rawValue }

    func accesses(_ costs: Costs) -> [Access] {
        var random = SeededGenerator(seed: 1)
        return keys(&random).map { Access(key: $0, cost: Self.cost(of: $0, costs)) }
    }

    private func keys(_ random: inout SeededGenerator) -> [Int] {
        var keys: [Int] = []
        switch self {
        case .popularWithScans:
            var cold = 10_000
            while keys.count < 300_000 {
                if Double.random(in: 0..<1, using: &random) < 0.001 {
                    keys += cold..<cold + 200
                    cold += 200
                } else {
                    keys.append(min(4_999, Int(pow(5_000, Double.random(in: 0..<1, using: &random))) - 1))
                }
            }
        case .feed:
            for pass in 0..<10 { keys += pass % 2 == 0 ? Array(0..<300) : (0..<300).reversed() }
        case .mixedFeeds:
            for _ in 0..<40 {
                let base = [0, 0, 0, 2_000, 4_000].randomElement(using: &random) ?? 0
                let depth = Int.random(in: 50...400, using: &random)
                keys += base..<base + depth
                keys += (base..<base + depth).reversed()
                for _ in 0..<20 { keys.append(100_000 + Int.random(in: 0...30, using: &random)) }
            }
        }
        return keys
    }

    /// The same key always costs the same.
    private static func cost(of key: Int, _ costs: Costs) -> Int {
        var random = SeededGenerator(seed: UInt64(key) &+ 77)
        switch costs {
        case .equal: return 1
        case .threeSizes: return [88 * 88 * 4, 264 * 264 * 4, 1_179 * 884 * 4].randomElement(using: &random) ?? 1
        case .lognormal:
            let u = Double.random(in: 0.000_001..<1, using: &random)
            let v = Double.random(in: 0..<1, using: &random)
            return 1 + Int(1_000 * exp(sqrt(-2 * log(u)) * cos(2 * .pi * v)))
        }
    }

    /// The mean over the images, each counted once.
    static func meanCost(_ accesses: [Access]) -> Double {
        let costs = Dictionary(accesses.map { ($0.key, $0.cost) }) { first, _ in first }
        return Double(costs.values.reduce(0, +)) / Double(costs.count)
    }

    // MARK: Policies

    static func hits(of cache: MemoryCache, _ accesses: [Access]) -> Int {
        var hits = 0
        for access in accesses {
            let item = Item(access.key)
            if cache.find(item.query, countsAsUse: true) != nil {
                hits += 1
            } else {
                cache.insert(item.rendition(cost: access.cost))
            }
        }
        return hits
    }

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
