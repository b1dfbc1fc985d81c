public import Observation

/// Turns what a pipeline brings into one phase to show.
///
/// A view asks ``phase(for:in:)`` in its body, and calls ``show(_:in:)`` in a task that lives as long as the view is there:
///
/// ```swift
/// content(model.phase(for: request, in: pipeline))
///     .task(id: RemoteImageModel.Subject(request, pipeline)) { await model.show(request, in: pipeline) }
/// ```
///
/// An image belongs to what it depicts: the model never answers with the image of one resource, partition or list of
/// processors for another. The size is no part of that: an image that is shown stays until one of the new size is ready.
///
/// - Isolation: main actor. Nothing here touches a file, or waits.
/// - Ownership: The view owns the task, and with it the wait; the model holds the image that is shown.
@MainActor @Observable
public final class RemoteImageModel {
    /// What is shown, and of what.
    private struct Display {
        var subject: Subject
        var phase: RemoteImagePhase
    }

    /// Makes a change of the phase. `isImmediate`: the image was at hand, in whatever size, so that nothing should move.
    public typealias Update = @MainActor (_ isImmediate: Bool, _ change: () -> Void) -> Void

    /// Runs each change of the phase that a load brings: a view's transaction goes around it. It has to call `change`.
    @ObservationIgnored public var update: Update = { _, change in change() }

    /// Is called after each change of what is shown. For views that aren't evaluated but told: Observation speaks once, and
    /// before the change.
    @ObservationIgnored package var onChange: @MainActor () -> Void = {}

    private var display: Display? { didSet { onChange() } }
    @ObservationIgnored private var session: Session?
    @ObservationIgnored private var registration: Registration?
    /// The partition that was removed while its image was shown here: until the next call, nothing of it is, whatever a load
    /// that began before its bytes were erased brings into memory meanwhile. Changes with `display`.
    @ObservationIgnored private var blanked: Partition?

    /// Makes a model that shows nothing yet.
    public nonisolated init() {}

    // MARK: For the view's body

    /// What to show for a request, now.
    ///
    /// A pure query: it begins nothing and counts as no use of the cache. What the model shows already if it is of the
    /// same subject; otherwise what is in memory, so that a cached image is there in the first frame.
    ///
    /// - Complexity: No task, no I/O; at most one look at the memory cache.
    public func phase(for request: ImageRequest, in pipeline: ImagePipeline) -> RemoteImagePhase {
        let subject = Subject(request, pipeline)
        let own = display.flatMap { $0.subject.depicts(subject) ? $0 : nil }
        // After the look at what is shown, whose change is what tells that this is over.
        if let blanked, subject.partition == blanked { return .empty }
        if let own, own.phase.isSuccess, own.subject == subject { return own.phase }
        guard let glance = pipeline.glance(at: request) else {
            return (own?.phase ?? .empty).showing { pipeline.preview(for: request) }
        }
        if glance.isAnswer {
            // It is on its way to here, and comes with the animation that it shall have.
            if let own, own.subject == subject, case .loading = own.phase, session != nil { return own.phase }
            return .success(glance.image, source: .memory)
        }
        switch own?.phase {
        case .success(let image, let source)?: return .success(image, source: source)
        case .failure(let error)?: return .failure(error)
        case .loading(let progress, let preview?)? where preview.hasMorePixels(than: glance.image):
            return .loading(progress: progress, preview: preview)
        case .loading(let progress, _)?: return .loading(progress: progress, preview: glance.image)
        case .empty?, nil: return .loading(progress: nil, preview: glance.image)
        }
    }

    // MARK: For the view's task

    /// Shows a request's image for as long as the calling task runs.
    ///
    /// Loads it; loads it again after ``retry()``, after the connection has come back if it failed for want of one, and
    /// when the resource is invalidated. Cancelling the task ends the wait: what was shown before remains, and the next
    /// call goes on. A second call takes the place of the first. When the request's partition is removed, the call ends
    /// with nothing shown.
    public func show(_ request: ImageRequest, in pipeline: ImagePipeline) async {
        // Tasks needn't begin in the order in which they were made: one that was cancelled before it began mustn't take the
        // place of its successor.
        guard !Task.isCancelled else { return }
        await proceed(with: begin(request, in: pipeline))
    }

