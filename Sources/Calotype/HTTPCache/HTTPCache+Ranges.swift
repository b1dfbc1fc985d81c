import Foundation

extension HTTPCache {
    /// Which part of a stored body answers a request.
    ///
    /// Parts are never put together here. What goes on with a body that broke off does so under one strong validator, before
    /// anything is stored: see ``PartialBody``.
    package enum RangeAnswer: Sendable, Hashable {
        /// All of it.
        case whole
        /// Those bytes, as a 206.
        case part(Range<Int64>)
        /// None: a 416.
        case unsatisfiable
    }

    /// Which part of a stored body answers a GET request.
    ///
    /// A range that makes no sense, and several at once, ask for the whole: a server may ignore either.
    ///
    /// - Source: RFC 9110 sections 13.1.5 and 14.2; RFC 9111 section 3.3.
    package static func range(of request: HTTPFields, in stored: StoredHead, byteCount: Int64) -> RangeAnswer {
        guard stored.status == 200, let value = request["Range"] else { return .whole }
        if let condition = request["If-Range"], !isSame(stored, as: condition) { return .whole }
        guard value.hasPrefixIgnoringASCIICase("bytes=") else { return .whole }
        let ends = value.utf8.dropFirst(6).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            .map(\.trimmingOptionalWhitespace)
        guard ends.count == 2, let first = position(ends[0]), let last = position(ends[1]) else { return .whole }
        switch (first, last) {
        case (nil, nil):
            return .whole
        case (nil, let count?):
            guard count > 0, byteCount > 0 else { return .unsatisfiable }
            return .part(max(0, byteCount - count)..<byteCount)
        case (let start?, let end):
            if let end, end < start { return .whole }
            guard start < byteCount else { return .unsatisfiable }
            return .part(start..<min(byteCount, (end ?? byteCount) + (end == nil ? 0 : 1)))
        }
    }

    /// A position that may be left out; `nil` if it is no number.
    private static func position(_ digits: Substring.UTF8View) -> Int64?? {
        if digits.isEmpty { return .some(nil) }
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        // Beyond every body.
        return .some(Int64(Substring(digits)).map { min($0, .max - 1) } ?? .max - 1)
    }

    /// - Source: RFC 9110 sections 8.8.2.2 and 13.1.5: the validator has to be strong, and a date is strong only if it lies
    ///   well before the response.
    private static func isSame(_ stored: StoredHead, as condition: String) -> Bool {
        if condition.hasSuffix("\"") {
            return !isWeak(condition) && stored.fields["ETag"] == condition
        }
        guard stored.fields["Last-Modified"] == condition,
            let modified = HTTPDate.parse(condition, near: stored.responseTime)
        else { return false }
        return stored.date.timeIntervalSince(modified) >= 60
    }
}
