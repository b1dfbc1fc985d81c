import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import Observation
import SwiftUI
import Testing
import ViewHost

@Suite("A feed: whatever comes in whatever order")
@MainActor
struct InterleavingTests {
    /// What SwiftUI may do, and what it may leave out.
    struct Way: Sendable, CustomTestStringConvertible {
        let seed: UInt64
        var keepsStateOfRows = false
        var withheld: [LifecycleEvent] = []

        var testDescription: String {
            "seed \(seed)" + (keepsStateOfRows ? ", rows keep their state" : "")
                + withheld.map { ", half of the \($0) events withheld" }.joined()
        }

        static let all = [
            Way(seed: 1), Way(seed: 2, keepsStateOfRows: true), Way(seed: 3, withheld: [.appear, .task]),
            Way(seed: 4, keepsStateOfRows: true, withheld: [.appear, .task]), Way(seed: 5, withheld: [.disappear]),
        ]
    }

    /// For each way. `make view-soak` has 10,000 in all.
    nonisolated static let interleavingCount =
        (ProcessInfo.processInfo.environment["CALOTYPE_INTERLEAVINGS"].flatMap(Int.init) ?? 2_000) / Way.all.count

    @MainActor @Observable
    final class Model {
        /// What each row shows; rows are known by their places, so that a change is another image in the same view.
        var numbers: [Int?] = (0..<10).map { $0 }
        var evaluation = 0
    }

    private struct Feed: View {
        let model: Model

        var body: some View {
            _ = model.evaluation
            return ScrollView {
                LazyVStack(spacing: 0) {
                    ForEach(0..<model.numbers.count, id: \.self) { place in
                        HStack {
                            RetryThumbnail(url: model.numbers[place].map(HeldOrigin.url), side: 40)
                            Text(verbatim: "is \(model.numbers[place] ?? -1)")
                        }
                    }
                }
            }
        }
    }

    @MainActor
    private final class Findings {
        var shownCount = 0
        var error: (any Error)?
        var context = ""
    }

    private func rows(of frame: Frame) -> [AnyHashable: [Element]] {
        Dictionary(grouping: frame.elements.filter { !$0.ids.isEmpty }) { $0.ids[0] }
    }

    /// What each row of a frame shows beside its number.
    private func check(_ frame: Frame, _ context: String) throws -> Int {
        var shown = 0
        for (place, row) in rows(of: frame) {
            guard let name = row.compactMap(\.text).first(where: { $0.hasPrefix("is ") }) else { continue }
            for image in row.compactMap(\.image) {
                let number = try #require(Int(name.dropFirst(3)))
                try #require(image.color == .number(number), "\(context), row \(place)")
                shown += 1
            }
            for text in row.compactMap(\.text) where text != name && text != "Retry" {
                try #require(text == "\(ImageError.Reason.status(404))", "\(context), row \(place)")
            }
        }
        return shown
    }

    /// Whether each row shows its image or its failure, or has nothing to show.
    private func isSettled(_ frame: Frame) -> Bool {
        rows(of: frame).values.allSatisfy { row in
            row.contains { $0.text == "is -1" || $0.image != nil || $0.text == "Retry" }
        }
    }

    @Test(
        """
        at any interleaving of completions, failures, cancellations, changes of URL, evictions and scrolls, no row \
        shows another's image or a cancellation, and every row ends in its image or its failure
        """,
        arguments: Way.all)
    func interleavings(way: Way) async throws {
        var random = SeededGenerator(seed: way.seed)
        var eventRandom = SeededGenerator(seed: way.seed + 100)
        let origin = HeldOrigin()
        let memory = MemoryCache(costLimit: 4 * 8 * 8 * 4, reactsToMemoryPressure: false)
        var configuration = ImagePipeline.Configuration(transport: origin, memory: memory, store: nil)
        configuration.retry = .none
        configuration.impressions = nil
        let pipeline = ImagePipeline(configuration)
        let model = Model()
        var settings = ViewHost.Settings()
        settings.seed = way.seed
        settings.keepsStateOfRows = way.keepsStateOfRows
        settings.withholds = { event, _ in way.withheld.contains(event) && Bool.random(using: &eventRandom) }
        let host = ViewHost(size: CGSize(width: 320, height: 120), settings: settings) {
            Feed(model: model).imagePipeline(pipeline)
        }
        let findings = Findings()
        host.onFrame = { frame in
            do { findings.shownCount += try check(frame, findings.context) } catch {
                findings.error = findings.error ?? error
            }
        }
        let start = ContinuousClock.now

        for interleaving in 0..<Self.interleavingCount {
            findings.context = "interleaving \(interleaving), \(way.testDescription)"
            for _ in 0..<Int.random(in: 2...6, using: &random) {
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<5:
                    try host.scroll(to: CGFloat.random(in: 0...host.scrollLimit, using: &random))
                    if Bool.random(using: &random) { host.render() }
                case 5..<8:
                    model.numbers[Int.random(in: 0..<10, using: &random)] =
                        Int.random(in: 0..<10, using: &random) == 0
                        ? nil : Int.random(in: 0..<HeldOrigin.count, using: &random)
                case 8..<13: origin.finishOne(&random, fails: Int.random(in: 0..<8, using: &random) == 0)
                case 13: model.evaluation += 1
                case 14: memory.removeAll()
                case 15: if host.frame.button("Retry") != nil { try host.tap("Retry") }
                case 16:
                    // Leaves and returns within a frame.
                    let offset = host.scrollOffset
                    try host.scroll(to: host.scrollLimit - offset)
                    try host.scroll(to: offset)
                default: for _ in 0..<Int.random(in: 1...4, using: &random) { await Task.yield() }
                }
            }
            host.render()
            if let error = findings.error { throw error }
            if interleaving % 20 == 19 {
                // Nobody goes on waiting, so nothing was lost.
                origin.open()
                try await host.next { isSettled($0) }
                origin.close()
            }
        }
        print("\(Self.interleavingCount) interleavings, \(way.testDescription): \(ContinuousClock.now - start)")
        #expect(findings.shownCount > Self.interleavingCount)
        #expect(host.faults.isEmpty)

        host.close()
        await pipeline.waitUntilIdle()
        #expect(pipeline.jobCounts == (0, 0, 0))
    }
}
