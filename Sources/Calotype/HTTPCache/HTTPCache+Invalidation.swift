package import Foundation

extension HTTPCache {
    /// Whether a method changes nothing at the server. One that isn't known may.
    ///
    /// - Source: RFC 9110 section 9.2.1.
    package static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH": true
        default: false
        }
    }

    /// The URLs whose stored responses a response makes stale.
    ///
    /// - Source: RFC 9111 section 4.4. What Location and Content-Location name counts within one origin alone, for
    ///   otherwise a server could empty the cache of another one.
    package static func invalidated(method: String, url: URL, status: Int, fields: HTTPFields) -> [URL] {
        guard !isSafe(method), 200..<400 ~= status else { return [] }
        let others = ["Location", "Content-Location"].compactMap { name in
            fields[name].flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
        }
        return [url] + others.filter { RedirectPolicy.isSameOrigin($0, url) }
    }
}
