import CalotypeTesting
import Foundation
import Testing

@Suite("Loopback server: malformed input")
struct LoopbackServerInputTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var input: String
        var status: Int

        init(_ title: String, _ input: String, _ status: Int = 400) {
            (testDescription, self.input, self.status) = (title, input, status)
        }

        static let all = [
            Case("no request line", "hello\r\n\r\n"),
            Case("two words", "GET /\r\n\r\n"),
            Case("four words", "GET / HTTP/1.1 x\r\n\r\n"),
            Case("a method that is no token", "G(T / HTTP/1.1\r\n\r\n"),
            Case("a byte outside ASCII in the target", "GET /\u{e9} HTTP/1.1\r\n\r\n"),
            Case("a version that isn't spoken", "GET / HTTP/2.0\r\n\r\n", 505),
            Case("a bare LF", "GET / HTTP/1.1\nHost: a\n\n"),
            Case("no Host (RFC 9112 section 3.2)", "GET / HTTP/1.1\r\n\r\n"),
            Case("two Hosts (RFC 9112 section 3.2)", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
            Case("a line without a colon", "GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n"),
            Case("space before the colon (RFC 9112 section 5.1)", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
            Case("a folded line (RFC 9112 section 5.2)", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n"),
            Case("a control byte in a value", "GET / HTTP/1.1\r\nHost: a\u{1}\r\n\r\n"),
            Case("a length that is no number", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n"),
            Case("two lengths", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            Case("a length beyond the limit", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n", 413),
            Case(
                "a length beyond Int",
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
            Case(
                "both framings (RFC 9112 section 6.1)",
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            Case("another coding", "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
            Case("a bad chunk size", "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
            Case(
                "a huge chunk",
                "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n", 413),
            Case(
                "a chunk that is longer than it says",
                "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"),
            Case("an endless request line", "GET /" + String(repeating: "a", count: 20_000), 414),
            Case("an endless field", "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 20_000), 431),
            Case(
                "endless fields",
                "GET / HTTP/1.1\r\n" + String(repeating: "X: \(String(repeating: "y", count: 99))\r\n", count: 1000),
                431),
        ]
    }

    @Test("malformed requests are refused and the connection closed", arguments: Case.all)
    func malformed(_ example: Case) async throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        client.send(example.input)
        let response = try client.response()
        #expect(response.status == example.status)
        #expect(response.field("Connection") == "close")
        #expect(try client.readToEnd().isEmpty)
        #expect(client.end == .orderly, "unread input must not turn the end into a reset")
        #expect(server.requests.isEmpty)
        try await server.waitForConnectionEvent(.closedByServer(1))
    }

    @Test("random and damaged bytes never stop the server")
    func fuzz() async throws {
        let server = try LoopbackServer()
        server.route("/echo") { .ok($0.body) }
        var random = SeededGenerator(seed: 42)
        let valid = [
            "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n",
            "PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
            "PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ].map { Array($0.utf8) }
        for round in 0..<600 {
            var bytes: [UInt8] = []
            if round % 3 == 0 {
                bytes = (0..<Int.random(in: 1...2000, using: &random)).map { _ in random.byte() }
            } else {
                for _ in 0..<3 { bytes += valid[Int.random(in: 0..<3, using: &random)] }
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    switch round % 4 {
                    case 0: bytes[index] = random.byte()
                    case 1: bytes.remove(at: index)
                    case 2: bytes.insert(random.byte(), at: index)
                    default: bytes.removeLast(min(bytes.count - 1, index % 7))
                    }
                }
            }
            let client = try RawClient(port: server.port)
            client.send(bytes)
            client.finishSending()
            _ = try client.readToEnd()
        }
        #expect(try RawClient(port: server.port).exchange("GET", "/echo").status == 200)
        try await server.waitForOpenConnections(count: 0)
    }
}
