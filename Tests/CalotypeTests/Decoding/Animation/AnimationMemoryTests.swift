#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("An animation's memory: what it takes is bounded, however many frames there are")
struct AnimationMemoryTests {
    /// 160 frames of 2,000 x 2,000 pixels in half a megabyte: 2.5 GB, if all were decoded.
    private static func data() -> Data {
        let frames = (0..<160).map { (index: Int) -> GIFEncoder.Frame in
            let color = PixelColor(UInt8(index), UInt8(255 - index), 7)
            // Every other one is taken back, for which a second canvas is kept.
            return .plain(width: 2_000, height: 2_000, disposal: index % 2 == 1 ? 3 : 0, color: color)
        }
        return GIFEncoder.encode(width: 2_000, height: 2_000, loops: 0, frames: frames)
    }

    @Test("160 frames of 2,000 x 2,000 pixels play in less than 64 MiB, at any size up to 1,000 pixels")
    func large() async throws {
        // In a process of its own, whose peak nothing else moves.
        await #expect(processExitsWith: .success) {
            let data = Self.data()
            #expect(data.count < 700_000, "\(data.count) bytes")
            let before = try peakResidentByteCount()
            // However slow the machine is: what is bounded here is memory.
            let image = try ImageDecoders.system.decode(
                data,
                options: DecodeOptions(
                    target: .fit(width: 1_000, height: nil), limits: ImageLimits(decodeTime: .seconds(3_600))))
            let animation = try #require(image.animation)
            #expect(animation.frameCount == 160)
            // The sanitizers take minutes for the later ones.
            let isSanitized = ProcessInfo.processInfo.environment["CALOTYPE_SANITIZE"] != nil
            for index in isSanitized ? [0, 3] : [0, 80, 159] {
                let frame = try await animation.frame(at: index)
                #expect(frame.bitmap.pixel(999, 999) == PixelColor(UInt8(index), UInt8(255 - index), 7))
            }
            await animation.waitUntilIdle()
            let growth = try peakResidentByteCount() - before
            // The address sanitizer keeps what is freed.
            #expect(isSanitized || growth < 64 << 20, "\(growth) bytes")
            #expect(growth < image.byteCount + (8 << 20) || isSanitized, "\(growth), and it says \(image.byteCount)")
        }
    }

    /// Two frames that nobody draws.
    private struct Undrawn: FrameSource {
        let canvasSize: PixelSize
        var disposal = FrameControl.Disposal.keep
        let drawingByteCount = 1_000

        var format: ImageFormat { .gif }
        var controls: [FrameControl] {
            let frame = FrameControl(width: 100, height: 100, duration: .seconds(1), disposal: disposal)
            return [frame, frame]
        }

        func draw(_ index: Int, on canvas: FrameCanvas, check: DecodeGuard) throws {}
    }

    @Test(
        "what takes more than 256 MiB to compose isn't composed: the file is a still image; else all of it is counted")
    func canvas() throws {
        func animation(_ side: Int, _ disposal: FrameControl.Disposal = .keep) -> ImageAnimation? {
            ComposedFrames.animation(
                of: Undrawn(canvasSize: PixelSize(width: side, height: side), disposal: disposal),
                data: Data(count: 10),
                loopCount: 0, first: DecodedImage(bitmap: Bitmap(size: PixelSize(width: 1, height: 1)) { _ in }),
                color: SourceColor(), orientation: .up, options: DecodeOptions())
        }
        #expect(animation(9_000) == nil)
        #expect(animation(8_000)?.sourceByteCount == 8_000 * 8_000 * 4 + 1_000 + 10)
        // What a frame covers is kept beside the canvas, if it is to be taken back.
        #expect(animation(8_000, .restore)?.sourceByteCount == 8_000 * 8_000 * 4 + 100 * 100 * 4 + 1_000 + 10)
    }
}
#endif
