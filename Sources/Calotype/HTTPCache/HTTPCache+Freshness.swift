package import Foundation

extension HTTPCache {
    /// How long a stored response stays fresh.
    ///
    /// - Source: RFC 9111 sections 4.2.1 and 4.2.2. This is a private cache, so `s-maxage` is not read, nor is
    ///   CDN-Cache-Control.
    static func freshnessLifetime(
        of head: StoredHead, _ control: CacheControl, age: Double, now: Date
    ) -> Lifetime {
        let own = freshnessLifetime(of: head, control)
        guard let redirection = head.redirection else { return own }
        // The redirects have dates of their own: what counts is how long they stay fresh from now on.
        let others = age + redirection.staleAt - now.timeIntervalSinceReferenceDate
        return others < own.seconds ? .redirect(others) : own
    }

    /// The same without regard to redirects.
    static func freshnessLifetime(of head: StoredHead, _ control: CacheControl) -> Lifetime {
        if control.has(.maxAge) { return control.maxAge.map(Lifetime.maxAge) ?? .unreadable }
        if let expires = head.fields["Expires"] {
            guard let end = HTTPDate.parse(expires, near: head.responseTime) else { return .unreadable }
            return .expires(max(0, end.timeIntervalSince(head.date)))
        }
        guard heuristicallyCacheable.contains(head.status) || control.has(.public),
            let modified = head.fields["Last-Modified"],
            let modification = HTTPDate.parse(modified, near: head.responseTime)
        else { return .unknown }
        return .heuristic(max(0, head.date.timeIntervalSince(modification) / 10))
    }

    /// - Source: RFC 9110 section 15.1.
    static let heuristicallyCacheable: Set = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// How old a stored response is, in seconds.
    ///
    /// - Source: RFC 9111 sections 4.2.3 and 5.1: of an Age with several members the first counts, and one that can't be
    ///   read counts as none.
    package static func currentAge(of head: StoredHead, now: Date) -> Double {
        let apparent = max(0, head.responseTime.timeIntervalSince(head.date))
        let delay = max(0, head.responseTime.timeIntervalSince(head.requestTime))
        let stated = head.fields["Age"].flatMap { age in
            CacheControl.deltaSeconds(age.utf8.prefix { $0 != UInt8(ascii: ",") }.trimmingOptionalWhitespace)
        }
        let resident = max(0, now.timeIntervalSince(head.responseTime))
        return max(apparent, (stated ?? 0) + delay) + resident
    }

    /// When pixels made of a response go stale, and what happens then.
    public static func freshness(of head: StoredHead, requestFields: HTTPFields) -> Freshness {
        freshness(of: head, CacheControl(of: head.fields), asked: CacheControl(of: requestFields))
    }

    static func freshness(of head: StoredHead, _ control: CacheControl, asked: CacheControl) -> Freshness {
        let isTransient =
            forbidsStoring(head.status, control) || asked.has(.noStore) || head.redirection?.forbidsStoring == true
        let isNoCache = control.has(.noCache) || head.redirection?.isNoCache == true
        let age = currentAge(of: head, now: head.responseTime)
        let lifetime =
            isNoCache ? 0 : freshnessLifetime(of: head, control, age: age, now: head.responseTime).seconds
        return Freshness(
            staleAt: head.responseTime.timeIntervalSinceReferenceDate + lifetime - age,
            validatesFirst: isTransient || isNoCache || control.has(.mustRevalidate)
                || head.redirection?.validatesFirst == true,
            isTransient: isTransient)
    }
}
