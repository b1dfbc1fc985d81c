import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import CalotypeTool

/// A proxy before a scripted server, and a client that keeps nothing.
private struct ProxyFixture {
    let origin: LoopbackServer
    let front: LoopbackServer
    let store: MemoryStore
    let transport = Fixture.transport()

    init(storeByteLimit: Int = 256 << 20) throws {
        origin = try LoopbackServer()
        front = try LoopbackServer()
        store = MemoryStore(byteLimit: storeByteLimit)
        front.stream(CacheProxy(origin: "http://127.0.0.1:\(origin.port)", store: store, log: nil).answer)
    }

    /// Sends a request and receives all of the response.
    func send(
        _ method: String = "GET", _ path: String = "/a", _ fields: HTTPFields = [:], body: Data? = nil,
        onInterim: (@Sendable (Int, HTTPFields) -> Void)? = nil
    ) async throws -> (response: HTTPResponse, body: Data) {
        var request = HTTPRequest(method: method, url: front.url(path), fields: fields, body: body)
        request.onInterimResponse = onInterim
        let response = try await transport.send(request)
        var body = Data()
        for try await piece in response.body { body.append(piece) }
        return (response, body)
    }

    /// Whether a second request is answered from the store.
    func isStored(_ path: String = "/a") async throws -> Bool {
        let count = origin.requestCount
        _ = try await send("GET", path)
        return origin.requestCount == count
    }
}

@Suite("calo http-cache-proxy", .timeLimit(.minutes(5)))
struct CacheProxyTests {
    private static let fresh: HTTPFields = ["Cache-Control": "max-age=600"]

