import CalotypeTesting
import Foundation

/// Accesses as feeds and popular sets make them.
enum AccessTrace: CustomStringConvertible, Sendable {
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
    enum Costs: String, CaseIterable, Sendable {
        case equal, lognormal
        case threeSizes = "three-sizes"
    }

    var description: String {
        switch self {
        case .popularWithScans: "popular"
        case .feed: "feed"
        case .mixedFeeds: "mixed"
        }
    }

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
}
