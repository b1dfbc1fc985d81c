public import Foundation

/// May a stored response answer a request? A private cache's decision, as functions of messages and a time: no I/O.
///
///     decide          stored responses + request + time -> what to do, and why
///     staleAnswer     may a stale response stand in for one that couldn't be had?
///     mayStore        may a response be stored?
///     freshen         a stored head + the 304 that confirms it -> the head from now on
///     isNotModified   does the client have what is stored?
///     range           which part of a stored body does a request ask for?
///     invalidated     which URLs does a response make stale?
///
/// - Source: RFC 9111; RFC 5861 for stale-while-revalidate and stale-if-error; RFC 8246 for immutable.
public enum HTTPCache {
    /// What to do about a request.
    public enum Outcome: Sendable, Hashable {
        /// The candidate of that index may be used as it is.
        case useStored(Int)
        /// The candidate of that index is stale, but may be used while it is revalidated.
        case useStaleWhileRevalidating(Int)
        /// The candidate of that index must be validated: send the request with these fields added.
        case revalidate(Int, with: HTTPFields)
        /// Nothing that is stored helps.
        case fetch
        /// The request allows stored responses alone, and none will do (`only-if-cached`).
        case unsatisfiable

        /// Whether what is used is to be revalidated meanwhile.
        var isStale: Bool {
            if case .useStaleWhileRevalidating = self { return true }
            return false
        }
    }

    /// An outcome, and why.
    public struct Decision: Sendable, Hashable {
        /// What to do.
        public var outcome: Outcome
        /// Why.
        public var reason: Reason
        /// The candidate that the request selects, whether it may be used or not: what a new response takes the place of.
        public var selected: Int?

        init(_ outcome: Outcome, _ reason: Reason, selected: Int?) {
            self.outcome = outcome
            self.reason = reason
            self.selected = selected
        }
    }

    /// Decides how to answer a GET or HEAD request.
    ///
    /// - Parameters:
    ///   - candidates: The heads stored under the request's key, newest first.
    ///   - request: The fields that would be sent.
    ///   - now: The time of the request.
    /// - Source: RFC 9111 section 4.
    public static func decide(candidates: [StoredHead], request: HTTPFields, now: Date) -> Decision {
        decide(candidates: candidates, request: request, CacheControl(ofRequest: request), now: now)
    }

    /// The same with the request's fields read already.
    static func decide(
        candidates: [StoredHead], request: HTTPFields, _ asked: CacheControl, now: Date
    ) -> Decision {
        let outcome: Outcome = asked.has(.onlyIfCached) ? .unsatisfiable : .fetch
        guard let index = selected(of: candidates, request: request) else {
            return Decision(
                outcome, candidates.isEmpty ? .nothingStored : .noVariant(count: candidates.count), selected: nil)
        }
        // Only the origin knows what it has.
        if request["If-Match"] != nil || request["If-Unmodified-Since"] != nil {
            return Decision(outcome, .precondition, selected: index)
        }
        return decide(on: candidates[index], at: index, asked, now: now)
    }

    private static func decide(on head: StoredHead, at index: Int, _ asked: CacheControl, now: Date) -> Decision {
        let control = CacheControl(of: head.fields)
        let age = currentAge(of: head, now: now)
        let lifetime = freshnessLifetime(of: head, control, age: age, now: now)
        let isFresh = age < lifetime.seconds

        func use(_ reason: Reason) -> Decision { Decision(.useStored(index), reason, selected: index) }
        func validate(_ reason: Reason) -> Decision {
            if asked.has(.onlyIfCached) { return Decision(.unsatisfiable, reason, selected: index) }
            let fields = validators(of: head)
            return Decision(fields.isEmpty ? .fetch : .revalidate(index, with: fields), reason, selected: index)
        }
        if control.has(.noCache) || head.redirection?.isNoCache == true { return validate(.noCache) }
        if asked.has(.noCache) { return validate(.requestNoCache) }
        // A page that is reloaded asks so for everything on it; what never changes needn't be asked for.
        if let limit = asked.maxAge, age > limit, !(isFresh && control.has(.immutable)) {
            return validate(.requestMaxAge(age: age, limit: limit))
        }
        if let margin = asked.minFresh, age + margin > lifetime.seconds {
            return validate(.requestMinFresh(remaining: lifetime.seconds - age, margin: margin))
        }
        if isFresh { return use(.fresh(age: age, lifetime: lifetime)) }
        if !forbidsStale(head, control) {
            if let limit = asked.maxStale, age - lifetime.seconds <= limit {
                return use(.requestMaxStale(age: age, lifetime: lifetime, limit: limit))
            }
            if let window = control.staleWhileRevalidate, age < lifetime.seconds + window, asked.maxAge == nil,
                head.redirection == nil
            {
                return Decision(
                    .useStaleWhileRevalidating(index),
                    .staleWhileRevalidate(age: age, lifetime: lifetime, window: lifetime.seconds + window - age),
                    selected: index)
            }
        }
        return validate(.stale(age: age, lifetime: lifetime))
    }

    /// Why a response couldn't be had.
    public enum Failure: Sendable, Hashable {
        /// There is no way to the server.
        case disconnected
        /// The server answered with that status.
        case status(Int)
    }

    /// Whether a response that can't be validated may be used all the same, and why.
    ///
    /// A cache that is cut off from the server may use what is stale. `stale-if-error` sets a bound to that, and allows it
    /// for some errors of the server too. Nothing allows it against `must-revalidate` or `no-cache`, nor if the request asks
    /// for validation.
    ///
    /// - Returns: `nil` if it may not.
    /// - Source: RFC 9111 section 4.2.4; RFC 5861 section 4.
    public static func staleAnswer(
        _ head: StoredHead, request: HTTPFields, to failure: Failure, now: Date
    ) -> Reason? {
        let control = CacheControl(of: head.fields)
        let asked = CacheControl(ofRequest: request)
        guard !forbidsStale(head, control), !asked.has(.noCache), asked.maxAge == nil, asked.minFresh == nil,
            request["If-Match"] == nil, request["If-Unmodified-Since"] == nil
        else { return nil }
        if case .status(let status) = failure, ![500, 502, 503, 504].contains(status) { return nil }
        let age = currentAge(of: head, now: now)
        let lifetime = freshnessLifetime(of: head, control, age: age, now: now)
        guard let window = asked.staleIfError ?? control.staleIfError else {
            return failure == .disconnected ? .disconnected(age: age, lifetime: lifetime) : nil
        }
        guard age <= lifetime.seconds + window else { return nil }
        return .staleIfError(age: age, lifetime: lifetime, window: max(0, lifetime.seconds + window - age))
    }

    /// - Source: RFC 9111 section 4.2.4. `proxy-revalidate` and `s-maxage` are for shared caches.
    private static func forbidsStale(_ head: StoredHead, _ control: CacheControl) -> Bool {
        control.has(.mustRevalidate) || control.has(.noCache) || head.redirection?.validatesFirst == true
    }
}