    @Test("method, path, query, fields and body go to the server as they came, less what is of the connection")
    func request() async throws {
        let fixture = try ProxyFixture()
        fixture.origin.fallback { .ok($0.body, fields: ["X-Method": $0.method]) }
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let path = "/a%2Fb/../c;d?x=%20y&&z"
        let (response, echo) = try await fixture.send(
            "PROPPATCH", path,
            [
                "X-A": "1", "x-a": "2", "X-Empty": "", "Connection": "X-Hop", "X-Hop": "1", "TE": "trailers",
                "Cookie": "c",
            ], body: body)
        #expect(response.status == 200 && response.fields["X-Method"] == "PROPPATCH" && echo == body)
        let seen = try #require(fixture.origin.requests.last)
        #expect("\(seen)" == "PROPPATCH \(path)")
        #expect(
            seen.fields.values("x-a") == ["1", "2"] && seen.fields["X-Empty"] == "" && seen.fields["Cookie"] == "c")
        #expect(seen.fields["X-Hop"] == nil && seen.fields["TE"] == nil)
        #expect(seen.fields["Host"] == "127.0.0.1:\(fixture.origin.port)")
    }

    @Test(
        "every status passes with its fields, and is stored if it says for how long",
        arguments: [200, 203, 299, 404, 499, 500, 599])
    func statuses(_ status: Int) async throws {
        let fixture = try ProxyFixture()
        fixture.origin.respond(
            to: "/a",
            with: .status(
                status, fields: ["Cache-Control": "max-age=600", "Set-Cookie": "a=b", "X-Two": "1", "x-two": "2"],
                body: Data("body".utf8)))
        for isStored in [false, true] {
            let (response, body) = try await fixture.send()
            #expect(response.status == status && body == Data("body".utf8))
            #expect(response.fields.values("x-two") == ["1", "2"] && response.fields["Set-Cookie"] == "a=b")
            #expect((response.fields["Age"] != nil) == isStored)
        }
        #expect(fixture.origin.requestCount == 1)
    }

    struct Framing: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: LoopbackServer.Response

        private static let body = LoopbackServer.Response.ok(Data("0123456789".utf8), fields: fresh)
        static let all = [
            Framing(testDescription: "by its length", response: body),
            Framing(testDescription: "in chunks", response: body.framed(.chunked(sizes: [3, 1]))),
            Framing(testDescription: "by the end of the connection", response: body.framed(.untilClose)),
            Framing(
                testDescription: "in a coding that nobody knows",
                response: body.framed(.untilClose).field("Transfer-Encoding", "zebra")),
            Framing(
                testDescription: "encoded in a way that nobody knows", response: body.field("Content-Encoding", "zebra")
            ),
        ]
    }

    @Test("a body comes through and is stored, however its end is marked", arguments: Framing.all)
    func framing(_ row: Framing) async throws {
        let fixture = try ProxyFixture()
        fixture.origin.respond(to: "/a", with: row.response)
        for _ in 0..<2 {
            let (response, body) = try await fixture.send()
            #expect(body == Data("0123456789".utf8))
            #expect(response.fields["Transfer-Encoding"].map { $0 == "chunked" } ?? true)
            #expect(response.fields["Content-Encoding"] == row.response.fields["Content-Encoding"])
        }
        #expect(fixture.origin.requestCount == 1)
    }

    @Test(
        "a body that breaks off breaks off for the client too, and isn't stored",
        arguments: [
            LoopbackServer.Response.ok(Data(repeating: 1, count: 100_000), fields: fresh).truncated(
                afterBodyBytes: 70_000),
            .ok(Data(repeating: 1, count: 100_000), fields: fresh).withoutLastChunk(),
        ])
    func truncated(_ broken: LoopbackServer.Response) async throws {
        let fixture = try ProxyFixture()
        fixture.origin.respond(to: "/a", with: broken)
        await #expect(throws: HTTPTransportError.self) { _ = try await fixture.send() }
        #expect(try await fixture.store.usage().responseCount == 0)
        fixture.origin.respond(to: "/a", with: .ok(Data("whole".utf8)))
        #expect(try await fixture.send().body == Data("whole".utf8))
    }

    @Test("interim responses pass, and leave nothing in what is stored (RFC 9110, 15.2)")
    func interim() async throws {
        let fixture = try ProxyFixture()
        fixture.origin.respond(
            to: "/a",
            with: .ok(Data("a".utf8), fields: Self.fresh).interim(102).interim(103, fields: ["Link": "</x>"]))
        let seen = Mutex<[String]>([])
        for _ in 0..<2 {
            let (response, _) = try await fixture.send(onInterim: { status, fields in
                seen.withLock { $0.append("\(status) \(fields["Link"] ?? "-")") }
            })
            #expect(response.status == 200 && response.fields["Link"] == nil)
        }
        #expect(fixture.origin.requestCount == 1)
        #if os(Linux)
        #expect(seen.withLock { $0 } == ["102 -", "103 </x>"])
        #endif
    }

    @Test("a body beyond 64 MiB passes and isn't stored; one of just that is")
    func large() async throws {
        let fixture = try ProxyFixture()
        for (path, count) in [("/fits", 64 << 20), ("/large", 64 << 20 + 1)] {
            fixture.origin.respond(to: path, with: .ok(Data(count: count), fields: Self.fresh))
            #expect(try await fixture.send("GET", path).body.count == count)
        }
        #expect(try await fixture.isStored("/fits"))
        #expect(try await !fixture.isStored("/large"))
    }

    @Test("HEAD and ranges are answered from the whole response")
    func partial() async throws {
        let fixture = try ProxyFixture()
        fixture.origin.respond(
            to: "/a",
            with: .ok(Data("0123456789".utf8), fields: ["Cache-Control": "max-age=600", "ETag": "\"a\"", "X": "1"]))
        _ = try await fixture.send()
        let head = try await fixture.send("HEAD").response
        #expect(head.status == 200 && head.fields["Content-Length"] == "10" && head.fields["X"] == "1")
        let (part, bytes) = try await fixture.send("GET", "/a", ["Range": "bytes=2-4"])
        #expect(part.status == 206 && part.fields["Content-Range"] == "bytes 2-4/10" && bytes == Data("234".utf8))
        #expect(part.fields["Content-Length"] == "3" && part.fields["X"] == "1")
        let beyond = try await fixture.send("GET", "/a", ["Range": "bytes=10-"]).response
        #expect(beyond.status == 416 && beyond.fields["Content-Range"] == "bytes */10")
        let whole = try await fixture.send("GET", "/a", ["Range": "bytes=2-4", "If-Range": "\"b\""])
        #expect(whole.response.status == 200 && whole.body.count == 10)
        let same = try await fixture.send("GET", "/a", ["If-None-Match": "W/\"a\""])
        #expect(same.response.status == 304 && same.body.isEmpty && same.response.fields["ETag"] == "\"a\"")
        #expect(same.response.fields["Content-Length"] == nil)
        #expect(fixture.origin.requestCount == 1)
    }

    @Test("a part that the server sends passes, and is never used as the whole (RFC 9111, 3.3)")
    func part() async throws {
        let fixture = try ProxyFixture()
        fixture.origin.route("/a") { request in
            request.fields["Range"] == nil
                ? .ok(Data("0123456789".utf8), fields: Self.fresh)
                : .status(
                    206, fields: ["Cache-Control": "max-age=600", "Content-Range": "bytes 0-1/10"],
                    body: Data("01".utf8))
        }
        #expect(try await fixture.send("GET", "/a", ["Range": "bytes=0-1"]).response.status == 206)
        let (response, body) = try await fixture.send()
        #expect(response.status == 200 && body.count == 10)
        #expect(fixture.origin.requestCount == 2)
    }

    @Test(
        "an unsafe method that succeeds empties what is stored of its URL; one that fails doesn't",
        arguments: [200, 500])
    func invalidation(_ status: Int) async throws {
        let fixture = try ProxyFixture()
        fixture.origin.fallback { request in
            request.method == "GET"
                ? .ok(fields: Self.fresh) : .status(status, fields: ["Location": "/b", "Content-Location": "/c"])
        }
        for path in ["/a", "/b", "/c", "/d"] { _ = try await fixture.send("GET", path) }
        _ = try await fixture.send("DELETE")
        for path in ["/a", "/b", "/c"] { #expect(try await fixture.isStored(path) == (status == 500)) }
        #expect(try await fixture.isStored("/d"))
    }

    @Test("stale and confirmed: the client gets what is stored, with the fields of the 304")
    func confirmed() async throws {
        let fixture = try ProxyFixture()
        fixture.origin.route("/a") { request in
            request.fields["If-None-Match"] == "\"a\""
                ? .status(304, fields: ["ETag": "\"a\"", "X": "2", "Cache-Control": "max-age=600"])
                : .ok(Data("body".utf8), fields: ["ETag": "\"a\"", "X": "1", "Cache-Control": "max-age=0"])
        }
        _ = try await fixture.send()
        let (response, body) = try await fixture.send("GET", "/a", ["If-None-Match": "\"other\""])
        #expect(response.status == 200 && body == Data("body".utf8) && response.fields["X"] == "2")
        #expect(fixture.origin.requests.last?.fields["If-None-Match"] == "\"a\"")
        #expect(try await fixture.isStored())
    }

    @Test("a client that has what has come since is told so, and it is stored")
    func changed() async throws {
        let fixture = try ProxyFixture()
        fixture.origin.respond(
            to: "/a", with: .ok(Data("1".utf8), fields: ["ETag": "\"1\"", "Cache-Control": "max-age=0"]),
            .ok(Data("2".utf8), fields: ["ETag": "\"2\"", "Cache-Control": "max-age=600"]))
        _ = try await fixture.send()
        let (response, body) = try await fixture.send("GET", "/a", ["If-None-Match": "\"2\""])
        #expect(response.status == 304 && body.isEmpty)
        #expect(try await fixture.isStored())
        #expect(try await fixture.send().body == Data("2".utf8))
    }

    @Test("used stale, it is revalidated in the background, once")
    func background() async throws {
        let fixture = try ProxyFixture()
        let gate = LoopbackServer.Gate()
        fixture.origin.respond(
            to: "/a", with: .ok(fields: ["ETag": "\"1\"", "Cache-Control": "max-age=0, stale-while-revalidate=600"]),
            .status(304, fields: ["ETag": "\"1\"", "Cache-Control": "max-age=600"]).gated(gate))
        for _ in 0..<3 { #expect(try await fixture.send().response.status == 200) }
        try await gate.waitUntilHeld()
        #expect(fixture.origin.requestCount == 2)
        #expect(fixture.origin.requests.last?.fields["If-None-Match"] == "\"1\"")
        gate.open()
    }

    @Test("a server that is gone: stale if that is allowed, 504 if not, 502 if nothing is stored")
    func disconnected() async throws {
        let fixture = try ProxyFixture()
        fixture.origin.respond(to: "/stale", with: .ok(fields: ["Cache-Control": "max-age=0"]), .dropped())
        fixture.origin.respond(
            to: "/must", with: .ok(fields: ["Cache-Control": "max-age=0, must-revalidate"]), .dropped())
        fixture.origin.respond(to: "/none", with: .dropped())
        for path in ["/stale", "/must"] { _ = try await fixture.send("GET", path) }
        #expect(try await fixture.send("GET", "/stale").response.status == 200)
        #expect(try await fixture.send("GET", "/must").response.status == 504)
        #expect(try await fixture.send("GET", "/none").response.status == 502)
        let only = try await fixture.send("GET", "/none", ["Cache-Control": "only-if-cached"])
        #expect(only.response.status == 504 && only.body.isEmpty)
    }

    @Test("a client that goes takes its request along, and nothing is stored")
    func cancelled() async throws {
        let fixture = try ProxyFixture()
        let gate = LoopbackServer.Gate()
        fixture.origin.respond(
            to: "/a", with: .ok(Data(count: 1_000_000), fields: Self.fresh).gated(gate, afterBodyBytes: 500_000))
        let client = Task { try await fixture.send() }
        try await gate.waitUntilHeld()
        client.cancel()
        try await fixture.origin.waitForOpenConnections(count: 0)
        #expect(try await fixture.store.usage().responseCount == 0)
        _ = await client.result
    }

    @Test("an HTTP/1.0 client gets no chunks, and the end of the connection for the end of the body")
    func oldClient() async throws {
        let fixture = try ProxyFixture()
        fixture.origin.respond(to: "/a", with: .chunked([Data("ab".utf8), Data("c".utf8)]))
        let response = try await onThread {
            let client = try RawClient(port: fixture.front.port)
            client.send("GET /a HTTP/1.0\r\n\r\n")
            return try client.response()
        }
        #expect(response.status == 200 && response.text == "abc" && response.field("Transfer-Encoding") == nil)
    }
}
