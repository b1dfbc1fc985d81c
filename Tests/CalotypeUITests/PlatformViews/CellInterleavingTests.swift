import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import Testing

@Suite("Image views: whatever comes in whatever order")
@MainActor
struct CellInterleavingTests {
    /// What each cell is to show; `nil` for the placeholder.
    @MainActor
    private final class Rows {
        let cells = (0..<6).map { _ in FakeCell() }
        var numbers: [Int?] = Array(repeating: nil, count: 6)
        var shownCount = 0
        var wrong: String?

        init() {
            for (index, cell) in cells.enumerated() {
                cell.display.onShow = { [weak self, weak cell] in
                    if let self, let cell { check(index, cell) }
                }
            }
        }

        /// A cell shows its own image, a part of it, or what stands for it.
        private func check(_ index: Int, _ cell: FakeCell) {
            guard let color = cell.display.color else { return }
            shownCount += 1
            if numbers[index].map({ color == .number($0) }) != true {
                wrong = wrong ?? "Cell \(index) is to show \(String(describing: numbers[index])) and shows \(color)."
            }
        }
    }

    @Test(
        """
        at any interleaving of reuse, completions, failures, cancellations, layouts, windows and evictions no cell shows \
        another's image or a cancellation, and every cell ends in its image or its failure
        """,
        arguments: [1, 2, 3, 4] as [UInt64])
    func interleavings(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let origin = HeldOrigin()
        let memory = MemoryCache(costLimit: 4 * 8 * 8 * 4, reactsToMemoryPressure: false)
        var configuration = ImagePipeline.Configuration(transport: origin, memory: memory, store: nil)
        configuration.retry = .none
        configuration.impressions = nil
        // It stands still: a view without a size is never given up on.
        configuration.clock = ManualClock()
        let pipeline = ImagePipeline(configuration)
        let rows = Rows()
        let count = 1_000
        for interleaving in 0..<count {
            for _ in 0..<Int.random(in: 2...6, using: &random) {
                let index = Int.random(in: 0..<rows.cells.count, using: &random)
                let cell = rows.cells[index]
                switch Int.random(in: 0..<22, using: &random) {
                case 0..<7:
                    let number =
                        Int.random(in: 0..<10, using: &random) == 0
                        ? nil : Int.random(in: 0..<HeldOrigin.count, using: &random)
                    rows.numbers[index] = number
                    cell.show(number.map { ImageRequest(url: HeldOrigin.url($0)) }, in: pipeline)
                case 7..<12: origin.finishOne(&random, fails: Int.random(in: 0..<8, using: &random) == 0)
                case 12: cell.loader.cancel()
                case 13: cell.layOut(CGFloat(Int.random(in: 0...12, using: &random)))
                case 14: cell.move(inWindow: Bool.random(using: &random))
                case 15: memory.removeAll()
                case 16: cell.loader.retry()
                default: for _ in 0..<Int.random(in: 1...4, using: &random) { await Task.yield() }
                }
            }
            try #require(rows.wrong == nil, "interleaving \(interleaving), seed \(seed)")
            guard interleaving % 20 == 19 else { continue }
            // Nobody goes on waiting, so nothing was lost.
            origin.open()
            for (index, cell) in rows.cells.enumerated() {
                cell.layOut(12)
                cell.move(inWindow: true)
                // What has been cancelled, or has failed for a moment, is asked for again.
                guard let number = rows.numbers[index] else { continue }
                cell.show(HeldOrigin.url(number), in: pipeline)
            }
            for (index, cell) in rows.cells.enumerated() {
                try await eventually {
                    rows.numbers[index].map { cell.display.color == .number($0) || cell.phases.last?.error != nil }
                        ?? (cell.display.name == "placeholder")
                }
            }
            origin.close()
        }
        #expect(rows.shownCount > count / 2)
        #expect(rows.cells.allSatisfy { $0.phases.allSatisfy { !($0.error?.underlyingError is CancellationError) } })
        for cell in rows.cells { cell.loader.cancel() }
        await pipeline.waitUntilIdle()
        #expect(pipeline.jobCounts == (0, 0, 0))
    }
}
