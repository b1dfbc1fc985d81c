import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Bad input: each fault has its own reason, and leaves nothing behind")
struct BadInputTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let title: String
        let response: LoopbackServer.Response
        let reason: ImageError.Reason
        let stage: ImageError.Stage

        var testDescription: String { title }

        static let png = TestImages.gradientPNG(width: 64, height: 64)

        static func row(
            _ title: String, _ stage: ImageError.Stage, _ reason: ImageError.Reason, _ response: LoopbackServer.Response
        ) -> Row {
            Row(title: title, response: response, reason: reason, stage: stage)
        }

        /// A PNG whose header claims these sides, with the header's CRC right.
        static func png(claiming width: Int, _ height: Int) -> Data {
            var bytes = [UInt8](png)
            for (offset, value) in [(16, width), (20, height)] {
                for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
            }
            var crc: UInt32 = 0xffff_ffff
            for byte in bytes[12..<29] {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
            }
            for index in 0..<4 { bytes[29 + index] = UInt8(truncatingIfNeeded: ~crc >> UInt32(24 - 8 * index)) }
            return Data(bytes)
        }

        static let all: [Row] = [
            row(
                "an HTML page with status 200", .validation, .contentType("text/html"),
                .ok(Data("<!DOCTYPE html><p>Sign in".utf8), type: "text/html; charset=utf-8")),
            row(
                "an HTML page that claims to be an image", .validation, .notAnImage,
                .ok(Data("<!DOCTYPE html><p>Sign in".utf8), type: "image/png")),
            row(
                "bytes of no type that are no image", .validation, .notAnImage,
                .ok(Data("{\"error\": \"gone\"}".utf8), type: "application/octet-stream")),
            row("404", .validation, .status(404), .status(404, body: png)),
            row("500", .validation, .status(500), .status(500)),
            row("a part that nobody asked for", .validation, .status(206), .status(206, body: png)),
            row("304 that nobody asked for", .validation, .status(304), .status(304)),
            row(
                "a body that ends early", .network, .truncated(received: 100, expected: Int64(png.count)),
                .ok(png, type: "image/png").truncated(afterBodyBytes: 100)),
            row(
                "chunks without their end", .network, .truncated(received: 600, expected: nil),
                LoopbackServer.Response.chunked([png.prefix(600)], type: "image/png").withoutLastChunk()),
            row("an empty body", .validation, .emptyBody, .ok(Data(), type: "image/png")),
            row("no content", .validation, .emptyBody, .status(204)),
            row(
                "no width", .validation, .invalidDimensions(PixelSize(width: 0, height: 64)),
                .ok(png(claiming: 0, 64), type: "image/png")),
            row(
                "more pixels than allowed", .validation,
                .tooManyPixels(PixelSize(width: 50_000, height: 50_000), limit: 100_000_000),
                .ok(png(claiming: 50_000, 50_000), type: "image/png")),
            row(
                "a file that ends within the image", .decoding, .incomplete(.png),
                .ok(png.prefix(png.count / 2), type: "image/png")),
            row(
                "a format that can't be decoded here", .decoding, .unsupportedFormat(.bmp),
                .ok(
                    Data([0x42, 0x4d, 70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0])
                        + Data([1, 0, 24, 0]) + Data(count: 60), type: "image/bmp")),
            row("a connection that drops at once", .network, .connectionLost, .dropped()),
            row("an answer that is no HTTP", .network, .malformedResponse, .garbage(Data("nonsense\r\n\r\n".utf8))),
            row("a redirect to itself", .network, .tooManyRedirects(limit: 10), .redirect(to: "/a")),
            row("a redirect to a file", .network, .unsafeRedirect(scheme: "file"), .redirect(to: "file:///etc/passwd")),
        ]
    }

    @Test("a response that can't be used fails with its reason, and the next request tries again", arguments: Row.all)
    func response(_ row: Row) async throws {
        let fixture = try Fixture()
        fixture.server.route("/a") { _ in row.response }
        let request = ImageRequest(url: fixture.server.url("/a"))
        do {
            _ = try await fixture.pipeline.image(for: request)
            Issue.record("It loaded.")
        } catch let error as ImageError {
            #expect(error.reason == row.reason)
            #expect(error.stage == row.stage)
            #expect(error.description.contains("127.0.0.1"))
            #expect(!error.description.contains("/a"))
        }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
        #expect(fixture.memory.count == 0)
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
        // An unsupported format may be stored: another build may decode it. Nothing else is.
        let stored = try await fixture.store.usage().responseCount
        #expect(stored == (row.reason == .unsupportedFormat(.bmp) ? 1 : 0))

        fixture.server.route("/a") { _ in .ok(Row.png, type: "image/png") }
        _ = try await fixture.pipeline.image(for: ImageRequest(url: fixture.server.url("/a"), cachePolicy: .reload))
    }

    @Test(
        "requests that can't be made fail with their reason",
        arguments: [
            ("ftp://host/a.png", ImageError.Reason.unsupportedScheme("ftp")),
            ("javascript:alert(1)", .unsupportedScheme("javascript")),
            ("relative/path.png", .unsupportedScheme("")),
            ("file:///no/such/file.png", .fileNotFound),
            ("file:///", .fileUnreadable(EISDIR)),
            ("data:image/png", .invalidRequest("the data URL has no comma before its data")),
            ("data:image/png;base64,", .emptyBody),
            ("data:text/html,<p>hello", .notAnImage),
            ("http:///a.png", .invalidRequest("the URL has no host, or isn't well-formed. Correct it")),
            ("http:a.png", .invalidRequest("the URL has no host, or isn't well-formed. Correct it")),
            ("http://127.0.0.1:1/a.png", .cannotConnect),
            ("http://nonexistent.invalid/a.png", .hostNotFound),
        ])
    func request(_ url: String, _ reason: ImageError.Reason) async throws {
        let fixture = try Fixture()
        let url = try #require(URL(string: url))
        #expect(await failure { try await fixture.pipeline.image(for: url) } == reason)
        #expect(fixture.pipeline.jobCounts.fetches == 0)
    }

    @Test("what an app's own transport, decoder or processor throws arrives as an ImageError with it underneath")
    func foreignErrors() async throws {
        struct Transport: HTTPTransport {
            func send(_ request: HTTPRequest) async throws -> HTTPResponse { throw Foreign() }
        }
        struct Decoder: ImageDecoder {
            func supports(_ format: ImageFormat) -> Bool { true }
            func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
                throw Foreign()
            }
        }
        try await checkForeign(.transport, Fixture { $0.transport = Transport() })
        try await checkForeign(.decoderFailed(.png), Fixture { $0.decoders = ImageDecoders([Decoder()]) })
        try await checkForeign(
            .processorFailed(identifier: "failing"), Fixture(),
            processors: [.custom(identifier: "failing") { _ in throw Foreign() }])
    }

    private struct Foreign: Error {}

    private func checkForeign(
        _ reason: ImageError.Reason, _ fixture: Fixture, processors: [any ImageProcessor] = []
    ) async throws {
        let request = ImageRequest(url: fixture.serve("/a"), processors: processors)
        do {
            _ = try await fixture.pipeline.image(for: request)
            Issue.record("It loaded.")
        } catch let error as ImageError {
            #expect(error.reason == reason)
            #expect(error.underlyingError is Foreign)
            #expect(error.source != nil)
        }
    }

    @Test("a body over the limit is refused by its announced length, or as soon as it has come")
    func bodyLimit() async throws {
        let fixture = try Fixture { $0.limits.bodyByteCount = 1_000 }
        let png = TestImages.gradientPNG(width: 64, height: 64)
        fixture.server.route("/announced") { _ in .ok(png, type: "image/png") }
        fixture.server.route("/chunked") { _ in .chunked([png], type: "image/png") }
        #expect(
            await failure { try await fixture.pipeline.image(for: fixture.server.url("/announced")) }
                == .bodyTooLarge(byteCount: Int64(png.count), limit: 1_000))
        guard
            case .bodyTooLarge(_, limit: 1_000)? = await failure({
                try await fixture.pipeline.image(for: fixture.server.url("/chunked"))
            })
        else {
            Issue.record("The chunked body was not refused.")
            return
        }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
        #expect(try await fixture.store.usage().responseCount == 0)
    }

    @Test("a server that says nothing for too long is timed out")
    func timeout() async throws {
        let fixture = try Fixture { $0.timeouts.idle = .milliseconds(150) }
        fixture.server.respond(to: "/a", with: .hanging)
        #expect(await failure { try await fixture.pipeline.image(for: fixture.server.url("/a")) } == .timedOut)
        try await fixture.server.waitForOpenConnections(count: 0)
    }

    @Test("stored bytes that are damaged are removed, reported and fetched once more")
    func damagedStore() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 32, height: 32, fields: ["Cache-Control": "max-age=600"])
        let request = ImageRequest(url: url)
        let head = HTTPCache.StoredHead(
            status: 200, fields: ["Cache-Control": "max-age=600"], requestTime: fixture.clock.now(),
            responseTime: fixture.clock.now(), requestFields: [:])
        let writer = try await fixture.store.writer(
            for: FetchKey(url: url), resource: request.id, metadata: head.encoded(), replacing: nil,
            since: fixture.store.epoch())
        try await writer.append(TestImages.gradientPNG(width: 32, height: 32).prefix(900))
        _ = try await writer.commit()

        let image = try await fixture.pipeline.image(for: request)
        #expect(image.bitmap.pixel(0, 0) == .red)
        #expect(fixture.server.requestCount == 1)
        #expect(try await fixture.store.usage().responseCount == 1)
        #expect(fixture.events.all.contains { if case .removedDamaged = $0 { true } else { false } })
    }

    @Test("what may only come from the store doesn't come from the network, even when the store's bytes are damaged")
    func damagedStoredOnly() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a")
        let writer = try await fixture.store.writer(
            for: FetchKey(url: url), resource: ResourceID(url: url),
            metadata: HTTPCache.StoredHead(
                status: 200, fields: [:], requestTime: fixture.clock.now(), responseTime: fixture.clock.now(),
                requestFields: [:]
            ).encoded(), replacing: nil, since: fixture.store.epoch())
        try await writer.append(TestImages.gradientPNG(width: 32, height: 32).prefix(900))
        _ = try await writer.commit()
        let request = ImageRequest(url: url, cachePolicy: .storedOnly)
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .incomplete(.png))
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .notStored)
        #expect(fixture.server.requestCount == 0)
    }

    @Test("a processor that fails names itself; the closure's own error is underneath")
    func processor() async throws {
        struct Broken: Error {}
        let fixture = try Fixture()
        let url = fixture.serve("/a")
        let request = ImageRequest(url: url, processors: [.custom(identifier: "broken") { _ in throw Broken() }])
        #expect(
            await failure { try await fixture.pipeline.image(for: request) } == .processorFailed(identifier: "broken"))
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
    }

    @Test("a closure's bytes load like any other; its failure is the underlying error")
    func closures() async throws {
        struct Offline: Error {}
        let fixture = try Fixture()
        let calls = Counter()
        let good = ImageRequest(id: "good") {
            calls.increment()
            return TestImages.solidPNG(width: 4, height: 4, color: .blue)
        }
        async let first = fixture.pipeline.image(for: good)
        async let second = fixture.pipeline.image(for: good)
        #expect(try await first === second)
        #expect(calls.value == 1)
        let bad = ImageRequest(id: "bad") { throw Offline() }
        do {
            _ = try await fixture.pipeline.image(for: bad)
        } catch let error as ImageError {
            #expect(error.reason == .sourceFailed)
            #expect(error.underlyingError is Offline)
        }
    }

    @Test("files, data URLs and bytes load without a network")
    func localSources() async throws {
        let fixture = try Fixture()
        let png = TestImages.quadrantPNG(width: 10, height: 8)
        let file = FileManager.default.temporaryDirectory.appending(path: "calotype \(UUID().uuidString).png")
        try png.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let dataURL = try #require(URL(string: "data:image/png;base64,\(png.base64EncodedString())"))
        for request in [ImageRequest(url: file), ImageRequest(url: dataURL), ImageRequest(data: png)] {
            let result = try await fixture.pipeline.result(for: request)
            #expect(result.image.bitmap.corners == .quadrants)
            #expect(result.layer == .source)
            #expect(fixture.pipeline.cachedImage(for: request) === result.image)
        }
        #expect(fixture.server.requestCount == 0)
    }
}
