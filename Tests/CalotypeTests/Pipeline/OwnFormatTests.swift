import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@Suite("A format of a decoder's own: recognised by its first bytes, and then like any other")
struct OwnFormatTests {
    /// Reads farbfeld: a mark of eight bytes, width and height, and 16 bits for each channel, all big-endian. Notes the
    /// prefixes that it is asked about.
    final class FarbfeldDecoder: ImageDecoder {
        static let format = ImageFormat("farbfeld")

        private let prefixes = Mutex<[Int]>([])
        /// How long each was.
        var asked: [Int] { prefixes.withLock { $0 } }

        static func size(_ data: Data) -> PixelSize? {
            guard data.count >= 16 else { return nil }
            func number(_ start: Int) -> Int {
                data.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) }
            }
            return PixelSize(width: number(8), height: number(12))
        }

        func supports(_ format: ImageFormat) -> Bool { format == Self.format }

        func recognize(_ prefix: Data) -> FormatRecognition {
            prefixes.withLock { $0.append(prefix.count) }
            // What is promised: a first byte, at index 0.
            #expect(prefix[0] == prefix.first)
            guard prefix.starts(with: Data("farbfeld".utf8).prefix(prefix.count)) else { return .unrecognized }
            return Self.size(prefix).map { .image(Self.format, pixelSize: $0) } ?? .needsMoreBytes
        }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            guard let size = Self.size(data), data.count == 16 + size.pixelCount * 8 else {
                throw ImageError(.decoding, .incomplete(format))
            }
            let whole = Bitmap(size: size) { pixels in
                for index in pixels.indices { pixels[index] = data[data.startIndex + 16 + index * 2] }
            }
            let target = options.target.pixelSize(for: size)
            return DecodedImage(bitmap: whole.resized(to: target), originalPixelSize: size)
        }
    }

    /// Never makes up its mind.
    private struct UndecidedDecoder: ImageDecoder {
        func supports(_ format: ImageFormat) -> Bool { false }
        func recognize(_ prefix: Data) -> FormatRecognition { .needsMoreBytes }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            throw ImageError(.decoding, .unsupportedFormat(format))
        }
    }

    /// Takes the one byte "B" for an image.
    private struct OneByteDecoder: ImageDecoder {
        static let format = ImageFormat("one byte")

        func supports(_ format: ImageFormat) -> Bool { format == Self.format }
        func recognize(_ prefix: Data) -> FormatRecognition {
            prefix == Data("B".utf8) ? .image(Self.format) : .unrecognized
        }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            DecodedImage(bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .red))
        }
    }

    /// A farbfeld file of one colour.
    static func farbfeld(width: Int, height: Int) -> Data {
        var data = Data("farbfeld".utf8)
        for side in [width, height] {
            for shift in [24, 16, 8, 0] { data.append(UInt8(truncatingIfNeeded: side >> shift)) }
        }
        for _ in 0..<min(width * height, 10_000) { data.append(contentsOf: [40, 0, 80, 0, 120, 0, 255, 255]) }
        return data
    }

    static let file = farbfeld(width: 12, height: 8)

    static func isRight(_ image: DecodedImage) -> Bool {
        image.pixelSize == PixelSize(width: 12, height: 8) && image.bitmap[11, 7] == (40, 80, 120, 255)
    }

    @Test(
        "it is loaded however its bytes come, stored, and found again without the network",
        arguments: [[96 * 8 + 16], [1, 1, 6, 4, 3, 1, 100], Array(repeating: 1, count: 20)])
    func loads(chunks: [Int]) async throws {
        let decoder = FarbfeldDecoder()
        let fixture = try Fixture { $0.decoders = ImageDecoders([decoder]) }
        let type = "image/x-farbfeld"
        fixture.server.route("/a") { _ in
            .ok(Self.file, type: type, fields: ["Cache-Control": "max-age=60"]).framed(.chunked(sizes: chunks))
        }
        let url = fixture.server.url("/a")
        let result = try await fixture.pipeline.result(for: ImageRequest(url: url))
        #expect(Self.isRight(result.image))
        #expect(result.report.format == FarbfeldDecoder.format)
        #expect(decoder.asked == decoder.asked.sorted() && decoder.asked.count <= chunks.count + 1)

        fixture.memory.removeAll()
        let again = try await fixture.pipeline.result(for: ImageRequest(url: url))
        #expect(Self.isRight(again.image) && again.report.layer == .storage)
        #expect(fixture.server.requests.count == 1)
        let small = try await fixture.pipeline.image(for: ImageRequest(url: url, size: .pixels(3, nil)))
        #expect(small.pixelSize == PixelSize(width: 3, height: 2))
        #expect(small.originalPixelSize == PixelSize(width: 12, height: 8))
    }

    @Test("files, data URLs, bytes and closures may be of it, too")
    func sources() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.file, to: "a.ff")
        let dataURL = try #require(
            URL(string: "data:application/octet-stream;base64," + Self.file.base64EncodedString()))
        let fixture = try Fixture { $0.decoders = ImageDecoders([FarbfeldDecoder()]) }
        for request in [
            ImageRequest(url: URL(filePath: path)), ImageRequest(url: dataURL), ImageRequest(data: Self.file),
            ImageRequest(id: "drawn") { Self.file },
        ] {
            #expect(Self.isRight(try await fixture.pipeline.image(for: request)), "\(request)")
        }
        let decoders = ImageDecoders([FarbfeldDecoder()])
        #expect(Self.isRight(try decoders.decode(Self.file)))
        // A slice of a message has another first index.
        #expect(Self.isRight(try decoders.decode((Data([1, 2, 3]) + Self.file).dropFirst(3))))
        let nothing = #expect(throws: ImageError.self) { try decoders.decode(Data()) }
        #expect(nothing?.reason == .notAnImage)
    }

    @Test("a size beyond the limits is refused before the rest arrives, as is one that no image has")
    func limits() async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([FarbfeldDecoder()]) }
        let gate = LoopbackServer.Gate()
        for (path, width) in [("/large", 50_000), ("/none", 0)] {
            fixture.server.route(path) { _ in
                .ok(Self.farbfeld(width: width, height: 40_000), type: "image/x-farbfeld")
                    .gated(gate, afterBodyBytes: 16)
            }
        }
        let large = await #expect(throws: ImageError.self) {
            try await fixture.pipeline.image(for: fixture.server.url("/large"))
        }
        #expect(large?.reason == .tooManyPixels(PixelSize(width: 50_000, height: 40_000), limit: 100_000_000))
        let none = await #expect(throws: ImageError.self) {
            try await fixture.pipeline.image(for: fixture.server.url("/none"))
        }
        #expect(none?.reason == .invalidDimensions(PixelSize(width: 0, height: 40_000)))
        gate.open()
    }

    @Test("a damaged file is the decoder's to refuse, and leaves nothing")
    func damaged() async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([FarbfeldDecoder()]) }
        fixture.server.route("/a") { _ in
            .ok(Self.file.dropLast(), type: "image/x-farbfeld", fields: ["Cache-Control": "max-age=60"])
        }
        let request = ImageRequest(url: fixture.server.url("/a"))
        let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
        #expect(error?.reason == .incomplete(FarbfeldDecoder.format))
        #expect(try await fixture.store.usage().responseCount == 0)
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
    }

    @Test("what begins like a listed format is no decoder's to claim")
    func listed() async throws {
        let decoder = FarbfeldDecoder()
        let fixture = try Fixture { $0.decoders = ImageDecoders([decoder]) }
        let png = TestImages.solidPNG(width: 8, height: 8, color: .red)
        fixture.server.route("/a") { _ in .ok(png, type: "image/png").framed(.chunked(sizes: [1, 3, 20])) }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(decoder.asked == [])
    }

    @Test("who can't tell from the first 64 KiB is asked no more: the rest isn't waited for")
    func undecided() async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([UndecidedDecoder()]) }
        let gate = LoopbackServer.Gate()
        fixture.server.route("/a") { _ in
            .ok(Data(repeating: 0x2A, count: 10 << 20), type: "image/x-mystery")
                .gated(gate, afterBodyBytes: FormatRecognition.prefixByteCount)
        }
        fixture.server.route("/short") { _ in .ok(Data(repeating: 0x2A, count: 100), type: "image/x-mystery") }
        for path in ["/a", "/short"] {
            let error = await #expect(throws: ImageError.self) {
                try await fixture.pipeline.image(for: fixture.server.url(path))
            }
            #expect(error?.reason == .notAnImage, "\(path)")
        }
        gate.open()
    }

    @Test("a whole file that could begin a listed format is shown to the decoders at its end, and stored then")
    func short() async throws {
        let fixture = try Fixture { $0.decoders = ImageDecoders([OneByteDecoder()]) }
        fixture.server.route("/a") { _ in
            .ok(Data("B".utf8), type: "image/x-byte", fields: ["Cache-Control": "max-age=60"]).framed(
                .chunked(sizes: [1]))
        }
        let url = fixture.server.url("/a")
        #expect(try await fixture.pipeline.result(for: ImageRequest(url: url)).report.format == OneByteDecoder.format)
        #expect(try await fixture.store.usage().responseCount == 1)
        let plain = ImagePipeline(.init(transport: Fixture.transport(), memory: MemoryCache(), store: nil))
        let error = await #expect(throws: ImageError.self) { try await plain.image(for: url) }
        #expect(error?.reason == .notAnImage)
    }
}
