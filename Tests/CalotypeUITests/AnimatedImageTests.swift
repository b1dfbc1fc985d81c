import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Synchronization
import Testing
import ViewHost

/// An animated image whose frames are as wide as their number says, and what has been decoded of it.
private final class Film: Sendable {
    let image: DecodedImage
    private let decoded: Decoded

    private final class Decoded: Sendable {
        let indices = Mutex<[Int]>([])
    }

    private struct Damage: Error {}

    init(_ milliseconds: [Int], loopCount: Int = 0, damaged: Int? = nil) {
        let decoded = Decoded()
        self.decoded = decoded
        let animation = ImageAnimation(
            durations: milliseconds.map { .milliseconds($0) }, loopCount: loopCount
        ) { index in
            decoded.indices.withLock { $0.append(index) }
            if index == damaged { throw Damage() }
            return Film.frame(index)
        }
        image = DecodedImage(
            bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .white), animation: animation)
    }

    static func frame(_ index: Int) -> DecodedImage {
        DecodedImage(bitmap: TestImages.solidBitmap(width: index + 1, height: 1, color: .white))
    }

    var decodedCount: Int { decoded.indices.withLock { $0.count } }
}

extension Frame {
    /// The number of the frame that is shown, from 0.
    fileprivate var shownIndex: Int? { images.first?.decoded.map { $0.pixelSize.width - 1 } }
}

@Suite("AnimatedImage")
@MainActor
struct AnimatedImageTests {
    /// Lets everything happen that doesn't need the clock.
    private func settle(_ host: ViewHost, _ film: Film) async {
        for _ in 0..<3 {
            for _ in 0..<10 { await Task.detached {}.value }
            await film.image.animation?.waitUntilIdle()
            host.render()
        }
    }

    @Test("the first frame is there at once, and nothing is decoded for it")
    func firstFrame() async {
        let film = Film([100, 100])
        let host = ViewHost { AnimatedImage(film.image) }
        #expect(host.frame.number == 1 && host.frame.shownIndex == 0)
        await settle(host, film)
        #expect(film.decodedCount == 0)
    }

    @Test("frames follow the timeline's date, each for its own time, round and round")
    func plays() async throws {
        let film = Film([100, 200, 100])
        let host = ViewHost { AnimatedImage(film.image) }
        var shown: [Int] = []
        host.onFrame = { frame in
            if let index = frame.shownIndex, shown.last != index { shown.append(index) }
        }
        for step in 1...32 {
            host.advance(by: .milliseconds(25))
            await settle(host, film)
            // 25 ms of the shortest frame is the least that the timeline tells apart.
            let time = step * 25 % 400
            let index = time < 100 ? 0 : time < 300 ? 1 : 2
            try await host.next { $0.shownIndex == index }
        }
        #expect(shown == [0, 1, 2, 0, 1, 2, 0])
    }

    @Test("frames whose time has passed are skipped")
    func skips() async throws {
        let film = Film([100, 100, 100, 100])
        let host = ViewHost { AnimatedImage(film.image) }
        var shown: Set<Int> = []
        host.onFrame = { if let index = $0.shownIndex { shown.insert(index) } }
        host.advance(by: .milliseconds(330))
        try await host.next { $0.shownIndex == 3 }
        #expect(shown == [0, 3])
    }

    @Test("it plays as often as its file says, rests on the last frame, and asks the clock no more")
    func ends() async throws {
        let film = Film([100, 100, 100], loopCount: 2)
        let host = ViewHost { AnimatedImage(film.image) }
        var shown: [Int] = []
        host.onFrame = { frame in
            if let index = frame.shownIndex, shown.last != index { shown.append(index) }
        }
        // In the middle of each frame's time.
        host.advance(by: .milliseconds(50))
        for index in [1, 2, 0, 1, 2, 2] {
            host.advance(by: .milliseconds(100))
            try await host.next { $0.shownIndex == index }
            await settle(host, film)
        }
        #expect(shown == [0, 1, 2, 0, 1, 2])
        let number = host.frame.number
        for _ in 1...10 {
            host.advance(by: .milliseconds(100))
            await settle(host, film)
        }
        #expect(host.frame.number == number && host.frame.shownIndex == 2)
    }

    enum Pause: CaseIterable {
        case reduceMotion, playsNoAnimatedImages, sceneInactive, sceneInBackground

        @MainActor func apply(_ values: inout EnvironmentValues) {
            switch self {
            case .reduceMotion: values.accessibilityReduceMotion = true
            case .playsNoAnimatedImages: values.accessibilityPlayAnimatedImages = false
            case .sceneInactive: values.scenePhase = .inactive
            case .sceneInBackground: values.scenePhase = .background
            }
        }
    }

    @Test("it stands still, and decodes nothing, while it is paused; then it goes on", arguments: Pause.allCases)
    func pauses(_ pause: Pause) async throws {
        let film = Film([100, 100, 100, 100, 100, 100, 100, 100])
        let host = ViewHost { AnimatedImage(film.image) }
        await settle(host, film)
        host.advance(by: .milliseconds(100))
        try await host.next { $0.shownIndex == 1 }
        pause.apply(&host.environment)
        await settle(host, film)
        let count = film.decodedCount
        for _ in 1...5 {
            host.advance(by: .milliseconds(100))
            await settle(host, film)
        }
        #expect(host.frame.shownIndex == 1)
        #expect(film.decodedCount == count)
        host.environment = EnvironmentValues()
        await settle(host, film)
        host.advance(by: .milliseconds(100))
        try await host.next { $0.shownIndex == 2 }
    }

