#if os(Linux)
import Foundation

/// A request in libcurl's terms, checked.
///
/// The checks keep a field from becoming two: curl writes what it is given, so a line break inside a value would let
/// whoever chose that value add fields, or a second request.
struct CurlRequest: Sendable {
    let method: String
    let url: String
    let isSecure: Bool
    /// Scheme and authority. Transfers with one origin share connections.
    let origin: String
    /// Lines for `CURLOPT_HTTPHEADER`.
    let lines: [String]
    let body: Data?
    let timeouts: HTTPTimeouts
    let priority: TransferPriority
    let onInterimResponse: (@Sendable (Int, HTTPFields) -> Void)?

    /// - Throws: ``HTTPTransportError``: `unsupportedScheme`, `invalidURL`, or `other` for a method or field that HTTP doesn't allow.
    /// - Source: RFC 9110 sections 5.5, 5.6.2 and 9.1.
    init(_ request: HTTPRequest) throws(HTTPTransportError) {
        let url = request.url.absoluteString
        guard let scheme = Scheme(url) else {
            if url.hasASCIIPrefix("http:") || url.hasASCIIPrefix("https:") { throw .withoutHost }
            throw HTTPTransportError(.unsupportedScheme, detail: "Only http and https URLs can be sent.")
        }
        guard request.method.isHTTPToken else {
            throw HTTPTransportError(.other, detail: "The method isn't a token of HTTP.")
        }
        guard request.method != "HEAD" || request.body == nil else {
            throw HTTPTransportError(.other, detail: "A HEAD request has no body.")
        }
        guard let origin = Self.origin(of: url, after: scheme) else { throw .withoutHost }
        self.url = url
        self.origin = origin
        isSecure = scheme == .https
        method = request.method
        // A method that anticipates content says so when there is none (RFC 9110 section 8.6).
        body = request.body ?? (["POST", "PUT", "PATCH"].contains(request.method) ? Data() : nil)
        timeouts = request.timeouts
        priority = request.priority
        onInterimResponse = request.onInterimResponse
        lines = try Self.lines(for: request.fields, hasBody: body != nil)
    }

    private enum Scheme {
        case http, https

        init?(_ url: String) {
            if url.hasASCIIPrefix("http://") {
                self = .http
            } else if url.hasASCIIPrefix("https://") {
                self = .https
            } else {
                return nil
            }
        }
    }

    /// - Returns: `nil` if there is nothing behind the scheme.
    private static func origin(of url: String, after scheme: Scheme) -> String? {
        let rest = url.utf8.dropFirst(scheme == .https ? 8 : 7)
        let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? url.endIndex
        return end > rest.startIndex ? String(url[..<end]) : nil
    }

    private static func lines(for fields: HTTPFields, hasBody: Bool) throws(HTTPTransportError) -> [String] {
        var lines: [String] = []
        lines.reserveCapacity(fields.count + 3)
        var hasAccept = false
        var hasContentType = false
        for field in fields {
            guard field.name.isHTTPToken else {
                throw HTTPTransportError(.other, detail: "The name of a request field isn't a token of HTTP.")
            }
            guard field.value.utf8.allSatisfy({ $0 != 0x0D && $0 != 0x0A && $0 != 0 }) else {
                throw HTTPTransportError(
                    .other, detail: "The value of the request field \(field.name) holds a line break or a NUL.")
            }
            // The framing is the transport's: two opinions on where a message ends are how requests are smuggled.
            if field.name.equalsIgnoringASCIICase("Content-Length") { continue }
            if field.name.equalsIgnoringASCIICase("Transfer-Encoding") { continue }
            hasAccept = hasAccept || field.name.equalsIgnoringASCIICase("Accept")
            hasContentType = hasContentType || field.name.equalsIgnoringASCIICase("Content-Type")
            // "Name:" would remove a field; "Name;" is curl's way to write an empty one.
            let isEmpty = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            lines.append(isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        // What curl would add by itself.
        if !hasAccept { lines.append("Accept:") }
        if hasBody {
            lines.append("Expect:")
            if !hasContentType { lines.append("Content-Type:") }
        }
        return lines
    }
}

extension String {
    fileprivate func hasASCIIPrefix(_ prefix: StaticString) -> Bool {
        var bytes = utf8.makeIterator()
        return prefix.withUTF8Buffer { prefix in
            prefix.allSatisfy { bytes.next()?.asciiLowercased == $0 }
        }
    }
}
#endif
