/// The directives of a Cache-Control field.
///
/// - Source: RFC 9111 section 5.2. Names compare without case; of duplicates the first counts.
package struct CacheControl: Sendable {
    private var directives: [(name: String, argument: String)] = []

    package init(_ value: String?) {
        guard let value else { return }
        for directive in Self.split(value) {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard let name = parts.first?.trimmed.lowercased(), !name.isEmpty, self[name] == nil else { continue }
            directives.append((name, parts.count > 1 ? Self.unquoted(parts[1].trimmed) : ""))
        }
    }

    /// The directive's argument; empty if it has none; `nil` if it isn't there.
    package subscript(_ name: String) -> String? {
        directives.first { $0.name == name }?.argument
    }

    /// The directive's argument in seconds; `nil` if it isn't there or isn't a number.
    package func seconds(_ name: String) -> Double? {
        self[name].flatMap(Self.deltaSeconds)
    }

    /// - Source: RFC 9111 section 1.2.2: digits alone; a number too large counts as 2^31.
    package static func deltaSeconds(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Double(min(UInt64(text) ?? .max, 1 << 31))
    }

    /// Splits at the commas that stand outside quoted strings.
    private static func split(_ value: String) -> [Substring] {
        var parts: [Substring] = []
        var start = value.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in value.indices {
            let character = value[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                parts.append(value[start..<index])
                start = value.index(after: index)
            }
        }
        parts.append(value[start...])
        return parts
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return String(text.dropFirst().dropLast())
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var result = self
        while result.first == " " || result.first == "\t" { result.removeFirst() }
        while result.last == " " || result.last == "\t" { result.removeLast() }
        return String(result)
    }
}
