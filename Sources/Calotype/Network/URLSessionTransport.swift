#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The transport on Apple platforms: a `URLSession` without cache, cookies and stored credentials.
///
/// What it knows of the network is the session's: proxies, VPN, HTTP/3, App Transport Security, the system's trust, and
/// the `protocolClasses` of the configuration. Two things follow from that:
///
/// - The session adds fields of its own to a request (User-Agent, Accept-Encoding, Accept-Language), doesn't keep the
///   order of those given, and joins those of one name. Host, Content-Length and Transfer-Encoding among them are left
///   out. A field whose name or value could break out of its line is refused with ``HTTPTransportError/Code/other``.
/// - It decodes the content codings it knows. Content-Encoding and Content-Length are then removed from the response,
///   except from a part (206).
///   The session says how a connection came about only after the body, so ``HTTPResponse/metrics`` is empty.
///
/// The idle timeout is the session's: it starts when the request does, so time spent waiting for a connection and
/// connecting counts. There is no other limit to connecting: ``HTTPTimeouts/connect`` isn't read. A task that is suspended
/// because its reader is slow isn't subject to it. The total timeout starts there as well, and is the transport's; a shorter
/// `timeoutIntervalForResource` of the configuration holds besides.
///
/// It also builds on Linux, for tests. Don't use it there for servers you don't trust, but ``CurlTransport``: Foundation's
/// session ends the process when a connection closes inside a head, or when a chunked body has trailers. Besides, it can't
/// be paused, so all that a slow reader leaves waits in memory; the idle timeout counts in whole seconds, rounded up; a
/// field line without a space after its colon or an unknown content coding fails the exchange; some
/// connections of cancelled exchanges stay open; and errors are told apart less well.
///
/// - Isolation: any thread. The session reports on a serial queue of its own.
/// - Owns: the session and its connections, until ``shutDown()`` or until the last reference goes. An exchange that runs
///   and a body that hasn't ended are such references.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let receiver = URLSessionReceiver()

    /// Makes a transport with a session of its own.
    ///
    /// - Parameter configuration: It is copied, and the copy's cache, cookie and credential storage are taken away:
    ///   responses are stored by the pipeline, by its own rules.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        let own = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        own.urlCache = nil
        own.requestCachePolicy = .reloadIgnoringLocalCacheData
        own.httpCookieStorage = nil
        own.httpShouldSetCookies = false
        own.httpCookieAcceptPolicy = .never
        own.urlCredentialStorage = nil
        // The session keeps its delegate until it is invalidated, so that isn't the transport, which would never go.
        session = URLSession(configuration: own, delegate: receiver, delegateQueue: nil)
    }

    // The last reference may go on the session's own queue, so nothing is waited for here.
    deinit {
        if receiver.close(nil) { session.invalidateAndCancel() }
    }

    /// Sends `request` and returns once the head of the final response is in. See ``HTTPTransport/send(_:)``.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let exchange = try URLSessionExchange(request, transport: self)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { exchange.begin($0) }
        } onCancel: {
            exchange.cancel()
        }
    }

    /// Fails what runs and invalidates the session; returns once the session has let go of everything.
    public func shutDown() async {
        await withCheckedContinuation { continuation in
            if receiver.close(continuation) { session.invalidateAndCancel() }
        }
    }

    /// A task that reports to `exchange`, not yet started; `nil` after ``shutDown()``.
    func makeTask(for exchange: URLSessionExchange) -> URLSessionDataTask? {
        receiver.register(exchange) { session.dataTask(with: exchange.request) }
    }

    /// Ends a task about which nobody wants to hear any more.
    func cancel(_ task: URLSessionDataTask) {
        receiver.forget(task)
        task.cancel()
    }

    /// Lets a suspended task go on.
    func resume(_ task: URLSessionDataTask) {
        // It was suspended on that queue, which is serial: so this can't overtake the call that it undoes.
        session.delegateQueue.addOperation { task.resume() }
    }
}

extension ImageRequest.Priority {
    /// The same for `URLSessionTask.priority`, whose constants are 0.25, 0.5 and 0.75.
    var sessionPriority: Float {
        switch self {
        case .veryLow: 0
        case .low: 0.25
        case .normal: 0.5
        case .high: 0.75
        case .veryHigh: 1
        }
    }
}
