import CalotypeTesting
import Testing

@testable import CalotypeTool

@Suite("Eviction: near LRU on feeds, near S3-FIFO on popular sets")
struct EvictionTraceTests {
    @Test(
        "the hit ratio comes close to the best policy's, for images of one size and of many",
        arguments: HitRatioCase.all)
    func ratio(_ row: HitRatioCase) {
        let hits = row.hits()
        let part = Double(hits.own) / Double(hits.of(row.rival))
        #expect(part >= row.least, "\(hits.own) hits of \(hits.accessCount), \(hits.of(row.rival)) by the rival")
    }

    @Test("for images of one size, nobody beats who knows the future", arguments: [3, 10, 40])
    func optimum(_ capacity: Int) {
        var random = SeededGenerator(seed: 7)
        let accesses = (0..<5_000).map { _ in
            AccessTrace.Access(key: Int.random(in: 0..<60, using: &random), cost: 1)
        }
        let best = AccessTrace.optimalHits(accesses, capacity: capacity)
        #expect(best > AccessTrace.lruHits(accesses, capacity: capacity))
        #expect(best > AccessTrace.s3FIFOHits(accesses, capacity: capacity))
    }

    @Test("who knows the future keeps what comes back first")
    func smallOptimum() {
        // Two places. 1 and 2 are kept; 3 isn't, since it never comes back.
        let accesses = [1, 2, 3, 1, 2].map { AccessTrace.Access(key: $0, cost: 1) }
        #expect(AccessTrace.optimalHits(accesses, capacity: 2) == 2)
        #expect(AccessTrace.lruHits(accesses, capacity: 2) == 0)
    }
}
