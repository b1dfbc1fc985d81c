public import Foundation

/// The time, as caches and retries see it. Tests bring their own.
public protocol ImageClock: Sendable {
    /// The time of day. May be asked with a lock held: it must neither block nor call back into the pipeline.
    func now() -> Date
    /// Returns once `duration` has passed.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's time.
public struct SystemClock: ImageClock {
    /// Makes a clock.
    public init() {}

    /// The time of day.
    public func now() -> Date { Date() }

    /// As long as there is: the system counts in nanoseconds, and ends the program at more than 292 years of them.
    private static let longestSleep = Duration.seconds(1 << 32)

    /// Returns once `duration` has passed.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: min(duration, Self.longestSleep))
    }
}
