import SwiftUI
import Testing
import ViewHost

private struct Row: View {
    let index: Int
    let journal: Journal
    @State private var taps = 0

    var body: some View {
        Button("row \(index) \(taps)") { taps += 1 }
            .frame(height: 50)
            .onAppear { journal.note("+\(index)") }
            .onDisappear { journal.note("-\(index)") }
    }
}

@Suite("Lazy containers")
@MainActor
struct LazyTests {
    private func feed(_ count: Int, _ journal: Journal) -> some View {
        ScrollView {
            LazyVStack(spacing: 0) {
                ForEach(0..<count, id: \.self) { Row(index: $0, journal: journal) }
            }
        }
    }

    @Test("only rows in sight exist, and scrolling exchanges them")
    func recycling() throws {
        let journal = Journal()
        let host = ViewHost(size: CGSize(width: 100, height: 200), rendering: .manual) { feed(1000, journal) }
        #expect(journal.take() == ["+0", "+1", "+2", "+3"])
        #expect(host.scrollLimit == 1000 * 50 - 200)
        try host.scroll(to: 75)
        let frame = host.render()
        #expect(journal.take() == ["+4", "+5", "-0"])
        #expect(frame.texts(id: 1) == ["row 1 0"])
        #expect(frame.elements(id: 1).first?.rect.minY == -25 + 17)
        try host.scroll(to: 1_000_000)
        host.render()
        #expect(host.frame.texts == ["row 996 0", "row 997 0", "row 998 0", "row 999 0"])
        #expect(host.bodyCounts.values.reduce(0, +) == 6 + 4)
    }

    @Test("a row that comes back has fresh state, unless the host keeps it", arguments: [false, true])
    func rowState(keeps: Bool) throws {
        let journal = Journal()
        var settings = ViewHost.Settings()
        settings.keepsStateOfRows = keeps
        let host = ViewHost(size: CGSize(width: 100, height: 100), rendering: .manual, settings: settings) {
            feed(100, journal)
        }
        try host.tap("row 0 0")
        host.render()
        try host.scroll(to: 1000)
        host.render()
        try host.scroll(to: 0)
        #expect(host.render().texts(id: 0) == ["row 0 \(keeps ? 1 : 0)"])
        #expect(journal.entries.filter { $0.hasSuffix("0") && $0.count == 2 } == ["+0", "-0", "+0"])
    }

    @Test("a row's task is cancelled when it leaves, and runs again when it returns")
    func rowTask() async throws {
        let started = Events(), ended = Events()
        let host = ViewHost(size: CGSize(width: 100, height: 100), rendering: .manual) {
            List(0..<100) { row in
                Color.red.frame(height: 100).task {
                    started.note("\(row)")
                    await untilCancelled()
                    ended.note("\(row)")
                }
            }
        }
        await started.next("0")
        try host.scroll(to: 5000)
        host.render()
        await ended.next("0")
        await started.next("50")
        try host.scroll(to: 0)
        host.render()
        await started.next("0")
        host.close()
        host.render()
        await ended.next("50")
        await ended.next("0")
    }

    @Test("overscan makes rows before they are seen")
    func overscan() {
        let journal = Journal()
        var settings = ViewHost.Settings()
        settings.overscan = 60
        _ = ViewHost(size: CGSize(width: 100, height: 100), rendering: .manual, settings: settings) {
            feed(100, journal)
        }
        #expect(journal.entries == ["+0", "+1", "+2", "+3"])
    }

    @Test("rows are inserted and removed with their data")
    func dataChange() throws {
        let journal = Journal()
        func view(_ rows: [Int]) -> some View {
            ScrollView { LazyVStack(spacing: 0) { ForEach(rows, id: \.self) { Row(index: $0, journal: journal) } } }
        }
        let host = ViewHost(size: CGSize(width: 100, height: 500), rendering: .manual) { view([1, 2, 3]) }
        try host.tap("row 3 0")
        host.render()
        _ = journal.take()
        host.update { view([3, 4, 1]) }
        #expect(host.render().texts == ["row 3 1", "row 4 0", "row 1 0"])
        #expect(journal.take() == ["+4", "-2"])
    }

    @Test("rows of different heights lie one below the other")
    func heights() throws {
        let host = ViewHost(size: CGSize(width: 100, height: 100), rendering: .manual) {
            ScrollView {
                LazyVStack(spacing: 0) {
                    ForEach(0..<20, id: \.self) { Color.red.frame(height: CGFloat(10 + $0 * 2)) }
                }
            }
        }
        #expect(host.frame.elements.map(\.rect.minY) == [0, 10, 22, 36, 52, 70, 90])
        // What was never measured counts as the average: the end is found step by step.
        for _ in 0..<4 {
            try host.scroll(to: 1_000_000)
            host.render()
        }
        #expect(host.frame.elements.last?.rect.maxY == 100)
        #expect(host.faults.isEmpty)
    }

    @Test("a grid's columns share the width, and its lines are made as they come into sight")
    func grid() throws {
        let columns = Array(repeating: GridItem(.flexible(), spacing: 4), count: 3)
        let host = ViewHost(size: CGSize(width: 308, height: 150), rendering: .manual) {
            ScrollView {
                LazyVGrid(columns: columns, spacing: 4) {
                    ForEach(0..<300, id: \.self) { _ in Color.red.aspectRatio(1, contentMode: .fill) }
                }
            }
        }
        #expect(host.frame.elements.count == 6)
        #expect(host.frame.elements[4].rect == CGRect(x: 104, y: 104, width: 100, height: 100))
        #expect(host.frame.elements(id: 5).map(\.rect.minX) == [208])
        #expect(host.scrollLimit == 100 * 100 + 99 * 4 - 150)
    }

    @Test("visibility in the scroll view is reported when it crosses the threshold")
    func visibility() throws {
        let journal = Journal()
        let host = ViewHost(size: CGSize(width: 100, height: 100), rendering: .manual) {
            ScrollView {
                VStack(spacing: 0) {
                    ForEach(0..<3, id: \.self) { row in
                        Color.red.frame(height: 80).onScrollVisibilityChange { journal.note("\(row) \($0)") }
                    }
                }
            }
        }
        #expect(journal.take() == ["0 true"])
        try host.scroll(to: 60)
        host.render()
        #expect(journal.take() == ["0 false", "1 true"])
    }
}
