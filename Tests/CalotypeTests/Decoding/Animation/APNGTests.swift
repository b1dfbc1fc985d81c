#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Animated PNG: what makes one, and what is shown where something is wrong with it")
struct APNGTests {
    private typealias Chunk = PNGEncoder.Chunk

    private static func plain(_ color: PixelColor, _ side: Int = 4) -> PNGEncoder.Frame {
        PNGEncoder.Frame(width: side, height: side) { _, _ in color }
    }

    /// Blue, then green; beside a red still image, or not.
    private static func chunks(hasStill: Bool = true, pieceLength: Int = .max) -> [Chunk] {
        PNGEncoder.animation(
            width: 4, height: 4, still: hasStill ? plain(.red) : nil, pieceLength: pieceLength,
            frames: [plain(.blue), plain(.green)])
    }

    /// The colours of the image, and of each frame.
    private static func colors(_ chunks: [Chunk]) throws -> [PixelColor] {
        let image = try ImageDecoders.system.decode(PNGEncoder.file(chunks))
        let frames = try image.animation.map { animation in
            try animation.durations.indices.map { try animation.frame(at: $0).bitmap.pixel(3, 3) }
        }
        return [image.bitmap.pixel(3, 3)] + (frames ?? [])
    }

    @Test("the image is the first frame, whether or not that is the still image")
    func sound() throws {
        for pieceLength in [1, 7, .max] {
            #expect(try Self.colors(Self.chunks(pieceLength: pieceLength)) == [.blue, .blue, .green])
        }
        #expect(try Self.colors(Self.chunks(hasStill: false)) == [.blue, .blue, .green])
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var title: String
        /// What a frame more or less, or nothing but the still image, makes of it.
        var expected: [PixelColor] = [.red]
        var change: @Sendable (inout [PNGEncoder.Chunk]) -> Void

        var testDescription: String { title }
    }

    /// IHDR, acTL, IDAT, fcTL 0, fdAT 1, fcTL 2, fdAT 3.
    private static let faults: [Fault] = [
        Fault(title: "no acTL") { $0.remove(at: 1) },
        Fault(title: "two") { $0.insert($0[1], at: 1) },
        Fault(title: "acTL after the pixels") { $0.swapAt(1, 2) },
        Fault(title: "acTL that ends early") { $0[1].content.removeLast(5) },
        Fault(title: "no frames announced") { $0[1] = PNGEncoder.animationControl(frameCount: 0) },
        Fault(title: "2^31 frames announced") { $0[1] = PNGEncoder.animationControl(frameCount: 1 << 31) },
        Fault(title: "more frames announced than there are", expected: [.blue, .blue, .green]) {
            $0[1] = PNGEncoder.animationControl(frameCount: 9)
        },
        Fault(title: "one frame announced, and two there", expected: [.blue]) {
            $0[1] = PNGEncoder.animationControl(frameCount: 1)
        },
        Fault(title: "a sequence that begins with 1") { $0.remove(at: 3) },
        Fault(title: "a frame without its control") { $0.remove(at: 5) },
        Fault(title: "two controls for a frame") { $0.insert($0[5], at: 5) },
        Fault(title: "a control without a frame") { $0.removeLast() },
        Fault(title: "a chunk twice") { $0.insert($0[4], at: 4) },
        Fault(title: "chunks in another order") { $0.swapAt(3, 4) },
        Fault(title: "a frame before the still image") { $0.swapAt(2, 4) },
        Fault(title: "a frame wider than the canvas") { $0[5].content[7] = 5 },
        Fault(title: "a frame beside the canvas") { $0[5].content[15] = 1 },
        Fault(title: "a frame of no height") { $0[5].content[11] = 0 },
        Fault(title: "a disposal that doesn't exist") { $0[5].content[24] = 3 },
        Fault(title: "a blending that doesn't exist") { $0[5].content[25] = 2 },
        Fault(title: "a chunk too short for its number") { $0[6].content = [0, 0, 0] },
        Fault(title: "other chunks in between", expected: [.blue, .blue, .green]) {
            $0.insert(PNGEncoder.Chunk("tEXt", [1, 2]), at: 6)
        },
        Fault(title: "no pixels in one of a frame's chunks", expected: [.blue, .blue, .green]) {
            $0.append(PNGEncoder.frameData(4, []))
        },
    ]

    @Test("a fault makes it its still image, unless all is there to show", arguments: faults)
    func fault(_ fault: Fault) throws {
        var chunks = Self.chunks()
        fault.change(&chunks)
        #expect(try Self.colors(chunks) == fault.expected)
    }

    @Test("a first frame that is the still image has to cover the canvas")
    func smallStill() throws {
        var chunks = Self.chunks(hasStill: false)
        chunks[2].content[7] = 3
        #expect(try Self.colors(chunks) == [.blue])
    }

    @Test("a wrong checksum in a frame's pixels is damage, and so are pixels that end early")
    func damaged() throws {
        let data = PNGEncoder.file(Self.chunks())
        for name in ["fcTL", "fdAT"] {
            var changed = data
            let place = try #require(data.range(of: Data(name.utf8), options: .backwards)).upperBound
            changed[place + 20] ^= 1
            let image = try ImageDecoders.system.decode(changed)
            if name == "fcTL" {
                #expect(image.animation == nil && image.bitmap.pixel(0, 0) == .red)
            } else {
                let reason = imageErrorReason { _ = try image.animation?.frame(at: 1) }
                #expect(reason == .corrupt(.png, detail: "fdAT: CRC error", offset: place - 8))
            }
        }
        var short = Self.chunks()
        short[6].content.removeLast(20)
        let animation = try #require(ImageDecoders.system.decode(PNGEncoder.file(short)).animation)
        guard case .corrupt(.png, _, _) = imageErrorReason({ _ = try animation.frame(at: 1) }) else {
            Issue.record("pixels that end early")
            return
        }
    }

    @Test("cut off anywhere, an animation is incomplete")
    func truncated() {
        for chunks in [Self.chunks(pieceLength: 30), Self.chunks(hasStill: false)] {
            let data = PNGEncoder.file(chunks)
            for length in 33..<data.count {
                let reason = imageErrorReason { _ = try ImageDecoders.system.decode(data.prefix(length)) }
                #expect(reason == .incomplete(.png), "at \(length) of \(data.count)")
            }
        }
    }

    @Test("frames share the palette and its transparency")
    func palette() throws {
        var sequence = 0
        func frame(_ index: UInt8) -> [Chunk] {
            let control = PNGEncoder.Frame(width: 4, height: 4) { _, _ in .clear }.control(sequence)
            let stream = PNGEncoder.stream(width: 4, height: 4) { _, _ in [index] }
            let data = sequence == 0 ? Chunk("IDAT", stream) : PNGEncoder.frameData(sequence + 1, stream)
            sequence += sequence == 0 ? 1 : 2
            return [control, data]
        }
        let head = [
            PNGEncoder.header(width: 4, height: 4, bitDepth: 8, colorType: 3),
            PNGEncoder.animationControl(frameCount: 3), Chunk("PLTE", [255, 0, 0, 0, 0, 255, 9, 9, 9]),
            Chunk("tRNS", [255, 255, 0]),
        ]
        #expect(try Self.colors(head + frame(1) + frame(0) + frame(2)) == [.blue, .blue, .red, .clear])
    }
}
#endif
