public import Foundation
import Synchronization

/// Sends one request and streams the response.
///
/// A transport does no more than HTTP itself. It doesn't follow redirects (a 3xx is returned like any other response),
/// keeps no cache and no cookies, doesn't decide what is valid, and doesn't retry.
///
/// What every transport must do is stated by the contract tests (`TransportContract`, among the tests of this package).
public protocol HTTPTransport: Sendable {
    /// Sends `request` and returns once the head of the final response is in.
    ///
    /// Interim responses (1xx) aren't returned. The body is pulled: while nobody asks for the next bytes, at most a
    /// bounded amount is buffered and the connection is paused. Cancelling the task that waits for the head or for the
    /// body, or letting go of a body that hasn't ended, closes the exchange.
    ///
    /// - Throws: ``HTTPTransportError``, or `CancellationError` if the task was cancelled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// A request as a transport gets it.
public struct HTTPRequest: Sendable {
    /// The method: upper case.
    public var method: String
    /// An http or https URL.
    public var url: URL
    /// The fields, sent in this order. The transport adds Host, and Content-Length where there is a body.
    public var fields: HTTPFields
    /// The bytes to send, if any.
    public var body: Data?
    /// How long to wait.
    public var timeouts: HTTPTimeouts
    /// How urgent the exchange is; it may change while the exchange runs.
    public var priority: TransferPriority
    /// Whether it may use a network that the user has asked to spare. A transport that can't tell uses any.
    public var allowsConstrainedNetwork: Bool
    /// Whether it may use a network that may cost the user. A transport that can't tell uses any.
    public var allowsExpensiveNetwork: Bool
    /// Is given the status and the fields of each interim response (1xx) before the final one, on a thread of the transport's:
    /// it must not block. A transport that doesn't see them gives none.
    package var onInterimResponse: (@Sendable (Int, HTTPFields) -> Void)?

    /// Makes a request.
    public init(
        method: String = "GET", url: URL, fields: HTTPFields = .init(), body: Data? = nil,
        timeouts: HTTPTimeouts = .init(), priority: TransferPriority = .init(.normal),
        allowsConstrainedNetwork: Bool = true, allowsExpensiveNetwork: Bool = true
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeouts = timeouts
        self.priority = priority
        self.allowsConstrainedNetwork = allowsConstrainedNetwork
        self.allowsExpensiveNetwork = allowsExpensiveNetwork
    }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Redacted: method, scheme and host, the names of the fields, and the length of the body.
    public var description: String { fields.describe(method, url, body) }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

/// The priority of a running exchange.
///
/// - Isolation: Any thread may read and change it. `onChange` is called by the thread that changes it.
public final class TransferPriority: Sendable {
    private struct State {
        var value: ImageRequest.Priority
        var onChange: (@Sendable (ImageRequest.Priority) -> Void)?
    }

    private let state: Mutex<State>

    /// Makes one with that value.
    public init(_ value: ImageRequest.Priority) {
        state = Mutex(State(value: value))
    }

    /// The priority now.
    public var value: ImageRequest.Priority { state.withLock { $0.value } }

    /// Calls `handler` after each later change. There is one handler: the transport's.
    public func onChange(_ handler: (@Sendable (ImageRequest.Priority) -> Void)?) {
        state.withLock { $0.onChange = handler }
    }

    package func change(to value: ImageRequest.Priority) {
        let handler = state.withLock { state -> (@Sendable (ImageRequest.Priority) -> Void)? in
            guard state.value != value else { return nil }
            state.value = value
            return state.onChange
        }
        handler?(value)
    }
}

/// A response whose head is in and whose body is arriving.
public struct HTTPResponse: Sendable {
    /// The status, 200 to 599.
    public var status: Int
    /// The fields. Several lines of one name may have been joined by the transport.
    public var fields: HTTPFields
    /// The bytes, with transfer codings removed. Where the transport takes a content coding off, it removes Content-Encoding
    /// and Content-Length as well, except from a part (206): one with a coding is told by its Content-Encoding, and is
    /// joined to nothing.
    public var body: HTTPBody
    /// How the exchange went.
    public var metrics: HTTPExchangeMetrics

