import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import Synchronization
import Testing

@Suite("Image views: animated images")
@MainActor
struct ViewAnimationTests {
    /// An animated image whose frames are as wide as their number says, in the memory of a pipeline whose time stands still.
    @MainActor
    private final class Film {
        static let request = ImageRequest(url: URL(string: "http://img.example.com/film.gif")!, size: .pixels(1, 1))
        let clock = ManualClock()
        let pipeline: ImagePipeline
        let animation: ImageAnimation
        let cell = FakeCell()

        init(_ milliseconds: [Int], loopCount: Int = 0) {
            let decoded = DecodedIndices()
            animation = ImageAnimation(
                durations: milliseconds.map { .milliseconds($0) }, loopCount: loopCount
            ) { index in
                decoded.indices.withLock { $0.append(index) }
                return DecodedImage(bitmap: TestImages.solidBitmap(width: index + 1, height: 1, color: .white))
            }
            var configuration = ImagePipeline.Configuration(transport: HeldOrigin(), store: nil)
            configuration.clock = clock
            pipeline = ImagePipeline(configuration)
            self.decoded = decoded
            let first = DecodedImage(
                bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .white), animation: animation)
            pipeline.insert(first, for: Self.request)
        }

        private let decoded: DecodedIndices

        private final class DecodedIndices: Sendable {
            let indices = Mutex<[Int]>([])
        }

        var decodedCount: Int { decoded.indices.withLock { $0.count } }

        /// The number of the frame that is shown, from 0.
        var shownIndex: Int? { cell.display.image.map { $0.pixelSize.width - 1 } }

        func start(_ change: (inout FakeCell.Loader.Appearance) -> Void = { _ in }) {
            cell.show(Self.request, in: pipeline, change)
        }

        /// Lets time pass, to the moment of the next look, and everything happen that it brings.
        func advance(by duration: Duration) async throws {
            try await clock.waitForSleepers(count: 1)
            clock.advance(by: duration)
            await settle()
        }

        func settle() async {
            for _ in 0..<3 {
                await takeTurns(20)
                await animation.waitUntilIdle()
            }
        }
    }

    @Test("the first frame is there at once; the others follow by the clock, each for its own time, round and round")
    func plays() async throws {
        let film = Film([100, 200, 100])
        film.start()
        #expect(film.shownIndex == 0)
        var shown = [0]
        // A little after each frame is due, since dates are rounded.
        for pause in [101, 200, 100, 100, 200] {
            try await film.advance(by: .milliseconds(pause))
            try await eventually { film.shownIndex != shown.last }
            shown.append(try #require(film.shownIndex))
        }
        #expect(shown == [0, 1, 2, 0, 1, 2])
        // It sleeps until the next frame is due, and no less.
        for (sleep, pause) in zip(film.clock.requestedSleeps, [100, 200, 100, 100, 200]) {
            #expect((.milliseconds(pause - 2) ... .milliseconds(pause)).contains(sleep))
        }
        // A frame is no news for who wants to know what came.
        #expect(film.cell.phases.count == 1 && film.cell.display.shows.allSatisfy { $0.transition == .none })
    }

    @Test("it plays as often as its file says, rests on the last frame, and asks the clock no more")
    func ends() async throws {
        let film = Film([100, 100], loopCount: 1)
        film.start()
        try await film.advance(by: .milliseconds(101))
        try await eventually { film.shownIndex == 1 }
        try await film.advance(by: .milliseconds(100))
        try await eventually { film.clock.sleeperCount == 0 }
        #expect(film.shownIndex == 1)
    }

    /// What makes an animation stand still, and what lets it go on.
    struct Halt: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let set: @MainActor @Sendable (FakeCell, _ halts: Bool) -> Void
        /// Whether somebody says when it is over; if not, it is looked for.
        var isTold = true

        static let all = [
            Halt(testDescription: "out of the window") { $0.move(inWindow: !$1) },
            Halt(testDescription: "less motion") {
                $0.display.allowsMotion = !$1
                $0.loader.motionPreferenceChanged()
            },
            Halt(testDescription: "out of sight", set: { $0.display.isInSight = !$1 }, isTold: false),
        ]
    }

    @Test(
        "it stands still, and nothing is decoded, while nobody sees it or wants it; then it goes on",
        arguments: Halt.all)
    func halts(_ halt: Halt) async throws {
        let film = Film([100, 100, 100, 100, 100, 100, 100, 100])
        film.start()
        try await film.advance(by: .milliseconds(101))
        try await eventually { film.shownIndex == 1 }
        await film.settle()
        halt.set(film.cell, true)
        await film.settle()
        let decodedCount = film.decodedCount
        if halt.isTold {
            try await eventually { film.clock.sleeperCount == 0 }
            film.clock.advance(by: .seconds(10))
        } else {
            for _ in 0..<4 { try await film.advance(by: .milliseconds(250)) }
            // The last look is over before there is something to see.
            try await film.clock.waitForSleepers(count: 1)
        }
        await film.settle()
        #expect(film.shownIndex == 1 && film.decodedCount == decodedCount)
        halt.set(film.cell, false)
        if !halt.isTold { try await film.advance(by: .milliseconds(250)) }
        try await film.advance(by: .milliseconds(100))
        try await eventually { film.shownIndex == 2 }
    }

    @Test("where the app, or the user, wants no motion, it is the first frame that is shown, and the clock isn't asked")
    func still() async throws {
        let film = Film([100, 100])
        film.start { $0.playsAnimations = false }
        await film.settle()
        #expect(film.shownIndex == 0 && film.clock.requestedSleeps.isEmpty && film.decodedCount == 0)
        film.cell.display.allowsMotion = false
        film.start()
        await film.settle()
        #expect(film.shownIndex == 0 && film.clock.requestedSleeps.isEmpty && film.decodedCount == 0)
    }

    @Test("another image ends it; the same one begins anew from where it is")
    func reuse() async throws {
        let film = Film([100, 100, 100])
        film.start()
        try await film.advance(by: .milliseconds(101))
        try await eventually { film.shownIndex == 1 }
        film.start()
        #expect(film.shownIndex == 1)
        film.cell.show(nil as ImageRequest?, in: film.pipeline)
        #expect(film.cell.display.name == "placeholder")
        try await eventually { film.clock.sleeperCount == 0 }
        film.clock.advance(by: .seconds(1))
        await film.settle()
        #expect(film.cell.display.name == "placeholder")
        film.start()
        #expect(film.shownIndex == 0)
    }

    @Test("it ends with its view")
    func deallocation() async throws {
        var film: Film? = Film([100, 100])
        let clock = try #require(film?.clock)
        film?.start()
        try await clock.waitForSleepers(count: 1)
        weak let loader = film?.cell.loader
        film = nil
        #expect(loader == nil)
        try await eventually { clock.sleeperCount == 0 }
    }
}
