import Foundation

/// Text and bytes as parts of a page.
enum HTML {
    /// A text that is the same inside an element and between double quotes.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for letter in text.unicodeScalars {
            switch letter {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(letter)
            }
        }
        return result
    }

    /// The bytes themselves, in place of where they are.
    static func dataURL(_ data: Data, type: String) -> String {
        "data:\(type);base64,\(data.base64EncodedString())"
    }
}
