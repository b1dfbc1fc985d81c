#if os(Linux)
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("Content codings: what a server packs unasked loads as on Apple platforms", .timeLimit(.minutes(5)))
struct ContentCodingTests {
    static let png = TestImages.gradientPNG(width: 200, height: 150)

    /// Takes the coding off pieces of that size.
    private func decode(_ bytes: Data, _ coding: ContentDecoder.Coding, by size: Int) throws -> Data {
        let decoder = ContentDecoder(coding)
        var result = Data()
        for start in stride(from: 0, to: bytes.count, by: size) {
            decoder.put(bytes.subdata(in: start..<min(start + size, bytes.count)))
            while let piece = try decoder.next() {
                #expect(1...ContentDecoder.pieceByteCount ~= piece.count)
                result += piece
            }
        }
        try decoder.checkEnd()
        return result
    }

    @Test(
        "wherever the pieces are cut, the same comes of them", arguments: [1, 2, 3, 17, 1_000, 1_000_000],
        [(ContentDecoder.Coding.gzip, 31), (.deflate, 15), (.deflate, -15)] as [(ContentDecoder.Coding, Int32)])
    func pieces(size: Int, _ row: (coding: ContentDecoder.Coding, windowBits: Int32)) throws {
        let bytes = Self.png + Data(repeating: 7, count: 2 * ContentDecoder.pieceByteCount)
        #expect(try decode(deflated(bytes, windowBits: row.windowBits), row.coding, by: size) == bytes)
        #expect(try decode(deflated(Data(), windowBits: row.windowBits), row.coding, by: size).isEmpty)
    }

    @Test("members of gzip are joined", arguments: [1, 1_000_000])
    func members(size: Int) throws {
        let bytes = gzipped(Data("one".utf8)) + gzipped(Data()) + gzipped(Data("two".utf8))
        #expect(try decode(bytes, .gzip, by: size) == Data("onetwo".utf8))
        #expect(throws: HTTPTransportError(.malformedResponse, detail: "The content coding is damaged: deflate.")) {
            try decode(deflated(Data("one".utf8), windowBits: 15) + Data([0]), .deflate, by: size)
        }
    }

    @Test("wherever it is cut short, that is told")
    func cut() throws {
        for (coding, windowBits) in [(ContentDecoder.Coding.gzip, Int32(31)), (.deflate, 15), (.deflate, -15)] {
            let bytes = deflated(Data("something or other".utf8), windowBits: windowBits)
            for count in 1..<bytes.count {
                let error = #expect(throws: HTTPTransportError.self) {
                    try decode(bytes.prefix(count), coding, by: 5)
                }
                #expect(error?.code == .truncated(received: Int64(count), expected: nil))
            }
        }
    }

    @Test("whatever the bytes are, they end in bytes or in an error")
    func anything() {
        var generator = SystemRandomNumberGenerator()
        let packed = gzipped(Self.png)
        for _ in 0..<300 {
            var bytes = packed
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            // What is equal all the same has been changed where nobody looks: a time, the name of a system.
            if let result = try? decode(bytes, .gzip, by: 4_096) { #expect(result == Self.png) }
        }
    }

    @Test(
        "fields that ask for a coding are sent as they are, and none by the transport itself",
        arguments: [nil, "br;q=0"])
    func asking(_ field: String?) async throws {
        let fixture = try Fixture()
        fixture.server.respond(
            to: "/a", with: .ok(gzipped(Self.png), type: "image/png").field("Content-Encoding", "gzip"))
        var request = HTTPRequest(url: fixture.server.url("/a"))
        request.fields["Accept-Encoding"] = field
        let transport = CurlTransport()
        #expect(try await transport.send(request).body.gathered() == Self.png)
        #expect(fixture.server.requests.map { $0.fields["Accept-Encoding"] } == [field])
    }

    @Test("a packed image is shown, and stored unpacked")
    func image() async throws {
        let fixture = try Fixture()
        let packed = gzipped(Self.png)
        fixture.server.respond(
            to: "/a",
            with: .ok(packed, type: "image/png", fields: ["Content-Encoding": "gzip", "Cache-Control": "max-age=60"]))
        let url = fixture.server.url("/a")
        #expect(try await fixture.pipeline.image(for: url).pixelSize == PixelSize(width: 200, height: 150))
        let stored = try await fixture.pipeline.data(for: ImageRequest(url: url, cachePolicy: .storedOnly))
        #expect(stored == Self.png)
    }

    @Test("a packed image that breaks off is fetched anew, as a part of it would be one of the packed bytes")
    func brokenOff() async throws {
        let fixture = try Fixture { $0.retry = RetryPolicy(attemptLimit: 2, baseDelay: .zero) }
        let response = LoopbackServer.Response.ok(
            gzipped(Self.png), type: "image/png",
            fields: ["Content-Encoding": "gzip", "ETag": "\"v1\"", "Accept-Ranges": "bytes"])
        fixture.server.route("/a") { $0.number == 1 ? response.truncated(afterBodyBytes: 5_000) : response }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(fixture.server.requests.map { $0.fields["Range"] } == [nil, nil])
    }

    @Test("a damaged coding is the caller's failure, and isn't asked for again")
    func damaged() async throws {
        let fixture = try Fixture()
        fixture.server.respond(to: "/a", with: .ok(Self.png, type: "image/png").field("Content-Encoding", "gzip"))
        #expect(
            await failure { try await fixture.pipeline.image(for: fixture.server.url("/a")) } == .malformedResponse)
        #expect(fixture.server.requestCount == 1)
    }

    @Test("a bomb meets the body limit a piece after it, and its connection closes")
    func bomb() async throws {
        let fixture = try Fixture { $0.limits.bodyByteCount = 1 << 20 }
        // 64 MiB in 64 KiB: all of it is there before the first piece is looked at.
        let packed = gzipped(Self.png + Data(count: 64 << 20))
        #expect(packed.count < 256 << 10)
        fixture.server.respond(to: "/a", with: .ok(packed, type: "image/png").field("Content-Encoding", "gzip"))
        let reason = await failure { try await fixture.pipeline.image(for: fixture.server.url("/a")) }
        guard case .bodyTooLarge(let byteCount, limit: 1 << 20)? = reason else {
            Issue.record("The bomb was not refused: \(String(describing: reason)).")
            return
        }
        #expect(byteCount <= 1 << 20 + Int64(ContentDecoder.pieceByteCount))
    }

    @Test("a reader that is cancelled while a few bytes still unfold hears of it")
    func cancelled() async throws {
        let body = HTTPBody(DecodedBody(HTTPBody(gzipped(Data(count: 8 << 20))), .gzip))
        let task = Task {
            var pieces = body.makeAsyncIterator()
            _ = try await pieces.next()
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await pieces.next()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
#endif