    /// The first half of ``show(_:in:)``: takes the former call's place, and begins to load. The other half has to follow.
    package func begin(_ request: ImageRequest, in pipeline: ImagePipeline) -> Session {
        enter(Session(request, pipeline)) { $0.begin() }
    }

    /// Takes the former call's place without loading anything yet: for a view that doesn't know its size so far, or is away.
    /// What is shown of the same subject stays, and what the pipeline says of it is heard: see ``isShowing``.
    package func expect(_ request: ImageRequest, in pipeline: ImagePipeline) {
        enter(Session(request, pipeline)) { _ in }
    }

    @discardableResult
    private func enter(_ session: Session, _ start: (Session) -> Void) -> Session {
        // What is under way for the former session ends once this one has joined it.
        let former = self.session
        blanked = nil
        self.session = session
        start(session)
        former?.end()
        if registration?.pipeline !== session.pipeline { registration = Registration(self, session.pipeline) }
        if let display, !display.subject.depicts(session.subject) { self.display = nil }
        return session
    }

    /// The other half: follows the loads of a session for as long as the calling task runs.
    package func proceed(with session: Session) async {
        // Not by the loop, which would suspend first: what is in memory is shown at once.
        await follow(session)
        for await _ in session.turns {
            guard self.session === session else { break }
            session.begin()
            await follow(session)
        }
        session.end()
        if self.session === session {
            self.session = nil
            stopLoading()
        }
    }

    /// Lets go of the image. What was under way ends with the task that called ``show(_:in:)``.
    ///
    /// For a view that has gone from the screen: until it comes back, the image is the caches' to keep or to drop.
    public func rest() {
        if display != nil { display = nil }
    }

    /// Takes what a request says anew and what is no part of its ``Subject``, credentials above all: for the loads to come,
    /// as by ``retry()``. Nothing begins anew.
    ///
    /// For a view whose request has changed and whose task hasn't been restarted by that. Does nothing if it is of another
    /// subject than what is being shown.
    public func renew(_ request: ImageRequest) {
        guard let session, session.subject == Subject(request, session.pipeline) else { return }
        session.request = request
    }

    /// Whether ``show(_:in:)`` goes on: it ends with its task, and when its partition is removed.
    package var isShowing: Bool { session != nil }

    /// Shows nothing, and ends the wait.
    public func clear() {
        session?.end()
        session = nil
        blanked = nil
        if display != nil { display = nil }
    }

    /// Loads once more, after a failure.
    public func retry() {
        guard case .failure = display?.phase else { return }
        if let session {
            display = Display(subject: session.subject, phase: .loading(progress: nil, preview: nil))
            session.takeTurn()
        } else {
            display = nil
        }
    }

    // MARK: One load

    private func follow(_ session: Session) async {
        guard let load = session.load, isCurrent(load, session) else { return }
        defer { session.forget(load) }

        if case .success(let result)? = load.answer { show(result, session) } else { showLoading(session) }
        var latest: ImageResult?
        for await update in load.updates {
            guard isCurrent(load, session) else { return load.cancel() }
            switch update {
            case .progress(let progress): show(progress, session)
            case .preview(let image): showPreview(image, session)
            case .image(let result):
                latest = result
                show(result, session)
            }
        }
        guard isCurrent(load, session) else { return }
        guard let error = load.failure else {
            // An old picture stands in for one that couldn't be had: until it can be.
            let isStandIn = latest?.report.isStandIn == true
            return isStandIn ? session.takeTurn(onReconnectionSince: session.moment) : session.noteSuccess()
        }
        // The pipeline has cancelled it, and will say why: see ``pipelineHasRemoved(_:)``.
        guard let failure = error as? ImageError else { return }
        // A picture that is there already isn't given up for an error.
        if display?.phase.isSuccess != true { show(.failure(failure), session) }
        if failure.isConnectivityFailure { session.takeTurn(onReconnectionSince: session.moment) }
    }

