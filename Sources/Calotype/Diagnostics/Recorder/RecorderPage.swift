import Foundation

/// Makes the page that shows what has been recorded.
///
/// The page itself is in Support/RecorderPage, and in `RecorderPage+Source.swift`, which is made of that
/// (`scripts/embed-recorder-page.sh`): the package has no resources, so that it needs no bundle.
///
/// What it shows is data in it, never markup: hosts and URLs come from outside. A policy in the page allows no request at all,
/// and no script or style but its own, which it names by their digests.
package enum RecorderPage {
    static func make(of recording: Recording) -> Data {
        var page = Data()
        var rest = html[...]
        let parts: [(mark: String, text: () -> Data)] = [
            ("{{policy}}", { Data(policy.utf8) }),
            ("{{title}}", { Data(escaped(recording.title).utf8) }),
            ("{{style}}", { Data(css.utf8) }),
            ("{{data}}", { recording.scriptSafeJSON() }),
            ("{{script}}", { Data(js.utf8) }),
        ]
        // Each mark stands once, in this order; what is put in isn't searched for the next.
        for part in parts {
            guard let range = rest.range(of: part.mark) else { preconditionFailure("The page has no \(part.mark).") }
            page += Data(rest[..<range.lowerBound].utf8)
            page += part.text()
            rest = rest[range.upperBound...]
        }
        return page + Data(rest.utf8)
    }

    /// - Source: Content Security Policy Level 3, sections 6.1 and 2.3.1.
    static let policy = """
        default-src 'none'; script-src 'sha256-\(digest(of: js))'; style-src 'sha256-\(digest(of: css))'; \
        img-src data:; base-uri 'none'; form-action 'none'
        """

    private static func digest(of text: String) -> String {
        Data(SHA256.hash(text)).base64EncodedString()
    }

    /// A text that is the same inside an element and between quotes.
    package static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

extension Encodable {
    /// JSON that may stand within a script element of a page: nothing in it can end the element or a line of a script.
    ///
    /// These characters stand in JSON only within strings, where each may be written as its number.
    func scriptSafeJSON() -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Numbers, texts and lists of them can always be encoded.
        let json = try! encoder.encode(self)
        var result = Data(capacity: json.count + json.count / 16)
        var index = json.startIndex
        while index < json.endIndex {
            switch json[index] {
            case UInt8(ascii: "<"): result.append(contentsOf: #"\u003c"#.utf8)
            case UInt8(ascii: ">"): result.append(contentsOf: #"\u003e"#.utf8)
            case UInt8(ascii: "&"): result.append(contentsOf: #"\u0026"#.utf8)
            // U+2028 and U+2029 in UTF-8.
            case 0xE2 where json[index...].starts(with: [0xE2, 0x80, 0xA8]):
                result.append(contentsOf: #"\u2028"#.utf8)
                index += 2
            case 0xE2 where json[index...].starts(with: [0xE2, 0x80, 0xA9]):
                result.append(contentsOf: #"\u2029"#.utf8)
                index += 2
            case let byte: result.append(byte)
            }
            index += 1
        }
        return result
    }
}
