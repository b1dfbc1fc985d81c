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

    /// Returns once `duration` has passed.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
