// What libwebp and giflib find out; Image I/O has its own words for it.
#if os(Linux)
import CCodecs
import CalotypeTesting
import Foundation
import Glibc
import Testing

@testable import Calotype

@Suite("Refusing damaged and hostile WebP and GIF")
struct FrameRefusalTests {
    private static func reason(_ data: Data, limits: ImageLimits = ImageLimits()) -> ImageError.Reason? {
        imageErrorReason { _ = try ImageDecoders.system.decode(data, options: DecodeOptions(limits: limits)) }
    }

    private static func detail(_ data: Data) -> String? {
        guard case .corrupt(_, let detail, _)? = reason(data) else { return nil }
        return detail
    }

    /// A GIF of 16 x 12 pixels, interlaced or not, on a canvas a little larger, and another frame.
    private static func gif(isInterlaced: Bool) -> Data {
        let frame = GIFEncoder.Frame(
            left: 1, top: 1, width: 16, height: 12, isInterlaced: isInterlaced, pixel: GIFDecoderTests.color)
        return GIFEncoder.encode(width: 18, height: 14, frames: [frame, frame])
    }

    private static func webP() -> Data {
        let frame = WebPEncoder.Frame(left: 2, top: 2, width: 5, height: 4) { x, y in
            PixelColor(UInt8(x), UInt8(y), 9)
        }
        return WebPEncoder.encode(width: 9, height: 8, frames: [frame, frame])
    }

    @Test("every truncation of an animation is incomplete, except between the blocks of a GIF")
    func truncated() {
        for (data, format) in [
            (Self.gif(isInterlaced: false), ImageFormat.gif), (Self.gif(isInterlaced: true), .gif),
            (Self.webP(), .webP), (TestImages.webP(width: 4, height: 4, orientation: 6) { _, _ in .red }, .webP),
        ] {
            #expect(Self.reason(data) == nil)
            let ends = format == .gif ? Self.blockEnds(data) : []
            for length in 12..<data.count where !ends.contains(length) {
                #expect(Self.reason(data.prefix(length)) == .incomplete(format), "at \(length) of \(data.count)")
            }
        }
    }

    /// Where blocks end after the first frame: each of the two of ``gif(isInterlaced:)`` has 8 bytes of control before it.
    private static func blockEnds(_ data: Data) -> [Int] {
        let control = Data([0x21, 0xF9, 4])
        guard let second = data.range(of: control, options: .backwards) else { return [] }
        return [second.lowerBound, second.lowerBound + 8, data.count - 1]
    }

    @Test("a GIF without its trailer, or cut off between blocks after its first frame, is shown as browsers do")
    func noTrailer() throws {
        for isInterlaced in [false, true] {
            let data = Self.gif(isInterlaced: isInterlaced)
            let whole = try ImageDecoders.system.decode(data).bitmap
            let ends = Self.blockEnds(data)
            #expect(ends.count == 3 && data.last == 0x3B)
            for length in ends {
                let bitmap = try ImageDecoders.system.decode(data.prefix(length)).bitmap
                #expect(PixelComparison(bitmap, whole).isWithin(.exact), "at \(length) of \(data.count)")
            }
        }
    }

    @Test("pixels that end before the frame does are corrupt, in a WebP that has all that it announces")
    func shortFrame() throws {
        let lossless = WebPEncoder.bitstream(width: 40, height: 30) { x, y in WebPDecoderTests.picture(x, y) }
        let lossy = try [UInt8](ImageFixture.data("picture.webp").dropFirst(20))
        for (name, stream) in [("VP8L", lossless), ("VP8 ", lossy)] {
            #expect(Self.reason(WebPEncoder.file(WebPEncoder.chunk(name, stream))) == nil)
            for share in [0.3, 0.6, 0.95] {
                let part = Array(stream.prefix(Int(Double(stream.count) * share)))
                #expect(Self.detail(WebPEncoder.file(WebPEncoder.chunk(name, part))) != nil, "\(share) of \(name)")
            }
        }
    }

