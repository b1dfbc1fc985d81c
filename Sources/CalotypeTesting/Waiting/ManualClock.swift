public import Calotype
public import Foundation

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// async let outcome = retry(on: clock)          // sleeps for two seconds before its second attempt
/// try await clock.waitForSleepers(count: 1)
/// clock.advance(by: .seconds(2))
/// ```
///
/// - Isolation: Any thread.
public final class ManualClock: ImageClock {
    private struct State: Sendable {
        var start: Date
        var elapsed: Duration = .zero
        var deadlines: [Int: Duration] = [:]
        var requested: [Duration] = []
    }

    private let monitor: Monitor<State>

    /// Makes a clock that shows `now`: the beginning of 2025 in UTC unless told otherwise.
    public init(now: Date = Date(timeIntervalSince1970: 1_735_689_600)) {
        monitor = Monitor(State(start: now))
    }

    /// The time that the clock shows.
    public func now() -> Date {
        monitor.withLock { $0.start.addingTimeInterval($0.elapsed / .seconds(1)) }
    }

    /// Lets time pass, and wakes everybody whose time has come.
    ///
    /// - Parameter duration: Not negative; ``set(to:)`` turns a clock back.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "Time doesn't run backwards; got \(duration). Use set(to:) instead.")
        monitor.withLock { state in
            state.elapsed += duration
            // Here and not when the sleepers run: a wait for the next sleepers must not count those that are waking.
            state.deadlines = state.deadlines.filter { $0.value > state.elapsed }
        }
    }

    /// Sets the date without any time passing, as a user or a time server does. Sleepers sleep on.
    public func set(to date: Date) {
        monitor.withLock { $0.start = date.addingTimeInterval(-($0.elapsed / .seconds(1))) }
    }

    /// Suspends until the clock has been advanced by `duration`; not at all if that is zero or less.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let id = monitor.withLock { state -> Int? in
            state.requested.append(duration)
            guard duration > .zero else { return nil }
            state.deadlines[state.requested.count] = state.elapsed + duration
            return state.requested.count
        }
        guard let id else { return }
        do {
            try await monitor.wait(
                timeout: nil, explain: { _ in "" }, until: { state, _ in state.deadlines[id] == nil ? () : nil })
        } catch {
            monitor.withLock { state in state.deadlines[id] = nil }
            throw error
        }
    }

    /// The number of tasks that sleep now.
    public var sleeperCount: Int { monitor.withLock { $0.deadlines.count } }

    /// The durations of all sleeps so far, in the order in which they began: a backoff's delays, say.
    public var requestedSleeps: [Duration] { monitor.withLock { $0.requested } }

    /// Suspends until at least `count` tasks sleep at the same time.
    ///
    /// - Parameter timeout: In real time; `nil` waits for ever.
    /// - Throws: ``WaitError``, or `CancellationError` if the task is cancelled.
    public func waitForSleepers(count: Int, timeout: Duration? = .seconds(60)) async throws {
        try await monitor.wait(
            timeout: timeout,
            explain: { "waited for \(count) sleepers; have \($0.deadlines.count)" },
            until: { state, _ in state.deadlines.count >= count ? () : nil })
    }
}
