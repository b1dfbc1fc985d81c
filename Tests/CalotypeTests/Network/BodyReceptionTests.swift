import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("A body while it arrives")
struct BodyReceptionTests {
    private static let file = TestImages.solidPNG(width: 40, height: 30, color: .red)
    private static let start = Date(timeIntervalSinceReferenceDate: 0)

    private let exchange = HTTPLoader.Exchange(
        response: HTTPResponse(status: 200), requestTime: start, responseTime: start, start: .now, redirectCount: 0,
        retryCount: 0, redirection: nil)
    private let lookup = StoreLookup([], RequestFields([:]), .http, now: start, since: .now)

    private func reception(
        limits: ImageLimits = ImageLimits(), _ decoders: ImageDecoders = .system
    ) throws -> BodyReception {
        try BodyReception(exchange, method: "GET", lookup, expectedByteCount: nil, BodyValidation(limits, decoders))
    }

    /// Says what a file is once it has so many bytes. Counts all that it is shown.
    private final class LateDecoder: ImageDecoder {
        private let threshold: Int
        private let count = Mutex(0)
        var shownByteCount: Int { count.withLock { $0 } }

        init(at threshold: Int) { self.threshold = threshold }

        func supports(_ format: ImageFormat) -> Bool { true }

        func recognize(_ prefix: Data) -> FormatRecognition {
            count.withLock { $0 += prefix.count }
            return prefix.count < threshold ? .needsMoreBytes : .image(ImageFormat("late"))
        }

        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
            throw ImageError(.decoding, .unsupportedFormat(format))
        }
    }

    @Test(
        "is the same version in whatever pieces it comes, and is recognised as soon as its header is there",
        arguments: [1, 2, 7, 8, 9, 23, 24, 33, 64, 1_000])
    func pieces(length: Int) throws {
        let reception = try reception()
        var storable = Data()
        for start in stride(from: 0, to: Self.file.count, by: length) {
            let end = min(start + length, Self.file.count)
            let bytes = try reception.take(Self.file[start..<end])
            // The size is within the first 24 bytes of a PNG, the orientation perhaps behind it: nothing is kept until then.
            #expect((bytes == nil) == (reception.header == nil))
            if let bytes { storable.append(bytes) }
        }
        try reception.checkEnd()
        let resource = try reception.resource(
            stored: nil, exchange, lookup, .http, receivedByteCount: Int64(Self.file.count), bodyTime: .zero)
        #expect(resource.data == Self.file && storable == Self.file)
        #expect(resource.version == Self.file.withUnsafeBytes { Digest(bytes: $0) })
        #expect(resource.header.pixelSize == PixelSize(width: 40, height: 30))
    }

    @Test(
        "that comes byte by byte is shown to a decoder often enough to be recognised soon, and not with every byte",
        arguments: [1, 31, 32, 100, 5_000, 65_535, 65_536])
    func byteByByte(threshold: Int) throws {
        let decoder = LateDecoder(at: threshold)
        let reception = try reception(ImageDecoders([decoder]))
        var storable = Data()
        while reception.header == nil {
            if let bytes = try reception.take(Data([0x2A])) { storable += bytes }
        }
        #expect(threshold...min(threshold + threshold / 16 + 1, 65_536) ~= reception.data.count)
        #expect(storable == reception.data)
        #expect(decoder.shownByteCount <= 18 * threshold + 1_000)
    }

    @Test(
        "that nobody knows by its first 64 KiB is refused with the last of them, and not before",
        arguments: [1, 4_096])
    func undecided(length: Int) throws {
        let decoder = LateDecoder(at: .max)
        let reception = try reception(ImageDecoders([decoder]))
        let piece = Data(repeating: 0x2A, count: length)
        while reception.data.count < FormatRecognition.prefixByteCount - length {
            #expect(try reception.take(piece) == nil)
        }
        let error = #expect(throws: ImageError.self) { try reception.take(piece) }
        #expect(error?.reason == .notAnImage)
        #expect(reception.data.count == FormatRecognition.prefixByteCount)
        #expect(decoder.shownByteCount < 20 * FormatRecognition.prefixByteCount)
    }

    @Test("is refused with the first piece that goes beyond the limit, and that piece isn't kept")
    func limit() throws {
        var limits = ImageLimits()
        limits.bodyByteCount = 40
        let reception = try reception(limits: limits)
        _ = try reception.take(Self.file.prefix(40))
        let error = #expect(throws: ImageError.self) { try reception.take(Self.file[40..<42]) }
        #expect(error?.reason == .bodyTooLarge(byteCount: 42, limit: 40))
        #expect(reception.data.count == 40)
    }
}
