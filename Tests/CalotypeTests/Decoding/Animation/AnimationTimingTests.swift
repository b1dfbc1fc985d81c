#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("An animation's durations and loops")
struct AnimationTimingTests {
    private static func animation(_ data: Data) throws -> ImageAnimation {
        try #require(try ImageDecoders.system.decode(data).animation)
    }

    private static func gif(loops: Int? = nil, delays: [Int]) -> Data {
        GIFEncoder.encode(
            width: 2, height: 2, loops: loops,
            frames: delays.map { .init(width: 2, height: 2, delay: $0) { _, _ in .red } })
    }

    private static func webP(loops: Int = 0, durations: [Int]) -> Data {
        WebPEncoder.encode(
            width: 2, height: 2, loops: loops,
            frames: durations.map { .init(width: 2, height: 2, duration: $0) { _, _ in .red } })
    }

    private static func apng(plays: Int = 0, delays: [(Int, Int)]) -> Data {
        PNGEncoder.file(
            PNGEncoder.animation(
                width: 2, height: 2, plays: plays,
                frames: delays.map { .init(width: 2, height: 2, delay: $0) { _, _ in .red } }))
    }

    @Test("10 ms and less are shown as 100 ms in all formats, as in browsers; all else as it is")
    func durations() throws {
        #expect(
            try Self.animation(Self.gif(delays: [0, 1, 2, 3, 100, 65_535])).durations
                == [100, 100, 20, 30, 1000, 655_350].map { .milliseconds($0) })
        #expect(
            try Self.animation(Self.webP(durations: [0, 10, 11, 19, 40, 1 << 24 - 1])).durations
                == [100, 100, 11, 19, 40, 1 << 24 - 1].map { .milliseconds($0) })
        let delays = [(0, 0), (0, 100), (1, 100), (11, 1000), (3, 0), (1, 4), (65_535, 1)]
        #expect(
            try Self.animation(Self.apng(delays: delays)).durations
                == [100, 100, 100, 11, 30, 250, 65_535_000].map { .milliseconds($0) })
    }

    @Test("GIF plays once more than Netscape's extension says, and once without it; 0 is for ever everywhere")
    func loops() throws {
        for (loops, expected) in [(nil, 1), (0, 0), (1, 2), (65_535, 65_536)] as [(Int?, Int)] {
            #expect(try Self.animation(Self.gif(loops: loops, delays: [5, 5])).loopCount == expected)
        }
        for loops in [0, 1, 3, 65_535] {
            #expect(try Self.animation(Self.webP(loops: loops, durations: [50, 50])).loopCount == loops)
            #expect(try Self.animation(Self.apng(plays: loops, delays: [(1, 2), (1, 2)])).loopCount == loops)
        }
    }

    @Test("one frame is no animation")
    func single() throws {
        for data in [
            Self.gif(loops: 0, delays: [5]), Self.webP(durations: [50]), Self.apng(delays: [(1, 2)]),
        ] {
            let image = try ImageDecoders.system.decode(data)
            #expect(image.animation == nil && image.bitmap.pixel(1, 1) == .red)
        }
    }

    @Test("more frames than the limit are refused")
    func frameLimit() throws {
        for (data, format) in [
            (Self.gif(delays: [5, 5, 5]), ImageFormat.gif), (Self.webP(durations: [50, 50, 50]), .webP),
            (Self.apng(delays: [(1, 2), (1, 2), (1, 2)]), .png),
        ] {
            func reason(_ limit: Int) -> ImageError.Reason? {
                imageErrorReason {
                    _ = try ImageDecoders.system.decode(
                        data, options: DecodeOptions(limits: ImageLimits(frameCount: limit)))
                }
            }
            #expect(reason(3) == nil)
            #expect(reason(2) == .limitExceeded(format, detail: "more than 2 frames"))
        }
    }
}
#endif
