import Foundation
import Testing

@testable import Calotype

@Suite("Decoding JPEG and PNG")
struct SystemImageDecoderTests {
    static func decode(
        _ name: String, target: PixelTarget = .original, limits: ImageLimits = ImageLimits()
    ) throws -> DecodedImage {
        try ImageDecoders.system.decode(
            ImageFixture.data(name), options: DecodeOptions(target: target, limits: limits))
    }

    @Test(
        "all colour models come out upright and in their colours",
        arguments: (1...8).map { "orientation-\($0).jpg" } + [
            "progressive.jpg", "cmyk-adobe.jpg", "rgb-transform-0.jpg", "quadrants.png", "palette-2bit.png",
            "orientation-6-exif.png",
        ])
    func colours(_ name: String) throws {
        for target in [PixelTarget.original, .fit(width: 40, height: nil), .fit(width: 8, height: nil)] {
            let image = try Self.decode(name, target: target)
            let original = PixelSize(width: 64, height: 48)
            #expect(image.originalPixelSize == original)
            #expect(image.pixelSize == target.pixelSize(for: original))
            #expect(Hue.corners(of: image.bitmap) == [.red, .green, .blue, .white], "\(image.pixelSize)")
        }
    }

    @Test("a JPEG of one component is gray")
    func gray() throws {
        let pixel = try Self.decode("gray.jpg").bitmap[4, 4]
        // Red has a luminance of 76.
        #expect(abs(Int(pixel.red) - 76) <= 3 && pixel.red == pixel.green && pixel.green == pixel.blue)
        #expect(pixel.alpha == 255)
    }

