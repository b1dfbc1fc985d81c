/// How often a failed exchange is attempted again, and how long to wait before that.
///
/// Attempted again is what may go well the next time: time-outs, connections that couldn't be made or broke, bodies that
/// ended early, and the statuses 408, 429, 500, 502, 503 and 504. A name without an address, TLS, a response that makes no
/// sense, any other status and bytes that are no image fail at once. So does every method but GET and HEAD: a server may
/// have done what it was asked to before the connection broke.
///
/// A load that nobody is in a hurry for (of priority `low` and below, as a prefetch is) doesn't wait for more than a second:
/// while it did, others of its kind couldn't be fetched. If it would have to, it fails at once.
///
/// The attempts are those of a whole load: a body that is resumed draws on the same number as a connection that is refused.
public struct RetryPolicy: Sendable, Hashable {
    /// Attempts in all, the first one included; at least one is made.
    public var attemptLimit: Int
    /// The longest wait before the second attempt. It doubles with every further one.
    public var baseDelay: Duration
    /// What it doesn't grow beyond.
    public var maximumDelay: Duration
    /// The longest wait that a server may ask for with Retry-After. If it asks for more, the load fails at once.
    public var longestRetryAfter: Duration

    /// Makes a policy.
    public init(
        attemptLimit: Int = 3, baseDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(10),
        longestRetryAfter: Duration = .seconds(30)
    ) {
        self.attemptLimit = attemptLimit
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.longestRetryAfter = longestRetryAfter
    }

    /// Nobody waits for longer, and what is computed of longer ones may be more than a `Duration` holds.
    private static let longestDelay = Duration.seconds(1 << 32)

    /// The longest wait of background work.
    static let longestBackgroundDelay = Duration.seconds(1)

    /// Three attempts, half a second before the second one at most.
    public static let standard = RetryPolicy()
    /// One attempt.
    public static let none = RetryPolicy(attemptLimit: 1)

    /// How long to wait after so many failures: exponential backoff with full jitter, so that those who failed together
    /// don't come back together.
    ///
    /// - Parameter random: Between 0 and 1.
    func backoff(afterFailures count: Int, random: Double) -> Duration {
        let maximumDelay = min(max(.zero, maximumDelay), Self.longestDelay)
        var longest = max(.zero, min(baseDelay, maximumDelay))
        // More doublings than a Duration has bits make no difference.
        for _ in 0..<min(max(count - 1, 0), 128) {
            longest = longest > maximumDelay / 2 ? maximumDelay : longest * 2
        }
        // Not by max and min alone: of what is no number they make nothing else.
        return longest * (random > 0 ? min(random, 1) : 0)
    }
}
