import Foundation

/// Runs what blocks on a thread of its own: where tasks of this process answer, those that wait may not take all the
/// threads that tasks have.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
}

/// A client that shows what is really on the wire: a blocking socket, and a reader of responses that mends nothing.
///
/// Reads give up after 60 seconds, so that a test fails rather than hangs.
final class RawClient {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    struct Response: Sendable {
        var statusLine: String
        var status: Int
        /// The field lines as they came.
        var lines: [String]
        /// The body's bytes on the wire, with the framing of chunks.
        var rawBody: [UInt8]
        /// The body without its framing.
        var body: [UInt8]
        /// Whether the body came to its proper end.
        var isComplete: Bool

        var text: String { String(decoding: body, as: UTF8.self) }

        func field(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.utf8.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    private var descriptor: Int32
    private var input: [UInt8] = []
    /// How the server ended the connection, once it has.
    private(set) var end: End?

    enum End {
        case orderly
        case reset
    }

    init(port: Int) throws {
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if connected != 0 {
            let error = errno
            Foundation.close(descriptor)
            descriptor = -1
            throw Failure(description: "connect: \(String(cString: strerror(error)))")
        }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { close() }

    func close() {
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
    }

    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends all; what a server that has gone doesn't take is lost.
    func send(_ bytes: some Collection<UInt8>) {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = ArraySlice(Array(bytes))
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends a request with a Host field, and these lines besides.
    func request(_ method: String, _ target: String, lines: [String] = [], body: String = "") {
        let head = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1"] + lines
        send(head.map { $0 + "\r\n" }.joined() + "\r\n" + body)
    }

    /// Sends a request and reads its response.
    func exchange(_ method: String, _ target: String, lines: [String] = [], body: String = "") throws -> Response {
        request(method, target, lines: lines, body: body)
        return try response(to: method)
    }

    private func fill() throws -> Bool {
        if end != nil { return false }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            input += buffer[..<count]
        } else if count == 0 {
            end = .orderly
        } else if errno == ECONNRESET {
            end = .reset
        } else {
            throw Failure(description: "recv: \(String(cString: strerror(errno))); have \(input.count) bytes")
        }
        return count > 0
    }

    /// The next bytes; fewer only at the end.
    func read(_ count: Int) throws -> [UInt8] {
        while input.count < count, try fill() {}
        defer { input.removeFirst(min(count, input.count)) }
        return Array(input.prefix(count))
    }

    /// Everything until the server closes.
    func readToEnd() throws -> [UInt8] {
        while try fill() {}
        defer { input = [] }
        return input
    }

    /// A line without its CRLF; `nil` at the end.
    private func line() throws -> String? {
        while true {
            if let newline = input.firstIndex(of: 0x0a) {
                defer { input.removeFirst(newline + 1) }
                return String(decoding: input[..<max(newline - 1, 0)], as: UTF8.self)
            }
            guard try fill() else { return nil }
        }
    }

    /// The next response's head, without its body.
    func head() throws -> Response {
        guard let statusLine = try line() else { throw Failure(description: "The connection ended before a response.") }
        let parts = statusLine.split(separator: " ")
        guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
            throw Failure(description: "No status line: \(statusLine)")
        }
        var lines: [String] = []
        while let next = try line(), !next.isEmpty { lines.append(next) }
        return Response(
            statusLine: statusLine, status: status, lines: lines, rawBody: [], body: [], isComplete: false)
    }

    /// The next response. Interim ones are responses of their own.
    func response(to method: String = "GET") throws -> Response {
        var response = try head()
        if method == "HEAD" || response.status < 200 || response.status == 204 || response.status == 304 {
            response.isComplete = true
        } else if response.field("Transfer-Encoding") == "chunked" {
            try readChunks(into: &response)
        } else if let length = response.field("Content-Length").flatMap(Int.init) {
            response.body = try read(length)
            response.rawBody = response.body
            response.isComplete = response.body.count == length
        } else {
            response.body = try readToEnd()
            response.rawBody = response.body
            response.isComplete = end == .orderly
        }
        return response
    }

    private func readChunks(into response: inout Response) throws {
        while let size = try line() {
            guard let count = Int(size, radix: 16) else { throw Failure(description: "No chunk size: \(size)") }
            let content = try read(count)
            response.body += content
            let mark = try read(2)
            response.rawBody += Array("\(size)\r\n".utf8) + content + mark
            if count == 0 || content.count < count {
                response.isComplete = count == 0 && mark == [0x0d, 0x0a]
                return
            }
        }
    }
}