    @Test("16-bit PNG is rounded to 8 bits, not cut off")
    func deep() throws {
        let bitmap = try Self.decode("gray-16bit.png").bitmap
        for x in 0..<16 { #expect(bitmap[x, 1].red == UInt8(x * 17), "column \(x)") }
    }

    @Test("straight alpha is premultiplied, rounded to the nearest")
    func alpha() throws {
        let bitmap = try Self.decode("alpha.png").bitmap
        for x in 0..<16 {
            let pixel = bitmap[x, 3]
            let alpha = x * 17
            #expect(Int(pixel.alpha) == alpha)
            for (value, straight) in [(pixel.red, 200), (pixel.green, 100), (pixel.blue, 50)] {
                #expect(Int(value) == Int((Double(straight * alpha) / 255).rounded()), "column \(x)")
            }
        }
    }

    @Test("tRNS makes gray and palette entries transparent")
    func transparency() throws {
        let gray = try Self.decode("transparent-gray.png").bitmap
        #expect(gray[0, 0] == (0, 0, 0, 0))
        #expect(gray[1, 0] == (128, 128, 128, 255))
        let palette = try Self.decode("transparent-palette.png").bitmap
        #expect(palette[0, 0] == (128, 0, 0, 128))
        #expect(palette[1, 0] == (0, 255, 0, 255))
    }

    @Test("an interlaced PNG has the pixels of its plain twin, at each size")
    func interlaced() throws {
        for target in [PixelTarget.original, .fit(width: 5, height: nil)] {
            let bitmap = try Self.decode("interlaced.png", target: target).bitmap
            let twin = try Self.decode("interlaced-reference.png", target: target).bitmap
            #expect(bitmap.size == twin.size)
            bitmap.withUnsafeBytes { bytes in twin.withUnsafeBytes { #expect(bytes.elementsEqual($0)) } }
        }
    }

    @Test("an orientation after a PNG's pixels counts")
    func lateOrientation() throws {
        let bitmap = try Self.decode("exif-after-pixels.png").bitmap
        #expect(bitmap.size == PixelSize(width: 2, height: 3))
        #expect((0..<3).map { bitmap[0, $0].red } == [4, 5, 6])
        #expect((0..<3).map { bitmap[1, $0].red } == [1, 2, 3])
    }

    static let targets: [PixelTarget] = [
        .original, .fit(width: 63, height: nil), .fit(width: nil, height: 24), .fit(width: 31, height: 31),
        .fit(width: 500, height: 500), .fill(width: 17, height: 17), .fill(width: 5, height: 40),
        .fill(width: nil, height: 3), .fit(width: 1, height: 1), .fill(width: 1, height: 1), .fit(width: 0, height: 0),
    ]

    @Test("the output has exactly the target's size", arguments: targets)
    func exactSize(_ target: PixelTarget) throws {
        for name in ["orientation-1.jpg", "orientation-6.jpg", "orientation-8.jpg", "progressive.jpg", "alpha.png"] {
            let original = name == "alpha.png" ? PixelSize(width: 16, height: 8) : PixelSize(width: 64, height: 48)
            #expect(try Self.decode(name, target: target).pixelSize == target.pixelSize(for: original), "\(name)")
        }
    }

    @Test("a scaled JPEG decode is within 45 dB of a full one, resized by the reference")
    func scaledQuality() throws {
        let source = ResizeTests.picture(PixelSize(width: 803, height: 601))
        let data = try ImageEncoder().encoded(DecodedImage(bitmap: source), as: .jpeg(quality: 90))
        let full = try ImageDecoders.system.decode(data).bitmap
        for width in [400, 230, 100, 47] {
            let image = try ImageDecoders.system.decode(
                data, options: DecodeOptions(target: .fit(width: width, height: nil)))
            let quality = ResizeTests.quality(image.bitmap, ResizeTests.reference(full, image.pixelSize))
            #expect(quality >= 45, "\(quality) dB at \(width)")
        }
    }

    @Test("only the scales with vector code are used, and they leave enough for the resize")
    func scales() {
        let photo = PixelSize(width: 4000, height: 3000)
        for (width, denominator) in [
            (1179, 2), (264, 4), (160, 8), (170, 4), (660, 4), (670, 2), (1330, 2), (1340, 1),
            (4000, 1),
        ] {
            let result = PixelTarget.fit(width: width, height: nil).pixelSize(for: photo)
            #expect(JPEGDecoder.denominator(from: photo, to: result) == denominator, "\(width)")
        }
        #expect(
            JPEGDecoder.denominator(from: PixelSize(width: 5000, height: 1), to: PixelSize(width: 10, height: 1)) == 1)
    }
}

@Suite("Refusing damaged and hostile images")
struct ImageRefusalTests {
    private static func reason(_ name: String, limits: ImageLimits = ImageLimits()) -> ImageError.Reason? {
        imageErrorReason { _ = try SystemImageDecoderTests.decode(name, limits: limits) }
    }

    @Test("each fixture is refused for its own reason")
    func reasons() {
        let largest = PixelSize(width: 2_147_483_647, height: 2_147_483_647)
        #expect(Self.reason("webp-by-another-name.jpg") == .unsupportedFormat(.webP))
        #expect(Self.reason("quadrants.gif") == .unsupportedFormat(.gif))
        #expect(Self.reason("zero-width.png") == .invalidDimensions(PixelSize(width: 0, height: 4)))
        #expect(Self.reason("claims-2147483647.png") == .tooManyPixels(largest, limit: 100_000_000))
        guard case .corrupt(.png, let detail, _)? = Self.reason("wrong-crc.png") else {
            Issue.record("a wrong checksum was accepted")
            return
        }
        #expect(detail.contains("CRC"))
        guard case .unsupportedFormat(let format)? = Self.reason("12-bit.jpg") else {
            Issue.record("12 bits were accepted")
            return
        }
        #expect(format.description.contains("precision 12"))
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
        "a few bytes that claim 81 megapixels take no memory for them",
        arguments: ["claims-9000-interlaced.png", "claims-9000-progressive.jpg"])
    func claims(_ name: String) {
        let format: ImageFormat = name.hasSuffix("png") ? .png : .jpeg
        let before = Self.peakMemory()
        #expect(Self.reason(name) == .incomplete(format))
        #expect(Self.peakMemory() - before < 64 << 20)
    }

    /// The most memory that the process has had, in bytes; 0 where the system doesn't tell.
    private static func peakMemory() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) << 10
    }

    @Test(
        "every truncation is incomplete, up to the last pixels",
        arguments: ["orientation-6.jpg", "progressive.jpg", "cmyk-adobe.jpg", "quadrants.png", "interlaced.png"])
    func truncated(_ name: String) throws {
        let data = try ImageFixture.data(name)
        let format: ImageFormat = name.hasSuffix("png") ? .png : .jpeg
        // Baseline entropy data ends in the byte before the end-of-image marker; what follows carries no pixels.
        let isBaseline = name != "progressive.jpg" && format == .jpeg
        for length in 8..<(isBaseline ? data.count - 2 : data.count) {
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
        for name in ["orientation-1.jpg", "progressive.jpg", "quadrants.png", "interlaced.png"] {
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
