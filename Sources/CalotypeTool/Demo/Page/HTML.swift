import Calotype
import Foundation

/// Text and bytes as parts of a page.
enum HTML {
    /// A text that is the same inside an element and between double quotes.
    static func escaped(_ text: some StringProtocol) -> String { RecorderPage.escaped(text) }

    /// The bytes themselves, in place of where they are.
    static func dataURL(_ data: Data, type: String) -> String {
        "data:\(type);base64,\(data.base64EncodedString())"
    }
}
