import Synchronization

/// One caller's request, under way: the handle to wait for it, follow it, change its priority or cancel it.
///
/// A load is a single waiter. The work behind it is shared with every other load that wants the same, and ends when the
/// last of them has left. Letting go of the handle doesn't cancel: the image still arrives in the caches.
///
/// - Isolation: Any thread.
public final class ImageLoad: Sendable, CustomStringConvertible, CustomReflectable {
    /// What happens on the way to the result.
    public enum Update: Sendable {
        /// More bytes have arrived.
        case progress(LoadProgress)
        /// Something to show meanwhile: another size, a stale or an unfinished image.
        case preview(DecodedImage)
        /// The image. It comes again if a background revalidation brings another picture.
        case image(ImageResult)
    }

    /// Where updates go. An object, so that loads that nobody follows carry no room for it.
    private final class Follower: Sendable {
        let stream: AsyncStream<Update>.Continuation

        init(_ stream: AsyncStream<Update>.Continuation) { self.stream = stream }
    }

    /// An object for the same reason.
    private final class Revalidation: Sendable {
        let outcome: Result<ImageResult, any Error>

        init(_ outcome: Result<ImageResult, any Error>) { self.outcome = outcome }
    }

    private struct Following {
        /// What came of a background revalidation, if there was one.
        var revalidation: Revalidation?
        var follower: Follower?
        var isEnded = false
    }

    /// How far its end is. Whoever ends it decides that first, and then tells of it: so it ends once, and as it was told.
    private enum Ending: UInt8, AtomicRepresentable {
        /// Nobody has decided yet; after an answer that a newer one may follow, once more.
        case open
        /// How it ends is being told, or has been.
        case decided
        /// The same, and the caller wants nothing that may follow.
        case decidedAndCancelled
    }

    /// The loads of this process so far.
    private static let count = Atomic<UInt64>(0)

    /// What was asked for.
    public let request: ImageRequest
    let number: UInt64
    let startTime: Moment
    private let coordinator: LoadCoordinator
    /// What memory had to show from the start.
    let preview: DecodedImage?
    /// Whether anybody can see how the image came.
    let wantsReport: Bool
    private let promise = Promise<ImageResult>()
    private let following = Mutex(Following())
    /// Whether `updates` is being read: jobs don't report progress to nobody.
    private let isFollowed = Atomic<Bool>(false)
    /// Whether there has been an answer, which a newer one may follow. Set with `following` locked.
    private let isAnswered = Atomic<Bool>(false)
    private let ending = Atomic<Ending>(.open)
    /// `nonisolated(unsafe)` and unchecked: guarded by the coordinator's lock.
    @exclusivity(unchecked) nonisolated(unsafe) var position = WaiterPosition<RenditionJob>()

    init(
        request: ImageRequest, coordinator: LoadCoordinator, preview: DecodedImage? = nil, wantsReport: Bool = true
    ) {
        self.request = request
        number = Self.nextNumber()
        self.coordinator = coordinator
        startTime = .now
        self.preview = preview
        self.wantsReport = wantsReport
        position.priority = request.priority
        if let onEvent = coordinator.observer?.onEvent { onEvent(.began(label, request.priority)) }
    }

    /// A number for a load of images or bytes.
    static func nextNumber() -> UInt64 { count.add(1, ordering: .relaxed).newValue }

    // MARK: For callers