    @Test("one that is paused from the start decodes nothing", arguments: [Pause.reduceMotion, .playsNoAnimatedImages])
    func pausedFromTheStart(_ pause: Pause) async {
        let film = Film([100, 100])
        var environment = EnvironmentValues()
        pause.apply(&environment)
        let host = ViewHost(environment: environment) { AnimatedImage(film.image) }
        for _ in 1...5 {
            host.advance(by: .milliseconds(100))
            await settle(host, film)
        }
        #expect(host.frame.number == 1 && host.frame.shownIndex == 0)
        #expect(film.decodedCount == 0)
    }

    @Test("scrolled out of sight, it stands still")
    func scrolledAway() async throws {
        let film = Film([100, 100, 100, 100, 100, 100, 100, 100])
        let host = ViewHost(size: CGSize(width: 100, height: 100)) {
            ScrollView {
                VStack(spacing: 0) {
                    AnimatedImage(film.image) { $0.resizable() }.frame(height: 100)
                    Color.gray.frame(height: 900)
                }
            }
        }
        await settle(host, film)
        host.advance(by: .milliseconds(100))
        try await host.next { $0.shownIndex == 1 }
        try host.scroll(to: 500)
        await settle(host, film)
        let count = film.decodedCount
        for _ in 1...5 {
            host.advance(by: .milliseconds(100))
            await settle(host, film)
        }
        #expect(film.decodedCount == count)
        try host.scroll(to: 0)
        await settle(host, film)
        #expect(host.frame.shownIndex == 1)
        host.advance(by: .milliseconds(100))
        try await host.next { $0.shownIndex == 2 }
    }

    @Test("a view that has gone decodes nothing; one that comes back begins anew")
    func gone() async throws {
        let film = Film([100, 100, 100, 100, 100, 100, 100, 100])
        let host = ViewHost { AnimatedImage(film.image) }
        host.advance(by: .milliseconds(250))
        try await host.next { $0.shownIndex == 2 }
        host.update { Text("gone") }
        await settle(host, film)
        let count = film.decodedCount
        host.advance(by: .seconds(1))
        await settle(host, film)
        #expect(film.decodedCount == count)
        host.update { AnimatedImage(film.image) }
        #expect(host.render().shownIndex == 0)
    }

    @Test("another image begins with its own first frame")
    func anotherImage() async throws {
        let film = Film([100, 100]), other = Film([100, 100, 100])
        let host = ViewHost { AnimatedImage(film.image) }
        host.advance(by: .milliseconds(100))
        try await host.next { $0.shownIndex == 1 }
        host.update { AnimatedImage(other.image) }
        #expect(host.render().images.first?.decoded === other.image)
        await settle(host, other)
        host.advance(by: .milliseconds(240))
        try await host.next { $0.shownIndex == 2 }
    }

    @Test("where a frame can't be decoded, the one before it stays")
    func damaged() async throws {
        let film = Film([100, 100, 100], damaged: 2)
        let host = ViewHost { AnimatedImage(film.image) }
        host.advance(by: .milliseconds(100))
        try await host.next { $0.shownIndex == 1 }
        await settle(host, film)
        for _ in 1...10 {
            host.advance(by: .milliseconds(100))
            await settle(host, film)
        }
        #expect(host.frame.shownIndex == 1)
    }

    @Test("an image that isn't animated is shown, and no image is nothing")
    func still() {
        let host = ViewHost {
            AnimatedImage(DecodedImage.fixture, scale: 2)
            AnimatedImage(nil)
        }
        #expect(host.frame.images.map(\.size) == [CGSize(width: 120, height: 90)])
        host.advance(by: .seconds(1))
        #expect(host.render().number == 1)
    }

    @Test("to accessibility it is an image, with the label that the app gives it")
    func accessibility() throws {
        let film = Film([100, 100])
        let host = ViewHost { AnimatedImage(film.image).accessibilityLabel("A cat that jumps") }
        let element = try #require(host.frame.elements.first { $0.image != nil })
        #expect(element.accessibilityLabel == "A cat that jumps" && !element.isAccessibilityHidden)
    }

    @Test("a GIF from a server plays inside CachedAsyncImage, which alone shows its first frame")
    func gif() async throws {
        let colors: [PixelColor] = [.white, .black]
        let gif = GIFEncoder.encode(
            width: 16, height: 16, frames: colors.map { .plain(width: 16, height: 16, color: $0) })
        let served = try ServedImages(gif)
        let host = ViewHost(size: CGSize(width: 100, height: 100)) {
            VStack {
                CachedAsyncImage(ImageRequest(url: served.url)) { phase in
                    AnimatedImage(phase.image) { $0.resizable() }
                }
                .id("plays")
                CachedAsyncImage(url: served.url).id("stands")
            }
            .imagePipeline(served.pipeline)
        }
        try await host.next { $0.images(id: "plays").count == 1 && $0.images(id: "stands").count == 1 }
        await served.settle(host)
        let first = try #require(host.frame.images(id: "plays").first?.decoded)
        #expect(first.animation?.frameCount == 2)
        host.advance(by: try #require(first.animation?.durations[0]))
        let frame = try await host.next { $0.images(id: "plays").first?.decoded !== first }
        // The image itself, which later frames aren't.
        #expect(frame.images(id: "stands").first?.decoded?.animation != nil)
        #expect(frame.images(id: "plays").first?.size == CGSize(width: 16, height: 16))
    }
}
