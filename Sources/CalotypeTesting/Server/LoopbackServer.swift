import Dispatch
public import Foundation
import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// An HTTP/1.1 server on 127.0.0.1 whose answers a test scripts, and which tells the test what reached it.
///
/// ```swift
/// let server = try LoopbackServer()
/// server.respond(to: "/cat.png", with: .status(503), .ok(png, type: "image/png"))     // first this, then that
/// server.route("/echo") { request in .ok(request.body) }
/// let image = try await pipeline.image(for: server.url("/cat.png"))
/// #expect(server.requests.map(\.path) == ["/cat.png", "/cat.png"])
/// ```
///
/// It speaks real HTTP over real sockets, so what is tested is the client as it is: keep-alive, pipelined requests,
/// bodies in both directions, and the faults of ``Response``. A path without a script is answered by 404; a request
/// that isn't HTTP by 400 and the end of the connection.
///
/// A client that closes its connection is noticed at once, also while its response hangs or waits. One that closes
/// only its sending side counts as gone.
///
/// - Isolation: Any thread. Scripts run on the server's own thread, one at a time, and must not block: a response that
///   is to wait says so, with a delay or a ``Gate``.
/// - Owns: a thread, and one descriptor for each connection, until ``stop()`` or the end of its own life. Thousands of
///   connections are fine as long as the process may open that many files.
public final class LoopbackServer: Sendable {
    /// Answers a request.
    public typealias Handler = @Sendable (Request) -> Response

    /// Why a server couldn't be started: the system call and its `errno`.
    public struct StartError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The system call.
        public var call: String
        /// Its error.
        public var errno: Int32

        /// "Couldn't start the server: bind: Address already in use".
        public var description: String { "Couldn't start the server: \(call): \(String(cString: strerror(errno)))" }
    }

    private let loop: ServerLoop
    private let router = Router()
    private let thread: ObjectIdentifier
    /// Signalled once the thread has closed everything; each wait passes the signal on.
    private let ended = DispatchSemaphore(value: 0)
    let record: Monitor<ServerRecord>

    /// The port that it listens on.
    public var port: Int { Int(loop.port) }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: 0 takes a free one. A stopped server's port can be taken again at once.
    ///   - logLimit: How many requests and connection events are kept, from the last one backwards. A test that sends
    ///     100,000 requests and watches its memory sets a limit; the counts go on in any case.
    /// - Throws: ``StartError``.
    public init(port: Int = 0, logLimit: Int = .max) throws(StartError) {
        precondition(logLimit >= 0, "A log can't keep \(logLimit) entries.")
        guard let port = UInt16(exactly: port) else { throw StartError(call: "bind", errno: EINVAL) }
        record = Monitor(ServerRecord(limit: logLimit))
        loop = try ServerLoop(port: port, router: router, record: record)
        let thread = Thread { [loop, ended] in
            loop.run()
            ended.signal()
        }
        thread.name = "Calotype loopback server"
        self.thread = ObjectIdentifier(thread)
        thread.start()
    }

    deinit { stop() }

    /// Closes the port and every connection. Waits in progress fail with ``WaitError``.
    ///
    /// Returns when everything is closed, unless a script calls it: then that happens once the script has returned.
    public func stop() {
        loop.mailbox.post(.stop)
        if ObjectIdentifier(Thread.current) != thread {
            ended.wait()
            ended.signal()
        }
        router.removeAll()
        record.close()
    }

    /// The URL of a path on this server.
    ///
    /// - Parameter path: Begins with a slash and is percent-encoded; it may have a query.
    public func url(_ path: String) -> URL {
        guard path.hasPrefix("/"), let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("\"\(path)\" is no path. Begin with a slash, and percent-encode what URLs don't allow.")
        }
        return url
    }

    func setStreaming(_ handler: @escaping @Sendable (StreamedRequest) -> ResponseStream) {
        router.streaming = handler
    }

    // MARK: Scripts

    /// Answers requests for exactly that path, whatever their query, in place of what was scripted before.
    public func route(_ path: String, _ handler: @escaping Handler) {
        router.set(path, handler)
    }

    /// Answers requests for paths that begin so and have no script of their own. The longest prefix counts.
    public func route(prefix: String, _ handler: @escaping Handler) {
        router.set(prefix: prefix, handler)
    }

    /// Answers requests that nothing else matches: 404 unless changed.
    public func fallback(_ handler: @escaping Handler) {
        router.set(fallback: handler)
    }

    /// Answers the requests for a path with these responses in turn; the last one repeats.
    public func respond(to path: String, with responses: [Response]) {
        precondition(!responses.isEmpty, "Nothing to answer \(path) with. Give at least one response.")
        let next = Mutex(0)
        router.set(path) { _ in
            let index = next.withLock { next in
                defer { next = min(next + 1, responses.count - 1) }
                return next
            }
            return responses[index]
        }
    }

    /// Answers the requests for a path with these responses in turn; the last one repeats.
    public func respond(to path: String, with responses: Response...) {
        respond(to: path, with: responses)
    }

    /// Closes every open connection, as a server does with those that have been idle for too long.
    ///
    /// Returns before that has happened: await ``waitForOpenConnections(count:timeout:)``.
    ///
    /// - Parameter resetting: With an RST in place of an orderly end.
    public func closeConnections(resetting: Bool = false) {
        loop.mailbox.post(.closeConnections(resets: resetting))
    }
}
