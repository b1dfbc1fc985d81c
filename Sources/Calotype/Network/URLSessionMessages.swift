import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// A request in URLSession's terms, checked.
    ///
    /// The order of the fields is lost, and fields of one name become one line, joined with commas.
    ///
    /// - Throws: ``HTTPTransportError``: `unsupportedScheme`, `invalidURL`, or `other` for a method or field that HTTP doesn't allow.
    /// - Source: RFC 9110 sections 5.5, 5.6.2 and 9.1.
    init(checking request: HTTPRequest) throws(HTTPTransportError) {
        guard ["http", "https"].contains(request.url.scheme?.lowercased()) else {
            throw HTTPTransportError(.unsupportedScheme, detail: "Only http and https URLs can be sent.")
        }
        guard request.url.host(percentEncoded: true)?.isEmpty == false else { throw .withoutHost }
        guard request.method.isHTTPToken else {
            throw HTTPTransportError(.other, detail: "The method isn't a token of HTTP.")
        }
        guard request.method != "HEAD" || request.body == nil else {
            throw HTTPTransportError(.other, detail: "A HEAD request has no body.")
        }
        self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
        // Set, not passed to `init`: Foundation on Linux reads the session's timeout unless this has been set.
        timeoutInterval = request.timeouts.idle.timeoutInterval
        httpMethod = request.method
        httpBody = request.body
        httpShouldHandleCookies = false
        #if !canImport(FoundationNetworking)
        allowsConstrainedNetworkAccess = request.allowsConstrainedNetwork
        allowsExpensiveNetworkAccess = request.allowsExpensiveNetwork
        #endif
        for field in request.fields {
            guard field.name.isHTTPToken else {
                throw HTTPTransportError(.other, detail: "The name of a request field isn't a token of HTTP.")
            }
            guard field.value.utf8.allSatisfy({ $0 != 0x0D && $0 != 0x0A && $0 != 0 }) else {
                throw HTTPTransportError(
                    .other, detail: "The value of the request field \(field.name) holds a line break or a NUL.")
            }
            // These are the transport's: two opinions on where a message ends are how requests are smuggled.
            let isOurs = ["host", "content-length", "transfer-encoding"].contains(field.name.lowercased())
            if !isOurs { addValue(field.value, forHTTPHeaderField: field.name) }
        }
    }
}

extension Duration {
    /// In seconds, as URLSession counts a timeout: never zero, and within what it can count.
    fileprivate var timeoutInterval: TimeInterval {
        let (seconds, attoseconds) = components
        let interval = min(max(Double(seconds) + Double(attoseconds) * 1e-18, 0.001), 365 * 86_400)
        #if canImport(FoundationNetworking)
        // There the fraction is cut off, and nothing is left of what is under a second.
        return interval.rounded(.up)
        #else
        return interval
        #endif
    }
}

/// The head of a final response, and how its body is framed.
struct URLSessionHead: Sendable {
    let status: Int
    let fields: HTTPFields
    /// How many bytes the body has as the caller sees it; `nil` if that isn't known.
    let bodyByteCount: Int64?
    /// The first content coding, in lower case.
    let contentCoding: String?

    /// - Returns: `nil` for an interim response.
    /// - Throws: ``HTTPTransportError`` for what is no response that can be given out.
    init?(_ response: URLResponse, method: String) throws(HTTPTransportError) {
        guard let response = response as? HTTPURLResponse else {
            throw HTTPTransportError(.malformedResponse, detail: "The response isn't one of HTTP.")
        }
        status = response.statusCode
        // Nobody has asked to switch protocols, so after a 101 nothing that follows is HTTP.
        if 100..<200 ~= status, status != 101 { return nil }
        guard 200..<600 ~= status else {
            throw HTTPTransportError(.malformedResponse, detail: "The status \(status) is none of a final response.")
        }
        var fields = HTTPFields(
            response.allHeaderFields
                .map { name, value in
                    let value = "\(value)"[...].utf8.trimmingOptionalWhitespace
                    return HTTPFields.Field("\(name)", String(Substring(value)))
                }
                // The order they came in is lost; that of a dictionary would change from run to run.
                .sorted { $0.name < $1.name })
        contentCoding = fields["Content-Encoding"]?.lowercased()
        let hasBody = method != "HEAD" && status != 204 && status != 304
        let isLengthOfBody = hasBody && contentCoding == nil && fields["Transfer-Encoding"] == nil
        bodyByteCount = isLengthOfBody ? fields["Content-Length"].flatMap { Int64($0) } : nil
        // A transfer coding frames the body, whatever a length beside it says (RFC 9112 section 6.3).
        if fields["Transfer-Encoding"] != nil { fields["Content-Length"] = nil }
        // A 304 has them removed as well: the stored response that it freshens has lost them too.
        // A part keeps them, though decoded: nobody is to join it to another.
        if status != 206, contentCoding.map(Self.isDecoded) == true {
            fields.removeAll { ["content-encoding", "content-length"].contains($0.name.lowercased()) }
        }
        self.fields = fields
    }

    /// Whether URLSession takes that content coding away.
    static func isDecoded(_ coding: String) -> Bool {
        #if canImport(FoundationNetworking)
        ["gzip", "x-gzip", "deflate", "br", "zstd"].contains(coding)
        #else
        ["gzip", "x-gzip", "deflate", "br"].contains(coding)
        #endif
    }
}
