import Calotype
import CalotypeTesting
import Foundation
import Synchronization

/// The server of the story: it can be taken down and brought back, and keeps a log of what it answered.
///
/// - Isolation: Any thread. ``takeDown()`` and ``bringUp()`` are for one at a time.
/// - Owns: a server on a port of its own while it is up.
final class StoryOrigin: Sendable {
    /// A request, and what was answered.
    struct Exchange: Sendable, Equatable {
        let path: String
        /// Whether the client had something stored, and asked whether it still holds.
        let isConditional: Bool
        let status: Int
        /// Bytes of the body that was sent.
        let byteCount: Int
    }

    /// What went over the wire, in numbers.
    struct Traffic: Codable, Equatable, Sendable {
        var requestCount = 0
        var notModifiedCount = 0
        var byteCount = 0
    }

    /// A file, the same for everybody or one for each account.
    enum File: Sendable {
        case shared(LoopbackServer.Resource)
        /// By the Authorization field.
        case personal([String: LoopbackServer.Resource])
    }

    private struct State {
        var files: [String: File] = [:]
        /// By path and Authorization field.
        var gates: [[String]: LoopbackServer.Gate] = [:]
        var exchanges: [Exchange] = []
    }

    /// Apart from the server, whose thread answers by it.
    private final class Book: Sendable {
        let latency: Duration
        let state = Mutex(State())

        init(latency: Duration) { self.latency = latency }

        func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
            state.withLock { state in
                var response = LoopbackServer.Response.status(404)
                switch state.files[request.path] {
                case .shared(let file)?: response = file.response(to: request)
                case .personal(let files)?:
                    let file = request.fields["Authorization"].flatMap { files[$0] }
                    response = file?.response(to: request) ?? .status(401)
                case nil: break
                }
                state.exchanges.append(
                    Exchange(
                        path: request.path, isConditional: request.fields["If-None-Match"] != nil,
                        status: response.status, byteCount: response.body.count))
                if let gate = state.gates[[request.path, request.fields["Authorization"] ?? ""]] {
                    response = response.gated(gate, afterBodyBytes: response.body.count / 2)
                }
                return response.delayed(by: latency)
            }
        }
    }

    /// Below the ports that systems give to whoever asks for any: nobody takes it by accident while the server is down.
    private static let ports = 20_000..<32_000

    let port: Int
    private let book: Book
    private let server: Mutex<LoopbackServer?>

    /// Makes a server without files, and brings it up.
    ///
    /// - Parameter latency: From a request to its response.
    init(latency: Duration) throws {
        book = Book(latency: latency)
        let started = try Self.start()
        server = Mutex(started)
        port = started.port
        route()
    }

    private static func start() throws -> LoopbackServer {
        var attempts = 0
        while true {
            do {
                return try LoopbackServer(port: .random(in: ports))
            } catch {
                attempts += 1
                guard error.errno == EADDRINUSE, attempts < 100 else { throw error }
            }
        }
    }

    // MARK: Up and down

    /// Closes the port: connections are refused from now on, and those that were open have ended.
    func takeDown() {
        server.withLock { $0.take() }?.stop()
    }

    /// Listens again, on the same port.
    ///
    /// - Returns: The server, whose count of requests begins anew.
    @discardableResult
    func bringUp() throws -> LoopbackServer {
        let started = try LoopbackServer(port: port)
        server.withLock { $0 = started }
        route()
        return started
    }

    private func route() {
        server.withLock { server in server?.fallback { [book] in book.answer($0) } }
    }

    // MARK: Files

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    /// Serves a file from now on, in place of what was there.
    func serve(_ file: File, at path: String) {
        book.state.withLock { $0.files[path] = file }
    }

    /// Holds the second half of an account's file back until the gate is opened.
    func hold(_ path: String, for authorization: String, at gate: LoopbackServer.Gate) {
        book.state.withLock { $0.gates[[path, authorization]] = gate }
    }

    // MARK: Log

    /// What has been answered, from the first on.
    var exchanges: [Exchange] { book.state.withLock { $0.exchanges } }
}

extension StoryOrigin.Traffic {
    init(_ exchanges: some Sequence<StoryOrigin.Exchange>) {
        for exchange in exchanges {
            requestCount += 1
            byteCount += exchange.byteCount
            if exchange.status == 304 { notModifiedCount += 1 }
        }
    }
}
