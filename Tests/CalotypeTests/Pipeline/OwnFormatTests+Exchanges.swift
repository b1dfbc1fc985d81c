import Calotype
import CalotypeTesting
import Foundation
import Testing

/// What happens to files of such a format on the way: broken off, packed, confirmed, shared.
extension OwnFormatTests {
    /// Knows its format every other time that it is asked.
    private final class FickleDecoder: ImageDecoder {
        private let farbfeld = FarbfeldDecoder()

        func supports(_ format: ImageFormat) -> Bool { farbfeld.supports(format) }

        func recognize(_ prefix: Data) -> FormatRecognition {
            let recognition = farbfeld.recognize(prefix)
            return farbfeld.asked.count.isMultiple(of: 2) ? .unrecognized : recognition
        }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            try farbfeld.decode(data, format: format, options: options)
        }
    }

    /// Shows a green pixel as soon as there is anything.
    private final class PreviewingDecoder: ImageDecoder {
        private final class Decoding: ProgressiveDecoding {
            func append(_ bytes: Data) throws {}
            func preview() throws -> DecodedImage? {
                DecodedImage(bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .green))
            }
        }

        private let farbfeld = FarbfeldDecoder()

        func supports(_ format: ImageFormat) -> Bool { farbfeld.supports(format) }
        func recognize(_ prefix: Data) -> FormatRecognition { farbfeld.recognize(prefix) }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            try farbfeld.decode(data, format: format, options: options)
        }

        func progressiveDecoding(format: ImageFormat, options: DecodeOptions) -> (any ProgressiveDecoding)? {
            format == FarbfeldDecoder.format ? Decoding() : nil
        }
    }

    private static let type = "image/x-farbfeld"

    private func resource(_ control: String) -> LoopbackServer.Resource {
        LoopbackServer.Resource(Self.file, type: Self.type, etag: "\"v1\"", fields: ["Cache-Control": control])
    }

    @Test("one that breaks off goes on where it broke, recognised or not", arguments: [1, 7, 8, 15, 16, 300])
    func resumed(byteCount: Int) async throws {
        let fixture = try Fixture {
            $0.decoders = ImageDecoders([FarbfeldDecoder()])
            $0.retry = RetryPolicy(attemptLimit: 2, baseDelay: .zero)
        }
        let resource = resource("max-age=60")
        fixture.server.route("/a") { request in
            let response = resource.response(to: request)
            return request.number == 1 ? response.truncated(afterBodyBytes: byteCount) : response
        }
        let url = fixture.server.url("/a")
        #expect(Self.isRight(try await fixture.pipeline.image(for: url)))
        #expect(fixture.server.requests.map { $0.fields["Range"] } == [nil, "bytes=\(byteCount)-"])
        let stored = ImageRequest(url: url, cachePolicy: .storedOnly)
        #expect(try await fixture.pipeline.data(for: stored) == Self.file)
        #expect(try await fixture.store.usage().responseCount == 1)
    }

    @Test("one that is stale is confirmed by its server, and used again")
    func revalidated() async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([FarbfeldDecoder()]) }
        let resource = resource("no-cache")
        fixture.server.route("/a") { resource.response(to: $0) }
        let request = ImageRequest(url: fixture.server.url("/a"))
        _ = try await fixture.pipeline.image(for: request)
        fixture.memory.removeAll()
        let result = try await fixture.pipeline.result(for: request)
        #expect(Self.isRight(result.image) && result.report.layer == .revalidation)
        #expect(fixture.server.requests.map { $0.fields["If-None-Match"] } == [nil, "\"v1\""])
    }

    @Test("one that is stale stands in while its server is out of order, and for a while only")
    func stale() async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([FarbfeldDecoder()]) }
        let resource = resource("max-age=60, stale-if-error=100")
        fixture.server.route("/a") { resource.response(to: $0) }
        let request = ImageRequest(url: fixture.server.url("/a"))
        _ = try await fixture.pipeline.image(for: request)
        fixture.server.respond(to: "/a", with: .status(503))
        fixture.memory.removeAll()
        fixture.clock.advance(by: .seconds(100))
        let result = try await fixture.pipeline.result(for: request)
        #expect(Self.isRight(result.image) && result.report.layer == .storage)
        fixture.memory.removeAll()
        fixture.clock.advance(by: .seconds(100))
        let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
        #expect(error?.reason == .status(503))
    }

    @Test(
        "a store on disk keeps it over launches, however its bytes came",
        arguments: [[1_000], [8, 8, 400], [1, 1, 1]])
    func onDisk(sizes: [Int]) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer()
        let resource = resource("max-age=600")
        server.route("/a") { resource.response(to: $0).framed(.chunked(sizes: sizes)) }
        let request = ImageRequest(url: server.url("/a"))
        for layer in [LoadReport.Layer.network, .storage] {
            let store = SQLiteStore(directory: folder.url)
            var configuration = ImagePipeline.Configuration(
                transport: Fixture.transport(), memory: MemoryCache(), store: store)
            configuration.decoders = ImageDecoders([FarbfeldDecoder()])
            let pipeline = ImagePipeline(configuration)
            let result = try await pipeline.result(for: request)
            #expect(Self.isRight(result.image) && result.report.layer == layer)
            await pipeline.waitUntilIdle()
        }
        #expect(server.requests.count == 1)
    }

    #if os(Linux)
    @Test("a content coding is taken off before anybody is asked", arguments: [1, 1_000])
    func packed(pieceByteCount: Int) async throws {
        let decoder = FarbfeldDecoder()
        let fixture = try Fixture { $0.decoders = ImageDecoders([decoder]) }
        let bytes = gzipped(Self.file)
        let sizes = Array(repeating: pieceByteCount, count: bytes.count / pieceByteCount)
        fixture.server.route("/a") { _ in
            .ok(bytes, type: Self.type, fields: ["Content-Encoding": "gzip", "Cache-Control": "max-age=60"])
                .framed(.chunked(sizes: sizes))
        }
        #expect(Self.isRight(try await fixture.pipeline.image(for: fixture.server.url("/a"))))
        let stored = ImageRequest(url: fixture.server.url("/a"), cachePolicy: .storedOnly)
        #expect(try await fixture.pipeline.data(for: stored) == Self.file)
    }
    #endif

    @Test("a pipeline without the decoder takes a stored one for no image, removes it, and keeps none of its own")
    func withoutDecoder() async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([FarbfeldDecoder()]) }
        let resource = resource("max-age=60")
        fixture.server.route("/a") { resource.response(to: $0) }
        let request = ImageRequest(url: fixture.server.url("/a"))
        _ = try await fixture.pipeline.image(for: request)
        let other = ImagePipeline(
            .init(transport: Fixture.transport(), memory: MemoryCache(), store: fixture.store))
        let error = await #expect(throws: ImageError.self) { try await other.image(for: request) }
        #expect(error?.reason == .notAnImage)
        #expect(try await fixture.store.usage().responseCount == 0)
        fixture.memory.removeAll()
        #expect(Self.isRight(try await fixture.pipeline.image(for: request)))
        #expect(fixture.server.requests.count == 3)
    }

    @Test("a decoder that changes its mind has the file fetched anew, and nothing kept twice")
    func fickle() async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([FickleDecoder()]) }
        let resource = resource("max-age=60")
        fixture.server.route("/a") { resource.response(to: $0) }
        let request = ImageRequest(url: fixture.server.url("/a"))
        for _ in 0..<2 {
            #expect(Self.isRight(try await fixture.pipeline.image(for: request)))
            fixture.memory.removeAll()
        }
        #expect(fixture.server.requests.count == 2)
        #expect(try await fixture.store.usage().responseCount == 1)
    }

    @Test("it is shown while it arrives, if its decoder does that")
    func previews() async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([PreviewingDecoder()]) }
        let (start, gate) = (LoopbackServer.Gate(), LoopbackServer.Gate())
        let file = Self.farbfeld(width: 100, height: 100)
        fixture.server.route("/a") { _ in .ok(file, type: Self.type).gated(start).gated(gate, afterBodyBytes: 50_000) }
        let updates = UpdateReader(fixture.pipeline.load(ImageRequest(url: fixture.server.url("/a"))))
        start.open()
        await updates.read(to: 50_000)
        try await fixture.clock.waitForSleepers(count: 1)
        fixture.clock.advance(by: .milliseconds(250))
        #expect(await updates.preview()?.bitmap.pixel(0, 0) == .green)
        gate.open()
        #expect(await updates.rest().images.map(\.report.format) == [FarbfeldDecoder.format])
    }
}
