import Foundation

/// Where a redirect may lead, and what the next request may say.
///
/// - Source: RFC 9110 section 15.4; the Fetch standard, "HTTP-redirect fetch".
struct RedirectPolicy: Sendable {
    /// The most redirects that one load follows.
    static let limit = 10

    /// Fields that any server may see. All others may be credentials, under whatever name.
    private static let harmless = [
        "accept", "accept-language", "accept-encoding", "cache-control", "if-none-match", "if-modified-since",
        "if-range", "range", "user-agent",
    ]

    /// The request that follows a redirect, or `nil` if the response is none.
    ///
    /// To another origin it takes along only what any server may see.
    ///
    /// - Throws: ``ImageError`` for a redirect that isn't followed.
    static func next(after response: HTTPResponse, to request: HTTPRequest) throws -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response.fields["Location"] else {
            return nil
        }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL else {
            throw ImageError(.network, .malformedResponse)
        }
        let scheme = url.scheme?.lowercased() ?? ""
        let isDowngrade = scheme == "http" && request.url.scheme?.lowercased() == "https"
        guard scheme == "http" || scheme == "https", !isDowngrade else {
            throw ImageError(.network, .unsafeRedirect(scheme: scheme.excerpt))
        }
        guard url.host()?.isEmpty == false else { throw ImageError(.network, .malformedResponse) }
        var next = request
        next.url = url
        if response.status == 303 || (response.status <= 302 && request.method == "POST"), request.method != "HEAD" {
            next.method = "GET"
            next.body = nil
        }
        if !isSameOrigin(url, request.url) { next.fields = forAnyOrigin(next.fields) }
        return next
    }

    /// Those fields that any server may see.
    static func forAnyOrigin(_ fields: HTTPFields) -> HTTPFields {
        var result = fields
        result.removeAll { field in !harmless.contains { field.name.equalsIgnoringASCIICase($0) } }
        return result
    }

    /// - Source: RFC 6454 section 5.
    static func isSameOrigin(_ a: URL, _ b: URL) -> Bool {
        a.origin == b.origin
    }
}
