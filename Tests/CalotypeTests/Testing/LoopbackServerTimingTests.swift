import CalotypeTesting
import Foundation
import Testing

@Suite("Loopback server: gates, delays and clients that leave")
struct LoopbackServerTimingTests {
    private let server: LoopbackServer
    private let client: RawClient
    private let gate = LoopbackServer.Gate()
    private let body = Data("0123456789".utf8)

    init() throws {
        server = try LoopbackServer()
        client = try RawClient(port: server.port)
    }

    @Test("a gate before the head holds back everything")
    func gateBeforeHead() async throws {
        server.respond(to: "/", with: .ok(body).gated(gate))
        client.request("GET", "/")
        try await gate.waitUntilHeld()
        #expect(gate.heldCount == 1)
        gate.open()
        #expect(try client.response().body == Array(body))
        #expect(gate.heldCount == 0)
        #expect(try client.exchange("GET", "/").isComplete, "an open gate holds nobody")
    }

    @Test("a gate in the body lets exactly the bytes before it through", arguments: [0, 4, 10, 99])
    func gateInBody(place: Int) async throws {
        server.respond(to: "/", with: .ok(body).gated(gate, afterBodyBytes: place))
        client.request("GET", "/")
        try await gate.waitUntilHeld()
        #expect(try client.head().status == 200)
        let before = min(place, 10)
        #expect(try client.read(before) == Array(body.prefix(before)))
        gate.open()
        #expect(try client.read(10 - before) == Array(body.dropFirst(before)))
    }

    @Test("a gate may stand inside a chunk")
    func gateInChunk() async throws {
        server.respond(to: "/", with: .ok(body).framed(.chunked(sizes: [6])).gated(gate, afterBodyBytes: 4))
        client.request("GET", "/")
        try await gate.waitUntilHeld()
        _ = try client.head()
        #expect(try client.read(7) == Array("6\r\n0123".utf8))
        gate.open()
        #expect(try client.readToEndOfChunks() == "45\r\n4\r\n6789\r\n0\r\n\r\n")
    }

    @Test("one gate holds several responses, and opening it from a script is fine")
    func sharedGate() async throws {
        let others = try (0..<3).map { _ in try RawClient(port: server.port) }
        server.respond(to: "/", with: .ok(body).gated(gate))
        server.route("/open") { [gate] _ in
            gate.open()
            return .ok()
        }
        for other in others { other.request("GET", "/") }
        try await gate.waitUntilHeld(count: 3)
        #expect(try client.exchange("GET", "/open").status == 200)
        for other in others { #expect(try other.response().isComplete) }
    }

    @Test("delays before the head and in the body last at least as long as they say")
    func delays() throws {
        server.respond(
            to: "/", with: .ok(body).delayed(by: .milliseconds(20)).delayed(by: .milliseconds(30), afterBodyBytes: 5))
        let start = ContinuousClock.now
        client.request("GET", "/")
        _ = try client.head()
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        #expect(try client.read(10) == Array(body))
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test("a paced body comes in pieces")
    func paced() throws {
        server.respond(to: "/", with: .ok(body).paced(byteCount: 3, every: .milliseconds(5)))
        let start = ContinuousClock.now
        #expect(try client.exchange("GET", "/").body == Array(body))
        #expect(ContinuousClock.now - start >= .milliseconds(15))
    }

    @Test("one response that waits doesn't hold up another connection's")
    func independence() async throws {
        server.respond(to: "/hang", with: .hanging)
        client.request("GET", "/hang")
        try await server.nextRequest(to: "/hang")
        #expect(try RawClient(port: server.port).exchange("GET", "/").status == 404)
    }

    enum Waiting: CaseIterable {
        case hanging, delayed, gatedBeforeHead, gatedInBody, paced, unread
    }

    @Test("a client that closes is noticed while its response waits", arguments: Waiting.allCases)
    func clientCloses(waiting: Waiting) async throws {
        let response: LoopbackServer.Response =
            switch waiting {
            case .hanging: .hanging
            case .delayed: .ok(body).delayed(by: .seconds(600))
            case .gatedBeforeHead: .ok(body).gated(gate)
            case .gatedInBody: .ok(body).gated(gate, afterBodyBytes: 1)
            case .paced: .ok(body).paced(byteCount: 1, every: .seconds(600))
            case .unread: .ok(Data(count: 50_000_000))
            }
        server.respond(to: "/", with: response)
        client.request("GET", "/")
        try await server.nextRequest()
        #expect(server.openConnectionCount == 1)
        client.close()
        try await server.waitForConnectionEvent(.closedByClient(1))
        #expect(server.openConnectionCount == 0)
        // The place at the gate is given up with the connection.
        #expect(gate.heldCount == 0)
        gate.open()
        #expect(try RawClient(port: server.port).exchange("GET", "/other").status == 404)
    }

    @Test("a client that closes an idle connection is noticed")
    func idleClose() async throws {
        _ = try client.exchange("GET", "/")
        client.close()
        try await server.waitForConnectionEvent { $0 == .closedByClient(1) }
        try await server.waitForOpenConnections(count: 0)
    }
}

extension RawClient {
    fileprivate func readToEndOfChunks() throws -> String {
        var text = ""
        while !text.hasSuffix("0\r\n\r\n") { text += String(decoding: try read(1), as: UTF8.self) }
        return text
    }
}
