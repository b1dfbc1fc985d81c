import Dispatch
import Synchronization

/// The frames of an animated image: how long each is shown, and its pixels on demand.
///
/// Frames are decoded as they are asked for, never all at once, and those that will be shown soonest are kept.
///
/// - Isolation: May be used from any thread. One frame is decoded at a time; no lock is held meanwhile.
/// - Memory: The file's bytes; while it plays, what its frames are composed on, and up to ``frameByteLimit`` of finished
///   frames. The latter two go when memory runs short, and come back when a frame is asked for. All of it is counted in
///   ``DecodedImage/byteCount``.
public final class ImageAnimation: Sendable {
    /// What the finished frames that are kept may take, in bytes. A larger frame is kept alone.
    public static let frameByteLimit = 16 << 20
    /// How many frames are decoded ahead of the one that is shown.
    private static let lookAhead = 3

    /// The time that a frame is shown for: 100 ms where the file says 10 ms or less.
    ///
    /// Old writers mean "as fast as you can" by that, on computers that were slow. Browsers have this rule, for all formats
    /// alike: in GIF, which counts in 10 ms, it concerns what is under 20 ms.
    ///
    /// - Source: Mozilla's FrameTimeout, Blink's DeferredImageDecoder, WebKit's ScalableImageDecoder.
    package static func shownDuration(_ duration: Duration) -> Duration {
        duration <= .milliseconds(10) ? .milliseconds(100) : duration
    }

    /// How long each frame is shown.
    public let durations: [Duration]
    /// How often the animation plays; 0 means for ever.
    public let loopCount: Int
    /// What is kept beside finished frames: the file, and what they are composed on.
    let sourceByteCount: Int
    /// The first frame, which is there anyway.
    private let first: DecodedImage?
    private let makeFrames: @Sendable () throws -> any AnimationFrames

    private struct State {
        var ring: FrameRing
        /// The run that frames come from. `nil` while a thread works with it.
        var frames: (any AnimationFrames)?
        /// Rises whenever all is let go, so that a decode under way brings nothing back.
        var generation = 0
        var isLookingAhead = false
        var hearsOfPressure = false
    }

    private let state: Mutex<State>
    /// Runs one decode at a time.
    private let queue = DispatchQueue(label: "Calotype.ImageAnimation", qos: .userInitiated)

    /// The number of frames.
    public var frameCount: Int { durations.count }

    /// Makes an animation.
    ///
    /// - Parameter frame: Decodes the frame of that index. It may block; it is called by one thread at a time.
    public convenience init(
        durations: [Duration], loopCount: Int, frame: @escaping @Sendable (Int) throws -> DecodedImage
    ) {
        self.init(durations: durations, loopCount: loopCount) { ClosureFrames(frame) }
    }

    /// Makes an animation of a decoder's.
    ///
    /// - Parameters:
    ///   - first: The first frame, if there is no need to make it again. It has no animation itself.
    ///   - sourceByteCount: What is kept beside finished frames.
    ///   - makeFrames: Begins a run. Called when a frame is asked for, perhaps again and again.
    package init(
        durations: [Duration], loopCount: Int, first: DecodedImage? = nil, sourceByteCount: Int = 0,
        makeFrames: @escaping @Sendable () throws -> any AnimationFrames
    ) {
        precondition(!durations.isEmpty, "An animation has at least one frame.")
        self.durations = durations
        self.loopCount = loopCount
        self.first = first
        self.sourceByteCount = sourceByteCount
        self.makeFrames = makeFrames
        state = Mutex(State(ring: FrameRing(frameCount: durations.count, byteLimit: Self.frameByteLimit)))
    }

    /// The same animation with a step applied to each frame, as it is made.
    ///
    /// - Parameter first: The step's result for the first.
    func mapped(
        first: DecodedImage, _ step: @escaping @Sendable (DecodedImage) throws -> DecodedImage
    ) -> ImageAnimation {
        let makeFrames = makeFrames
        return ImageAnimation(
            durations: durations, loopCount: loopCount, first: first, sourceByteCount: sourceByteCount
        ) { MappedFrames(try makeFrames(), step) }
    }

    /// What this takes at most beside the first frame, whose size all others have, in bytes.
    func byteCount(frameByteCount: Int) -> Int {
        let (all, overflow) = frameByteCount.multipliedReportingOverflow(by: frameCount - 1)
        return sourceByteCount + max(frameByteCount, overflow ? Self.frameByteLimit : min(all, Self.frameByteLimit))
    }

    /// Decodes the frame at `index`, composed with what it covers, or gives it if it is at hand.
    ///
    /// It blocks for as long as that takes: a few milliseconds for the next frame of a small animation, much longer where
    /// many frames lie in between. Nothing is decoded ahead.
    ///
    /// - Throws: ``ImageError`` of stage `decoding`.
    public func frame(at index: Int) throws -> DecodedImage {
        if let frame = ready(index) { return frame }
        return try queue.sync { try make(index, DecodeCancellation()) }
    }

