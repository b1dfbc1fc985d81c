public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ImageRequest {
    /// Where the bytes come from.
    public enum Source: Sendable {
        /// A URL with the scheme http, https, file or data.
        case url(URL)
        /// An HTTP request with a method, fields or a body of its own. Kept apart: a source is copied often, and is a URL
        /// as a rule.
        indirect case http(HTTPMessage)
        /// Bytes in memory.
        case data(Data)
        /// The app's own code. It runs off the main actor, and again whenever the bytes are needed and nobody has them.
        case closure(@Sendable () async throws -> Data)
    }

    /// The parts of a `URLRequest` that make an HTTP request.
    public struct HTTPMessage: Sendable, Hashable {
        /// The method, upper case.
        public var method: String
        /// The URL.
        public var url: URL
        /// The fields.
        public var fields: HTTPFields
        /// The bytes to send.
        public var body: Data?
    }
}

extension ImageRequest.Source: CustomStringConvertible, CustomReflectable {
    /// Redacted: scheme and host of a URL, the length of data.
    public var description: String {
        switch self {
        case .url(let url): RedactedURL(url).description
        case .http(let message): message.description
        case .data(let data): "\(data.count) bytes"
        case .closure: "closure"
        }
    }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

extension ImageRequest.HTTPMessage: CustomStringConvertible, CustomReflectable {
    /// Redacted: method, scheme and host, the names of the fields, and the length of the body.
    public var description: String { fields.describe(method, url, body) }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

extension ImageRequest.Source {
    /// The message, if the request is more than a URL.
    var message: ImageRequest.HTTPMessage? {
        if case .http(let message) = self { message } else { nil }
    }

    /// The URL, if there is one.
    var url: URL? {
        switch self {
        case .url(let url): url
        case .http(let message): message.url
        case .data, .closure: nil
        }
    }
}

extension ImageRequest.HTTPMessage {
    /// Stands for no URL at all: nothing loads it.
    private static let none = URL(filePath: "/dev/null")

    /// The message that `request` makes. A request without a URL is refused when it is loaded.
    init(_ request: URLRequest) {
        method = request.httpMethod?.uppercased() ?? "GET"
        url = request.url ?? Self.none
        fields = HTTPFields((request.allHTTPHeaderFields ?? [:]).map { HTTPFields.Field($0.key, $0.value) })
        body = request.httpBody
    }
}