    /// Redacted: "#12 https://img.example.com".
    public var description: String { label.description }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }

    /// The image.
    ///
    /// Cancelling the task that waits cancels the load.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the load was cancelled.
    public var result: ImageResult {
        get async throws { try await outcome.get() }
    }

    /// The image, or why there is none.
    package var outcome: Result<ImageResult, any Error> {
        get async { await promise.value(onCancel: cancel) }
    }

    /// What happens, from the latest preview on, until the load is over; ``result`` says how it went.
    ///
    /// To be read by one task: each call gives the newest reader what comes, and ends the reading of the one before, which
    /// cancels nothing. Of progress and previews the newest counts: they are dropped if they aren't read in time. Ending the reading
    /// early, by cancellation too, cancels the load.
    public var updates: AsyncStream<Update> {
        let (stream, continuation) = AsyncStream<Update>.makeStream(bufferingPolicy: .bufferingNewest(8))
        isFollowed.store(true, ordering: .relaxed)
        coordinator.noteFollower(1)
        continuation.onTermination = { [weak self, coordinator] reason in
            coordinator.noteFollower(-1)
            if case .cancelled = reason { self?.cancel() }
        }
        let former = following.withLock { following -> Follower? in
            // Under the lock, so that no update comes between what has been and what will be.
            if case .success(let result)? = following.revalidation?.outcome {
                continuation.yield(.image(result))
            } else if case .success(let result)? = promise.outcome {
                // If that was only now, whoever has brought it is about to tell.
                if following.isEnded || isAnswered.load(ordering: .relaxed) { continuation.yield(.image(result)) }
            } else if let preview {
                continuation.yield(.preview(preview))
            }
            if following.isEnded {
                continuation.finish()
                return nil
            }
            defer { following.follower = Follower(continuation) }
            return following.follower
        }
        // Otherwise it would wait for ever.
        former?.stream.finish()
        // What has arrived before may be all for a while.
        if let progress = coordinator.progress(of: self) { continuation.yield(.progress(progress)) }
        return stream
    }

    /// How urgent the load is. The work behind it goes by the most urgent of its loads.
    public var priority: ImageRequest.Priority {
        get { coordinator.priority(of: self) }
        set { coordinator.setPriority(newValue, of: self) }
    }

    /// Stops waiting. `result` throws `CancellationError` unless it is there already.
    public func cancel() {
        coordinator.leave(self)
        stop()
    }

    /// The first answer, if there is one.
    var answer: Result<ImageResult, any Error>? { promise.outcome }

    /// What went wrong, in the background too.
    var failure: (any Error)? {
        let revalidation = following.withLock { $0.revalidation?.outcome }
        if case .failure(let error)? = revalidation ?? promise.outcome { return error }
        return nil
    }

    // MARK: For the layers below

    /// As logs name it.
    var label: LoadLabel { LoadLabel(number, request.url) }

    var wantsProgress: Bool { isFollowed.load(ordering: .relaxed) }

    func report(_ progress: LoadProgress) {
        following.withLock { $0.follower }?.stream.yield(.progress(progress))
    }

    /// Whether there is somebody to show an unfinished image to. One that is no larger than what memory had isn't wanted, nor
    /// is any after an answer.
    ///
    /// - Parameter size: Of the preview; `nil` if that isn't known yet.
    func wantsPreview(of size: PixelSize?) -> Bool {
        guard wantsProgress, request.progressivePreviews, !isAnswered.load(ordering: .relaxed) else { return false }
        guard let size, let preview else { return true }
        return size.pixelCount > preview.pixelSize.pixelCount
    }

    /// Shows an unfinished image, unless there is a better one.
    func show(_ image: DecodedImage) {
        following.withLock { following in
            // Under the lock, so that an answer comes after it or keeps it away.
            guard wantsPreview(of: image.pixelSize) else { return }
            following.follower?.stream.yield(.preview(image))
        }
    }

    /// Claims to say how the load ends, before anybody is told.
    ///
    /// - Returns: Whether that hasn't been decided yet. If it has, nothing may be told.
    func decideEnd() -> Bool {
        ending.compareExchange(expected: .open, desired: .decided, ordering: .acquiringAndReleasing).exchanged
    }

    /// Ends the load as one that is cancelled, unless its end has been decided.
    func stop() {
        if decideEnd() { return end(.failure(CancellationError())) }
        _ = ending.compareExchange(
            expected: .decided, desired: .decidedAndCancelled, ordering: .acquiringAndReleasing)
    }

    /// Gives the caller an answer, and goes on for a newer one.
    ///
    /// - Returns: Whether it goes on: not if it has been cancelled meanwhile.
    @discardableResult
    func answer(_ result: ImageResult) -> Bool {
        promise.fulfil(.success(result))
        let follower = following.withLock { following in
            isAnswered.store(true, ordering: .relaxed)
            return following.follower
        }
        follower?.stream.yield(.image(result))
        let found = ending.compareExchange(expected: .decided, desired: .open, ordering: .acquiringAndReleasing)
        guard found.original == .decidedAndCancelled else { return true }
        end(.failure(CancellationError()))
        return false
    }

    /// Ends the load. If there has been an answer, a newer image is one more update, and a failure none.
    func end(_ outcome: consuming Result<ImageResult, any Error>) {
        let newer = promise.fulfil(outcome)
        let follower = following.withLock { following in
            following.isEnded = true
            if let newer { following.revalidation = Revalidation(newer) }
            return following.follower.take()
        }
        if newer == nil, let observer = coordinator.observer, case .failure(is CancellationError)? = answer {
            observer.cancelled(self)
        }
        guard let stream = follower?.stream else { return }
        if case .success(let result)? = newer ?? answer { stream.yield(.image(result)) }
        stream.finish()
    }
}

extension ImageLoad: JobWaiter {}
