import Foundation
import Testing

@testable import Calotype

@Suite("Processors")
struct ImageProcessorTests {
    private static func plain(_ width: Int, _ height: Int) -> DecodedImage {
        DecodedImage(
            bitmap: Bitmap(size: PixelSize(width: width, height: height)) { buffer in
                for index in buffer.indices { buffer[index] = [200, 100, 50, 255][index % 4] }
            }, originalPixelSize: PixelSize(width: 1000, height: 800))
    }

    private static func numbered(_ width: Int, _ height: Int) -> DecodedImage {
        DecodedImage(
            bitmap: Bitmap(size: PixelSize(width: width, height: height)) { buffer in
                for index in 0..<width * height { buffer[index * 4] = UInt8(index) }
            })
    }

    private static func run(_ processor: any ImageProcessor, _ image: DecodedImage) throws -> DecodedImage {
        try processor.process(image, cancellation: DecodeCancellation())
    }

    @Test("identifiers hold the parameters, and say what depends on pixels")
    func identifiers() {
        let processors: [any ImageProcessor] = [
            .resize(.fit(width: 264, height: nil)), .resize(.fill(width: 88, height: 90)), .resize(.original),
            .crop(to: PixelSize(width: 88, height: 44)), .crop(toAspectRatio: 1.5), .circle,
            .roundedCorners(radius: 12), .blur(radius: 8), .custom(identifier: "sepia") { $0 },
            .custom(identifier: "gray", dependsOnPixelSize: false) { $0 },
        ]
        #expect(
            processors.map(\.identifier) == [
                "resize(fit 264 x any)", "resize(fill 88 x 90)", "resize(original)", "crop(88 x 44)",
                "crop(aspect 1.5)",
                "circle", "roundedCorners(12.0)", "blur(8.0)", "sepia", "gray",
            ])
        #expect(processors.map(\.dependsOnPixelSize) == [true, true, true, true, false, true, true, true, true, false])
    }

    @Test("resize never enlarges, and keeps what the image was")
    func resize() throws {
        let image = Self.plain(40, 20)
        #expect(try Self.run(.resize(.fit(width: 10, height: nil)), image).pixelSize == PixelSize(width: 10, height: 5))
        #expect(try Self.run(.resize(.fit(width: 100, height: nil)), image) === image)
        #expect(
            try Self.run(.resize(.fit(width: 10, height: nil)), image).originalPixelSize
                == PixelSize(width: 1000, height: 800))
    }

    @Test("a crop keeps the centre")
    func crop() throws {
        let result = try Self.run(.crop(to: PixelSize(width: 2, height: 1)), Self.numbered(5, 4))
        #expect(result.pixelSize == PixelSize(width: 2, height: 1))
        #expect([result.bitmap[0, 0].red, result.bitmap[1, 0].red] == [6, 7])
        let wide = try Self.run(.crop(to: PixelSize(width: 100, height: 2)), Self.numbered(5, 4))
        #expect(wide.pixelSize == PixelSize(width: 5, height: 2))
    }

    @Test(
        "a crop to an aspect ratio takes as much as it can",
        arguments: [
            (1.0, PixelSize(width: 40, height: 40)), (2.0, PixelSize(width: 60, height: 30)),
            (0.5, PixelSize(width: 20, height: 40)), (1.5, PixelSize(width: 60, height: 40)),
            (1000.0, PixelSize(width: 60, height: 1)), (0.001, PixelSize(width: 1, height: 40)),
        ])
    func aspectRatio(_ ratio: Double, _ size: PixelSize) throws {
        #expect(try Self.run(.crop(toAspectRatio: ratio), Self.plain(60, 40)).pixelSize == size)
    }

    @Test("a circle is opaque inside, clear outside, soft at its edge, and covers its area", arguments: [40, 41])
    func circle(_ side: Int) throws {
        let bitmap = try Self.run(.circle, Self.plain(side + 20, side)).bitmap
        #expect(bitmap.size == PixelSize(width: side, height: side))
        #expect(bitmap[side / 2, side / 2] == (200, 100, 50, 255))
        #expect(bitmap[0, 0] == (0, 0, 0, 0))
        #expect(bitmap[side / 2, 0].alpha > 200)
        var covered = 0.0
        for y in 0..<side {
            for x in 0..<side {
                let pixel = bitmap[x, y]
                covered += Double(pixel.alpha) / 255
                // Premultiplied, the colour falls with the alpha.
                #expect(abs(Double(pixel.red) - Double(pixel.alpha) * 200 / 255) <= 1)
                #expect(pixel.alpha == bitmap[side - 1 - x, y].alpha && pixel.alpha == bitmap[x, side - 1 - y].alpha)
            }
        }
        let area = Double.pi * Double(side * side) / 4
        #expect(abs(covered - area) / area < 0.01)
    }

    @Test("round corners take their area and leave the rest")
    func corners() throws {
        let image = Self.plain(60, 40)
        let bitmap = try Self.run(.roundedCorners(radius: 8), image).bitmap
        var lost = 0.0
        for y in 0..<40 {
            for x in 0..<60 { lost += 1 - Double(bitmap[x, y].alpha) / 255 }
        }
        #expect(abs(lost - (4 - .pi) * 64) < 1)
        #expect(bitmap[8, 0] == (200, 100, 50, 255) && bitmap[30, 20] == (200, 100, 50, 255))
        let none = try Self.run(.roundedCorners(radius: 0), image).bitmap
        #expect(none[0, 0].alpha == 255)
        // Beyond half of the shorter side, the radius counts no further.
        let most = try Self.run(.roundedCorners(radius: 500), image).bitmap
        #expect(most[0, 20].alpha > 240 && most[0, 0].alpha == 0)
    }

    @Test("a custom step throws what its body throws, and looks at cancellation first")
    func custom() throws {
        struct Failure: Error {}
        let failing = CustomProcessor(identifier: "mine") { _ in throw Failure() }
        #expect(throws: Failure.self) { try Self.run(failing, Self.plain(4, 4)) }
        let cancelled = CustomProcessor(identifier: "mine") { _ in throw CancellationError() }
        #expect(throws: CancellationError.self) { try Self.run(cancelled, Self.plain(4, 4)) }
        let image = Self.plain(4, 4)
        #expect(try Self.run(.custom(identifier: "same") { $0 }, image) === image)
    }

    @Test("an animation's frames go through the same step, as they are asked for")
    func animation() throws {
        let animation = ImageAnimation(durations: [.seconds(1), .seconds(2)], loopCount: 3) { _ in Self.plain(40, 20) }
        let image = DecodedImage(bitmap: Self.plain(40, 20).bitmap, animation: animation)
        let result = try Self.run(.circle, image)
        let frames = try #require(result.animation)
        #expect(frames.durations == animation.durations && frames.loopCount == 3)
        #expect(try frames.frame(at: 1).bitmap[0, 0].alpha == 0)
        #expect(try frames.frame(at: 1).pixelSize == PixelSize(width: 20, height: 20))
    }

    @Test("every step keeps the colour space, and so does a resize of what is in memory")
    func colorSpace() throws {
        let frames = ImageAnimation(durations: [.seconds(1)], loopCount: 1) { _ in Self.plain(40, 20) }
        let wide = DecodedImage(bitmap: Self.plain(40, 20).bitmap, colorSpace: .displayP3, animation: frames)
        let processors: [any ImageProcessor] = [
            .resize(.fit(width: 20, height: 20)), .crop(to: PixelSize(width: 10, height: 10)), .crop(toAspectRatio: 1),
            .circle, .roundedCorners(radius: 4), .blur(radius: 2), .custom(identifier: "same") { $0 },
        ]
        for processor in processors {
            #expect(try Self.run(processor, wide).colorSpace == .displayP3, "\(processor.identifier)")
        }
        let smaller = try wide.mapBitmaps { $0.resized(to: PixelSize(width: 10, height: 5)) }
        #expect(smaller.colorSpace == .displayP3)
        #expect(try smaller.animation?.frame(at: 0).colorSpace == .displayP3)
    }

    @Test("every step stops when nobody waits")
    func cancelled() {
        let cancellation = DecodeCancellation()
        cancellation.cancel()
        let processors: [any ImageProcessor] = [
            .resize(.fit(width: 4, height: 4)), .crop(toAspectRatio: 3), .circle, .roundedCorners(radius: 3),
            .blur(radius: 2), .custom(identifier: "same") { $0 },
        ]
        for processor in processors {
            #expect(throws: CancellationError.self) {
                try processor.process(Self.plain(20, 20), cancellation: cancellation)
            }
        }
    }
}
