// What libjpeg-turbo, libpng, libwebp and giflib find out; Image I/O has its own words for it.
#if os(Linux)
import Foundation
import Testing

@testable import Calotype

@Suite("Refusing damaged and hostile images")
struct ImageRefusalTests {
    private static func reason(_ name: String, limits: ImageLimits = ImageLimits()) -> ImageError.Reason? {
        imageErrorReason { _ = try SystemImageDecoderTests.decode(name, limits: limits) }
    }

    @Test("each fixture is refused for its own reason")
    func reasons() {
        let largest = PixelSize(width: 2_147_483_647, height: 2_147_483_647)
        #expect(Self.reason("quadrants.bmp") == .unsupportedFormat(.bmp))
        #expect(Self.reason("zero-width.png") == .invalidDimensions(PixelSize(width: 0, height: 4)))
        #expect(Self.reason("claims-2147483647.png") == .tooManyPixels(largest, limit: 100_000_000))
        guard case .corrupt(.png, let detail, _)? = Self.reason("wrong-crc.png") else {
            Issue.record("a wrong checksum was accepted")
            return
        }
        #expect(detail.contains("CRC"))
        #expect(Self.reason("12-bit.jpg") == .unsupportedFormat(ImageFormat("12-bit JPEG")))
    }

    @Test("a kind of JPEG that isn't decoded is named")
    func kinds() throws {
        let data = try ImageFixture.data("orientation-1.jpg")
        let frame = try #require(data.range(of: Data([0xFF, 0xC0]))).lowerBound
        func reason(_ change: (inout Data) -> Void) -> ImageError.Reason? {
            var changed = data
            change(&changed)
            return imageErrorReason { _ = try ImageDecoders.system.decode(changed) }
        }
        let kinds: [(String, (inout Data) -> Void)] = [
            ("lossless", { $0[frame + 1] = 0xC3 }), ("hierarchical", { $0[frame + 1] = 0xC5 }),
            ("hierarchical", { $0.insert(contentsOf: [0xFF, 0xDE, 0, 2], at: frame) }),
            ("12-bit", { $0[frame + 4] = 12 }), ("16-bit", { $0[frame + 4] = 16 }),
        ]
        for (kind, change) in kinds {
            #expect(reason(change) == .unsupportedFormat(ImageFormat("\(kind) JPEG")))
        }
    }

