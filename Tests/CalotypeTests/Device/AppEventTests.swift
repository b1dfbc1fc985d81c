import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("The app's life: what is put in order when it goes to the background")
struct AppEventTests {
    /// Notes what it hears, and takes its time.
    private final class Listener: AppEventResponder {
        let heard = Mutex<[AppEvent]>([])

        func respond(to event: AppEvent) async {
            for _ in 0..<10 { await Task.yield() }
            heard.withLock { $0.append(event) }
        }
    }

    @Test("everybody who lives is told, and the report returns once all have done their work")
    func center() async {
        let center = AppEventCenter { _ in nil }
        let listeners = (0..<3).map { _ in Listener() }
        for listener in listeners { center.add(listener) }
        for _ in 0..<1_000 { center.add(Listener()) }
        for event in AppEvent.allCases { await center.report(event) }
        for listener in listeners { #expect(listener.heard.withLock { $0 } == AppEvent.allCases) }
    }

    @Test("nobody is kept by being told")
    func lifetime() {
        let center = AppEventCenter { _ in nil }
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            center.add(listener)
        }
        #expect(gone == nil)
    }

    @Test(
        "a cache keeps half of what it holds in the background, and a quarter of its limit at most",
        arguments: [(10_000, 50), (400, 50), (120, 30), (Int.max, 50)])
    func cache(limit: Int, kept: Int) async {
        let memory = MemoryPressureCenter { _ in nil }
        let cache = MemoryCache(costLimit: limit, reactsToMemoryPressure: false)
        for number in 0..<10 { cache.insert(Item(number).rendition(cost: 10)) }
        memory.add(cache)
        await memory.respond(to: .protectedDataWillBecomeUnavailable)
        #expect(cache.totalCost == 100)
        await memory.respond(to: .enteredBackground)
        #expect(cache.totalCost == kept && cache.costLimit == limit)
    }

    @Test("what is on screen is found again after the background")
    func shown() async {
        let memory = MemoryPressureCenter { _ in nil }
        let cache = MemoryCache(costLimit: 40, reactsToMemoryPressure: false)
        memory.add(cache)
        let shown = Item(1).rendition(cost: 30)
        cache.insert(shown)
        await memory.respond(to: .enteredBackground)
        #expect(cache.totalCost == 0)
        #expect(cache.find(Item(1).query, countsAsUse: true)?.image === shown.image)
    }

    @Test("whatever else gives memory back does so as at a warning")
    func others() async {
        final class Holder: MemoryPressureResponder {
            let levels = Mutex<[MemoryPressure.Level]>([])
            func respondToMemoryPressure(_ level: MemoryPressure.Level) { levels.withLock { $0.append(level) } }
        }
        let memory = MemoryPressureCenter { _ in nil }
        let holder = Holder()
        memory.add(holder)
        await memory.respond(to: .enteredBackground)
        #expect(holder.levels.withLock { $0 } == [.warning])
    }

    @Test("a cache hears of it without being added to anything")
    func registration() async {
        await #expect(processExitsWith: .success) {
            let cache = MemoryCache(costLimit: 1_000)
            for number in 0..<10 { cache.insert(Item(number).rendition(cost: 10)) }
            await AppEventCenter.shared.report(.enteredBackground)
            #expect(cache.totalCost == 50)
        }
    }
}
