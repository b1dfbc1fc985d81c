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
            let image = try ImageDecoders.system.decode(
                data, options: DecodeOptions(target: .fit(width: 1_000, height: nil)))
            let animation = try #require(image.animation)
            #expect(animation.frameCount == 160)
            for index in (0..<160) where index % 16 == 0 || index > 155 {
                let frame = try await animation.frame(at: index)
                #expect(frame.bitmap.pixel(999, 999) == PixelColor(UInt8(index), UInt8(255 - index), 7))
            }
            await animation.waitUntilIdle()
            let growth = try peakResidentByteCount() - before
            // The address sanitizer keeps what is freed.
            let isSanitized = ProcessInfo.processInfo.environment["CALOTYPE_SANITIZE"] != nil
            #expect(isSanitized || growth < 64 << 20, "\(growth) bytes")
            #expect(growth < image.byteCount + (8 << 20) || isSanitized, "\(growth), and it says \(image.byteCount)")
        }
    }

    @Test("a canvas beyond 256 MiB isn't composed: the file is a still image")
    func canvas() throws {
        // 9,000 x 9,000 pixels, of which the frames cover a few.
        let frame = GIFEncoder.Frame(left: 8_000, top: 8_000, width: 2, height: 2) { _, _ in .red }
        let data = GIFEncoder.encode(width: 9_000, height: 9_000, frames: [frame, frame])
        let options = DecodeOptions(target: .fit(width: 9, height: 9))
        #expect(try ImageDecoders.system.decode(data, options: options).animation == nil)
        let smaller = GIFEncoder.encode(width: 8_100, height: 8_100, frames: [frame, frame])
        let image = try ImageDecoders.system.decode(smaller, options: options)
        #expect(image.animation?.frameCount == 2 && image.byteCount > 8_100 * 8_100 * 4)
    }
}
#endif
