/// Why an awaited event didn't come: the time is up, or the server has been stopped.
///
/// Every method of this module that waits takes a timeout, so that a test fails with this message instead of hanging.
public struct WaitError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What ended the wait.
    public enum Reason: Sendable, Hashable {
        /// The event didn't come within that time.
        case timedOut(Duration)
        /// The server was stopped, so the event can't come any more.
        case stopped
    }

    /// What ended the wait.
    public let reason: Reason
    /// What was awaited, and what there was instead.
    public let detail: String

    /// "Timed out after 30.0 seconds: waited for 3 requests; have 2: GET /a, GET /b".
    public var description: String {
        switch reason {
        case .timedOut(let duration): "Timed out after \(duration): \(detail)"
        case .stopped: "The server was stopped: \(detail)"
        }
    }
}
