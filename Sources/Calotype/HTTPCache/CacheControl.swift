/// The directives of a Cache-Control field that a private cache reads.
///
/// - Source: RFC 9111 section 5.2. Names compare without case; of duplicates the first counts; an argument may be quoted.
package struct CacheControl: Sendable {
    /// A directive, by its name.
    package enum Directive: String, CaseIterable, Sendable {
        case immutable
        case maxAge = "max-age"
        case maxStale = "max-stale"
        case minFresh = "min-fresh"
        case mustRevalidate = "must-revalidate"
        case mustUnderstand = "must-understand"
        case noCache = "no-cache"
        case noStore = "no-store"
        case onlyIfCached = "only-if-cached"
        case staleIfError = "stale-if-error"
        case staleWhileRevalidate = "stale-while-revalidate"
    }

    private struct Found {
        var directive: Directive
        /// The argument in seconds; `nil` if there is none, or none that is a number.
        var seconds: Double?
    }

    private var found: [Found] = []

    /// Reads a field's value; several lines are joined with ", ".
    package init(_ value: String?) {
        guard var value, !value.isEmpty else { return }
        value.withUTF8 { read($0) }
    }

    /// Whether the directive is there.
    package func has(_ directive: Directive) -> Bool {
        found.contains { $0.directive == directive }
    }

    /// The directive's argument in seconds; `nil` if it isn't there or isn't a number.
    package func seconds(_ directive: Directive) -> Double? {
        found.first { $0.directive == directive }?.seconds
    }

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while start < bytes.count {
            // A comma within quotes separates nothing; a quoted character may be escaped.
            var end = start
            var equals: Int?
            var isQuoted = false
            while end < bytes.count, isQuoted || bytes[end] != UInt8(ascii: ",") {
                switch bytes[end] {
                case UInt8(ascii: "\""): isQuoted.toggle()
                case UInt8(ascii: "\\") where isQuoted: end += 1
                case UInt8(ascii: "=") where equals == nil && !isQuoted: equals = end
                default: break
                }
                end += 1
            }
            end = min(end, bytes.count)
            let name = Self.trimmed(bytes, start..<(equals ?? end))
            if let directive = Directive.allCases.first(where: { Self.matches(bytes, name, $0.rawValue) }),
                !has(directive)
            {
                let argument = equals.map { Self.unquoted(bytes, Self.trimmed(bytes, $0 + 1..<end)) }
                found.append(
                    Found(directive: directive, seconds: argument.flatMap { Self.deltaSeconds(bytes[$0]) }))
            }
            start = end + 1
        }
    }

    /// - Source: RFC 9111 section 1.2.2: digits alone; a number too large counts as 2^31.
    package static func deltaSeconds(_ digits: some Collection<UInt8>) -> Double? {
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            value = min(value * 10 + UInt64(digit - 0x30), 1 << 31)
        }
        return Double(value)
    }

    private static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while start < end, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }

    private static func unquoted(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\""),
            bytes[range.upperBound - 1] == UInt8(ascii: "\"")
        else { return range }
        return range.lowerBound + 1..<range.upperBound - 1
    }

    private static func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ name: String) -> Bool {
        guard range.count == name.utf8.count else { return false }
        return zip(range, name.utf8).allSatisfy { bytes[$0].asciiLowercased == $1 }
    }
}
