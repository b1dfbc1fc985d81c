/// The fields of an HTTP message, in order. Names compare without case.
///
/// - Source: RFC 9110 section 5.
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral, Sequence {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The name as it came.
        public var name: String
        /// The value, without white space around it.
        public var value: String

        /// Makes a field line.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    private var lines: [Field] = []
    /// Which lengths the names have: bit n for n bytes, the last bit for all that are longer. A message is asked for a
    /// dozen names, mostly in vain. What has been removed may still have its bit.
    private var nameLengths: UInt64 = 0

    /// Makes a list without fields.
    public init() {}

    /// Makes a list of these lines, in their order.
    public init(_ lines: [Field]) {
        self.lines = lines
        for line in lines { nameLengths |= Self.bit(of: line.name) }
    }

    /// Makes a list of these lines, in their order.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field($0.0, $0.1) })
    }

    @inline(__always)
    private static func bit(of name: String) -> UInt64 { 1 &<< UInt64(Swift.min(name.utf8.count, 63)) }

    /// Lists are equal if their lines are.
    public static func == (lhs: HTTPFields, rhs: HTTPFields) -> Bool { lhs.lines == rhs.lines }

    /// Hashes the lines.
    public func hash(into hasher: inout Hasher) { hasher.combine(lines) }

    /// The number of lines.
    public var count: Int { lines.count }
    /// Whether there are no lines.
    public var isEmpty: Bool { lines.isEmpty }

    /// Goes through the lines in their order.
    public func makeIterator() -> [Field].Iterator { lines.makeIterator() }

    /// The values of all lines of that name, joined with ", "; setting replaces them all by one line.
    ///
    /// - Source: RFC 9110 section 5.3.
    public subscript(_ name: String) -> String? {
        // Inlined for what most questions come to: no name is as long. Of a literal's length nothing is left to compute, so
        // that such a question takes 5 instructions instead of 70.
        @inline(__always)
        get { mayHave(name) ? value(name) : nil }
        set {
            lines.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            if let newValue { append(name, newValue) }
        }
    }

    @inline(__always)
    private func mayHave(_ name: String) -> Bool { nameLengths & Self.bit(of: name) != 0 }

    @inline(never)
    private func value(_ name: String) -> String? {
        // By the index, since a line that is taken out is retained.
        var result: String?
        for index in lines.indices where lines[index].name.equalsIgnoringASCIICase(name) {
            result = result.map { "\($0), \(lines[index].value)" } ?? lines[index].value
        }
        return result
    }

    /// Whether a line has a name for which `condition` holds.
    func containsName(where condition: (String) -> Bool) -> Bool {
        lines.indices.contains { condition(lines[$0].name) }
    }

    /// The values of each line of that name.
    public func values(_ name: String) -> [String] {
        guard mayHave(name) else { return [] }
        return lines.compactMap { $0.name.equalsIgnoringASCIICase(name) ? $0.value : nil }
    }

    /// Adds a line after the others.
    public mutating func append(_ name: String, _ value: String) {
        lines.append(Field(name, value))
        nameLengths |= Self.bit(of: name)
    }

    /// Removes every line for which `condition` holds.
    public mutating func removeAll(where condition: (Field) -> Bool) {
        lines.removeAll(where: condition)
    }
}

extension HTTPFields: CustomStringConvertible, CustomReflectable {
    /// Redacted: the names. Values hold credentials often enough.
    public var description: String { lines.map(\.description).joined(separator: ", ") }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

extension HTTPFields.Field: CustomStringConvertible, CustomReflectable {
    /// Redacted: "Authorization: ...".
    public var description: String { "\(name): ..." }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

extension String {
    /// Whether the strings are equal when A-Z count as a-z. Field names, schemes and tokens compare so.
    ///
    /// Inlined for the length alone: most names that are compared differ in it.
    @inline(__always)
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && hasSameBytesIgnoringASCIICase(as: other)
    }

    /// The same for strings of equal length.
    @inline(never)
    fileprivate func hasSameBytesIgnoringASCIICase(as other: String) -> Bool {
        withBytes { first in
            other.withBytes { second in
                // As a rule even the case is the same, and eight bytes are told at once; the last eight overlap.
                var index = 0
                while first.count &- index >= 8, first.word(at: index) == second.word(at: index) { index &+= 8 }
                if index > 0, first.count &- index < 8 {
                    let last = first.count &- 8
                    if first.word(at: last) == second.word(at: last) { return true }
                }
                while index < first.count {
                    guard
                        first[index] == second[index] || first[index].asciiLowercased == second[index].asciiLowercased
                    else { return false }
                    index &+= 1
                }
                return true
            }
        }
    }

    /// Calls `body` with the string's UTF-8, where it lies if it lies in one piece: `withUTF8` wants a string of its own, to
    /// change it if need be, and that is retained and released.
    @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var string = self
        return string.withUTF8(body)
    }

    /// Whether the string begins with `prefix`, which is in lower case, when A-Z count as a-z.
    package func hasPrefixIgnoringASCIICase(_ prefix: StaticString) -> Bool {
        withBytes { bytes in
            guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
            for index in 0..<prefix.utf8CodeUnitCount
            where bytes[index].asciiLowercased != prefix.utf8Start[index] { return false }
            return true
        }
    }

    /// Whether it is a token as RFC 9110 section 5.6.2 defines it.
    var isHTTPToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
                default: false
                }
            }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Eight bytes.
    fileprivate func word(at index: Int) -> UInt64 {
        UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }
}

extension UInt8 {
    /// The byte, with A-Z made a-z.
    package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Substring.UTF8View {
    /// Without the spaces and tabs around it.
    ///
    /// - Source: RFC 9110 section 5.6.3.
    package var trimmingOptionalWhitespace: Substring.UTF8View {
        var result = self
        while let first = result.first, first == 0x20 || first == 0x09 { result.removeFirst() }
        while let last = result.last, last == 0x20 || last == 0x09 { result.removeLast() }
        return result
    }
}