    @Test("the rows that a cut-off WebP has are given, before it is called incomplete")
    func rows() throws {
        let data = try ImageFixture.data("picture.webp")
        let whole = try WebPDecoderTests.decode(data).bitmap
        try data.prefix(data.count / 2).withUnsafeBytes { bytes in
            let webP = try #require(cc_webp_open(bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count))
            defer { cc_webp_close(webP) }
            var info = cc_webp_info()
            var frame = cc_frame()
            var isLossless = true
            #expect(cc_webp_read_header(webP, 10, &info) == CC_OK)
            #expect(cc_webp_read_frame(webP, &frame, &isLossless) == CC_OK)
            #expect(!isLossless && frame.width == 480 && frame.height == 360)
            var pixels = [UInt8](repeating: 0, count: 480 * 360 * 4)
            let status = pixels.withUnsafeMutableBufferPointer { rows in
                var count: UInt32 = 0
                var isDone = false
                var status = cc_webp_start(webP, 480, 360, rows.baseAddress, 480 * 4, 0)
                while status == CC_OK, !isDone {
                    status = cc_webp_decode(webP, 1000, &count, &isDone)
                }
                return (status, Int(count))
            }
            #expect(status.0 == CC_INCOMPLETE)
            #expect((100..<300).contains(status.1), "\(status.1) rows")
            let byteCount = status.1 * 480 * 4
            whole.withUnsafeBytes { #expect($0.prefix(byteCount).elementsEqual(pixels.prefix(byteCount))) }
        }
    }

    @Test(
        "what libwebp takes for pixels is limited: 4 bytes for a lossless one, up to 5 for a lossy one with alpha",
        arguments: [("picture-lossless.webp", 4), ("picture-alpha.webp", 5), ("picture.webp", 0)])
    func pixelBytes(_ name: String, _ byteCount: Int) throws {
        try ImageFixture.data(name).withUnsafeBytes { bytes in
            for excess in [0, 1] where excess <= byteCount {
                let webP = try #require(
                    cc_webp_open(bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count))
                defer { cc_webp_close(webP) }
                var info = cc_webp_info()
                var frame = cc_frame()
                var isLossless = false
                #expect(cc_webp_read_header(webP, 10, &info) == CC_OK)
                #expect(cc_webp_read_frame(webP, &frame, &isLossless) == CC_OK)
                let (width, height) = (frame.width, frame.height)
                var pixels = [UInt8](repeating: 0, count: Int(width * height) * 4)
                let status = pixels.withUnsafeMutableBufferPointer { rows in
                    let limit = Int(width * height) * byteCount - excess
                    return cc_webp_start(webP, width, height, rows.baseAddress, Int(width) * 4, limit)
                }
                #expect(status == (excess == 0 ? CC_OK : CC_LIMIT))
            }
        }
    }

    @Test("a GIF without any colour table has no colours")
    func noTable() {
        let frame = GIFEncoder.Frame(width: 2, height: 2, table: .none) { _, _ in .red }
        #expect(Self.detail(GIFEncoder.encode(width: 2, height: 2, frames: [frame])) == "no color table")
    }

