import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("An animation's frames: made on demand, a few ahead, within a number of bytes")
struct ImageAnimationTests {
    /// Frames of one colour each, whose index is in the red channel; it counts what is made.
    final class CountedFrames: AnimationFrames {
        struct Fault: Error {}

        let made = Mutex<[Int]>([])
        let runs = Mutex(0)
        let size: PixelSize
        let faults: Set<Int>

        init(side: Int = 4, faults: Set<Int> = []) {
            size = PixelSize(width: side, height: side)
            self.faults = faults
        }

        func image(at index: Int, cancellation: DecodeCancellation) throws -> DecodedImage {
            try cancellation.check()
            made.withLock { $0.append(index) }
            if faults.contains(index) { throw Fault() }
            return Self.image(index, size)
        }

        static func image(_ index: Int, _ size: PixelSize) -> DecodedImage {
            DecodedImage(bitmap: Bitmap(size: size) { $0[0] = UInt8(index) })
        }

        func animation(frameCount: Int, hasFirst: Bool = true, sourceByteCount: Int = 0) -> ImageAnimation {
            ImageAnimation(
                durations: Array(repeating: .milliseconds(40), count: frameCount), loopCount: 0,
                first: hasFirst ? Self.image(0, size) : nil, sourceByteCount: sourceByteCount
            ) {
                self.runs.withLock { $0 += 1 }
                return self
            }
        }
    }

    private func index(_ frame: DecodedImage) -> Int { Int(frame.bitmap[0, 0].red) }

    /// Asks for a frame in the way that blocks, from code that could do otherwise.
    private func blocking(_ animation: ImageAnimation, _ wanted: Int) throws -> Int {
        index(try animation.frame(at: wanted))
    }

    @Test("the first frame is the image's own, and isn't made again")
    func first() throws {
        let frames = CountedFrames()
        let animation = frames.animation(frameCount: 3)
        #expect(index(try animation.frame(at: 0)) == 0)
        #expect(frames.made.withLock { $0 } == [] && frames.runs.withLock { $0 } == 0)
        let other = frames.animation(frameCount: 3, hasFirst: false)
        #expect(index(try other.frame(at: 0)) == 0)
        #expect(frames.made.withLock { $0 } == [0])
    }

