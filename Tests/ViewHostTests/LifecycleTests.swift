import SwiftUI
import Testing
import ViewHost

private struct Noted<Content: View>: View {
    let name: String
    let journal: Journal
    @ViewBuilder let content: Content

    var body: some View {
        content
            .onAppear { journal.note("+\(name)") }
            .onDisappear { journal.note("-\(name)") }
    }
}

@Suite("Life cycle")
@MainActor
struct LifecycleTests {
    @Test("the parent's onAppear comes first, then the child's, and tasks only after the frame")
    func order() async throws {
        let journal = Journal()
        let done = Signal()
        let host = ViewHost {
            Noted(name: "parent", journal: journal) {
                Noted(name: "child", journal: journal) {
                    Text("a").task {
                        journal.note("task")
                        done.give()
                    }
                }
            }
        }
        #expect(host.frame.texts == ["a"])
        #expect(journal.take() == ["+parent", "+child"])
        await done.wait()
        #expect(journal.take() == ["task"])
        host.close()
        host.render()
        #expect(journal.take() == ["-parent", "-child"])
    }

    @Test("what onAppear changes is in the first frame")
    func appearBeforeFrame() {
        let host = ViewHost(rendering: .manual) { Greeter() }
        #expect(host.frame.number == 1)
        #expect(host.frame.texts == ["hello"])
    }

    @Test("a task is cancelled by another id, and by disappearance; an equal id leaves it alone")
    func taskIdentity() async throws {
        let started = Events(), ended = Events()
        func view(_ id: Int?) -> some View {
            Group {
                if let id {
                    Text("\(id)").task(id: id) {
                        started.note("\(id)")
                        await untilCancelled()
                        ended.note("\(id)")
                    }
                }
            }
        }
        let host = ViewHost(rendering: .manual) { view(1) }
        await started.next("1")
        host.update { view(1) }
        host.render()
        host.update { view(2) }
        host.render()
        await ended.next("1")
        await started.next("2")
        host.update { view(nil) }
        host.render()
        await ended.next("2")
        host.update { view(2) }
        host.render()
        await started.next("2")
        #expect(started.all == ["1", "2", "2"])
        host.close()
        host.render()
        await ended.next("2")
    }

    @Test("a view that leaves before its task was started runs none")
    func taskNeverStarted() async {
        let journal = Journal()
        let host = ViewHost(rendering: .manual) { Flicker(journal: journal) }
        await drainMainActor()
        #expect(host.frame.texts == ["gone"])
        #expect(journal.entries.isEmpty)
    }

    @Test("tasks of one frame start in an order that the seed decides")
    func taskOrder() async {
        var orders: Set<[String]> = []
        for seed in 1...8 {
            let journal = Journal()
            let all = Signal()
            var settings = ViewHost.Settings()
            settings.seed = UInt64(seed)
            let host = ViewHost(rendering: .manual, settings: settings) {
                ForEach(0..<4, id: \.self) { index in
                    Text("\(index)").task {
                        journal.note("\(index)")
                        if journal.entries.count == 4 { all.give() }
                    }
                }
            }
            await all.wait()
            orders.insert(journal.take())
            host.close()
        }
        #expect(orders.count > 1)
    }

    @Test("onChange has the old value and the new, and the first only when asked for")
    func onChange() {
        let journal = Journal()
        func view(_ value: Int) -> some View {
            Text("\(value)")
                .onChange(of: value) { journal.note("\($0)>\($1)") }
                .onChange(of: value, initial: true) { journal.note("at \(value)") }
        }
        let host = ViewHost(rendering: .manual) { view(1) }
        #expect(journal.take() == ["at 1"])
        host.update { view(1) }
        host.render()
        #expect(journal.take() == [])
        host.update { view(2) }
        host.render()
        #expect(journal.take().sorted() == ["1>2", "at 2"])
    }

    @Test("onAppear can be withheld from chosen views")
    func withheld() {
        let journal = Journal()
        var settings = ViewHost.Settings()
        settings.withholds = { event, ids in event == .appear && ids.contains(AnyHashable(2)) }
        _ = ViewHost(rendering: .manual, settings: settings) {
            ForEach([1, 2, 3], id: \.self) { row in
                Text("\(row)").onAppear { journal.note("\(row)") }
            }
        }
        #expect(journal.entries == ["1", "3"])
    }

    @Test("hidden views live on; disabled buttons do nothing")
    func hidden() throws {
        let journal = Journal()
        let host = ViewHost(rendering: .manual) {
            Noted(name: "a", journal: journal) { Text("a") }.hidden()
            Button("tap") { journal.note("tapped") }.disabled(true)
        }
        #expect(journal.take() == ["+a"])
        #expect(host.frame.elements.first?.isVisible == false)
        try host.tap("tap")
        #expect(journal.take() == [])
        #expect(throws: NoSuchElement.self) { try host.tap("elsewhere") }
    }
}

private struct Greeter: View {
    @State private var greeting = ""
    var body: some View { Text(greeting).onAppear { greeting = "hello" } }
}

private struct Flicker: View {
    let journal: Journal
    @State private var isGone = false

    var body: some View {
        if isGone {
            Text("gone")
        } else {
            Text("here").task { journal.note("ran") }.onAppear { isGone = true }
        }
    }
}

/// Named events that tests wait for, each once.
@MainActor
final class Events {
    private(set) var all: [String] = []
    private var unseen: [String] = []
    private var waiters: [(name: String, continuation: CheckedContinuation<Void, Never>)] = []

    func note(_ name: String) {
        all.append(name)
        if let index = waiters.firstIndex(where: { $0.name == name }) {
            waiters.remove(at: index).continuation.resume()
        } else {
            unseen.append(name)
        }
    }

    func next(_ name: String) async {
        if let index = unseen.firstIndex(of: name) {
            unseen.remove(at: index)
            return
        }
        await withCheckedContinuation { waiters.append((name, $0)) }
    }
}

/// Returns once the task is cancelled.
@MainActor
func untilCancelled() async {
    let signal = Signal()
    await withTaskCancellationHandler {
        await signal.wait()
    } onCancel: {
        Task { @MainActor in signal.give() }
    }
}

/// Lets everything run that the main actor has been given so far, and what that gives it.
@MainActor
func drainMainActor() async {
    for _ in 0..<10 { await Task { @MainActor in }.value }
}
