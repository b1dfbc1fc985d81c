import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Loopback server: requests and connections")
struct LoopbackServerTests {
    @Test("a path is answered by its script, a prefix by the longest that matches, everything else by 404")
    func routing() throws {
        let server = try LoopbackServer()
        server.route("/a") { _ in .ok(Data("exact".utf8)) }
        server.route(prefix: "/images/") { .ok(Data("short \($0.path)".utf8)) }
        server.route(prefix: "/images/large/") { _ in .ok(Data("long".utf8)) }
        let client = try RawClient(port: server.port)
        #expect(try client.exchange("GET", "/a?q=1").text == "exact")
        #expect(try client.exchange("GET", "/images/7").text == "short /images/7")
        #expect(try client.exchange("GET", "/images/large/7").text == "long")
        #expect(try client.exchange("GET", "/ab").status == 404)
        server.fallback { _ in .status(418) }
        #expect(try client.exchange("GET", "/ab").statusLine == "HTTP/1.1 418 Status")
    }

    @Test("scripted responses come in turn and the last one repeats")
    func responsesInTurn() throws {
        let server = try LoopbackServer()
        server.respond(to: "/a", with: .status(503), .redirect(to: "/b"), .ok(Data("x".utf8), type: "text/plain"))
        let client = try RawClient(port: server.port)
        #expect(try client.exchange("GET", "/a").status == 503)
        #expect(try client.exchange("GET", "/a").field("Location") == "/b")
        for _ in 0..<2 {
            let response = try client.exchange("GET", "/a")
            #expect(response.lines == ["Content-Type: text/plain", "Content-Length: 1"])
            #expect(response.text == "x")
        }
    }

    @Test("a request is logged as it came: method, target, field lines with their casing, body, connection, number")
    func requestLog() throws {
        let server = try LoopbackServer()
        let first = try RawClient(port: server.port)
        _ = try first.exchange("GET", "/a%20b?x=%2F&y")
        let second = try RawClient(port: server.port)
        _ = try second.exchange(
            "POST", "/c", lines: ["aCCept:  image/png ", "Accept: image/jpeg", "Content-Length: 5"], body: "hello")

        #expect(server.requests.map(\.description) == ["GET /a%20b?x=%2F&y", "POST /c"])
        #expect(server.requests.map(\.number) == [1, 2])
        #expect(server.requests.map(\.connectionID) == [1, 2])
        let request = try #require(server.requests(to: "/c").first)
        #expect(request.fields.map(\.name) == ["Host", "aCCept", "Accept", "Content-Length"])
        #expect(request.fields["accept"] == "image/png, image/jpeg")
        #expect(request.body == Data("hello".utf8))
        #expect(server.requests[0].query == "x=%2F&y")
        #expect(request.query == nil)
    }

