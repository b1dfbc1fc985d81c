public import Foundation

extension String {
    /// What a server has sent, as a message may name it: its beginning, and nothing that a terminal or a log would obey.
    var excerpt: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.prefix(80).map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}

/// A URL as it may be logged: scheme, host and port, and a tag that tells one URL from another in this process.
///
/// User info, path, query and fragment stay out: paths and queries hold tokens and names often enough.
public struct RedactedURL: Sendable, Hashable, CustomStringConvertible {
    /// "https://img.example.com", "file", "data" or "closure".
    public let description: String

    /// Redacts `url`.
    public init(_ url: URL) {
        let scheme = url.scheme?.lowercased() ?? "relative"
        if scheme == "http" || scheme == "https" {
            let port = url.port.map { ":\($0)" } ?? ""
            let host = url.host() ?? ""
            // An address of IPv6 comes without its brackets.
            description = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host)\(port)"
        } else {
            description = scheme
        }
    }

    package init(kind: String) {
        description = kind
    }
}

extension Mirror {
    /// What is seen of a value that holds something private, or holds what does: its description and nothing else. A dump may
    /// end in a log, too.
    init(redacted value: some CustomStringConvertible) {
        self.init(value, children: ["description": value.description])
    }
}

extension HTTPFields {
    /// A request with these fields as it may be logged: method, scheme and host, the names of the fields, the length of the
    /// body.
    func describe(_ method: String, _ url: URL, _ body: Data?) -> String {
        let names = isEmpty ? "" : ", \(self)"
        return "\(method) \(RedactedURL(url))\(names)\(body.map { ", \($0.count) bytes" } ?? "")"
    }
}
