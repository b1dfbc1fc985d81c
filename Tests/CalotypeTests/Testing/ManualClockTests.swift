import CalotypeTesting
import Foundation
import Testing

@Suite("Manual clock")
struct ManualClockTests {
    private let clock = ManualClock(now: Date(timeIntervalSince1970: 1000))

    @Test("time passes only when it is told to")
    func advance() {
        #expect(clock.now() == Date(timeIntervalSince1970: 1000))
        clock.advance(by: .milliseconds(1500))
        #expect(clock.now() == Date(timeIntervalSince1970: 1001.5))
    }

    @Test("a sleeper wakes once the clock has gone past its time, and not before")
    func sleep() async throws {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(10)) }
        let other = Task { [clock] in try await clock.sleep(for: .seconds(20)) }
        try await clock.waitForSleepers(count: 2)
        clock.advance(by: .seconds(9.5))
        #expect(clock.sleeperCount == 2)
        clock.advance(by: .seconds(0.5))
        try await sleeper.value
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(100))
        #expect(clock.sleeperCount == 0, "those that are waking don't count any more")
        try await other.value
        #expect(Set(clock.requestedSleeps) == [.seconds(10), .seconds(20)])
    }

    @Test("a sleep of nothing doesn't wait", arguments: [Duration.zero, .seconds(-1)])
    func nothing(duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    @Test("cancelling wakes a sleeper with CancellationError")
    func cancellation() async throws {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(10)) }
        try await clock.waitForSleepers(count: 1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test("a sleep in a cancelled task throws at once, even if it is of nothing")
    func alreadyCancelled() async {
        let task = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .zero)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("setting the date lets no time pass")
    func set() async throws {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(10)) }
        try await clock.waitForSleepers(count: 1)
        clock.set(to: Date(timeIntervalSince1970: 5000))
        #expect(clock.now() == Date(timeIntervalSince1970: 5000))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(10))
        try await sleeper.value
        #expect(clock.now() == Date(timeIntervalSince1970: 5010))
    }

    @Test("a wait for sleepers that don't come times out in real time")
    func timeout() async {
        let error = await #expect(throws: WaitError.self) {
            try await clock.waitForSleepers(count: 1, timeout: .milliseconds(1))
        }
        #expect(error?.description == "Timed out after 0.001 seconds: waited for 1 sleepers; have 0")
    }

    @Test("many sleepers wake in any order of sleeping and advancing")
    func many() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 1...200 { group.addTask { [clock] in try await clock.sleep(for: .seconds(index % 20 + 1)) } }
            try await clock.waitForSleepers(count: 200)
            for _ in 0..<20 { clock.advance(by: .seconds(1)) }
            try await group.waitForAll()
        }
        #expect(clock.sleeperCount == 0)
    }
}
