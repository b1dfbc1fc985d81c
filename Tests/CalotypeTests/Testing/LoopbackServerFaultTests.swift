import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Loopback server: framings and faults")
struct LoopbackServerFaultTests {
    private let server: LoopbackServer
    private let client: RawClient
    private let body = Data("0123456789".utf8)

    init() throws {
        server = try LoopbackServer()
        client = try RawClient(port: server.port)
    }

    private func response(_ response: LoopbackServer.Response) throws -> RawClient.Response {
        server.respond(to: "/", with: response)
        return try client.exchange("GET", "/")
    }

    @Test("chunks have the sizes that the script gives, and what is left over makes one more")
    func chunks() throws {
        let explicit = try response(.chunked([Data("abc".utf8), Data(), Data("de".utf8)]))
        #expect(String(decoding: explicit.rawBody, as: UTF8.self) == "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        #expect(explicit.isComplete)
        let rest = try response(.ok(body).framed(.chunked(sizes: [1, 2])))
        #expect(String(decoding: rest.rawBody, as: UTF8.self) == "1\r\n0\r\n2\r\n12\r\n7\r\n3456789\r\n0\r\n\r\n")
        #expect(try response(.chunked([])).isComplete)
        #expect(try response(.chunked([])).body.isEmpty)
    }

    @Test("without a length the end of the connection ends the body")
    func untilClose() throws {
        let response = try response(.ok(body).framed(.untilClose))
        #expect(response.lines == ["Connection: close"])
        #expect(response.body == Array(body))
        #expect(client.end == .orderly)
    }

    @Test(
        "a large body arrives whole", arguments: [.contentLength, .chunked(sizes: [100_000]), .untilClose] as [Framing])
    func largeBody(framing: Framing) throws {
        let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let response = try response(.ok(large).framed(framing))
        #expect(response.isComplete)
        #expect(response.body == Array(large))
    }

    typealias Framing = LoopbackServer.Response.Framing

    @Test("a truncated response announces what it doesn't send", arguments: [0, 4, 9])
    func truncated(count: Int) async throws {
        let response = try response(.ok(body).truncated(afterBodyBytes: count))
        #expect(response.field("Content-Length") == "10")
        #expect(response.field("Connection") == nil)
        #expect(response.body == Array(body.prefix(count)))
        #expect(client.end == .orderly)
        try await server.waitForConnectionEvent(.closedByServer(1))
    }

    @Test("a truncated chunk announces what it doesn't send")
    func truncatedChunk() throws {
        let response = try response(.chunked([Data("abc".utf8), Data("defgh".utf8)]).truncated(afterBodyBytes: 5))
        #expect(String(decoding: response.rawBody, as: UTF8.self) == "3\r\nabc\r\n5\r\nde")
        #expect(!response.isComplete)
    }

    @Test("a truncation may be a reset")
    func truncatedByReset() throws {
        server.respond(to: "/", with: .ok(body).truncated(afterBodyBytes: 4, resetting: true))
        client.request("GET", "/")
        _ = try client.readToEnd()
        #expect(client.end == .reset)
    }

    @Test("the last chunk may be missing")
    func withoutLastChunk() throws {
        let response = try response(.ok(body).withoutLastChunk())
        #expect(String(decoding: response.rawBody, as: UTF8.self) == "a\r\n0123456789\r\n")
        #expect(!response.isComplete)
    }

    @Test("a connection may be dropped without a byte, in order or by a reset", arguments: [false, true])
    func dropped(resetting: Bool) async throws {
        server.respond(to: "/", with: .dropped(resetting: resetting))
        client.request("GET", "/")
        #expect(try client.readToEnd().isEmpty)
        #expect(client.end == (resetting ? .reset : .orderly))
        try await server.waitForConnectionEvent(.closedByServer(1))
        #expect(server.requests.count == 1)
    }

    @Test("any bytes can take the place of a response")
    func garbage() throws {
        server.respond(to: "/", with: .garbage(Data([0, 255, 13, 10])))
        client.request("GET", "/")
        #expect(try client.readToEnd() == [0, 255, 13, 10])
        #expect(client.end == .orderly)
    }

    @Test("interim responses come first")
    func interim() throws {
        let final = LoopbackServer.Response.ok(body)
            .interim(103, fields: ["Link": "</a.css>; rel=preload"]).interim(100).gated(openGate)
        #expect(try response(final).statusLine == "HTTP/1.1 103 Early Hints")
        #expect(try client.response().statusLine == "HTTP/1.1 100 Continue")
        #expect(try client.response().body == Array(body))
    }

    private var openGate: LoopbackServer.Gate {
        let gate = LoopbackServer.Gate()
        gate.open()
        return gate
    }

    @Test("fields keep their order, casing and duplicates, and raw lines follow them as they are")
    func rawHead() throws {
        var scripted = LoopbackServer.Response.ok(
            fields: HTTPFields([.init("eTAG", "\"a\""), .init("Vary", "Accept"), .init("Vary", "Cookie")]))
        scripted.reason = "Fine"
        let response = try response(scripted.rawHeadLine("No colon here").rawHeadLine("X : y"))
        #expect(response.statusLine == "HTTP/1.1 200 Fine")
        #expect(
            response.lines == [
                "eTAG: \"a\"", "Vary: Accept", "Vary: Cookie", "Content-Length: 0", "No colon here", "X : y",
            ])
    }

    @Test("a script may lie about the length")
    func wrongLength() throws {
        let response = try response(.ok(Data("ab".utf8)).field("content-length", "1"))
        #expect(response.lines == ["content-length: 1"])
        #expect(response.text == "a")
        #expect(try client.read(1) == Array("b".utf8))
    }

    @Test("204 and 304 have no body and no length", arguments: [204, 304])
    func noBody(status: Int) throws {
        #expect(try response(.status(status, body: body)).lines.isEmpty)
        #expect(try response(.ok(body)).isComplete)
    }
}
