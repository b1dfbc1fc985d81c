import Calotype

/// The memory cache's hit ratio on a trace, beside those of other policies.
struct HitRatioCase: Sendable, CustomStringConvertible {
    enum Rival: String, Sendable {
        case lru = "LRU"
        case s3FIFO = "S3-FIFO"
    }

    let trace: AccessTrace
    /// In images of mean cost.
    let capacity: Int
    let costs: AccessTrace.Costs
    /// The policy to come close to on this trace.
    let rival: Rival
    /// The part of the rival's hits that has to be reached.
    let least: Double

    var description: String { "\(trace) \(capacity), \(costs)" }

    /// Each trace with each kind of costs.
    static let all: [HitRatioCase] = [
        (AccessTrace.popularWithScans, 1_000, Rival.s3FIFO, 0.97),
        (.feed, 100, .lru, 0.93),
        (.feed, 200, .lru, 0.93),
        (.mixedFeeds, 200, .lru, 0.93),
    ].flatMap { trace, capacity, rival, least in
        AccessTrace.Costs.allCases.map {
            HitRatioCase(trace: trace, capacity: capacity, costs: $0, rival: rival, least: least)
        }
    }

    struct Hits: Sendable {
        let accessCount: Int
        /// The memory cache's.
        let own: Int
        let lru: Int
        let s3FIFO: Int

        func of(_ rival: Rival) -> Int {
            switch rival {
            case .lru: lru
            case .s3FIFO: s3FIFO
            }
        }
    }

    /// Replays the trace.
    func hits() -> Hits {
        let (accesses, byteCapacity) = replay()
        return Hits(
            accessCount: accesses.count,
            own: MemoryBench.hits(accesses.map { ($0.key, $0.cost) }, costLimit: byteCapacity),
            lru: AccessTrace.lruHits(accesses, capacity: byteCapacity),
            s3FIFO: AccessTrace.s3FIFOHits(accesses, capacity: byteCapacity))
    }

    /// What somebody who knows the future would have.
    func optimalHits() -> Int {
        let (accesses, byteCapacity) = replay()
        return AccessTrace.optimalHits(accesses, capacity: byteCapacity)
    }

    private func replay() -> (accesses: [AccessTrace.Access], byteCapacity: Int) {
        let accesses = trace.accesses(costs)
        return (accesses, Int(Double(capacity) * AccessTrace.meanCost(accesses)))
    }

    var benchCase: BenchCase {
        let name = "hits-\(trace)-\(capacity)-\(costs.rawValue)"
        let row = BenchRow(
            name: name, title: "hits, \(rival.rawValue)'s = 1", unit: "x", bound: .atLeast(least))
        return BenchCase(.hits, row) { row, _ in
            let hits = hits()
            let ratio = { (count: Int) in Double(count) / Double(hits.accessCount) }
            row.measured = Double(hits.own) / Double(hits.of(rival))
            row.details = [
                .init(name: "hit ratio", value: ratio(hits.own)),
                .init(name: "LRU", value: ratio(hits.lru)),
                .init(name: "S3-FIFO", value: ratio(hits.s3FIFO)),
                .init(name: costs == .equal ? "optimum" : "Belady", value: ratio(optimalHits())),
                .init(name: "part of the better rival", value: Double(hits.own) / Double(max(hits.lru, hits.s3FIFO))),
            ]
        }
    }
}
