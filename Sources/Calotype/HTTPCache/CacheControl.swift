/// The directives of a Cache-Control field that a private cache reads.
///
/// - Source: RFC 9111 section 5.2. Names compare without case; of duplicates the first counts; an argument may be quoted.
package struct CacheControl: Sendable {
    /// A directive, numbered.
    package enum Directive: UInt16, CaseIterable, Sendable {
        case immutable, maxAge, maxStale, minFresh, mustRevalidate, mustUnderstand, noCache, noStore, onlyIfCached
        case `private`, `public`, staleIfError, staleWhileRevalidate
    }

    /// One bit for each directive that is there.
    private var present: UInt16 = 0
    /// The argument of `max-age` in seconds, as all of these: `nil` if there is none, or none that is a number.
    package private(set) var maxAge: Double?
    /// The argument of `max-stale`; infinite if it has none.
    package private(set) var maxStale: Double?
    /// The argument of `min-fresh`.
    package private(set) var minFresh: Double?
    /// The argument of `stale-if-error`.
    package private(set) var staleIfError: Double?
    /// The argument of `stale-while-revalidate`.
    package private(set) var staleWhileRevalidate: Double?
    /// Whether `no-cache` names fields: those alone may not be used without validation. It isn't `noCache` then.
    package private(set) var hasUncachedFields = false

    /// Reads a field's value; several lines are joined with ", ".
    package init(_ value: String?) {
        guard let value, !value.isEmpty else { return }
        value.withBytes { read($0) }
    }

    /// Reads a message's field.
    package init(of fields: HTTPFields) {
        self.init(fields["Cache-Control"])
    }

    /// Reads a request's field; without one, what old clients say in its place.
    ///
    /// - Source: RFC 9111 section 5.4.
    package init(ofRequest fields: HTTPFields) {
        self.init(of: fields)
        if present == 0, let pragma = fields["Pragma"], CacheControl(pragma).has(.noCache),
            fields["Cache-Control"] == nil
        {
            add(.noCache, seconds: nil)
        }
    }

    /// The names of the fields that `no-cache` names, in lower case.
    ///
    /// - Source: RFC 9111 section 5.2.2.4.
    package static func uncachedFields(in value: String) -> [String] {
        var value = value
        var names: [String] = []
        value.withUTF8 { bytes in
            forEachDirective(in: bytes) { directive, argument in
                guard directive == .noCache, let argument else { return }
                for name in bytes[unquoted(bytes, argument)].split(separator: UInt8(ascii: ",")) {
                    let text = String(decoding: name, as: UTF8.self).lowercased()
                    names.append(String(Substring(text[...].utf8.trimmingOptionalWhitespace)))
                }
            }
        }
        return names.filter { !$0.isEmpty }
    }

    /// Whether the directive is there.
    package func has(_ directive: Directive) -> Bool {
        present & 1 << directive.rawValue != 0
    }

    private mutating func add(_ directive: Directive, seconds: Double?) {
        guard !has(directive) else { return }
        present |= 1 << directive.rawValue
        switch directive {
        case .maxAge: maxAge = seconds
        case .maxStale: maxStale = seconds
        case .minFresh: minFresh = seconds
        case .staleIfError: staleIfError = seconds
        case .staleWhileRevalidate: staleWhileRevalidate = seconds
        case .immutable, .mustRevalidate, .mustUnderstand, .noCache, .noStore, .onlyIfCached, .private, .public: break
        }
    }

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        Self.forEachDirective(in: bytes) { directive, argument in
            let argument = argument.map { Self.unquoted(bytes, $0) }
            switch directive {
            case .noCache where argument?.isEmpty == false: hasUncachedFields = true
            case .maxStale where argument == nil: add(directive, seconds: .infinity)
            default: add(directive, seconds: argument.flatMap { Self.deltaSeconds(bytes[$0]) })
            }
        }
    }

    /// Gives each known directive, with its argument as it is written.
    @inline(__always)
    private static func forEachDirective(
        in bytes: UnsafeBufferPointer<UInt8>, _ body: (Directive, Range<Int>?) -> Void
    ) {
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
            if let directive = directive(bytes, trimmed(bytes, start..<(equals ?? end))) {
                body(directive, equals.map { trimmed(bytes, $0 + 1..<end) })
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

    /// The directive of a name, told by its length first.
    private static func directive(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Directive? {
        func isName(_ name: StaticString) -> Bool {
            for offset in 0..<range.count
            where bytes[range.lowerBound + offset].asciiLowercased != name.utf8Start[offset] { return false }
            return true
        }
        return switch range.count {
        case 6: isName("public") ? .public : nil
        case 7: isName("max-age") ? .maxAge : isName("private") ? .private : nil
        case 8: isName("no-cache") ? .noCache : isName("no-store") ? .noStore : nil
        case 9:
            isName("immutable") ? .immutable : isName("max-stale") ? .maxStale : isName("min-fresh") ? .minFresh : nil
        case 14: isName("only-if-cached") ? .onlyIfCached : isName("stale-if-error") ? .staleIfError : nil
        case 15: isName("must-revalidate") ? .mustRevalidate : isName("must-understand") ? .mustUnderstand : nil
        case 22: isName("stale-while-revalidate") ? .staleWhileRevalidate : nil
        default: nil
        }
    }
}
