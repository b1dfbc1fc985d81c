#if os(Linux)
import Calotype
import Foundation
import Glibc
import Testing

extension TransportContract {
    /// What a server does after it has read the request, and what the caller is to hear of it.
    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: HTTPTransportError.Code
        /// What Foundation's `URLSession` makes of it instead.
        let foundation: FoundationOutcome?
        let script: @Sendable (RawConnection) -> Void

        enum FoundationOutcome: Sendable {
            /// The error is another, because Foundation says no more.
            case code(HTTPTransportError.Code)
            /// Foundation ends the process.
            case traps
        }

        init(
            _ title: String, _ code: HTTPTransportError.Code, foundation: FoundationOutcome? = nil,
            _ script: @escaping @Sendable (RawConnection) -> Void
        ) {
            testDescription = title
            self.code = code
            self.foundation = foundation
            self.script = script
        }

        /// - Source: RFC 9112 sections 6.3 and 8 (incomplete messages).
        static let all: [Failure] = [
            Failure("closes without an answer", .connectionLost) { $0.close() },
            Failure("resets without an answer", .connectionLost) { $0.reset() },
            Failure("closes inside the head", .connectionLost, foundation: .traps) {
                $0.write("HTTP/1.1 200 OK\r\nContent-Le")
            },
            Failure("closes before the length is reached", .truncated(received: 3, expected: 10)) {
                $0.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            },
            Failure("closes before the first byte of the body", .truncated(received: 0, expected: 10)) {
                $0.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            },
            Failure("closes without the last chunk", .truncated(received: 3, expected: nil)) {
                $0.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            },
            Failure("sends a bad chunk", .truncated(received: 3, expected: nil)) {
                $0.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n")
                $0.waitForClose()
            },
            Failure("answers with garbage", .malformedResponse) {
                $0.write("SSH-2.0-OpenSSH_9.2\r\n")
                $0.waitForClose()
            },
            Failure("answers as HTTP/0.9", .malformedResponse) { $0.write("<html></html>") },
            Failure("sends a status out of range", .malformedResponse) {
                $0.write("HTTP/1.1 600 What\r\nContent-Length: 0\r\n\r\n")
                $0.waitForClose()
            },
            Failure("switches protocols unasked", .malformedResponse) {
                $0.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc")
            },
            Failure("sends a head without end", .malformedResponse, foundation: .code(.other)) { connection in
                connection.write("HTTP/1.1 200 OK\r\n")
                while connection.write("X-Filler: \(String(repeating: "x", count: 1000))\r\n") {}
            },
            Failure("sends a line without end", .malformedResponse, foundation: .code(.other)) { connection in
                connection.write("HTTP/1.1 200 OK\r\nX-Filler: ")
                while connection.write(String(repeating: "x", count: 1000)) {}
            },
        ]
    }

    @Test("a server that misbehaves is named", arguments: TransportUnderTest.all, Failure.all)
    func misbehavior(_ transport: TransportUnderTest, _ failure: Failure) async throws {
        var expected = failure.code
        if transport.isFoundation, let outcome = failure.foundation {
            // `FoundationTraps` shows that it does.
            guard case .code(let code) = outcome else { return }
            expected = code
        }
        let server = try RawServer { connection in
            _ = connection.readHead()
            failure.script(connection)
        }
        let code = await transportErrorCode { _ = try await transport().get(server.url()) }
        #expect(code == expected)
    }

    @Test("a reset inside the body is a lost connection", arguments: TransportUnderTest.all)
    func reset(_ transport: TransportUnderTest) async throws {
        let gotFirst = TestEvent()
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            gotFirst.waitBlocking()
            connection.reset()
        }
        let response = try await transport().send(HTTPRequest(url: server.url()))
        var pieces = response.body.makeAsyncIterator()
        #expect(try await pieces.next() == Data("abc".utf8), "bytes before the failure are given out")
        gotFirst.fire()
        #expect(await transportErrorCode { _ = try await pieces.next() } == .connectionLost)
    }

    @Test("a refused connection", arguments: TransportUnderTest.all)
    func refused(_ transport: TransportUnderTest) async throws {
        let port = try RefusingPort()
        defer { port.release() }
        #expect(await transportErrorCode { _ = try await transport().get(port.url("/")) } == .cannotConnect)
    }

    @Test("a name without an address", arguments: TransportUnderTest.all)
    func unknownHost(_ transport: TransportUnderTest) async throws {
        let url = URL(string: "http://nonexistent.invalid/")!
        #expect(await transportErrorCode { _ = try await transport().get(url) } == .hostNotFound)
    }

    @Test("TLS with a server that has none", arguments: TransportUnderTest.all)
    func noTLS(_ transport: TransportUnderTest) async throws {
        let server = try RawServer { connection in
            connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.waitForClose()
        }
        let url = URL(string: "https://127.0.0.1:\(server.port)/")!
        #expect(await transportErrorCode { _ = try await transport().get(url) } == .secureConnectionFailed)
    }

    @Test(
        "other schemes are refused", arguments: TransportUnderTest.all, ["ftp://h/", "file:///etc/passwd", "data:,a"])
    func scheme(_ transport: TransportUnderTest, url: String) async throws {
        let url = try #require(URL(string: url))
        #expect(await transportErrorCode { _ = try await transport().get(url) } == .unsupportedScheme)
    }

    @Test(
        "a URL without a host, or with a port that is none, is refused", arguments: TransportUnderTest.all,
        [
            "http:///a.png", "https://?q", "http:a.png", "http:/a.png", "http://user@/a.png", "http://:80/",
            "http://h:99999/",
        ])
    func invalidURL(_ transport: TransportUnderTest, url: String) async throws {
        let url = try #require(URL(string: url))
        #expect(await transportErrorCode { _ = try await transport().get(url) } == .invalidURL)
    }

    @Test(
        "a field that would break out of its line is refused", arguments: TransportUnderTest.all,
        [
            ("X-A", "1\r\nX-B: 2"), ("X-A", "1\n"), ("X-A\r\nX-B", "1"), ("X-A", "1\0"), ("", "1"), ("X A", "1"),
            ("X:", "1"),
        ])
    func injection(_ transport: TransportUnderTest, _ field: (name: String, value: String)) async throws {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let request = HTTPRequest(url: server.url(), fields: HTTPFields([.init(field.name, field.value)]))
        #expect(await transportErrorCode { _ = try await transport().send(request) } == .other)
        #expect(server.acceptedCount == 0)
    }

    @Test(
        "a method that isn't a token is refused", arguments: TransportUnderTest.all,
        ["", "GET / HTTP/1.1\r\nX:", "A B"])
    func method(_ transport: TransportUnderTest, method: String) async throws {
        let url = URL(string: "http://127.0.0.1:1/")!
        let code = await transportErrorCode { _ = try await transport().send(HTTPRequest(method: method, url: url)) }
        #expect(code == .other)
    }

    @Test("silence before the head runs out of time", arguments: TransportUnderTest.all)
    func idleBeforeHead(_ transport: TransportUnderTest) async throws {
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.waitForClose()
        }
        let start = ContinuousClock.now
        let code = await transportErrorCode {
            _ = try await transport().get(server.url(), timeouts: HTTPTimeouts(idle: .milliseconds(200)))
        }
        #expect(code == .timedOut)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        await server.waitUntilAllClosed()
    }

    @Test("silence inside the body runs out of time", arguments: TransportUnderTest.all)
    func idleInBody(_ transport: TransportUnderTest) async throws {
        let isClosed = TestEvent()
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForClose()
            isClosed.fire()
        }
        // What comes at once has come by then, however busy the machine is.
        let request = HTTPRequest(url: server.url(), timeouts: HTTPTimeouts(idle: .seconds(3)))
        let response = try await transport().send(request)
        var pieces = response.body.makeAsyncIterator()
        #expect(try await pieces.next() == Data("abc".utf8))
        #expect(await transportErrorCode { _ = try await pieces.next() } == .timedOut)
        await isClosed.wait()
    }

    @Test("a connection that doesn't come about runs out of time", arguments: TransportUnderTest.all)
    func connectTimeout(_ transport: TransportUnderTest) async throws {
        // Nobody accepts, so connections are left without an answer once the queue is full.
        let (listener, port) = try RawServer.listen(backlog: 0)
        let fillers = (0..<4).map { _ in RawServer.connect(port: port) }
        defer { for descriptor in fillers + [listener] { close(descriptor) } }
        let url = URL(string: "http://127.0.0.1:\(port)/")!
        var timeouts = HTTPTimeouts(connect: .milliseconds(200))
        // URLSession has no limit of its own for connecting: there the idle time covers it.
        if transport.isFoundation { timeouts.idle = timeouts.connect }
        let code = await transportErrorCode { _ = try await transport().get(url, timeouts: timeouts) }
        #expect(code == .timedOut)
    }
}
#endif
