import Foundation

/// The pieces of image servers' URLs.
extension URL {
    /// The URL without what no server sees of it, the fragment.
    var textForServer: String {
        let text = absoluteString
        return text.firstIndex(of: "#").map { String(text[..<$0]) } ?? text
    }

    /// What other URLs of a server begin with: the URL without the slash at its end.
    var textAsBase: String {
        let text = absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// ``textForServer`` in two: scheme and authority, then the rest, which begins with a slash or a question mark, or is empty.
    var partsForServer: (origin: Substring, rest: Substring) {
        let text = textForServer
        let start = text.range(of: "://").map(\.upperBound) ?? text.startIndex
        let end = text[start...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        return (text[..<end], text[end...])
    }

    /// Whether the URL lies below `base`.
    func isBelow(_ base: String) -> Bool { absoluteString.hasPrefix(base + "/") }
}

extension String {
    /// The text with every byte escaped but letters, digits, "-._~", and those in `also`.
    ///
    /// - Source: RFC 3986 sections 2.1 and 2.3.
    func percentEncoded(sparing also: String = "") -> String {
        let spared = Set("-._~".utf8).union(also.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(utf8.count + utf8.count / 4)
        for byte in utf8 {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isLetter || isDigit || spared.contains(byte) {
                result.append(byte)
            } else {
                result.append(UInt8(ascii: "%"))
                result += [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "A") + $0 - 10 }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Base64 with the alphabet for URLs and file names.
    ///
    /// - Parameter isPadded: Whether "=" fills up the last group.
    /// - Source: RFC 4648 section 5.
    func base64URL(isPadded: Bool) -> String {
        let text = Data(self).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        return isPadded ? text : text.replacingOccurrences(of: "=", with: "")
    }

    /// The bytes that hexadecimal digits stand for; `nil` if they aren't that.
    init?(hexadecimal text: String) {
        let digits = text.utf8.map { UInt8(hexadecimalDigit: $0) }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }
}

extension UInt8 {
    fileprivate init?(hexadecimalDigit digit: UInt8) {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self = digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self = digit - UInt8(ascii: "A") + 10
        default: return nil
        }
    }
}
