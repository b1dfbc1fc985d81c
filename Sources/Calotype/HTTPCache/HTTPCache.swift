public import Foundation

/// May a stored response answer a request? A private cache's decision, as functions of messages and a time: no I/O.
///
/// - Source: RFC 9111; RFC 5861 for stale-while-revalidate and stale-if-error; RFC 8246 for immutable.
public enum HTTPCache {
    /// The head of a stored response, with what is needed to judge it.
    public struct StoredHead: Sendable, Hashable {
        /// The status.
        public var status: Int
        /// The response's fields.
        public var fields: HTTPFields
        /// When the request was sent.
        public var requestTime: Date
        /// When the response came.
        public var responseTime: Date
        /// The request's fields that the response's Vary names, as they were sent.
        public var varyingFields: HTTPFields

        /// Makes the head of a response to `request`; keeps of the request what Vary names.
        public init(
            status: Int, fields: HTTPFields, requestTime: Date, responseTime: Date, requestFields: HTTPFields
        ) {
            self.status = status
            self.fields = HTTPCache.storable(fields)
            self.requestTime = requestTime
            self.responseTime = responseTime
            let names = HTTPCache.list(fields["Vary"])
            varyingFields =
                names.isEmpty
                ? HTTPFields()
                : HTTPFields(
                    requestFields.filter { field in names.contains { field.name.equalsIgnoringASCIICase($0) } })
        }

        /// A head as it was stored.
        init(status: Int, fields: HTTPFields, requestTime: Date, responseTime: Date, varyingFields: HTTPFields) {
            self.status = status
            self.fields = fields
            self.requestTime = requestTime
            self.responseTime = responseTime
            self.varyingFields = varyingFields
        }
    }

    /// What to do about a request.
    public enum Outcome: Sendable, Hashable {
        /// The candidate of that index is fresh.
        case useStored(Int)
        /// The candidate of that index is stale, but may be used while it is revalidated.
        case useStaleWhileRevalidating(Int)
        /// The candidate of that index must be validated: send the request with these fields added.
        case revalidate(Int, with: HTTPFields)
        /// Nothing that is stored helps.
        case fetch
        /// The request allows stored responses alone, and none will do (`only-if-cached`).
        case unsatisfiable

        /// Whether what is used is stale.
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
    }

    /// Why a decision was taken.
    public enum Reason: Sendable, Hashable, CustomStringConvertible {
        /// No stored response has the key, or none matches the fields that it varies by.
        case nothingStored
        /// Younger than its lifetime (both in seconds).
        case fresh(age: Double, lifetime: Double)
        /// Older than its lifetime (both in seconds).
        case stale(age: Double, lifetime: Double)
        /// Stale, within its stale-while-revalidate window (all in seconds).
        case staleWhileRevalidate(age: Double, lifetime: Double, window: Double)
        /// The response asks for validation before every use.
        case noCache
        /// The request asks for validation.
        case requested
        /// The policy says that what is stored is good.
        case policy

        /// The reason in words, with the section that has the rule.
        public var description: String {
            switch self {
            case .nothingStored:
                "nothing stored matches"
            case .fresh(let age, let lifetime):
                "fresh: age \(whole(age)) s of \(whole(lifetime)) s (RFC 9111, 4.2)"
            case .stale(let age, let lifetime):
                "stale: age \(whole(age)) s of \(whole(lifetime)) s (RFC 9111, 4.2)"
            case .staleWhileRevalidate(let age, let lifetime, let window):
                "stale: age \(whole(age)) s of \(whole(lifetime)) s, usable for \(whole(window)) s more (RFC 5861, 3)"
            case .noCache:
                "the response asks for validation before use (RFC 9111, 5.2.2.4)"
            case .requested:
                "the request asks for validation (RFC 9111, 5.2.1)"
            case .policy:
                "the request's cache policy takes what is stored"
            }
        }

        /// Seconds without their fraction. Times that were stored may be anything, even no number.
        private func whole(_ seconds: Double) -> String {
            Int(exactly: seconds.rounded(.towardZero)).map(String.init) ?? String(seconds)
        }
    }

