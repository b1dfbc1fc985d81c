#if os(Linux)
import Foundation

/// The transport on Linux: libcurl, its multi interface on one thread of its own.
///
/// Connections are kept and used again; over TLS, HTTP/2 is used where the server offers it. When more exchanges are
/// wanted than may run, the most urgent goes first, and among equals the newest.
///
/// Nothing is added to a request but Host and, where there is a body, Content-Length. Content-Length and
/// Transfer-Encoding among the given fields are left out: the transport frames the message. A field whose name or value
/// could break out of its line is refused with ``HTTPTransportError/Code/other``. A user and password in the URL are sent
/// as Basic credentials.
///
/// A body that comes in the content coding gzip or deflate, asked for or not, is decoded as it is read; another coding is left
/// as it is.
///
/// The connect timeout covers looking up the name, connecting and TLS. The idle and the total timeout count from the
/// moment the request begins to be sent, so time spent waiting for a connection or for a turn doesn't count.
///
/// - Isolation: any thread. Everything of libcurl is touched by the transport's own thread alone.
/// - Owns: one thread and its connections, until ``shutDown()`` or until the last reference goes. An exchange that runs
///   and a body that hasn't ended are such references.
public final class CurlTransport: HTTPTransport {
    /// How a transport is set up.
    public struct Configuration: Sendable, Hashable {
        /// Connections to one host: scheme, name and port.
        public var maximumConnectionsPerHost = 6
        /// Connections in all, and exchanges that run at once.
        public var maximumConnections = 32
        /// Bytes of a body that may wait for the reader before the connection is paused. What libcurl hands over at
        /// once, 64 KiB, may come on top.
        public var bodyBufferByteCount = 256 * 1024
        /// A file of trusted certificates in PEM form; the system's when `nil`.
        public var certificateBundlePath: String?
        /// Whether `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are heeded.
        public var usesEnvironmentProxies = true
        /// Whether codings are taken off: content codings that are known, and any transfer coding besides chunked, which fails
        /// where libcurl doesn't know it. If not, the body comes as it is in them.
        package var decodesCodings = true

        /// The defaults, each of which may be changed.
        public init() {}
    }

    let mailbox = CurlMailbox()
    private let decodesCodings: Bool

    /// Makes a transport and starts its thread.
    public init(configuration: Configuration = .init()) {
        decodesCodings = configuration.decodesCodings
        let mailbox = mailbox
        // The thread refers to the mailbox, not to the transport: otherwise the transport would never go.
        let thread = Thread { CurlLoop(mailbox: mailbox, configuration: configuration).run() }
        thread.name = "calotype.curl"
        thread.start()
    }

    // The last reference may go on the transport's own thread, so nothing is waited for here.
    deinit { mailbox.post(.shutDown(nil)) }

    /// Sends `request` and returns once the head of the final response is in. See ``HTTPTransport/send(_:)``.
    ///
    /// A small body that arrives with the head is in the response already.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let transfer = CurlTransfer(try CurlRequest(request), transport: self)
        let response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { transfer.begin($0) }
        } onCancel: {
            transfer.cancel()
        }
        return decodesCodings && response.fields["Content-Encoding"] != nil ? response.decoded() : response
    }

    /// Fails what runs, closes the connections and ends the thread; returns once that is done.
    public func shutDown() async {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.shutDown(continuation)) { continuation.resume() }
        }
    }

    /// How much there is of everything.
    package func counts() async -> CurlCounts {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.count(continuation)) {
                continuation.resume(returning: CurlCounts(running: 0, waiting: 0, idleHandles: 0))
            }
        }
    }
}
#endif
