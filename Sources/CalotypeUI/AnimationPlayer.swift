import Calotype
import Foundation
import Observation
import SwiftUI

/// Which frame of an animation is shown, and when it is the next one's turn.
///
/// - Isolation: main actor. Frames are decoded on the animation's own queue, one at a time.
@MainActor @Observable
final class AnimationPlayer {
    /// The frame that is shown; the first one is the image's own.
    private struct Shown {
        let animation: ImageAnimation
        let index: Int
        let frame: DecodedImage
    }

    private var shown: Shown?
    /// The animation that has played to its end, or whose frames can't be had.
    private var ended: ImageAnimation?
    /// Whether the view is there. One that isn't told otherwise is.
    var isPresent = true
    /// Whether the scroll view around shows any of it.
    var isInSight = true
    /// Whether the scene's phase is known to mean anything: outside SwiftUI's own life cycle it never becomes active.
    private var hasBeenActive = false

    @ObservationIgnored private var playing: ImageAnimation?
    /// How long it has played.
    @ObservationIgnored private var position = Duration.zero
    /// The timeline's date at that position; `nil` after a pause.
    @ObservationIgnored private var latestDate: Date?
    @ObservationIgnored private var decoding: Task<Void, Never>?
    /// Is called once another frame is there, or none will be any more. For views that are told, rather than evaluated.
    @ObservationIgnored var onChange: @MainActor () -> Void = {}

    nonisolated init() {}

    deinit { decoding?.cancel() }

    // MARK: For the body

    func frame(of animation: ImageAnimation) -> DecodedImage? {
        shown.flatMap { $0.animation === animation ? $0.frame : nil }
    }

    /// Whether it is in view, and not over.
    func wantsToPlay(_ animation: ImageAnimation, in phase: ScenePhase) -> Bool {
        isPresent && isInSight && (phase == .active || !hasBeenActive) && ended !== animation
    }

    /// Whether it has played to its end, or its frames can't be had.
    func isOver(_ animation: ImageAnimation) -> Bool { ended === animation }

    /// How long the frame whose turn it is has still to go; nothing before ``advance(_:to:)``.
    func timeToNextFrame(of animation: ImageAnimation) -> Duration {
        let total = animation.durations.reduce(.zero, +)
        guard playing === animation, total > .zero else { return .zero }
        var rest = position - total * Int((position / total).rounded(.down))
        for duration in animation.durations {
            if rest < duration { return duration - rest }
            rest -= duration
        }
        return .zero
    }

    // MARK: For the timeline

    func note(_ phase: ScenePhase) {
        if phase == .active, !hasBeenActive { hasBeenActive = true }
    }

    /// Shows the frame whose turn it is.
    func advance(_ animation: ImageAnimation, to date: Date) {
        if playing !== animation { begin(animation) }
        if let latestDate, date > latestDate { position += .seconds(date.timeIntervalSince(latestDate)) }
        latestDate = date
        let index = animation.frameIndex(at: position)
        if index == shown?.index ?? 0 {
            endIfOver(animation)
        } else if decoding == nil {
            decode(index, of: animation)
        }
    }

    /// Stands still. What is being decoded isn't waited for.
    func pause() {
        decoding?.cancel()
        decoding = nil
        latestDate = nil
    }

    /// Lets go of everything: whoever comes back begins with the first frame.
    func stop() {
        pause()
        playing = nil
        position = .zero
        shown = nil
        ended = nil
        isPresent = false
        isInSight = true
    }

    private func begin(_ animation: ImageAnimation) {
        pause()
        playing = animation
        position = .zero
        if shown != nil { shown = nil }
        if ended != nil { ended = nil }
    }

    private func decode(_ index: Int, of animation: ImageAnimation) {
        decoding = Task { [weak self] in
            let frame: DecodedImage?
            do {
                frame = try await animation.frame(at: index)
            } catch {
                frame = nil
            }
            // Whoever cancelled this has forgotten it.
            guard let self, !Task.isCancelled else { return }
            decoding = nil
            guard let frame else {
                // Those after it are most likely composed on it: what is shown stays.
                ended = animation
                return onChange()
            }
            shown = Shown(animation: animation, index: index, frame: frame)
            endIfOver(animation)
            onChange()
        }
    }

    private func endIfOver(_ animation: ImageAnimation) {
        guard animation.loopCount > 0, ended !== animation else { return }
        let total = animation.durations.reduce(.zero, +) * animation.loopCount
        guard position >= total else { return }
        // It rests on its last frame, though another was being decoded when its time was over.
        let last = animation.frameIndex(at: position)
        if last == shown?.index ?? 0 { ended = animation } else { decode(last, of: animation) }
    }
}
