import Calotype
import CalotypeTesting
import Foundation
import Synchronization

/// Who has sent a request, and the way back: writes responses as they go over the wire.
///
/// - Isolation: any task, one at a time; interim responses come from a thread of the transport's.
final class ProxyClient: Sendable {
    private struct State {
        var status: Int?
        var isChunked = false
    }

    let request: LoopbackServer.Request
    private let keepsAlive: Bool
    private let isHTTP11: Bool
    private let stream: ResponseStream
    private let state = Mutex(State())

    init(_ request: LoopbackServer.StreamedRequest, _ stream: ResponseStream) {
        self.request = request.request
        keepsAlive = request.keepsAlive
        isHTTP11 = request.isHTTP11
        self.stream = stream
    }

    var method: String { request.method }
    var fields: HTTPFields { request.fields }
    /// The body; `nil` if the request has none. An empty one that was announced is one.
    var body: Data? {
        let isAnnounced = fields["Content-Length"] != nil || fields["Transfer-Encoding"] != nil
        return request.body.isEmpty && (!isAnnounced || method == "GET" || method == "HEAD") ? nil : request.body
    }
    /// The status of the answer, once it has begun.
    var status: Int? { state.withLock { $0.status } }
    var hasBegun: Bool { status != nil }

    // MARK: Whole answers

    /// Answers with an error of the gateway, without a body.
    func refuse(_ status: Int) async throws {
        try await stream.send(head(status, ["Content-Length": "0"], hasBody: false))
        finish()
    }

    /// Answers from the store: with all of a response, a part of it, or that the client has it already.
    ///
    /// - Returns: Whether the body was still there. If not, nothing has been sent.
    func answer(_ candidate: CacheProxy.Lookup.Candidate, from proxy: CacheProxy) async throws -> Bool {
        let stored = await proxy.attempt("read") {
            try await proxy.store.body(of: candidate.response.id)?.bytes()
        }
        guard let body = stored ?? nil else { return false }
        var fields = candidate.head.fields
        // Not rounded up: that would make it stale earlier than it is.
        let age = max(0, HTTPCache.currentAge(of: candidate.head, now: Date()))
        fields["Age"] = String(Int(exactly: age.rounded(.down)) ?? 0)
        try await stream.send(answer(candidate.head, fields, body))
        finish()
        return true
    }

    private func answer(_ head: HTTPCache.StoredHead, _ fields: HTTPFields, _ body: Data) -> Data {
        if HTTPCache.isNotModified(head, for: self.fields) {
            return self.head(304, fields.ofNotModified, hasBody: false)
        }
        var (status, fields, body) = (head.status, fields, body)
        if method == "GET" {
            switch HTTPCache.range(of: self.fields, in: head, byteCount: Int64(body.count)) {
            case .whole: break
            case .part(let range):
                fields["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"
                body = body.subdata(in: Int(range.lowerBound)..<Int(range.upperBound))
                status = 206
            case .unsatisfiable:
                fields["Content-Range"] = "bytes */\(body.count)"
                body = Data()
                status = 416
            }
        }
        fields["Content-Length"] = status == 204 ? nil : String(body.count)
        let sends = method != "HEAD" && status != 204
        return self.head(status, fields, hasBody: sends) + (sends ? body : Data())
    }

    // MARK: Piece by piece

    /// Passes an interim response on.
    func pass(_ status: Int, _ fields: HTTPFields) {
        guard isHTTP11, !hasBegun else { return }
        stream.post(Self.lines(status, HTTPCache.forwarded(fields)))
    }

    /// The head of a response in bytes.
    ///
    /// - Parameters:
    ///   - fields: Without those of a connection.
    ///   - hasBody: Whether a body follows. If the fields don't tell its length, it is sent in chunks, or until the connection
    ///     closes.
    func head(_ status: Int, _ fields: HTTPFields, hasBody: Bool) -> Data {
        let isUnbounded = hasBody && fields["Content-Length"] == nil
        state.withLock { state in
            state.status = status
            state.isChunked = isUnbounded && isHTTP11
        }
        var fields = fields
        if isUnbounded, isHTTP11 { fields.append("Transfer-Encoding", "chunked") }
        if !keepsAlive || isUnbounded && !isHTTP11 { fields.append("Connection", "close") }
        return Self.lines(status, fields)
    }

    /// A piece of a body in bytes.
    func framed(_ piece: Data) -> Data {
        guard state.withLock({ $0.isChunked }) else { return piece }
        return Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
    }

    /// The end of a body in bytes.
    var lastChunk: Data { state.withLock { $0.isChunked } ? Data("0\r\n\r\n".utf8) : Data() }

    /// Sends bytes, and returns once there is room for more.
    func send(_ bytes: Data) async throws {
        try await stream.send(bytes)
    }

    /// Ends a response that is complete.
    func finish(isBounded: Bool = true) {
        stream.finish(keepsAlive && isBounded ? .kept : .closing)
    }

    /// Breaks the response off.
    func abort() {
        stream.finish(.aborted)
    }

    /// Whether the end of a body can be seen without the connection's being closed.
    func isBounded(_ fields: HTTPFields) -> Bool { isHTTP11 || fields["Content-Length"] != nil }

    private static func lines(_ status: Int, _ fields: HTTPFields) -> Data {
        var text = "HTTP/1.1 \(status) \(LoopbackServer.reasonPhrase(status))\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        return Data((text + "\r\n").utf8)
    }
}

extension HTTPFields {
    /// Those that a 304 has: it describes the response that the client has, not a body.
    ///
    /// - Source: RFC 9110 section 15.4.5.
    var ofNotModified: HTTPFields {
        var fields = self
        for name in ["Content-Length", "Content-Type", "Content-Encoding", "Content-Language", "Content-Range"] {
            fields[name] = nil
        }
        return fields
    }
}