    @Test("what blocks makes the frame that is asked for, and no other; what is at hand isn't made again")
    func synchronous() throws {
        let frames = CountedFrames()
        let animation = frames.animation(frameCount: 9)
        for wanted in [4, 4, 2, 8, 2] { #expect(index(try animation.frame(at: wanted)) == wanted) }
        #expect(frames.made.withLock { $0 } == [4, 2, 8])
        #expect(frames.runs.withLock { $0 } == 1)
    }

    @Test("three frames are made ahead of the one that is shown, and none while nobody asks")
    func ahead() async throws {
        let frames = CountedFrames()
        let animation = frames.animation(frameCount: 9)
        #expect(index(try await animation.frame(at: 0)) == 0)
        await animation.waitUntilIdle()
        #expect(frames.made.withLock { $0 } == [1, 2, 3])
        #expect(index(try await animation.frame(at: 2)) == 2)
        await animation.waitUntilIdle()
        #expect(frames.made.withLock { $0 } == [1, 2, 3, 4, 5])
        // After the last comes the first, which is there.
        #expect(index(try await animation.frame(at: 7)) == 7)
        await animation.waitUntilIdle()
        #expect(frames.made.withLock { $0 } == [1, 2, 3, 4, 5, 7, 8])
    }

    @Test("once all frames are at hand, what made them goes")
    func complete() async throws {
        let frames = CountedFrames()
        let animation = frames.animation(frameCount: 6)
        for _ in 0..<3 {
            for wanted in 0..<6 {
                #expect(index(try await animation.frame(at: wanted)) == wanted)
                await animation.waitUntilIdle()
            }
        }
        #expect(frames.made.withLock { $0.sorted() } == [1, 2, 3, 4, 5])
        #expect(animation.retained.frameCount == 5 && !animation.retained.hasFrames)
    }

    @Test("no more bytes are kept than allowed, and those frames go that will be shown last")
    func budget() throws {
        // Four fit.
        let frames = CountedFrames(side: 1024)
        let animation = frames.animation(frameCount: 12)
        for wanted in 1..<12 {
            _ = try animation.frame(at: wanted)
            #expect(animation.retained.byteCount <= ImageAnimation.frameByteLimit)
        }
        #expect(animation.retained.frameCount == 4)
        // What has just been shown comes last again: the first ones stayed for the next round.
        for wanted in 1..<4 { _ = try animation.frame(at: wanted) }
        #expect(frames.made.withLock { $0 } == Array(1..<12))
    }

    @Test("a frame larger than all that is allowed is kept alone: the next one is made while it is shown")
    func large() async throws {
        let frames = CountedFrames(side: 2100)
        let animation = frames.animation(frameCount: 5)
        for wanted in [0, 1, 2, 3, 4, 0] {
            #expect(index(try await animation.frame(at: wanted)) == wanted)
            await animation.waitUntilIdle()
            #expect(animation.retained.frameCount == 1)
        }
        #expect(frames.made.withLock { $0 } == [1, 2, 3, 4, 1])
    }

    @Test("a shortage of memory takes all that can be made again, also from under a decode")
    func pressure() async throws {
        let frames = CountedFrames()
        let animation = frames.animation(frameCount: 20)
        _ = try await animation.frame(at: 5)
        await animation.waitUntilIdle()
        #expect(animation.retained == (4, 4 * 64, true))
        animation.respondToMemoryPressure(.warning)
        #expect(animation.retained == (0, 0, false))
        #expect(try blocking(animation, 6) == 6)
        #expect(frames.runs.withLock { $0 } == 2)

        let pressed = Mutex<ImageAnimation?>(nil)
        let other = ImageAnimation(durations: [.seconds(1), .seconds(1)], loopCount: 1) { index in
            pressed.withLock { $0 }?.respondToMemoryPressure(.critical)
            return CountedFrames.image(index, PixelSize(width: 2, height: 2))
        }
        pressed.withLock { $0 = other }
        #expect(try blocking(other, 1) == 1)
        #expect(other.retained == (0, 0, false))
        pressed.withLock { $0 = nil }
    }

    #if os(macOS) || os(Linux)
    @Test("an animation that has made frames hears of the system's shortage")
    func system() async {
        // In a process of its own: all that hear of it let go.
        await #expect(processExitsWith: .success) {
            let frames = CountedFrames()
            let animation = frames.animation(frameCount: 20)
            _ = try await animation.frame(at: 5)
            await animation.waitUntilIdle()
            #expect(animation.retained.frameCount == 4)
            MemoryPressureCenter.shared.report(.warning)
            #expect(animation.retained == (0, 0, false))
        }
    }
    #endif

    @Test("a frame that can't be made says so to whoever asks for it, each time, and the others are made")
    func faults() async throws {
        let frames = CountedFrames(faults: [2])
        let animation = frames.animation(frameCount: 5)
        #expect(index(try await animation.frame(at: 1)) == 1)
        await animation.waitUntilIdle()
        for _ in 0..<2 {
            await #expect(throws: CountedFrames.Fault.self) { try await animation.frame(at: 2) }
            await animation.waitUntilIdle()
        }
        #expect(index(try await animation.frame(at: 3)) == 3)
        await animation.waitUntilIdle()
    }

    @Test("a task that is cancelled while another frame is being made gets none, and costs none")
    func cancelled() async throws {
        let gate = ProcessingGate()
        let made = Mutex<[Int]>([])
        let animation = ImageAnimation(
            durations: Array(repeating: .seconds(1), count: 9), loopCount: 0
        ) { index in
            made.withLock { $0.append(index) }
            if index == 1 { gate.pass() }
            return CountedFrames.image(index, PixelSize(width: 1, height: 1))
        }
        let first = Task { try await animation.frame(at: 1) }
        await gate.waitUntilReached()
        let second = Task { try await animation.frame(at: 5) }
        second.cancel()
        gate.open()
        #expect(index(try await first.value) == 1)
        await #expect(throws: CancellationError.self) { try await second.value }
        await animation.waitUntilIdle()
        #expect(!made.withLock { $0 }.contains(5))
    }