    @Test("limits are checked against the header")
    func limits() {
        #expect(
            Self.reason("orientation-6.jpg", limits: ImageLimits(pixelCount: 64 * 48 - 1))
                == .tooManyPixels(PixelSize(width: 64, height: 48), limit: 64 * 48 - 1))
        #expect(Self.reason("orientation-6.jpg", limits: ImageLimits(pixelCount: 64 * 48)) == nil)
        guard case .bodyTooLarge? = Self.reason("quadrants.png", limits: ImageLimits(bodyByteCount: 100)) else {
            Issue.record("the body's limit was not checked")
            return
        }
        guard case .limitExceeded? = Self.reason("quadrants.png", limits: ImageLimits(decodeTime: .zero)) else {
            Issue.record("the time limit was not checked")
            return
        }
    }

    @Test(
        "a few bytes that claim 81 megapixels are incomplete",
        arguments: ["claims-9000-interlaced.png", "claims-9000-progressive.jpg"])
    func claims(_ name: String) {
        #expect(Self.reason(name) == .incomplete(name.hasSuffix("png") ? .png : .jpeg))
    }

    @Test(
        "every truncation is incomplete, up to the last pixels",
        arguments: [
            ("orientation-6.jpg", ImageFormat.jpeg), ("progressive.jpg", .jpeg), ("cmyk-adobe.jpg", .jpeg),
            ("quadrants.png", .png), ("interlaced.png", .png), ("lossy.webp", .webP), ("alpha.webp", .webP),
            ("webp-by-another-name.jpg", .webP), ("quadrants.gif", .gif),
        ])
    func truncated(_ name: String, _ format: ImageFormat) throws {
        let data = try ImageFixture.data(name)
        // Baseline entropy data ends in the byte before the end-of-image marker; what follows carries no pixels.
        let isBaseline = name != "progressive.jpg" && format == .jpeg
        // So it is with GIF's trailer.
        let end = data.count - (isBaseline ? 2 : format == .gif ? 1 : 0)
        // RIFF's signature has 12 bytes.
        for length in (format == .webP ? 12 : 8)..<end {
            let reason = imageErrorReason { _ = try ImageDecoders.system.decode(data.prefix(length)) }
            #expect(reason == .incomplete(format), "at \(length) of \(data.count)")
        }
    }

    @Test("a baseline JPEG that lacks only its end-of-image marker has all its pixels")
    func withoutEnd() throws {
        let data = try ImageFixture.data("orientation-1.jpg")
        let image = try ImageDecoders.system.decode(data.dropLast(2))
        let whole = try ImageDecoders.system.decode(data)
        image.bitmap.withUnsafeBytes { bytes in whole.bitmap.withUnsafeBytes { #expect(bytes.elementsEqual($0)) } }
    }

    @Test("damage in entropy-coded data is corrupt")
    func damaged() throws {
        let source = ResizeTests.picture(PixelSize(width: 200, height: 160))
        var data = try ImageEncoder().encoded(DecodedImage(bitmap: source), as: .jpeg(quality: 90))
        // A marker in the middle of the data: the scan ends there.
        data[data.count / 2] = 0xFF
        data[data.count / 2 + 1] = 0xD9
        guard case .corrupt(.jpeg, _, _)? = imageErrorReason({ _ = try ImageDecoders.system.decode(data) }) else {
            Issue.record("accepted, or refused for another reason")
            return
        }
    }

    @Test("more scans than the limit are refused, fewer are not")
    func scans() throws {
        let data = try ImageFixture.data("progressive.jpg")
        let end = data.count - 2
        let last = try #require(data.range(of: Data([0xFF, 0xDA]), options: .backwards, in: 0..<end)).lowerBound
        let scan = data[last..<end]
        let few = data[..<end] + Data(repeatElement(scan, count: 60).joined()) + data[end...]
        let many = data[..<end] + Data(repeatElement(scan, count: 120).joined()) + data[end...]
        #expect(imageErrorReason { _ = try ImageDecoders.system.decode(few) } == nil)
        #expect(
            imageErrorReason { _ = try ImageDecoders.system.decode(many) }
                == .limitExceeded(.jpeg, detail: "more than 100 scans"))
    }

    @Test("what isn't an image is told so")
    func notAnImage() {
        for text in ["", "<html>", "{}"] {
            #expect(imageErrorReason { _ = try ImageDecoders.system.decode(Data(text.utf8)) } == .notAnImage)
        }
    }

    @Test("a decode that nobody waits for throws CancellationError")
    func cancelled() throws {
        let cancellation = DecodeCancellation()
        cancellation.cancel()
        for name in [
            "orientation-1.jpg", "progressive.jpg", "quadrants.png", "interlaced.png", "lossy.webp", "quadrants.gif",
        ] {
            let data = try ImageFixture.data(name)
            #expect(throws: CancellationError.self) {
                try ImageDecoders.system.decode(data, options: DecodeOptions(cancellation: cancellation))
            }
        }
    }

    @Test("a cancellation in the middle ends the decode long before its end")
    func cancelledLater() async throws {
        let source = ResizeTests.picture(PixelSize(width: 64, height: 64))
        let large = source.resized(to: PixelSize(width: 2000, height: 2000))
        let data = try ImageEncoder().encoded(DecodedImage(bitmap: large), as: .jpeg(quality: 80))
        let cancellation = DecodeCancellation()
        let decode = Task.detached {
            try ImageDecoders.system.decode(
                data, options: DecodeOptions(target: .fit(width: 1900, height: nil), cancellation: cancellation))
        }
        cancellation.cancel()
        await #expect(throws: CancellationError.self) { try await decode.value }
    }
}
#endif
