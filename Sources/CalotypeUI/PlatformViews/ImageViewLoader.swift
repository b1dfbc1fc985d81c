package import Calotype
package import Foundation

/// Loads and shows one image after another in a platform's view: what a recycled cell needs.
///
///     show(_:_:partition:in:)   says what is to be shown: what memory has of it is there when the call returns
///     layoutChanged()           the room is known, or has changed
///     windowChanged()           the view has come into a window, or has left it
///     cancel()                  ends the wait, and keeps what is shown
///
/// What is shown is asked of the model by identity each time: nothing of a former image is left once another is to be shown,
/// in whatever order loads, cancellations and layouts come.
///
/// - Isolation: main actor.
/// - Ownership: The view owns the loader, and the loader the wait: both end with the view.
@MainActor
package final class ImageViewLoader<Display: ImageDisplaying> {
    /// What is shown beside the image, and how.
    package struct Appearance {
        package var placeholder: Display.PlatformImage?
        /// Stands for an image that couldn't be had; `nil` leaves the placeholder.
        package var failureImage: Display.PlatformImage?
        package var transition = ImageViewTransition.none
        /// Pixels of the file per point.
        package var scale: CGFloat = 1
        package var playsAnimations = true
        /// Is told each phase as it is shown.
        package var onPhase: (@MainActor (RemoteImagePhase) -> Void)?

        package init() {}
    }

    /// What is to be shown, and where it comes from.
    struct Wish {
        let request: ImageRequest
        let pipeline: ImagePipeline
        let appearance: Appearance
        /// The room that an image of automatic size is loaded for; `nil` until it is known.
        var room: ImageViewRoom?
        var isCancelled = false

        var isAutomatic: Bool { request.size == .automatic }
    }

    /// What is there.
    enum Shown {
        case nothing
        case placeholder
        case failure
        case pixels(DecodedImage)
    }

    /// How long a view without a size may take to be laid out before an image is loaded for it all the same.
    package static var layoutPatience: Duration { .milliseconds(50) }

    let display: Display
    let model = RemoteImageModel()
    let playback: ViewPlayback<Display>
    private(set) var wish: Wish?
    var shown = Shown.nothing
    /// The last phase that the app was told.
    var told: RemoteImagePhase?
    /// Whether what changes came after a wait, so that it may be animated.
    private(set) var isAnimatingChange = false
    /// Whether several changes are being made, of which the last is to be shown.
    private(set) var isChanging = false
    private var wasInWindow = false
    private var loading: Task<Void, Never>?
    private var awaitingLayout: Task<Void, Never>?

    package init(_ display: Display) {
        self.display = display
        playback = ViewPlayback(display)
        wasInWindow = display.isInWindow
        model.update = { [weak self] isImmediate, change in
            self?.isAnimatingChange = !isImmediate
            change()
            self?.isAnimatingChange = false
        }
        model.onChange = { [weak self] in self?.render() }
        playback.onChange = { [weak self] in self?.render() }
    }

    deinit {
        loading?.cancel()
        awaitingLayout?.cancel()
    }

    // MARK: For the app

    /// Shows a request's image in place of whatever is shown.
    ///
    /// - Parameters:
    ///   - request: What to show; `nil` shows the placeholder.
    ///   - partition: For a request that names none.
    package func show(
        _ request: ImageRequest?, _ appearance: Appearance, partition: Partition? = nil, in pipeline: ImagePipeline
    ) {
        endWaiting()
        told = nil
        // What the app shows as it is told of a change that moves doesn't move with it.
        isAnimatingChange = false
        wasInWindow = display.isInWindow
        isChanging = true
        if var request {
            if request.partition == nil { request.partition = partition }
            wish = Wish(request: request, pipeline: pipeline, appearance: appearance)
            beginOrAwaitLayout()
        } else {
            wish = nil
            model.clear()
            loading?.cancel()
            loading = nil
        }
        isChanging = false
        render(anew: true, placeholder: appearance.placeholder)
    }

    /// Ends the wait. What is shown stays; nothing more is told.
    package func cancel() {
        wish?.isCancelled = true
        endWaiting()
        loading?.cancel()
        loading = nil
    }

    /// Loads once more, after a failure.
    package func retry() {
        guard let wish, !wish.isCancelled else { return }
        model.retry()
    }

    // MARK: For the view's life

    /// The room may have changed.
    package func layoutChanged() {
        guard let wish, !wish.isCancelled, wish.isAutomatic else { return }
        // What was blanked isn't brought back by a larger view.
        guard model.isShowing else { return }
        if awaitingLayout != nil {
            if !display.room.isEmpty { begin() }
            return
        }
        guard loading != nil, let loaded = wish.room,
            let room = display.room.growth(from: loaded, original: knownOriginalSize)
        else { return }
        self.wish?.room = room
        begin()
    }

    /// The view has come into a window, or has left it.
    package func windowChanged() {
        if display.isInWindow {
            wasInWindow = true
            let isResting = loading == nil && awaitingLayout == nil
            if let wish, !wish.isCancelled, isResting, model.isShowing { beginOrAwaitLayout() }
            playback.resume()
        } else if wasInWindow {
            playback.pause()
            // Views change places within a turn.
            Task { [weak self] in
                await Task.yield()
                self?.restIfAway()
            }
        }
    }

    /// The user has changed their mind about motion.
    package func motionPreferenceChanged() {
        if display.allowsMotion { playback.resume() } else { playback.pause() }
    }

    /// A view that has left its window waits for nothing until it comes back. It keeps what it shows.
    private func restIfAway() {
        guard wasInWindow, !display.isInWindow else { return }
        wasInWindow = false
        guard let wish, !wish.isCancelled, model.isShowing else { return }
        rest(wish)
    }

    /// Loads nothing for now. Removals are still heard of.
    private func rest(_ wish: Wish) {
        endWaiting()
        model.expect(sized(wish), in: wish.pipeline)
        loading?.cancel()
        loading = nil
    }

    // MARK: Loading

    private func beginOrAwaitLayout() {
        guard let wish else { return }
        if wish.isAutomatic, wish.room == nil, display.room.isEmpty { awaitLayout(wish) } else { begin() }
    }

    /// Layouts come at the end of a turn, mostly: what is loaded before would be loaded for a size that nobody knows.
    private func awaitLayout(_ wish: Wish) {
        rest(wish)
        let clock = wish.pipeline.configuration.clock
        awaitingLayout = Task { [weak self] in
            guard (try? await clock.sleep(for: Self.layoutPatience)) != nil else { return }
            guard let self, !Task.isCancelled, model.isShowing else { return }
            begin()
        }
    }

    private func endWaiting() {
        awaitingLayout?.cancel()
        awaitingLayout = nil
    }

    /// Begins to load, in place of what was under way for this view, which ends once this has joined it.
    private func begin() {
        guard var wish else { return }
        endWaiting()
        if wish.isAutomatic, wish.room == nil {
            wish.room = display.room.isEmpty ? display.room.standIn : display.room
            self.wish = wish
        }
        let former = loading
        let session = model.begin(sized(wish), in: wish.pipeline)
        // It keeps neither the loader nor the view, whose end is its end.
        loading = Task { [model] in await model.proceed(with: session) }
        former?.cancel()
    }

    /// The request in pixels, as far as the size is known.
    func sized(_ wish: Wish) -> ImageRequest {
        var request = wish.request
        if let room = wish.room {
            request.size = room.size
        } else {
            request.size = request.size.resolved(displayScale: display.room.displayScale)
        }
        return request
    }

    private var knownOriginalSize: PixelSize? {
        if case .pixels(let image) = shown { image.originalPixelSize } else { nil }
    }
}