    /// Decodes the frame at `index` without blocking the caller, and then those that follow it, a few ahead, so that they
    /// are at hand when they are asked for. For what plays the animation: when it asks no more, nothing is decoded.
    ///
    /// - Throws: ``ImageError`` of stage `decoding`; `CancellationError` if the task is cancelled before the frame is there.
    public func frame(at index: Int) async throws -> DecodedImage {
        let frame: DecodedImage
        if let ready = ready(index) {
            frame = ready
        } else {
            let cancellation = DecodeCancellation()
            frame = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    queue.async { continuation.resume(with: Result { try self.make(index, cancellation) }) }
                }
            } onCancel: {
                cancellation.cancel()
            }
        }
        decodeAhead()
        return frame
    }

    /// The frame that is shown once the animation has played for that time; the last one when it is over.
    ///
    /// - Parameter time: From the beginning, not negative.
    /// - Complexity: In the number of frames.
    public func frameIndex(at time: Duration) -> Int {
        precondition(time >= .zero, "An animation isn't played before its beginning; got \(time).")
        let total = durations.reduce(.zero, +)
        // More rounds than anybody sees don't fit a number.
        let rounds = (time / total).rounded(.down)
        guard total > .zero, rounds < 1e15, loopCount == 0 || time < total * loopCount else { return frameCount - 1 }
        // The quotient is rounded: the rest may be a little less than nothing, or as long as a round.
        var rest = time - total * Int(rounds)
        if rest < .zero { rest += total }
        if rest >= total { rest -= total }
        for (index, duration) in durations.enumerated() {
            if rest < duration { return index }
            rest -= duration
        }
        return frameCount - 1
    }

    /// Returns once nothing is being decoded, what is decoded ahead included.
    package func waitUntilIdle() async {
        repeat {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        } while state.withLock { $0.isLookingAhead }
    }

    /// What is at hand, in frames and bytes, and whether there is something to compose frames on: for tests.
    package var retained: (frameCount: Int, byteCount: Int, hasFrames: Bool) {
        state.withLock { ($0.ring.count, $0.ring.byteCount, $0.frames != nil) }
    }
}

extension ImageAnimation {
    /// The frame, if it is at hand. It counts as the one that is shown.
    private func ready(_ index: Int) -> DecodedImage? {
        precondition(durations.indices.contains(index), "Frame \(index) of \(frameCount) doesn't exist.")
        return state.withLock { state in
            state.ring.wanted = index
            return index == 0 ? first ?? state.ring[0] : state.ring[index]
        }
    }

    /// Makes a frame and keeps it. Called on the queue alone.
    private func make(_ index: Int, _ cancellation: DecodeCancellation) throws -> DecodedImage {
        try cancellation.check()
        let (ready, kept, generation, isFirst) = state.withLock { state in
            defer { state.hearsOfPressure = true }
            let ready = state.ring[index]
            if ready == nil { state.ring.makeRoom(for: first?.byteCount ?? 0) }
            return (ready, ready == nil ? state.frames.take() : nil, state.generation, !state.hearsOfPressure)
        }
        if let ready { return ready }
        if isFirst { MemoryPressureCenter.shared.add(self) }
        let frames = try kept ?? makeFrames()
        let result = Result { try frames.image(at: index, cancellation: cancellation) }
        state.withLock { state in
            guard state.generation == generation else { return }
            if case .success(let frame) = result { state.ring.insert(frame, at: index) }
            // Once all frames are at hand, nothing will be composed any more.
            if state.ring.count < frameCount - (first == nil ? 0 : 1) { state.frames = frames }
        }
        return try result.get()
    }

    /// Decodes the next frame that isn't at hand, unless it is far enough away; and so on.
    ///
    /// - Parameter goesOn: Whether this follows a frame that was decoded ahead. It is one step: in between, it would look as if
    ///   there were no more to come.
    private func decodeAhead(goesOn: Bool = false) {
        let next = state.withLock { state -> Int? in
            if goesOn { state.isLookingAhead = false }
            guard !state.isLookingAhead, let next = missingFrame(state.ring) else { return nil }
            state.isLookingAhead = true
            return next
        }
        guard let next else { return }
        // Nobody is left to show the frame if this has gone by then.
        queue.async { [weak self] in
            guard let self else { return }
            // What is wrong with the frame is reported to whoever asks for it; it is then tried again.
            let isMade = (try? make(next, DecodeCancellation())) != nil
            if isMade { decodeAhead(goesOn: true) } else { state.withLock { $0.isLookingAhead = false } }
        }
    }

    private func missingFrame(_ ring: FrameRing) -> Int? {
        // No more than fit beside one another: what was decoded ahead must not push out what is shown before it.
        let frameByteCount = max(first?.byteCount ?? ring.byteCount / max(ring.count, 1), 1)
        let count = min(Self.lookAhead, max(Self.frameByteLimit / frameByteCount, 1), frameCount - 1)
        for offset in 0..<count {
            let index = (ring.wanted + 1 + offset) % frameCount
            if ring[index] == nil, index != 0 || first == nil { return index }
        }
        return nil
    }
}

extension ImageAnimation: MemoryPressureResponder {
    /// Lets go of the frames that are at hand and of what they are composed on: each is made again when it is wanted.
    func respondToMemoryPressure(_ level: MemoryPressure.Level) {
        // Freed after the lock.
        let gone = state.withLock { state in
            let gone = (state.ring, state.frames)
            state.ring.removeAll()
            state.frames = nil
            state.generation += 1
            return gone
        }
        withExtendedLifetime(gone) {}
    }
}
