import Foundation

extension HTTPCache {
    /// What the redirects on the way to a response mean to it, when it is stored under the URL that was asked for.
    ///
    /// The response answers that URL only as long as each of the redirects does. So the chain is fresh for as long as the
    /// part of it that goes stale first; it is stored only if each part may be; and it is validated first if any part says so.
    ///
    /// Validators belong to the URL that sent them. They are sent to that URL alone: neither to one that redirects there,
    /// nor to one that a redirect has come to lead to since, whose older date would be taken for "not modified".
    ///
    /// - Source: RFC 9111 section 4.2; RFC 9110 section 15.4, whose step 2 has a client take its cache's conditions away.
    package final class Redirection: Sendable, Hashable {
        /// The URL that answered in the end.
        package let target: SHA256.Short
        /// When the first of the redirects goes stale, in seconds since the reference date.
        package let staleAt: Double
        /// Whether one of them may not be used stale.
        package let validatesFirst: Bool
        /// Whether one of them may not be used without validation.
        package let isNoCache: Bool
        /// Whether one of them may not be stored. Not stored itself.
        package let forbidsStoring: Bool
        /// What they vary by.
        private let variance: [String]

        init(
            target: SHA256.Short, staleAt: Double, validatesFirst: Bool, isNoCache: Bool, forbidsStoring: Bool = false,
            variance: [String] = []
        ) {
            self.target = target
            self.staleAt = staleAt
            self.validatesFirst = validatesFirst
            self.isNoCache = isNoCache
            self.forbidsStoring = forbidsStoring
            self.variance = variance
        }

        /// The chain after one more redirect.
        ///
        /// - Parameters:
        ///   - previous: The chain so far.
        ///   - target: Where the redirect leads to.
        convenience init(
            after previous: Redirection?, status: Int, fields: HTTPFields, requestTime: Date, responseTime: Date,
            to target: SHA256.Short
        ) {
            let head = StoredHead(
                status: status, fields: fields, requestTime: requestTime, responseTime: responseTime,
                requestFields: [:])
            let control = CacheControl(of: head.fields)
            let age = currentAge(of: head, now: responseTime)
            let lifetime = freshnessLifetime(of: head, control)
            let end = responseTime.timeIntervalSinceReferenceDate + lifetime.seconds - age
            // One that says it is permanent, and doesn't say for how long, lasts for as long as what it leads to: a
            // heuristic, as the status allows one.
            let isUnlimited = lifetime == .unknown && (status == 301 || status == 308)
            let vary = fields["Vary"]
            self.init(
                target: target, staleAt: min(previous?.staleAt ?? .infinity, isUnlimited ? .infinity : end),
                validatesFirst: previous?.validatesFirst == true || control.has(.mustRevalidate)
                    || control.has(.noCache),
                isNoCache: previous?.isNoCache == true || control.has(.noCache),
                forbidsStoring: previous?.forbidsStoring == true || HTTPCache.forbidsStoring(status, control)
                    || vary.map { list($0).contains("*") } == true,
                variance: (previous?.variance ?? []) + (vary.map { [$0] } ?? []))
        }

        /// Has a response vary by what the redirects vary by as well.
        func vary(_ fields: inout HTTPFields) {
            let present = fields.values("Vary")
            for value in variance where !present.contains(value) { fields.append("Vary", value) }
        }

        package static func == (lhs: Redirection, rhs: Redirection) -> Bool {
            lhs.target == rhs.target && lhs.staleAt == rhs.staleAt && lhs.validatesFirst == rhs.validatesFirst
                && lhs.isNoCache == rhs.isNoCache
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(target) }
    }
}
