// What giflib, libpng and libwebp draw; Image I/O has its own ways.
#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Composing an animation's frames")
struct CompositionTests {
    /// A frame as any format may have it, and the reference for what it does to a canvas.
    struct Frame {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        var isOver: Bool
        var disposal: FrameControl.Disposal
        var pixel: @Sendable (Int, Int) -> PixelColor
    }

    enum Format: String, CaseIterable, Sendable {
        case gif, interlacedGIF, apng, interlacedAPNG, apngBesideStill, webP
    }

    static let canvas = PixelSize(width: 24, height: 18)

    /// Frames of any place, disposal and blending that the format has; every third covers the canvas.
    static func frames(_ format: Format, count: Int, seed: UInt64) -> [Frame] {
        var generator = SeededGenerator(seed: seed)
        let isGIF = format == .gif || format == .interlacedGIF
        let isWebP = format == .webP
        return (0..<count).map { index in
            let isWhole = index == 0 && !isGIF && !isWebP || Int.random(in: 0..<3, using: &generator) == 0
            var left = isWhole ? 0 : Int.random(in: 0..<canvas.width, using: &generator)
            var top = isWhole ? 0 : Int.random(in: 0..<canvas.height, using: &generator)
            if isWebP { (left, top) = (left / 2 * 2, top / 2 * 2) }
            let width = isWhole ? canvas.width : Int.random(in: 1...canvas.width - left, using: &generator)
            let height = isWhole ? canvas.height : Int.random(in: 1...canvas.height - top, using: &generator)
            let disposals: [FrameControl.Disposal] = isWebP ? [.keep, .clear] : [.keep, .clear, .restore]
            let (a, b) = (Int.random(in: 1...20, using: &generator), Int.random(in: 1...20, using: &generator))
            let isOpaque = Bool.random(using: &generator)
            return Frame(
                left: left, top: top, width: width, height: height, isOver: isGIF || Bool.random(using: &generator),
                disposal: disposals.randomElement(using: &generator) ?? .keep
            ) { x, y in
                if isGIF {
                    let index = (x * a + y * b) % 60
                    return index < 20 && !isOpaque ? .clear : PixelColor(UInt8(index * 4), UInt8(a * 10), UInt8(b * 10))
                }
                let alpha = isOpaque ? 255 : UInt8((x * a + y * b * 3) % 256)
                return PixelColor(UInt8(x * a % 256), UInt8(y * b % 256), UInt8(a * 12), alpha)
            }
        }
    }

    static func encode(_ frames: [Frame], _ format: Format) -> Data {
        let (width, height) = (canvas.width, canvas.height)
        switch format {
        case .gif, .interlacedGIF:
            return GIFEncoder.encode(
                width: width, height: height,
                frames: frames.enumerated().map { index, frame in
                    .init(
                        left: frame.left, top: frame.top, width: frame.width, height: frame.height,
                        table: .local, isInterlaced: format == .interlacedGIF,
                        disposal: frame.disposal == .keep ? index % 2 : frame.disposal == .clear ? 2 : 3,
                        pixel: frame.pixel)
                })
        case .apng, .interlacedAPNG, .apngBesideStill:
            let still = PNGEncoder.Frame(width: width, height: height) { _, _ in .white }
            return PNGEncoder.file(
                PNGEncoder.animation(
                    width: width, height: height, still: format == .apngBesideStill ? still : nil,
                    isInterlaced: format == .interlacedAPNG, pieceLength: 100,
                    frames: frames.map { frame in
                        .init(
                            left: frame.left, top: frame.top, width: frame.width, height: frame.height,
                            disposal: frame.disposal == .keep ? 0 : frame.disposal == .clear ? 1 : 2,
                            isOver: frame.isOver, pixel: frame.pixel)
                    }))
        case .webP:
            return WebPEncoder.encode(
                width: width, height: height,
                frames: frames.map { frame in
                    .init(
                        left: frame.left, top: frame.top, width: frame.width, height: frame.height,
                        isOver: frame.isOver, isCleared: frame.disposal == .clear, pixel: frame.pixel)
                })
        }
    }