    /// Decides how to answer a request.
    ///
    /// - Parameters:
    ///   - candidates: The heads stored under the request's key, newest first.
    ///   - request: The fields that would be sent.
    ///   - now: The time of the request.
    /// - Source: RFC 9111 section 4.
    public static func decide(candidates: [StoredHead], request: HTTPFields, now: Date) -> Decision {
        let asked = CacheControl(of: request)
        guard let index = selected(of: candidates, request: request) else {
            return Decision(outcome: !asked.has(.onlyIfCached) ? .fetch : .unsatisfiable, reason: .nothingStored)
        }
        let head = candidates[index]
        let control = CacheControl(of: head.fields)
        let age = currentAge(of: head, now: now)
        let lifetime = freshnessLifetime(of: head, control)

        func validation(_ reason: Reason) -> Decision {
            if asked.has(.onlyIfCached) { return Decision(outcome: .unsatisfiable, reason: reason) }
            let fields = validators(of: head)
            return Decision(outcome: fields.isEmpty ? .fetch : .revalidate(index, with: fields), reason: reason)
        }
        if control.has(.noCache) { return validation(.noCache) }
        if asked.has(.noCache) { return validation(.requested) }
        if let limit = asked.maxAge, age > limit { return validation(.requested) }
        if let margin = asked.minFresh, age + margin > lifetime { return validation(.requested) }
        if age < lifetime {
            return Decision(outcome: .useStored(index), reason: .fresh(age: age, lifetime: lifetime))
        }
        if !control.has(.mustRevalidate), let window = control.staleWhileRevalidate,
            age < lifetime + window
        {
            return Decision(
                outcome: .useStaleWhileRevalidating(index),
                reason: .staleWhileRevalidate(age: age, lifetime: lifetime, window: lifetime + window - age))
        }
        return validation(.stale(age: age, lifetime: lifetime))
    }

    /// The newest candidate that the request's fields select.
    ///
    /// - Source: RFC 9111 section 4.1.
    public static func selected(of candidates: [StoredHead], request: HTTPFields) -> Int? {
        candidates.firstIndex { matchesVary($0, request) }
    }

    /// Whether a response may be stored.
    ///
    /// - Source: RFC 9111 section 3, as it applies to a private cache.
    public static func mayStore(method: String, requestFields: HTTPFields, status: Int, fields: HTTPFields) -> Bool {
        mayStore(
            method: method, status: status, fields: fields, CacheControl(of: fields),
            asked: CacheControl(of: requestFields))
    }

    private static func mayStore(
        method: String, status: Int, fields: HTTPFields, _ control: CacheControl, asked: CacheControl
    ) -> Bool {
        guard method == "GET", (200..<300).contains(status), status != 206 else { return false }
        if asked.has(.noStore) || control.has(.noStore) { return false }
        return !list(fields["Vary"]).contains("*")
    }

    /// The stored head after a 304 has confirmed it.
    ///
    /// - Source: RFC 9111 sections 3.2 and 4.3.4: every field of the 304 replaces the stored ones of its name, but for
    ///   those that describe the body as it is stored.
    public static func freshen(
        _ stored: StoredHead, with fields: HTTPFields, requestTime: Date, responseTime: Date
    ) -> StoredHead {
        var result = stored
        let new = storable(fields).filter { field in
            !["content-length", "content-encoding", "content-range"].contains {
                field.name.equalsIgnoringASCIICase($0)
            }
        }
        result.fields.removeAll { old in new.contains { $0.name.equalsIgnoringASCIICase(old.name) } }
        for field in new { result.fields.append(field.name, field.value) }
        result.requestTime = requestTime
        result.responseTime = responseTime
        return result
    }

    /// When pixels made of a response go stale, and what happens then.
    public static func freshness(of head: StoredHead, requestFields: HTTPFields) -> Freshness {
        freshness(of: head, CacheControl(of: head.fields), asked: CacheControl(of: requestFields))
    }

    private static func freshness(of head: StoredHead, _ control: CacheControl, asked: CacheControl) -> Freshness {
        let isTransient = control.has(.noStore) || asked.has(.noStore)
        let lifetime = control.has(.noCache) ? 0 : freshnessLifetime(of: head, control)
        let age = currentAge(of: head, now: head.responseTime)
        return Freshness(
            staleAt: head.responseTime.timeIntervalSinceReferenceDate + lifetime - age,
            validatesFirst: isTransient || control.has(.noCache) || control.has(.mustRevalidate),
            isTransient: isTransient)
    }

    /// What a cache makes of a response that has just come: each of the functions above, with the fields read once.
    struct Arrival {
        /// The head, as it is stored if it may be.
        let head: StoredHead
        /// Whether the response may be stored.
        let mayStore: Bool
        /// When pixels made of it go stale.
        let freshness: Freshness