    @Test("the target that a proxy is sent is logged by its path")
    func absoluteTarget() throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        _ = try client.exchange("GET", "http://img.example.com/a?b=c")
        _ = try client.exchange("GET", "http://img.example.com")
        #expect(server.requests.map(\.description) == ["GET /a?b=c", "GET /"])
    }

    @Test("a chunked request body is put together, its extensions and trailers dropped")
    func chunkedRequest() throws {
        let server = try LoopbackServer()
        server.route("/echo") { .ok($0.body) }
        let client = try RawClient(port: server.port)
        let response = try client.exchange(
            "PUT", "/echo", lines: ["Transfer-Encoding: chunked"],
            body: "3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n")
        #expect(response.text == "abc0123456789")
        #expect(try client.exchange("GET", "/echo").status == 200)
    }

    @Test("a client that expects 100-continue gets it before it sends its body")
    func expectContinue() throws {
        let server = try LoopbackServer()
        server.route("/echo") { .ok($0.body) }
        let client = try RawClient(port: server.port)
        client.request("PUT", "/echo", lines: ["Content-Length: 2", "Expect: 100-continue"])
        #expect(try client.response().status == 100)
        client.send("hi")
        #expect(try client.response().text == "hi")
    }

    @Test("a request is understood however its bytes are split")
    func splitInput() async throws {
        let server = try LoopbackServer()
        server.route("/echo") { .ok($0.body) }
        let client = try RawClient(port: server.port)
        for byte in "PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n".utf8 {
            client.send([byte])
        }
        #expect(try client.response().text == "hi")
    }

    @Test("requests share a connection until one of the two says close")
    func keepAlive() async throws {
        let server = try LoopbackServer()
        server.route("/close") { _ in .ok().closing() }
        let client = try RawClient(port: server.port)
        for _ in 0..<3 { #expect(try client.exchange("GET", "/").field("Connection") == nil) }
        #expect(server.connectionCount == 1)
        #expect(server.openConnectionCount == 1)
        #expect(try client.exchange("GET", "/", lines: ["Connection: close"]).field("Connection") == "close")
        #expect(try client.readToEnd().isEmpty)
        try await server.waitForConnectionEvent(.closedByServer(1))

        let other = try RawClient(port: server.port)
        #expect(try other.exchange("GET", "/close").field("Connection") == "close")
        #expect(try other.readToEnd().isEmpty)
        try await server.waitForConnectionEvent(.closedByServer(2))
        #expect(server.connectionEvents == [.opened(1), .closedByServer(1), .opened(2), .closedByServer(2)])
    }

    @Test("HTTP/1.0 closes unless asked to keep alive")
    func http10() throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try client.response().status == 404)
        client.send("GET / HTTP/1.0\r\n\r\n")
        #expect(try client.response().field("Connection") == "close")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("pipelined requests are answered in order, each after the one before")
    func pipelining() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.respond(to: "/1", with: .ok(Data("one".utf8)).gated(gate, afterBodyBytes: 3))
        server.respond(to: "/2", with: .ok(Data("two".utf8)))
        let client = try RawClient(port: server.port)
        client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        client.request("GET", "/3")
        try await gate.waitUntilHeld()
        #expect(try client.response().text == "one")
        // The pause at the body's end holds back what comes next.
        #expect(server.requests.map(\.path) == ["/1"])
        gate.open()
        #expect(try client.response().text == "two")
        #expect(try client.response().status == 404)
        #expect(server.requests.map(\.path) == ["/1", "/2", "/3"])
    }

    @Test("HEAD gets the fields of GET without the body")
    func head() throws {
        let server = try LoopbackServer()
        server.respond(to: "/a", with: .ok(Data("12345".utf8), type: "text/plain"))
        server.respond(to: "/chunked", with: .chunked([Data("12345".utf8)]))
        let client = try RawClient(port: server.port)
        #expect(try client.exchange("HEAD", "/a").lines == ["Content-Type: text/plain", "Content-Length: 5"])
        #expect(try client.exchange("HEAD", "/chunked").lines == ["Transfer-Encoding: chunked"])
        #expect(try client.exchange("GET", "/a").text == "12345")
    }

    @Test("stopping closes the port and the connections; the port can be taken again at once")
    func stopping() throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        _ = try client.exchange("GET", "/")
        server.stop()
        #expect(server.openConnectionCount == 0)
        #expect(server.connectionEvents == [.opened(1), .closedByServer(1)])
        #expect(try client.readToEnd().isEmpty)
        #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
        server.stop()

        let successor = try LoopbackServer(port: server.port)
        #expect(successor.port == server.port)
        #expect(try RawClient(port: successor.port).exchange("GET", "/").status == 404)
        #expect(throws: LoopbackServer.StartError.self) { try LoopbackServer(port: successor.port) }
    }

    @Test("letting go of a server stops it")
    func release() throws {
        var server: LoopbackServer? = try LoopbackServer()
        let port = try #require(server?.port)
        let client = try RawClient(port: port)
        _ = try client.exchange("GET", "/")
        server = nil
        #expect(try client.readToEnd().isEmpty)
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
    }

    @Test("a script may stop the server that runs it")
    func stopInScript() throws {
        let server = try LoopbackServer()
        server.route("/stop") { _ in
            server.stop()
            return .ok(Data("bye".utf8))
        }
        let client = try RawClient(port: server.port)
        #expect(try client.exchange("GET", "/stop").text == "bye")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("idle connections can be closed under the client", arguments: [false, true])
    func closeConnections(resetting: Bool) async throws {
        let server = try LoopbackServer()
        let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
        for client in clients { _ = try client.exchange("GET", "/") }
        server.closeConnections(resetting: resetting)
        try await server.waitForOpenConnections(count: 0)
        for client in clients {
            #expect(try client.readToEnd().isEmpty)
            #expect(client.end == (resetting ? .reset : .orderly))
        }
    }

    @Test("a URL names the server")
    func url() throws {
        let server = try LoopbackServer()
        #expect(server.url("/a.png?w=1").absoluteString == "http://127.0.0.1:\(server.port)/a.png?w=1")
    }
}
