#if os(Linux)
import Calotype
import Foundation
import Synchronization
import Testing

/// What `CurlTransport` does beyond the contract.
@Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
    private func makeTransport(connectionsPerHost: Int = 6, connections: Int = 32) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.usesEnvironmentProxies = false
        configuration.maximumConnectionsPerHost = connectionsPerHost
        configuration.maximumConnections = connections
        return CurlTransport(configuration: configuration)
    }

    @Test("nothing is added to a request but Host")
    func exactRequest() async throws {
        let seen = Mutex("")
        let server = try RawServer { connection in
            let head = connection.readHead() ?? ""
            seen.withLock { $0 = head }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitForClose()
        }
        let fields = HTTPFields([
            .init("X-Empty", ""), .init("Content-Length", "7"), .init("transfer-encoding", "chunked"),
            .init("X-Blank", " \t"), .init("X-Two", "a"), .init("X-Two", "b"),
        ])
        _ = try await makeTransport().send(HTTPRequest(url: server.url("/a/../b"), fields: fields))
        #expect(
            seen.withLock { $0 }
                == "GET /a/../b HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nX-Empty:\r\nX-Blank:\r\n"
                + "X-Two: a\r\nX-Two: b\r\n\r\n")
    }

    @Test("interim responses are told to who asks for them, in order, before the final one")
    func interimResponses() async throws {
        let server = try RawServer(
            answering: "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nX: 1\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let seen = Mutex<[String]>([])
        var request = HTTPRequest(url: server.url())
        request.onInterimResponse = { status, fields in
            seen.withLock { $0.append("\(status) \(fields["Link"] ?? "-") \(fields.count)") }
        }
        let response = try await makeTransport().send(request)
        #expect(seen.withLock { $0 } == ["102 - 0", "103 </a> 2"])
        #expect(response.status == 200 && response.fields["Link"] == nil)
    }

    @Test(
        "a transfer coding that libcurl doesn't know fails, unless it is to be left as it is", arguments: [true, false])
    func unknownTransferCoding(isDecoded: Bool) async throws {
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: zebra\r\nContent-Length: 1\r\n\r\nabc")
        }
        var configuration = CurlTransport.Configuration()
        configuration.decodesCodings = isDecoded
        let transport = CurlTransport(configuration: configuration)
        if isDecoded {
            await #expect(throws: HTTPTransportError.self) { _ = try await transport.get(server.url()) }
        } else {
            // The length is that of something else, so the body ends with the connection (RFC 9112 section 6.3).
            #expect(try await transport.get(server.url()).body == Data("abc".utf8))
        }
    }

    @Test("a method with an empty body says so", arguments: ["POST", "PUT", "PATCH"])
    func emptyBody(method: String) async throws {
        let seen = Mutex("")
        let server = try RawServer { connection in
            let head = connection.readHead() ?? ""
            seen.withLock { $0 = head }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitForClose()
        }
        _ = try await makeTransport().send(HTTPRequest(method: method, url: server.url()))
        #expect(
            seen.withLock { $0 }
                == "\(method) / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("a handle that sent a body sends a plain GET afterwards")
    func handleReuse() async throws {
        let methods = Mutex([String]())
        let server = try RawServer { connection in
            while let head = connection.readHead() {
                methods.withLock { $0.append(head.components(separatedBy: "\r\n")[0]) }
                if head.contains("Content-Length: 3\r\n") { _ = connection.readBody(3) }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let transport = makeTransport()
        let body = Data("abc".utf8)
        for request in [
            HTTPRequest(method: "POST", url: server.url("/1"), body: body), HTTPRequest(url: server.url("/2")),
            HTTPRequest(method: "DELETE", url: server.url("/3")), HTTPRequest(url: server.url("/4")),
            HTTPRequest(method: "GET", url: server.url("/5"), body: body), HTTPRequest(url: server.url("/6")),
        ] {
            #expect(try await transport.send(request).status == 200)
        }
        #expect(
            methods.withLock { $0 } == [
                "POST /1 HTTP/1.1", "GET /2 HTTP/1.1", "DELETE /3 HTTP/1.1", "GET /4 HTTP/1.1", "GET /5 HTTP/1.1",
                "GET /6 HTTP/1.1",
            ])
        #expect(await transport.counts() == CurlCounts(running: 0, waiting: 0, idleHandles: 1))
    }

    @Test("the most urgent goes first, the newest among equals, and a change of mind counts")
    func priorities() async throws {
        let order = Mutex([String]())
        let (gotFirst, mayAnswer) = (TestEvent(), TestEvent())
        let server = try RawServer { connection in
            while let head = connection.readHead() {
                let path = head.split(separator: " ")[1]
                order.withLock { $0.append(String(path)) }
                gotFirst.fire()
                mayAnswer.waitBlocking()
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let transport = makeTransport(connectionsPerHost: 1)
        let promoted = TransferPriority(.veryLow)
        try await withThrowingTaskGroup(of: Void.self) { group in
            func add(_ path: String, _ priority: TransferPriority) async {
                let request = HTTPRequest(url: server.url(path), priority: priority)
                let before = await transport.counts()
                group.addTask { _ = try await transport.send(request) }
                // The order of arrival is what is tested, so each waits in the queue before the next comes.
                while await transport.counts() == before { await Task.yield() }
            }
            await add("/first", .init(.normal))
            await gotFirst.wait()
            await add("/promoted", promoted)
            await add("/low", .init(.low))
            await add("/old", .init(.normal))
            await add("/new", .init(.normal))
            await add("/high", .init(.high))
            promoted.change(to: .veryHigh)
            mayAnswer.fire()
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == ["/first", "/promoted", "/high", "/new", "/old", "/low"])
    }

    @Test("no more exchanges run at once than there may be connections")
    func totalLimit() async throws {
        let mayAnswer = TestEvent()
        let script: @Sendable (RawConnection) -> Void = { connection in
            while connection.readHead() != nil {
                mayAnswer.waitBlocking()
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let servers = try (0..<4).map { _ in try RawServer(script) }
        let transport = makeTransport(connections: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in servers { group.addTask { _ = try await transport.get(server.url()) } }
            while await transport.counts().waiting < 2 { await Task.yield() }
            #expect(await transport.counts() == CurlCounts(running: 2, waiting: 2, idleHandles: 0))
            mayAnswer.fire()
            try await group.waitForAll()
        }
    }

    @Test("a small body comes with the head")
    func smallBody() async throws {
        let text = String(repeating: "x", count: 20_480)
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 20480\r\n\r\n\(text)")
        let (response, body) = try await makeTransport().get(server.url())
        #expect(body.count == 20_480)
        #expect(response.metrics.networkProtocol == "http/1.1")
        #expect(response.metrics.connectTime.map { $0 > .zero } == true)
    }
}
#endif
