import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

/// What decoders claim that they shouldn't, or in each other's way.
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
            .ok(Data(repeating: 0x2A, count: 100_000), type: "image/x-any", fields: ["Cache-Control": "max-age=60"])
        }
        let request = ImageRequest(url: fixture.server.url("/a"))
        let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
        #expect(error?.stage == .decoding, "\(String(describing: error))")
        #expect(fixture.pipeline.cachedImage(for: request) == nil && fixture.pipeline.impression(for: request) == nil)
    }

    /// Tells one size of whatever it is shown, and makes a small picture of it.
    private struct SizeDecoder: ImageDecoder {
        var size: PixelSize

        func supports(_ format: ImageFormat) -> Bool { format == FarbfeldDecoder.format }
        func recognize(_ prefix: Data) -> FormatRecognition { .image(FarbfeldDecoder.format, pixelSize: size) }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            DecodedImage(
                bitmap: TestImages.solidBitmap(width: 16, height: 16, color: .red), originalPixelSize: size)
        }
    }

    private static let sides = [Int.min, -1, 0, 1, 65_536, .max]

    @Test(
        "whatever size is told, one that no image has or that is beyond the limit is refused, and any other goes through",
        arguments: sides, sides)
    func toldSizes(width: Int, height: Int) async throws {
        let size = PixelSize(width: width, height: height)
        for limit in [100_000_000, Int.max] {
            var configuration = ImagePipeline.Configuration(memory: MemoryCache(), store: nil)
            configuration.decoders = ImageDecoders([SizeDecoder(size: size)])
            configuration.limits.pixelCount = limit
            let pipeline = ImagePipeline(configuration)
            let request = ImageRequest(data: Self.file, id: "told", size: .pixels(16, 16))
            let result: Result<DecodedImage, any Error>
            do { result = .success(try await pipeline.image(for: request)) } catch { result = .failure(error) }
            switch result {
            case .failure(let error as ImageError) where width < 1 || height < 1:
                #expect(error.reason == .invalidDimensions(size))
            case .failure(let error as ImageError):
                #expect(error.reason == .tooManyPixels(size, limit: limit) && size.pixelCount > limit)
            case .success(let image):
                #expect(image.originalPixelSize == size && size.pixelCount <= limit)
                #expect(width > 0 && height > 0)
                await pipeline.waitUntilIdle()
                let impression = try #require(pipeline.impression(for: request))
                #expect(impression.originalPixelSize.width <= 65_535 && impression.originalPixelSize.height <= 65_535)
            case .failure(let error):
                Issue.record(error)
            }
        }
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
}
