import Foundation

/// How long a server asks to be left alone.
enum RetryAfter {
    /// - Returns: Never negative; `nil` where the field is missing or makes no sense.
    /// - Source: RFC 9110 section 10.2.3.
    static func delay(in fields: HTTPFields, now: Date) -> Duration? {
        guard let value = fields["Retry-After"] else { return nil }
        if let seconds = CacheControl.deltaSeconds(value.utf8) { return .seconds(seconds) }
        return HTTPDate.parse(value, near: now).map { .seconds(max(0, $0.timeIntervalSince(now))) }
    }
}
