/// The value of `--header`: a request field as "Name: value".
struct HeaderArgument: Equatable, Sendable {
    let name: String
    let value: String

    /// - Throws: ``UsageError`` that doesn't repeat the text: it is often a secret.
    /// - Source: RFC 9110, sections 5.1, 5.5 and 5.6.2.
    init(_ text: String) throws {
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError("--header needs a name and a value: 'Name: value'.")
        }
        name = String(text[..<colon])
        let value = text[text.index(after: colon)...].unicodeScalars
        let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        self.value = String(
            Substring(value.drop(while: isBlank).reversed().drop(while: isBlank).reversed().map(Character.init)))
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw UsageError("The name in --header may hold letters, digits and hyphens alone: 'Name: value'.")
        }
        guard self.value.unicodeScalars.allSatisfy({ $0 == "\t" || ($0.value >= 0x20 && $0.value != 0x7F) }) else {
            throw UsageError("The value in --header holds a control character, which HTTP doesn't allow.")
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
