/// Which part of a body a response holds.
///
/// - Source: RFC 9110 section 14.4.
struct ContentRange: Hashable {
    /// The offset of the first byte.
    let first: Int64
    /// The offset of the last byte, never less than `first`.
    let last: Int64
    /// The length of the whole body, always more than `last`; `nil` if the server doesn't say.
    let complete: Int64?

    /// Reads a field's value; `nil` for another unit than bytes, for a range that isn't satisfied, and for what breaks the
    /// grammar.
    init?(_ text: String) {
        guard text.hasPrefixIgnoringASCIICase("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last
        else { return nil }
        if parts[1] == "*" {
            complete = nil
        } else {
            guard let number = Self.number(parts[1]), last < number else { return nil }
            complete = number
        }
        self.first = first
        self.last = last
    }

    /// Digits alone, and no more than there can be.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { $0 &- 0x30 < 10 } ? Int64(text) : nil
    }
}
