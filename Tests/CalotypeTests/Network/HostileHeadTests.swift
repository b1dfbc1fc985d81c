import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Heads that contradict themselves, never end, or say what nobody asked for")
struct HostileHeadTests {
    static let png = TestImages.gradientPNG(width: 32, height: 32)

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let head: String
        var body = HostileHeadTests.png
        /// `nil` if it loads.
        let reason: ImageError.Reason?

        init(_ title: String, _ head: String, body: Data = HostileHeadTests.png, _ reason: ImageError.Reason? = nil) {
            testDescription = title
            self.head = head
            self.body = body
            self.reason = reason
        }

        private static let chunked =
            Data("\(String(png.count, radix: 16))\r\n".utf8) + png + Data("\r\n0\r\n".utf8)

        /// - Source: RFC 9112 section 6.3 (lengths), RFC 9110 sections 5.5 (carriage returns) and 10.2.2 (Location).
        static let all = [
            Row("lengths that agree", "200 OK\r\nContent-Length: \(png.count)\r\nContent-Length: \(png.count)"),
            Row("a list of lengths that agree", "200 OK\r\nContent-Length: \(png.count), \(png.count)"),
            Row(
                "lengths that differ: the shorter one would make a part the whole",
                "200 OK\r\nContent-Length: \(png.count)\r\nContent-Length: \(png.count - 40)", .malformedResponse),
            Row("a length that is no number", "200 OK\r\nContent-Length: 0x9d", .malformedResponse),
            Row("a length with a sign", "200 OK\r\nContent-Length: +\(png.count)", .malformedResponse),
            Row(
                "a length that no number holds", "200 OK\r\nContent-Length: 99999999999999999999999",
                .bodyTooLarge(byteCount: .max, limit: 64 << 20)),
            Row(
                "a transfer coding frames the body, whatever the length says",
                "200 OK\r\nContent-Length: \(png.count + 99)\r\nTransfer-Encoding: chunked",
                body: chunked + Data("\r\n".utf8)),
            Row(
                "trailers that are longer than a head may be", "200 OK\r\nTransfer-Encoding: chunked",
                body: chunked + Data((String(repeating: "X: y\r\n", count: 60_000) + "\r\n").utf8), .malformedResponse),
            Row(
                "a type as long as a head", "200 OK\r\nContent-Type: x\(String(repeating: "\u{301}", count: 30_000))",
                .contentType("x" + String(repeating: "\u{301}", count: 79))),
            Row(
                "a type that a terminal would obey", "200 OK\r\nContent-Type: text/\u{1B}[2Jhtml",
                .contentType("text/\u{FFFD}[2jhtml")),
            Row(
                "a redirect to a scheme as long as a head",
                "302 Found\r\nLocation: \(String(repeating: "s", count: 60_000)):x",
                .unsafeRedirect(scheme: String(repeating: "s", count: 80))),
            Row("a redirect to no host", "302 Found\r\nLocation: http:///a", .malformedResponse),
        ]
    }

    #if os(Linux)
    @Test("each has its outcome, in a message of one line", arguments: Row.all)
    func head(_ row: Row) async throws {
        let fixture = try Fixture()
        fixture.server.respond(to: "/a", with: .garbage(Data("HTTP/1.1 \(row.head)\r\n\r\n".utf8) + row.body))
        do {
            let image = try await fixture.pipeline.image(for: fixture.server.url("/a"))
            #expect(row.reason == nil)
            #expect(image.pixelSize == PixelSize(width: 32, height: 32))
        } catch let error as ImageError {
            #expect(error.reason == row.reason)
            #expect(error.description.utf8.count < 500)
            await fixture.pipeline.waitUntilIdle()
            #expect(try await fixture.store.usage().responseCount == 0)
        }
    }

    @Test(
        "a validator that can't be sent back is no reason to fail", arguments: ["ETag: \"a\rX: y\"", "ETag: \"\u{1}\""])
    func validator(_ field: String) async throws {
        let fixture = try Fixture()
        let head =
            "HTTP/1.1 200 OK\r\n\(field)\r\nCache-Control: max-age=0\r\nContent-Length: \(Self.png.count)\r\n\r\n"
        fixture.server.respond(to: "/a", with: .garbage(Data(head.utf8) + Self.png))
        let request = ImageRequest(url: fixture.server.url("/a"))
        _ = try await fixture.pipeline.image(for: request)
        #expect(try await fixture.store.usage().responseCount == 1)
        fixture.memory.removeAll()
        #expect(try await fixture.pipeline.result(for: request).layer == .network)
        #expect(fixture.server.requests.last?.fields["X"] == nil)
    }
    #endif

    @Test("where an app sets no limit, no memory is taken for a length that a server claims")
    func claimedLength() async throws {
        let half = Self.png.count / 2
        let pieces = [Self.png.prefix(half), Self.png.dropFirst(half).prefix(half)].map { Data($0) }
        let transport = ScriptedTransport([.stream(200, ["Content-Length": "\(Int64.max)"], pieces)])
        let fixture = try Fixture {
            $0.transport = transport
            $0.limits.bodyByteCount = .max
        }
        let url = try #require(URL(string: "http://img.example.com/a.png"))
        #expect(
            await failure { try await fixture.pipeline.image(for: url) }
                == .truncated(received: Int64(2 * half), expected: .max))
    }
}