    /// Makes a response.
    public init(
        status: Int, fields: HTTPFields = .init(), body: HTTPBody = .init(), metrics: HTTPExchangeMetrics = .init()
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.metrics = metrics
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// Redacted: status, the names of the fields, and how long the body is, if it is there.
    public var description: String { "status \(status)\(fields.isEmpty ? "" : ", \(fields)"), body: \(body)" }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

/// What a transport knows of an exchange once the head is in.
public struct HTTPExchangeMetrics: Sendable, Hashable {
    /// "http/1.1" or "h2", as ALPN names it.
    public var networkProtocol: String?
    /// Whether an open connection served it.
    public var reusedConnection: Bool
    /// The time until the connection stood; zero when it was reused.
    public var connectTime: Duration?
    /// Tells one connection from another that is open at the same time; the local port, where that is known.
    public var connectionID: Int?

    /// Makes metrics.
    public init(
        networkProtocol: String? = nil, reusedConnection: Bool = false, connectTime: Duration? = nil,
        connectionID: Int? = nil
    ) {
        self.networkProtocol = networkProtocol
        self.reusedConnection = reusedConnection
        self.connectTime = connectTime
        self.connectionID = connectionID
    }
}

/// The bytes of a response, in the pieces they arrive in. It can be gone through once.
public struct HTTPBody: AsyncSequence, Sendable {
    /// The bytes so far unread.
    public typealias Element = Data

    fileprivate enum Content: Sendable {
        case whole(Data)
        case arriving(any HTTPBodySource)

        var description: String {
            switch self {
            case .whole(let data): "\(data.count) bytes"
            case .arriving: "arriving"
            }
        }
    }

    private let content: Content

    /// A body that is there already.
    public init(_ data: Data = Data()) {
        content = .whole(data)
    }

    /// A body that arrives.
    public init(_ source: any HTTPBodySource) {
        content = .arriving(source)
    }

    /// The body, if it was there from the start.
    var whole: Data? {
        if case .whole(let data) = content { data } else { nil }
    }

    /// Where it comes from, if it wasn't there from the start.
    var source: (any HTTPBodySource)? {
        if case .arriving(let source) = content { source } else { nil }
    }

    /// Goes through the pieces.
    public func makeAsyncIterator() -> Iterator { Iterator(content: content) }

    /// Goes through the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var content: Content

        /// The next piece, never empty; `nil` once the body is complete.
        ///
        /// - Throws: ``HTTPTransportError`` if the body can't be completed.
        public mutating func next() async throws -> Data? {
            switch content {
            case .arriving(let source):
                return try await source.next()
            case .whole(let data):
                content = .whole(Data())
                return data.isEmpty ? nil : data
            }
        }
    }
}

extension HTTPBody: CustomStringConvertible, CustomReflectable {
    /// Its length, or "arriving".
    public var description: String { content.description }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

extension HTTPBody.Iterator: CustomStringConvertible, CustomReflectable {
    /// What is still to come: its length, or "arriving".
    public var description: String { content.description }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

/// Where the bytes of a body come from. Letting go of it before the end closes the exchange.
public protocol HTTPBodySource: AnyObject, Sendable {
    /// The next piece, never empty; `nil` once the body is complete. Called by one task at a time.
    func next() async throws -> Data?
}

/// What a transport reports when an exchange can't be completed.
public struct HTTPTransportError: Error, Sendable, Hashable {
    /// The kinds of failure that callers tell apart.
    public enum Code: Sendable, Hashable {
        /// The host name has no address.
        case hostNotFound
        /// Refused, or unreachable.
        case cannotConnect
        /// Broken before the response was complete.
        case connectionLost
        /// See ``HTTPTimeouts``.
        case timedOut
        /// The only network is one that the request doesn't allow.
        case networkRestricted
        /// TLS failed.
        case secureConnectionFailed
        /// Not HTTP, a head larger than the transport takes, or a content coding that is damaged.
        case malformedResponse
        /// The body ended before its length, its last chunk or the end of its content coding. The bytes are counted as they
        /// came, in the coding.
        case truncated(received: Int64, expected: Int64?)
        /// Not http or https.
        case unsupportedScheme
        /// A URL without a host, or one that isn't well-formed.
        case invalidURL
        /// Anything else.
        case other
    }

    /// What happened.
    public var code: Code
    /// The library's own words. They may hold private data.
    public var detail: String

    /// Makes an error.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    static let shutDown = HTTPTransportError(.other, detail: "The transport has been shut down.")

    static let withoutHost = HTTPTransportError(.invalidURL, detail: "The URL has no host.")

    static func exceeded(idle limit: Duration) -> HTTPTransportError {
        HTTPTransportError(.timedOut, detail: "Not a byte from the server for \(limit), the idle timeout.")
    }

    static func exceeded(total limit: Duration) -> HTTPTransportError {
        HTTPTransportError(.timedOut, detail: "The response wasn't complete after \(limit), the total timeout.")
    }
}

extension HTTPTransportError: CustomStringConvertible, CustomReflectable {
    /// The code. ``detail`` is there to be asked for.
    public var description: String { "\(code)" }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}
