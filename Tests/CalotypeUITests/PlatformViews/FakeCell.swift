import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import Testing

/// Where a platform's view would show an image. The platform's images are names.
@MainActor
final class FakeImageDisplay: ImageDisplaying {
    typealias PlatformImage = String

    var room = ImageViewRoom(width: 40, height: 40, mode: .fill, displayScale: 1)
    var sizesImagesAsRequested = false
    var isInWindow = true
    var isInSight = true
    var allowsMotion = true
    /// Everything that was shown, the latest last.
    private(set) var shows: [(content: ImageViewContent<String>, transition: ImageViewTransition)] = []
    /// Is called with each of these.
    var onShow: (@MainActor () -> Void)?

    func show(_ content: ImageViewContent<String>, _ transition: ImageViewTransition) {
        shows.append((content, transition))
        onShow?()
    }

    var content: ImageViewContent<String> { shows.last?.content ?? .nothing }
    var transition: ImageViewTransition { shows.last?.transition ?? .none }

    /// The pixels that are shown.
    var image: DecodedImage? { if case .pixels(let image, _) = content { image } else { nil } }
    /// How large they are shown, in points.
    var pointSize: CGSize? { if case .pixels(_, let size) = content { size } else { nil } }
    /// Their colour, in a corner.
    var color: PixelColor? { image?.bitmap.pixel(0, 0) }
    /// The image of the app's that is shown.
    var name: String? { if case .platformImage(let name) = content { name } else { nil } }

    func forgetShows() { shows = Array(shows.suffix(1)) }
}

/// A cell that a list uses again and again.
@MainActor
final class FakeCell {
    typealias Loader = ImageViewLoader<FakeImageDisplay>

    let display = FakeImageDisplay()
    let loader: Loader
    /// What was told.
    private(set) var phases: [RemoteImagePhase] = []

    init(_ room: ImageViewRoom? = nil) {
        if let room { display.room = room }
        loader = Loader(display)
    }

    func show(
        _ request: ImageRequest?, in pipeline: ImagePipeline, transition: ImageViewTransition = .fade,
        _ change: (inout Loader.Appearance) -> Void = { _ in }
    ) {
        var appearance = Loader.Appearance()
        appearance.placeholder = "placeholder"
        appearance.transition = transition
        appearance.onPhase = { [weak self] in self?.phases.append($0) }
        change(&appearance)
        loader.show(request, appearance, in: pipeline)
    }

    func show(_ url: URL, in pipeline: ImagePipeline, _ change: (inout Loader.Appearance) -> Void = { _ in }) {
        show(ImageRequest(url: url), in: pipeline, change)
    }

    func layOut(_ side: CGFloat) {
        display.room.width = side
        display.room.height = side
        loader.layoutChanged()
    }

    func move(inWindow: Bool) {
        display.isInWindow = inWindow
        loader.windowChanged()
    }

    /// Returns once a number's image is shown, rather than what is remembered of it, whose colour may be the same.
    func wait(for number: Int) async throws {
        try await eventually { self.phases.last?.isSuccess == true && self.display.color == .number(number) }
    }

    var failureCount: Int { phases.count { $0.error != nil } }
}

/// Returns once a condition holds that changes on the main actor make true, each of which this gives way to.
@MainActor
func eventually(
    _ condition: @MainActor () async -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while await !condition() {
        let isInTime = ContinuousClock.now < deadline
        try #require(isInTime, "It hasn't come true in 60 seconds.", sourceLocation: sourceLocation)
        await Task.yield()
    }
}

/// Lets everything happen that is under way. For what mustn't happen.
@MainActor
func settle(_ pipeline: ImagePipeline) async {
    for _ in 0..<3 {
        await takeTurns(30)
        await pipeline.waitUntilIdle()
    }
}

/// Takes turns with whatever else waits for a thread, or for the main actor.
@MainActor
func takeTurns(_ count: Int) async {
    for _ in 0..<count { await Task.detached {}.value }
}

extension LoopbackServer {
    /// Returns once a client has closed a connection: it waits for no answer any more.
    func waitForClientToHangUp() async throws {
        _ = try await waitForConnectionEvent { if case .closedByClient = $0 { true } else { false } }
    }
}
