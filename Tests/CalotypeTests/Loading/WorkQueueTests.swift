import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("Work queue: the most urgent first, the newest among equals, within a share and a budget")
struct WorkQueueTests {
    /// Work that notes its name when it starts.
    private final class Item: WorkItem, @unchecked Sendable {
        let name: String
        let log: Log

        init(_ name: String, byteCount: Int, _ log: Log) {
            self.name = name
            self.log = log
            super.init()
            self.byteCount = byteCount
        }

        override func start() { log.names.withLock { $0.append(name) } }
    }

    private final class Log: Sendable {
        let names = Mutex<[String]>([])
    }

    enum Step: Sendable {
        case add(String, ImageRequest.Priority = .normal, bytes: Int = 0)
        case move(String, ImageRequest.Priority)
        case remove(String)
        case finish(String)
    }

    /// What is done, and what has started afterwards, in that order.
    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var limits: WorkQueue.Limits
        var steps: [(Step, starts: String)]
        var testDescription: String { title }

        init(_ title: String, _ limits: WorkQueue.Limits, _ steps: [(Step, starts: String)]) {
            self.title = title
            self.limits = limits
            self.steps = steps
        }
    }

    private static let one = WorkQueue.Limits(count: 1, backgroundCount: 1)
    private static let four = WorkQueue.Limits(count: 4, backgroundCount: 2)

    private static let cases = [
        Case(
            "the most urgent first, the newest among equals", one,
            [
                (.add("a"), "a"), (.add("b"), ""), (.add("c", .low), ""), (.add("d", .high), ""), (.add("e"), ""),
                (.finish("a"), "d"), (.finish("d"), "e"), (.finish("e"), "b"), (.finish("b"), "c"), (.finish("c"), ""),
            ]),
        Case(
            "a move while waiting makes it the newest of its new priority", one,
            [
                (.add("a"), "a"), (.add("b", .high), ""), (.add("c", .low), ""), (.add("d", .high), ""),
                (.move("c", .high), ""), (.move("d", .veryLow), ""), (.finish("a"), "c"), (.finish("c"), "b"),
                (.finish("b"), "d"),
            ]),
        Case(
            "what is taken back doesn't start", one,
            [(.add("a"), "a"), (.add("b"), ""), (.add("c"), ""), (.remove("c"), ""), (.finish("a"), "b")]),
        Case(
            "background work holds no more than its share, and the others find their places", four,
            [
                (.add("a", .low), "a"), (.add("b", .veryLow), "b"), (.add("c", .low), ""), (.add("d"), "d"),
                (.add("e", .high), "e"), (.add("f"), ""), (.finish("d"), "f"), (.finish("f"), ""), (.finish("a"), "c"),
            ]),
        Case(
            "absurd numbers of bytes are none, or more than anything can run beside",
            .init(count: 4, backgroundCount: 2, byteCount: .max),
            [
                (.add("a", bytes: .min), "a"), (.add("b", bytes: -1), "b"), (.add("c", bytes: .max), "c"),
                (.add("d", bytes: 1), ""), (.add("e", bytes: .max), ""), (.finish("a"), ""), (.finish("c"), "d"),
                (.finish("b"), ""), (.finish("d"), "e"), (.finish("e"), ""),
            ]),
        Case(
            "running work that is promoted makes room in the share; demoted, it counts again", four,
            [
                (.add("a", .low), "a"), (.add("b", .low), "b"), (.add("c", .low), ""), (.add("d", .low), ""),
                (.move("a", .high), "d"), (.move("a", .low), ""), (.finish("a"), ""), (.finish("b"), "c"),
            ]),
        Case(
            "demoted beyond the share, work keeps its place", .init(count: 2, backgroundCount: 1),
            [
                (.add("a"), "a"), (.add("b"), "b"), (.add("c"), ""), (.move("a", .low), ""), (.move("b", .low), ""),
                (.finish("a"), "c"),
            ]),
        Case(
            "or steps aside, where it mostly waits elsewhere",
            .init(count: 2, backgroundCount: 1, demotedStepsAside: true),
            [
                (.add("a"), "a"), (.add("b"), "b"), (.add("c"), ""), (.add("d", .low), ""), (.move("a", .low), ""),
                (.move("b", .low), "c"), (.finish("a"), ""), (.finish("b"), "d"),
            ]),
        Case(
            "waiting work that is promoted out of the share starts", four,
            [(.add("a", .low), "a"), (.add("b", .low), "b"), (.add("c", .low), ""), (.move("c", .normal), "c")]),
        Case(
            "the background has one place of one", one,
            [(.add("a", .low), "a"), (.add("b", .low), ""), (.add("c"), ""), (.finish("a"), "c"), (.finish("c"), "b")]),
        Case(
            "work starts only while its bytes fit", .init(count: 9, backgroundCount: 9, byteCount: 100),
            [
                (.add("a", bytes: 60), "a"), (.add("b", bytes: 40), "b"), (.add("c", bytes: 1), ""),
                (.finish("b"), "c"), (.add("d", bytes: 40), ""), (.finish("c"), "d"),
            ]),
        Case(
            "work beyond the budget runs alone", .init(count: 9, backgroundCount: 9, byteCount: 100),
            [
                (.add("a", bytes: 500), "a"), (.add("b"), ""), (.finish("a"), "b"), (.add("c", bytes: .max), ""),
                (.add("d", .low), ""), (.finish("b"), "c"), (.finish("c"), "d"),
            ]),
        Case(
            "smaller work of its priority or below doesn't overtake what is held back; more urgent work does",
            .init(count: 9, backgroundCount: 9, byteCount: 100),
            [
                (.add("a", bytes: 60), "a"), (.add("b", bytes: 90), ""), (.add("c", bytes: 10), ""),
                (.add("d", .low, bytes: 10), ""), (.add("e", .high, bytes: 10), "e"), (.add("f", bytes: 10), ""),
                (.finish("e"), ""), (.finish("a"), "bf"), (.finish("f"), "c"),
            ]),
        Case(
            "what is held back and then taken back lets the others go",
            .init(count: 9, backgroundCount: 9, byteCount: 100),
            [
                (.add("a", bytes: 60), "a"), (.add("b", bytes: 90), ""), (.add("c", bytes: 10), ""),
                (.remove("b"), "c"),
            ]),
        Case(
            "background work leaves half of the bytes to others", .init(count: 9, backgroundCount: 9, byteCount: 100),
            [
                (.add("a", .low, bytes: 30), "a"), (.add("b", .low, bytes: 30), ""), (.add("c", bytes: 60), "c"),
                (.finish("a"), ""), (.finish("c"), "b"),
            ]),
        Case(
            "large background work runs once nothing else does", .init(count: 9, backgroundCount: 9, byteCount: 100),
            [(.add("a"), "a"), (.add("b", .low, bytes: 90), ""), (.finish("a"), "b")]),
    ]

    @Test(arguments: cases)
    func rules(rule: Case) {
        let queue = WorkQueue(rule.limits)
        let log = Log()
        var items: [String: Item] = [:]
        for (number, (step, starts)) in rule.steps.enumerated() {
            switch step {
            case .add(let name, let priority, let byteCount):
                let item = Item(name, byteCount: byteCount, log)
                items[name] = item
                if queue.add(item, priority: priority) { item.start() }
            case .move(let name, let priority): queue.move(items[name]!, to: priority)
            case .remove(let name): #expect(queue.remove(items[name]!))
            case .finish(let name): queue.finish(items[name]!)
            }
            let started = log.names.withLock { names in
                defer { names = [] }
                return names.joined()
            }
            #expect(started == starts, "step \(number + 1)")
        }
    }

    @Test("whatever comes, moves and goes, the limits hold, nothing is lost, and in the end nothing runs")
    func random() async {
        let limits = WorkQueue.Limits(count: 8, backgroundCount: 3, byteCount: 1_000)
        let queue = WorkQueue(limits)
        let log = Log()
        var random = SystemRandomNumberGenerator()
        var known: [String: Item] = [:]
        var running: Set<String> = []
        var unfinishedCount = 0
        func collect() {
            for name in log.names.withLock({ names in
                defer { names = [] }; return names
            }) {
                #expect(running.insert(name).inserted, "started twice")
            }
            let counts = queue.counts
            #expect(counts.running == running.count && counts.running <= limits.count)
            #expect(counts.byteCount <= limits.byteCount || counts.running == 1)
            #expect(counts.waiting == unfinishedCount - counts.running)
        }
        for number in 0..<20_000 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2:
                let item = Item("\(number)", byteCount: .random(in: 0...400, using: &random), log)
                known[item.name] = item
                unfinishedCount += 1
                if queue.add(item, priority: ImageRequest.Priority.allCases.randomElement(using: &random)!) {
                    item.start()
                }
            case 3...4:
                guard let item = known.randomElement(using: &random)?.value else { continue }
                queue.move(item, to: ImageRequest.Priority.allCases.randomElement(using: &random)!)
            case 5:
                guard let item = known.randomElement(using: &random)?.value, queue.remove(item) else { continue }
                known[item.name] = nil
                unfinishedCount -= 1
            default:
                guard let name = running.randomElement(using: &random) else { continue }
                running.remove(name)
                unfinishedCount -= 1
                queue.finish(known.removeValue(forKey: name)!)
            }
            collect()
        }
        while let name = running.popFirst() {
            unfinishedCount -= 1
            queue.finish(known.removeValue(forKey: name)!)
            collect()
        }
        #expect(queue.counts == WorkQueue.Counts() && known.isEmpty)
        await queue.waitUntilIdle()
    }

    /// Work that is done on another thread as soon as it has started.
    private final class Brief: WorkItem, @unchecked Sendable {
        private let queue: WorkQueue

        init(_ queue: WorkQueue) { self.queue = queue }

        override func start() { DispatchQueue.global().async { [self] in queue.finish(self) } }
    }

    @Test("whatever is added while other work ends is started", .timeLimit(.minutes(5)))
    func addedWhileOtherWorkEnds() async {
        let queue = WorkQueue(.init(count: 2, backgroundCount: 2))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2_000 {
                        let item = Brief(queue)
                        if queue.add(item, priority: .normal) { item.start() }
                    }
                }
            }
        }
        await queue.waitUntilIdle()
        #expect(queue.counts == WorkQueue.Counts())
    }

    @Test("a queue in which nothing waits keeps nothing of what was moved, removed or started")
    func lettingGo() {
        let queue = WorkQueue(Self.one)
        let log = Log()
        let running = Item("running", byteCount: 0, log)
        #expect(queue.add(running, priority: .normal))
        weak var moved: Item?
        weak var removed: Item?
        do {
            let (first, second) = (Item("moved", byteCount: 0, log), Item("removed", byteCount: 0, log))
            (moved, removed) = (first, second)
            for item in [first, second] { #expect(!queue.add(item, priority: .low)) }
            queue.move(first, to: .high)
            #expect(queue.remove(second))
        }
        #expect(moved != nil)
        queue.finish(running)
        #expect(log.names.withLock { $0 } == ["moved"])
        #expect(moved == nil && removed == nil)
    }
}