    @Test("a GIF without a frame, or with one that can't be seen, is corrupt")
    func noFrame() {
        let frame = GIFEncoder.Frame(left: 5, width: 2, height: 2) { _, _ in .red }
        #expect(Self.detail(GIFEncoder.encode(width: 2, height: 2, frames: [])) == "no frame")
        #expect(Self.detail(GIFEncoder.encode(width: 2, height: 2, frames: [frame])) == "a frame outside the canvas")
        let empty = GIFEncoder.Frame(width: 2, height: 0) { _, _ in .red }
        #expect(Self.detail(GIFEncoder.encode(width: 2, height: 2, frames: [empty])) == "a frame without a size")
        #expect(
            Self.reason(GIFEncoder.encode(width: 0, height: 2, frames: []))
                == .invalidDimensions(PixelSize(width: 0, height: 2)))
    }

    @Test("pixels that end before the frame does are corrupt, in a GIF that has its trailer")
    func shortPixels() throws {
        // The descriptor claims a row more than there is.
        var data = TestImages.gif(width: 16, height: 12) { x, y in PixelColor(UInt8(x), UInt8(y), 0) }
        let descriptor = try #require(data.range(of: Data([0x2C, 0, 0, 0, 0, 16, 0, 12, 0]))).lowerBound
        data[descriptor + 7] = 13
        data[8] = 13
        #expect(Self.detail(data) != nil, "\(String(describing: Self.reason(data)))")
    }

    @Test("a code that no string has is corrupt")
    func damagedCode() throws {
        var data = TestImages.gif(width: 30, height: 30) { x, _ in x % 2 == 0 ? .red : .blue }
        // The first codes have 3 bits: clear (4), then an index. 7 can't follow.
        let start = try #require(data.range(of: Data([0x2C, 0, 0, 0, 0, 30, 0, 30, 0]))).upperBound + 3
        data[start] = 0b00111_100
        #expect(Self.detail(data) != nil, "\(String(describing: Self.reason(data)))")
    }

    @Test("WebP's chunks that contradict each other are corrupt")
    func contradiction() {
        let image = WebPEncoder.chunk("VP8L", WebPEncoder.bitstream(width: 4, height: 4) { _, _ in .red })
        let file = WebPEncoder.file(WebPEncoder.extendedHeader(0x10, width: 5, height: 4) + image)
        #expect(Self.detail(file) == "chunks that don't fit together")
        let bare = WebPEncoder.file(WebPEncoder.chunk("VP8L", [0x2E, 0, 0, 0, 0, 0, 0, 0]))
        #expect(Self.detail(bare) != nil, "\(String(describing: Self.reason(bare)))")
        #expect(Self.detail(WebPEncoder.file(WebPEncoder.chunk("XXXX", [1, 2]))) == "no frame")
    }

    @Test("limits on pixels and frames are checked against the file's structure")
    func limits() {
        let canvas = PixelSize(width: 9, height: 8)
        #expect(Self.reason(Self.webP(), limits: ImageLimits(pixelCount: 71)) == .tooManyPixels(canvas, limit: 71))
        #expect(Self.reason(Self.webP(), limits: ImageLimits(pixelCount: 72)) == nil)
        #expect(
            Self.reason(Self.webP(), limits: ImageLimits(frameCount: 1))
                == .limitExceeded(.webP, detail: "more than 1 frames"))
        let image = WebPEncoder.chunk("VP8L", WebPEncoder.bitstream(width: 2, height: 2) { _, _ in .red })
        let header = WebPEncoder.extendedHeader(0x10, width: 2, height: 2)
        let others = { (count: Int) in Array(repeatElement(WebPEncoder.chunk("XXXX", []), count: count).joined()) }
        #expect(Self.reason(WebPEncoder.file(header + image + others(998))) == nil)
        #expect(
            Self.reason(WebPEncoder.file(header + image + others(999)))
                == .limitExceeded(.webP, detail: "more than 1000 chunks"))
        #expect(
            Self.reason(Self.gif(isInterlaced: true), limits: ImageLimits(pixelCount: 251))
                == .tooManyPixels(PixelSize(width: 18, height: 14), limit: 251))
    }

    /// A few bytes that claim 81 megapixels, and have a sound beginning.
    private static func claims() throws -> [Data] {
        var lossy = try ImageFixture.data("lossy.webp")
        lossy.replaceSubrange(26..<30, with: [0x28, 0x23, 0x28, 0x23])
        let lossless = WebPEncoder.bitstream(width: 2, height: 2) { x, y in PixelColor(UInt8(x), UInt8(y), 1) }
        // 9,000 less one, twice, in 14 bits each; the bits after them stay.
        let sides = UInt32(8999) | UInt32(8999) << 14
        var claim = lossless
        for index in 0..<4 {
            let byte = UInt8(truncatingIfNeeded: sides >> UInt32(index * 8))
            claim[1 + index] = index == 3 ? byte | lossless[4] & 0xF0 : byte
        }
        let gifs = [false, true].map { isInterlaced in
            var gif = TestImages.gif(width: 2, height: 2, isInterlaced: isInterlaced) { _, _ in .red }
            gif.replaceSubrange(6..<10, with: [0x28, 0x23, 0x28, 0x23])
            let descriptor = gif.range(of: Data([0x2C, 0, 0, 0, 0, 2, 0, 2, 0]))!.lowerBound
            gif.replaceSubrange(descriptor + 5..<descriptor + 9, with: [0x28, 0x23, 0x28, 0x23])
            return gif
        }
        return [lossy, WebPEncoder.file(WebPEncoder.chunk("VP8L", claim))] + gifs
    }

    @Test("a few bytes that claim 81 megapixels are refused, and cost no memory to speak of")
    func claimed() async throws {
        // In a process of its own, whose peak nothing else moves.
        await #expect(processExitsWith: .success) {
            func peak() -> Int {
                var usage = rusage()
                getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
                return usage.ru_maxrss
            }
            let before = peak()
            let claims = try Self.claims()
            #expect(claims.map { Self.reason($0) == .incomplete(.webP) } == [true, false, false, false])
            // Lossless pixels may take no bits: that they are missing is seen when they are decoded.
            #expect(Self.detail(claims[1]) != nil)
            #expect(claims.suffix(2).allSatisfy { Self.reason($0) == .incomplete(.gif) })
            // In KiB; one canvas would be 316,000. Sanitizers take memory of their own.
            let isSanitized = ProcessInfo.processInfo.environment["CALOTYPE_SANITIZE"] != nil
            #expect(isSanitized || peak() - before < 64 << 10)
        }
    }

    @Test("a cancellation in the middle ends the decode", arguments: [ImageFormat.gif, .webP])
    func cancelledLater(_ format: ImageFormat) async throws {
        let color = { (x: Int, y: Int) in PixelColor(UInt8(x % 16 * 16), UInt8(y % 16 * 16), 0) }
        let data =
            format == .gif
            ? TestImages.gif(width: 500, height: 500, pixel: color)
            : TestImages.webP(width: 500, height: 500, pixel: color)
        let cancellation = DecodeCancellation()
        let decode = Task.detached {
            try ImageDecoders.system.decode(
                data, options: DecodeOptions(target: .fit(width: 450, height: nil), cancellation: cancellation))
        }
        cancellation.cancel()
        await #expect(throws: CancellationError.self) { try await decode.value }
    }
}
#endif