    private func isCurrent(_ load: ImageLoad, _ session: Session) -> Bool {
        self.session === session && session.load === load && !Task.isCancelled
    }

    private func show(_ result: ImageResult, _ session: Session) {
        if case .success(let image, _)? = display?.phase, image === result.image, display?.subject == session.subject {
            return
        }
        let display = Display(subject: session.subject, phase: .success(result.image, source: result.layer))
        // What memory had from the start only gets sharper: nothing should move.
        let wasAtHand = result.layer == .memory || session.load?.preview != nil
        update(wasAtHand) { self.display = display }
    }

    private func show(_ phase: RemoteImagePhase, _ session: Session) {
        let display = Display(subject: session.subject, phase: phase)
        update(false) { self.display = display }
    }

    private func showLoading(_ session: Session) {
        switch display?.phase {
        case .success?, .loading(nil, _?)?: break
        case .loading(_?, let preview?)?: display?.phase = .loading(progress: nil, preview: preview)
        case .loading(_, nil)?, .empty?, .failure?, nil:
            // Kept, as the body has shown it: memory may have the answer before the model does, and no preview then.
            display = Display(subject: session.subject, phase: .loading(progress: nil, preview: session.preview))
        }
    }

    private func show(_ progress: LoadProgress, _ session: Session) {
        guard case .loading(let shown, let preview)? = display?.phase else { return }
        // A view is evaluated again for each change: in steps that can be seen.
        if let old = shown?.fraction, let new = progress.fraction, new < 1, abs(new - old) < 0.01 { return }
        display?.phase = .loading(progress: progress, preview: preview)
    }

    private func showPreview(_ image: DecodedImage, _ session: Session) {
        guard case .loading(let progress, let shown)? = display?.phase else { return }
        // An unfinished image is no match for a larger one of another time.
        if let shown, shown.hasMorePixels(than: image) { return }
        update(false) { display?.phase = .loading(progress: progress, preview: image) }
    }

    /// What was begun is over, and has brought nothing.
    private func stopLoading() {
        if case .loading? = display?.phase { display = nil }
    }

    // MARK: What the pipeline tells

    /// Forgets what is shown if it has been removed, or loads it anew if it has been invalidated.
    func pipelineHasRemoved(_ removal: Removal) {
        let subject = session?.subject ?? display?.subject
        guard let subject, removal.concerns(subject) else { return }
        switch removal {
        case .resource:
            session?.takeTurn()
        case .everything:
            session?.cancelLoad()
            display = nil
            session?.takeTurn()
        case .partition(let partition):
            session?.end()
            session = nil
            blanked = partition
            display = nil
        }
    }
}

extension DecodedImage {
    fileprivate func hasMorePixels(than other: DecodedImage) -> Bool {
        pixelSize.pixelCount > other.pixelSize.pixelCount
    }
}

extension RemoteImagePhase {
    /// The same, with a preview if it has room for one and has none.
    fileprivate func showing(_ preview: () -> DecodedImage?) -> RemoteImagePhase {
        switch self {
        case .empty:
            guard let preview = preview() else { return .empty }
            return .loading(progress: nil, preview: preview)
        case .loading(let progress, nil): return .loading(progress: progress, preview: preview())
        case .loading, .success, .failure: return self
        }
    }
}

extension RemoteImageModel.Session {
    /// What stands in for the image from the start.
    fileprivate var preview: DecodedImage? { load?.preview ?? pipeline.preview(for: request) }
}

extension ImagePipeline {
    /// What is remembered of a request's image, if it can stand for it: a processor may be there to hide something.
    fileprivate func preview(for request: ImageRequest) -> DecodedImage? {
        request.processors.isEmpty ? impression(for: request)?.image : nil
    }
}