    @Test("frames may be asked for from many threads: each gets its own")
    func concurrent() async throws {
        let frames = CountedFrames(side: 64)
        let animation = frames.animation(frameCount: 200)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(seed))
                    for _ in 0..<100 {
                        let wanted = Int.random(in: 0..<200, using: &generator)
                        let frame = try await animation.frame(at: wanted)
                        #expect(Int(frame.bitmap[0, 0].red) == wanted)
                    }
                }
            }
            try await group.waitForAll()
        }
        await animation.waitUntilIdle()
    }

    @Test("the frame of a time is found in any round; when all rounds are over, it is the last")
    func times() {
        func animation(_ loopCount: Int) -> ImageAnimation {
            ImageAnimation(durations: [100, 20, 30].map { .milliseconds($0) }, loopCount: loopCount) { _ in
                CountedFrames.image(0, PixelSize(width: 1, height: 1))
            }
        }
        let rows = [(0, 0), (99, 0), (100, 1), (119, 1), (120, 2), (149, 2), (150, 0), (250, 1), (299, 2)]
        for (milliseconds, index) in rows {
            for loopCount in [0, 2] {
                #expect(animation(loopCount).frameIndex(at: .milliseconds(milliseconds)) == index, "\(milliseconds)")
            }
        }
        #expect(animation(2).frameIndex(at: .milliseconds(300)) == 2)
        #expect(animation(0).frameIndex(at: .milliseconds(300)) == 0)
        for round in 1..<2_000 {
            #expect(animation(0).frameIndex(at: .milliseconds(150) * round) == 0)
            #expect(animation(0).frameIndex(at: .milliseconds(150) * round - .nanoseconds(1)) == 2)
        }
    }

    @Test("what an animation takes is counted: pixels, file, canvas, and the frames that are kept")
    func byteCount() throws {
        let pixels = CountedFrames.image(0, PixelSize(width: 10, height: 10))
        let small = CountedFrames(side: 10).animation(frameCount: 5, sourceByteCount: 1000)
        #expect(DecodedImage(pixels, animation: small).byteCount == 400 + 1000 + 4 * 400)
        let large = CountedFrames(side: 1024).animation(frameCount: 500, sourceByteCount: 1000)
        let side = CountedFrames.image(0, PixelSize(width: 1024, height: 1024))
        #expect(DecodedImage(side, animation: large).byteCount == (4 << 20) + 1000 + (16 << 20))
        let image = DecodedImage(pixels, animation: small)
        let halved = try image.mapBitmaps { $0.resized(to: PixelSize(width: 5, height: 5)) }
        #expect(halved.byteCount == 100 + 1000 + 4 * 100)
    }

    @Test("a step is applied once to each frame that is kept, and to the first at once")
    func mapped() async throws {
        let steps = Mutex(0)
        let frames = CountedFrames(side: 8)
        let image = DecodedImage(
            CountedFrames.image(0, PixelSize(width: 8, height: 8)), animation: frames.animation(frameCount: 4))
        let halved = try image.mapBitmaps { bitmap in
            steps.withLock { $0 += 1 }
            return bitmap.resized(to: PixelSize(width: 4, height: 4))
        }
        #expect(steps.withLock { $0 } == 1 && halved.pixelSize.width == 4)
        let animation = try #require(halved.animation)
        for _ in 0..<3 {
            for wanted in 0..<4 {
                let frame = try await animation.frame(at: wanted)
                #expect(frame.pixelSize.width == 4)
            }
            await animation.waitUntilIdle()
        }
        #expect(steps.withLock { $0 } == 4)
    }
}
