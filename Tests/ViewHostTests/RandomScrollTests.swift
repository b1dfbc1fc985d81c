import SwiftUI
import Testing
import ViewHost

/// Which rows have appeared and not disappeared, and which tasks run.
@MainActor
private final class Population {
    private(set) var shown: [Int: Int] = [:]
    private(set) var running: [Int: Int] = [:] { didSet { wakeWaiter() } }
    private var waiter: (rows: [Int: Int], continuation: CheckedContinuation<Void, Never>)?

    func appeared(_ row: Int) { shown[row, default: 0] += 1 }
    func disappeared(_ row: Int) { shown[row, default: 0] -= 1 }
    func started(_ row: Int) { running[row, default: 0] += 1 }
    func ended(_ row: Int) { running[row, default: 0] -= 1 }

    var shownRows: [Int: Int] { shown.filter { $0.value != 0 } }
    var runningRows: [Int: Int] { running.filter { $0.value != 0 } }

    /// Waits until it is these rows whose tasks run. How many turns of the main actor that takes isn't known: other tests
    /// have theirs there, too.
    func waitUntilRunning(_ rows: [Int: Int]) async {
        if runningRows == rows { return }
        await withCheckedContinuation { waiter = (rows, $0) }
    }

    private func wakeWaiter() {
        guard let waiter, waiter.rows == runningRows else { return }
        self.waiter = nil
        waiter.continuation.resume()
    }
}

private struct LivingRow: View {
    let row: Int
    let population: Population
    @State private var count = 0

    var body: some View {
        Text("\(row)")
            .frame(height: CGFloat(40 + row % 3 * 10))
            .onAppear { population.appeared(row) }
            .onDisappear { population.disappeared(row) }
            .task {
                population.started(row)
                await untilCancelled()
                population.ended(row)
            }
    }
}

@Suite("Random scrolling")
@MainActor
struct RandomScrollTests {
    @Test(
        "after any scrolls, insertions, removals and resizes, what is in sight lives, and nothing else",
        .timeLimit(.minutes(5)), arguments: [1, 2, 3, 4] as [UInt64], [false, true])
    func balanced(seed: UInt64, keeps: Bool) async throws {
        var generator = Steps(state: seed)
        let population = Population()
        var rows = Array(0..<60)
        var settings = ViewHost.Settings()
        settings.seed = seed
        settings.keepsStateOfRows = keeps
        func view(_ rows: [Int]) -> some View {
            ScrollView {
                LazyVStack(spacing: 0) {
                    ForEach(rows, id: \.self) { LivingRow(row: $0, population: population) }
                }
            }
        }
        let host = ViewHost(size: CGSize(width: 100, height: 300), rendering: .manual, settings: settings) {
            view(rows)
        }
        for step in 0..<400 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: rows.shuffle(using: &generator)
            case 1: rows.removeAll { $0 % 7 == step % 7 }
            case 2: rows = Array(0..<60)
            case 3: host.resize(CGSize(width: 100, height: CGFloat.random(in: 50...600, using: &generator)))
            default: try host.scroll(to: CGFloat.random(in: 0...3000, using: &generator))
            }
            let shown = rows
            host.update { view(shown) }
            let frame = host.render()
            let visible = Dictionary(frame.texts.compactMap(Int.init).map { ($0, 1) }, uniquingKeysWith: +)
            #expect(population.shownRows == visible, "step \(step)")
            if step % 20 == 0 { await drainMainActor() }
        }
        await population.waitUntilRunning(population.shownRows)
        host.close()
        host.render()
        #expect(population.shownRows.isEmpty)
        await population.waitUntilRunning([:])
        #expect(host.faults.isEmpty)
    }
}

/// SplitMix64.
private struct Steps: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
