import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Resize quality")
struct ResizeQualityTests {
    /// A checkerboard, where the filters differ most; in blocks of 8, as the test encoder of JPEG makes them.
    private static func pixel(_ x: Int, _ y: Int) -> PixelColor { (x / 8 + y / 8) % 2 == 0 ? .red : .white }

    private static let files: [(format: ImageFormat, data: Data)] = {
        var files: [(ImageFormat, Data)] = [
            (.png, TestImages.png(width: 96, height: 64, pixel: pixel)),
            (.jpeg, TestImages.jpeg(width: 96, height: 64, pixel: pixel)),
        ]
        #if os(Linux)
        // Image I/O has filters of its own.
        files.append((.webP, TestImages.webP(width: 96, height: 64, pixel: pixel)))
        files.append((.gif, TestImages.gif(width: 96, height: 64, pixel: pixel)))
        #endif
        return files
    }()

    private static func bytes(_ bitmap: Bitmap) -> [UInt8] { bitmap.withUnsafeBytes { Array($0) } }

    #if os(Linux)
    @Test("decoders resize by the quality they are asked for", arguments: files)
    func decoders(_ file: (format: ImageFormat, data: Data)) throws {
        let target = PixelSize(width: 45, height: 30)
        let full = try ImageDecoders.system.decode(file.data).bitmap
        func decoded(_ quality: ResizeQuality) throws -> [UInt8] {
            let options = DecodeOptions(target: .fit(width: target.width, height: nil), quality: quality)
            return Self.bytes(try ImageDecoders.system.decode(file.data, options: options).bitmap)
        }
        for quality in [ResizeQuality.balanced, .fast] {
            let expected = try full.resized(to: target, quality: quality, cancellation: .init())
            #expect(try decoded(quality) == Self.bytes(expected))
        }
        #expect(try decoded(.fast) != decoded(.balanced))
    }
    #endif

    @Test("a pipeline decodes, and makes its larger images smaller, by its configuration's quality")
    func pipeline() async throws {
        for quality in [ResizeQuality.balanced, .fast] {
            let fixture = try Fixture {
                $0.resizeQuality = quality
                $0.decoders = ImageDecoders([EchoingDecoder()])
            }
            let data = try #require(Self.files.first).data
            let made = try await fixture.pipeline.image(for: ImageRequest(data: data, size: .original))
            // The decoder says in the first byte which quality it was asked for.
            #expect(made.bitmap[0, 0].red == (quality == .fast ? 255 : 0))
            let smaller = try await fixture.pipeline.image(
                for: ImageRequest(data: data, size: .pixels(45, 30, .fit)))
            let expected = try made.bitmap.resized(
                to: PixelSize(width: 45, height: 30), quality: quality, cancellation: .init())
            #expect(Self.bytes(smaller.bitmap) == Self.bytes(expected))
        }
    }

    /// Decodes anything to one picture, whatever the target, so that smaller ones are made of it.
    private struct EchoingDecoder: ImageDecoder {
        func supports(_ format: ImageFormat) -> Bool { true }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            guard options.target == .original else { throw ImageError(.decoding, .unsupportedFormat(format)) }
            let isFast = options.quality == .fast
            return DecodedImage(
                bitmap: TestImages.bitmap(width: 96, height: 64) { x, y in
                    x == 0 && y == 0 ? (isFast ? .red : .black) : ResizeQualityTests.pixel(x, y)
                })
        }
    }
}
