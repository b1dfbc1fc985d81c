import CalotypeTesting
import Testing

@testable import Calotype

@Suite("Eviction: near LRU on feeds, near S3-FIFO on popular sets")
struct EvictionTraceTests {
    /// A trace, a capacity, and the policy that does best on it.
    struct Row: Sendable, CustomTestStringConvertible {
        enum Rival { case lru, s3FIFO }

        let trace: AccessTrace
        let capacity: Int
        let rival: Rival
        /// The part of the rival's hit ratio that has to be reached.
        let least: Double

        var testDescription: String { "\(trace), capacity \(capacity)" }

        static let all: [Row] = [
            Row(trace: .popularWithScans, capacity: 1_000, rival: .s3FIFO, least: 0.97),
            Row(trace: .feed, capacity: 100, rival: .lru, least: 0.93),
            Row(trace: .feed, capacity: 200, rival: .lru, least: 0.93),
            Row(trace: .mixedFeeds, capacity: 200, rival: .lru, least: 0.93),
        ]
    }

    @Test(
        "the hit ratio comes close to the best policy's, for images of one size and of many",
        arguments: Row.all, [AccessTrace.Costs.equal, .lognormal, .threeSizes])
    func ratio(_ row: Row, _ costs: AccessTrace.Costs) {
        let accesses = row.trace.accesses(costs)
        let byteCapacity = Int(Double(row.capacity) * AccessTrace.meanCost(accesses))
        let rival =
            switch row.rival {
            case .lru: AccessTrace.lruHits(accesses, capacity: byteCapacity)
            case .s3FIFO: AccessTrace.s3FIFOHits(accesses, capacity: byteCapacity)
            }
        let hits = AccessTrace.hits(of: MemoryCache(costLimit: byteCapacity), accesses)
        let part = Double(hits) / Double(rival)
        #expect(part >= row.least, "\(hits) hits of \(accesses.count), \(rival) by the rival")
    }
}