        init(
            method: String, requestFields: HTTPFields, status: Int, fields: HTTPFields, requestTime: Date,
            responseTime: Date
        ) {
            head = StoredHead(
                status: status, fields: fields, requestTime: requestTime, responseTime: responseTime,
                requestFields: requestFields)
            let asked = CacheControl(of: requestFields)
            let control = CacheControl(of: fields)
            mayStore = HTTPCache.mayStore(method: method, status: status, fields: fields, control, asked: asked)
            // Connection may name Cache-Control itself, so that it isn't stored.
            let stored = head.fields.count == fields.count ? control : CacheControl(of: head.fields)
            freshness = HTTPCache.freshness(of: head, stored, asked: asked)
        }
    }

    // MARK: Freshness

    /// How long a stored response stays fresh, in seconds, counted from its generation at the origin.
    ///
    /// - Returns: Never negative; zero if no explicit or heuristic expiration applies.
    /// - Source: RFC 9111 sections 4.2.1 and 4.2.2. This is a private cache, so `s-maxage` is not read.
    static func freshnessLifetime(of head: StoredHead, _ control: CacheControl) -> Double {
        if control.has(.maxAge) { return control.maxAge ?? 0 }
        let date = head.fields["Date"].flatMap(HTTPDate.parse) ?? head.responseTime
        if let expires = head.fields["Expires"] {
            return HTTPDate.parse(expires).map { max(0, $0.timeIntervalSince(date)) } ?? 0
        }
        guard heuristicallyCacheable.contains(head.status), let modified = head.fields["Last-Modified"],
            let modification = HTTPDate.parse(modified)
        else { return 0 }
        return max(0, date.timeIntervalSince(modification) / 10)
    }

    /// - Source: RFC 9110 section 15.1.
    private static let heuristicallyCacheable: Set = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// How old a stored response is, in seconds.
    ///
    /// - Source: RFC 9111 section 4.2.3.
    static func currentAge(of head: StoredHead, now: Date) -> Double {
        let date = head.fields["Date"].flatMap(HTTPDate.parse) ?? head.responseTime
        let apparent = max(0, head.responseTime.timeIntervalSince(date))
        let delay = max(0, head.responseTime.timeIntervalSince(head.requestTime))
        let stated = head.fields.values("Age").first.flatMap { CacheControl.deltaSeconds($0.utf8) } ?? 0
        let resident = max(0, now.timeIntervalSince(head.responseTime))
        return max(apparent, stated + delay) + resident
    }

    // MARK: Matching

    /// - Source: RFC 9111 section 4.1.
    private static func matchesVary(_ head: StoredHead, _ request: HTTPFields) -> Bool {
        list(head.fields["Vary"]).allSatisfy { $0 != "*" && head.varyingFields[$0] == request[$0] }
    }

    /// - Source: RFC 9111 section 4.3.1.
    private static func validators(of head: StoredHead) -> HTTPFields {
        var fields = HTTPFields()
        if let tag = head.fields["ETag"] { fields.append("If-None-Match", tag) }
        if let date = head.fields["Last-Modified"] { fields.append("If-Modified-Since", date) }
        return fields
    }

    /// The fields without those that belong to one connection.
    ///
    /// - Source: RFC 9111 section 3.1.
    private static func storable(_ fields: HTTPFields) -> HTTPFields {
        let named = list(fields["Connection"])
        func isHopByHop(_ field: HTTPFields.Field) -> Bool {
            Self.isHopByHop(field.name) || named.contains { field.name.equalsIgnoringASCIICase($0) }
        }
        // Removing nothing would still copy.
        guard fields.contains(where: isHopByHop) else { return fields }
        var result = fields
        result.removeAll(where: isHopByHop)
        return result
    }

    /// Whether the name is that of a field for one connection. Told by its length first: every field is asked.
    private static func isHopByHop(_ name: String) -> Bool {
        func isName(_ other: String) -> Bool { name.equalsIgnoringASCIICase(other) }
        return switch name.utf8.count {
        case 2: isName("te")
        case 7: isName("trailer") || isName("upgrade")
        case 10: isName("connection") || isName("keep-alive")
        case 16: isName("proxy-connection")
        case 17: isName("transfer-encoding")
        case 18: isName("proxy-authenticate")
        case 19: isName("proxy-authorization")
        case 25: isName("proxy-authentication-info")
        default: false
        }
    }

    /// The members of a comma-separated list, in lower case.
    private static func list(_ value: String?) -> [String] {
        guard let value else { return [] }
        return value.utf8.split(separator: UInt8(ascii: ",")).compactMap { member in
            let text = member.trimmingOptionalWhitespace
            return text.isEmpty ? nil : String(Substring(text)).lowercased()
        }
    }
}
