extension HTTPCache {
    /// How long a response stays fresh, counted from its generation at the origin, and by which rule.
    public enum Lifetime: Sendable, Hashable, CustomStringConvertible {
        /// `max-age`.
        case maxAge(Double)
        /// Expires less Date.
        case expires(Double)
        /// A tenth of the time since Last-Modified.
        case heuristic(Double)
        /// A redirect on the way to the response goes stale earlier than the response itself.
        case redirect(Double)
        /// The response says it in a way that can't be read.
        case unreadable
        /// The response doesn't say it, and nothing can be guessed.
        case unknown

        /// In seconds; not negative but for ``redirect(_:)``.
        public var seconds: Double {
            switch self {
            case .maxAge(let seconds), .expires(let seconds), .heuristic(let seconds), .redirect(let seconds):
                seconds
            case .unreadable, .unknown: 0
            }
        }

        /// "600 s by max-age (RFC 9111, 5.2.2.1)".
        public var description: String {
            switch self {
            case .maxAge(let seconds): "\(HTTPCache.whole(seconds)) s by max-age (RFC 9111, 5.2.2.1)"
            case .expires(let seconds): "\(HTTPCache.whole(seconds)) s by Expires (RFC 9111, 5.3)"
            case .heuristic(let seconds):
                "\(HTTPCache.whole(seconds)) s, a tenth of the time unmodified (RFC 9111, 4.2.2)"
            case .redirect(let seconds): "\(HTTPCache.whole(seconds)) s by a redirect on the way (RFC 9111, 4.2.1)"
            case .unreadable: "0 s, since what it says can't be read (RFC 9111, 4.2.1)"
            case .unknown: "0 s, since it says nothing (RFC 9111, 4.2.2)"
            }
        }
    }

    /// Why a decision was taken. Ages and windows are in seconds.
    public enum Reason: Sendable, Hashable, CustomStringConvertible {
        /// No stored response has the key.
        case nothingStored
        /// None of that many stored responses matches the fields that it varies by.
        case noVariant(count: Int)
        /// Younger than its lifetime.
        case fresh(age: Double, lifetime: Lifetime)
        /// Older than its lifetime.
        case stale(age: Double, lifetime: Lifetime)
        /// Stale, within its stale-while-revalidate window, of which that much is left.
        case staleWhileRevalidate(age: Double, lifetime: Lifetime, window: Double)
        /// Stale, but the server can't be asked, within the stale-if-error window, of which that much is left.
        case staleIfError(age: Double, lifetime: Lifetime, window: Double)
        /// Stale, but there is no way to the server.
        case disconnected(age: Double, lifetime: Lifetime)
        /// Stale, and the request allows that.
        case requestMaxStale(age: Double, lifetime: Lifetime, limit: Double)
        /// Older than the request allows.
        case requestMaxAge(age: Double, limit: Double)
        /// Fresh for less than the request asks for.
        case requestMinFresh(remaining: Double, margin: Double)
        /// The response asks for validation before every use.
        case noCache
        /// The request asks for validation.
        case requestNoCache
        /// The request has a condition that only the server can judge.
        case precondition
        /// The request's cache policy takes what is stored.
        case policy
        /// The request's cache policy takes nothing of what is stored.
        case policyReload

        /// The reason in words, with the section that has the rule.
        public var description: String {
            switch self {
            case .nothingStored:
                "nothing stored"
            case .noVariant(let count):
                "none of \(count) stored matches the fields that it varies by (RFC 9111, 4.1)"
            case .fresh(let age, let lifetime):
                "fresh: age \(HTTPCache.whole(age)) s of \(lifetime)"
            case .stale(let age, let lifetime):
                "stale: age \(HTTPCache.whole(age)) s of \(lifetime)"
            case .staleWhileRevalidate(let age, let lifetime, let window):
                "stale: age \(HTTPCache.whole(age)) s of \(lifetime), usable for \(HTTPCache.whole(window)) s more (RFC 5861, 3)"
            case .staleIfError(let age, let lifetime, let window):
                """
                stale: age \(HTTPCache.whole(age)) s of \(lifetime), but the server fails, and it is usable then for \
                \(HTTPCache.whole(window)) s more (RFC 5861, 4)
                """
            case .disconnected(let age, let lifetime):
                "stale: age \(HTTPCache.whole(age)) s of \(lifetime), but there is no way to the server (RFC 9111, 4.2.4)"
            case .requestMaxStale(let age, let lifetime, let limit):
                """
                stale: age \(HTTPCache.whole(age)) s of \(lifetime), and the request takes \
                \(limit.isFinite ? "\(HTTPCache.whole(limit)) s more" : "any age") (RFC 9111, 5.2.1.2)
                """
            case .requestMaxAge(let age, let limit):
                "age \(HTTPCache.whole(age)) s is more than the \(HTTPCache.whole(limit)) s of the request's max-age (RFC 9111, 5.2.1.1)"
            case .requestMinFresh(let remaining, let margin):
                """
                fresh for \(HTTPCache.whole(remaining)) s, less than the \(HTTPCache.whole(margin)) s of the request's min-fresh \
                (RFC 9111, 5.2.1.3)
                """
            case .noCache:
                "the response asks for validation before use (RFC 9111, 5.2.2.4)"
            case .requestNoCache:
                "the request asks for validation (RFC 9111, 5.2.1.4)"
            case .precondition:
                "the request has a condition that only the server can judge (RFC 9110, 13.1)"
            case .policy:
                "the request's cache policy takes what is stored"
            case .policyReload:
                "the request's cache policy takes nothing of what is stored"
            }
        }
    }

    /// Seconds without their fraction. Times that were stored may be anything, even no number.
    private static func whole(_ seconds: Double) -> String {
        Int(exactly: seconds.rounded(.towardZero)).map(String.init) ?? String(seconds)
    }
}