    /// Each frame's canvas, by the formats' words: straight to read, slow, and in floating point.
    static func reference(_ frames: [Frame]) -> [Bitmap] {
        let clear = [Double](repeating: 0, count: 4)
        var pixels = Array(repeating: clear, count: canvas.pixelCount)
        return frames.map { frame in
            let before = pixels
            var shown = pixels
            for y in 0..<frame.height {
                for x in 0..<frame.width {
                    let place = (frame.top + y) * canvas.width + frame.left + x
                    let color = frame.pixel(x, y)
                    let alpha = Double(color.alpha) / 255
                    let source = [Double(color.red) * alpha, Double(color.green) * alpha, Double(color.blue) * alpha]
                    let rest = frame.isOver ? 1 - alpha : 0
                    shown[place] = zip(source + [Double(color.alpha)], before[place]).map { $0 + $1 * rest }
                    switch frame.disposal {
                    case .keep: pixels[place] = shown[place]
                    case .clear: pixels[place] = clear
                    case .restore: break
                    }
                }
            }
            return Bitmap(size: canvas) { bytes in
                for (index, value) in shown.joined().enumerated() { bytes[index] = UInt8(value.rounded()) }
            }
        }
    }

    @Test(
        "each frame is what the format says, in whichever order they are asked for", arguments: Format.allCases,
        [1, 2, 3, 4])
    func order(_ format: Format, _ seed: UInt64) throws {
        let frames = Self.frames(format, count: 14, seed: seed)
        let expected = Self.reference(frames)
        let image = try ImageDecoders.system.decode(Self.encode(frames, format))
        let animation = try #require(image.animation)
        #expect(animation.frameCount == frames.count)
        var generator = SeededGenerator(seed: seed)
        let sequential = Array(frames.indices)
        // Blended again and again, each step rounds.
        let tolerance = PixelComparison.Tolerance(maximum: 3)
        for order in [sequential, sequential.reversed(), sequential.shuffled(using: &generator)] {
            for index in order {
                // Nothing at hand from before.
                animation.respondToMemoryPressure(.warning)
                let comparison = PixelComparison(try animation.frame(at: index).bitmap, expected[index])
                #expect(comparison.isWithin(tolerance), "frame \(index): \(comparison)")
            }
        }
        #expect(PixelComparison(image.bitmap, expected[0]).isWithin(tolerance))
        // From a canvas that goes on: one after another, twice, and by leaps.
        for index in sequential + sequential + [0, 5, 6, 12, 13, 3, 4] {
            if index == 0 { animation.respondToMemoryPressure(.warning) }
            let comparison = PixelComparison(try animation.frame(at: index).bitmap, expected[index])
            #expect(comparison.isWithin(tolerance), "frame \(index) in a row: \(comparison)")
        }
    }

    @Test("frames are downsampled as the first is, and stand upright", arguments: [Format.gif, .apng, .webP])
    func downsampled(_ format: Format) throws {
        let frames = Self.frames(format, count: 5, seed: 9)
        let image = try ImageDecoders.system.decode(
            Self.encode(frames, format), options: DecodeOptions(target: .fit(width: 9, height: nil)))
        let animation = try #require(image.animation)
        for (index, canvas) in Self.reference(frames).enumerated() {
            let frame = try animation.frame(at: index)
            #expect(frame.pixelSize == image.pixelSize && frame.originalPixelSize == Self.canvas)
            #expect(frame.animation == nil)
            let comparison = PixelComparison(frame.bitmap, canvas.resized(to: frame.pixelSize))
            #expect(comparison.isWithin(.init(maximum: 4)), "frame \(index): \(comparison)")
        }
    }

    @Test("a decode of a frame begins at the last one that hides all before it")
    func starts() {
        let canvas = PixelSize(width: 4, height: 4)
        func frame(
            _ side: Int = 4, _ blend: FrameControl.Blend = .source, _ disposal: FrameControl.Disposal = .keep
        ) -> FrameControl {
            FrameControl(width: side, height: side, duration: .zero, blend: blend, disposal: disposal)
        }
        let rows: [(String, [FrameControl], start: Int)] = [
            ("the first", [frame(2)], 0),
            ("it hides all itself", [frame(), frame(2), frame()], 2),
            ("the one before does", [frame(), frame(), frame(2)], 1),
            ("none does", [frame(2), frame(4, .over), frame(2)], 0),
            ("on a canvas that has been cleared", [frame(), frame(4, .over, .clear), frame(2, .over)], 2),
            ("a part has been cleared", [frame(), frame(2, .over, .clear), frame(2, .over)], 0),
            ("one that hides all, and is taken back", [frame(), frame(4, .source, .restore), frame(2)], 0),
            ("it hides all, and will be taken back", [frame(2), frame(4, .source, .restore)], 0),
        ]
        for (title, controls, start) in rows {
            #expect(controls.start(for: controls.count - 1, on: canvas) == start, "\(title)")
        }
    }
}
#endif
