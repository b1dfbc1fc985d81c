import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

/// What happens to files of such a format on the way: broken off, packed, confirmed, shared.
extension OwnFormatTests {
    /// Recognises and decodes whatever it is shown, as the format that it is given.
    private final class GreedyDecoder: ImageDecoder {
        private let format: ImageFormat
        private let count = Mutex(0)
        var askCount: Int { count.withLock { $0 } }

        init(_ format: ImageFormat = ImageFormat("anything")) { self.format = format }

        func supports(_ format: ImageFormat) -> Bool { format == ImageFormat("anything") }

        func recognize(_ prefix: Data) -> FormatRecognition {
            count.withLock { $0 += 1 }
            return .image(format)
        }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            DecodedImage(bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .red))
        }
    }

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

    @Test("of decoders with one format, each file goes to the first that supports it, whoever recognised it")
    func sameFormat() async throws {
        let (first, second) = (GreedyDecoder(FarbfeldDecoder.format), FarbfeldDecoder())
        let fixture = try Fixture { $0.decoders = ImageDecoders([first, second]) }
        #expect(Self.isRight(try await fixture.pipeline.image(for: ImageRequest(data: Self.file))))
        #expect(first.askCount == 1 && second.asked == [])
    }

    @Test(
        "a decoder that gives a listed format's name to other bytes, or one that it doesn't support, has them refused",
        arguments: [
            ImageFormat.png, .jpeg, .gif, .webP, .bmp, .tiff, .avif, .heic, .jpegXL, ImageFormat(""), ImageFormat("x"),
        ])
    func misnamed(format: ImageFormat) async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([GreedyDecoder(format)]) }
        fixture.server.route("/a") { _ in
            .ok(Data(repeating: 0x2A, count: 100_000), type: Self.type, fields: ["Cache-Control": "max-age=60"])
        }
        let request = ImageRequest(url: fixture.server.url("/a"))
        let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
        #expect(error?.stage == .decoding, "\(String(describing: error))")
        #expect(fixture.pipeline.cachedImage(for: request) == nil && fixture.pipeline.impression(for: request) == nil)
    }

    struct Beginning: CustomTestStringConvertible {
        var testDescription: String
        var bytes: Data

        static let all = [
            Beginning(
                testDescription: "PNG",
                bytes: TestImages.solidPNG(width: 8, height: 8, color: .red).prefix(20)),
            Beginning(testDescription: "JPEG", bytes: Data([0xFF, 0xD8, 0xFF, 0xE0])),
            Beginning(testDescription: "GIF", bytes: Data("GIF89a".utf8)),
            Beginning(testDescription: "WebP", bytes: Data("RIFF\u{1}\u{1}\u{1}\u{1}WEBP".utf8)),
        ]
    }

    @Test("the beginning of a listed format isn't shown to decoders, even if no more comes", arguments: Beginning.all)
    func cutOff(_ beginning: Beginning) async throws {
        let decoder = GreedyDecoder()
        let fixture = try Fixture { $0.decoders = ImageDecoders([decoder]) }
        fixture.server.route("/a") { _ in .ok(beginning.bytes, type: "image/png") }
        for request in [ImageRequest(url: fixture.server.url("/a")), ImageRequest(data: beginning.bytes)] {
            let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
            #expect(error?.reason == .notAnImage)
        }
        #expect(throws: ImageError.self) { try ImageDecoders([decoder]).decode(beginning.bytes) }
        #expect(decoder.askCount == 0)
        #expect(try await fixture.store.usage().responseCount == 0)
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
