import Calotype
import Foundation

/// Plays an animated image in a platform's view: looks for the next frame when it is due. Between frames nothing runs.
///
/// It stands still, and nothing is decoded, while the view is out of its window or out of sight, and when the user wants less
/// motion.
///
/// - Isolation: main actor.
/// - Ownership: What is under way ends with it.
@MainActor
final class ViewPlayback<Display: ImageDisplaying> {
    /// How often a view is looked at that is in a window and can't be seen: nobody says when it comes into sight.
    private static var sightInterval: Duration { .milliseconds(250) }

    private let display: Display
    private let player = AnimationPlayer()
    private var playing: ImageAnimation?
    private var clock: any ImageClock = SystemClock()
    private var ticking: Task<Void, Never>?

    init(_ display: Display) { self.display = display }

    deinit { ticking?.cancel() }

    /// Is called once another frame is there, or none will be any more.
    var onChange: @MainActor () -> Void {
        get { player.onChange }
        set { player.onChange = newValue }
    }

    /// The frame that is shown; `nil` for the first one, which is the image's own.
    func frame(of animation: ImageAnimation) -> DecodedImage? { player.frame(of: animation) }

    /// Plays an animation, or goes on with it if it is played already.
    func play(_ animation: ImageAnimation, by clock: any ImageClock) {
        if playing !== animation {
            stop()
            playing = animation
            self.clock = clock
        }
        resume()
    }

    /// Goes on where it was, if anything is played and may be.
    func resume() {
        guard ticking == nil, isPlayable else { return }
        ticking = Task { [weak self, clock] in
            while !Task.isCancelled, let pause = self?.tick() {
                guard (try? await clock.sleep(for: pause)) != nil else { return }
            }
        }
    }

    /// Stands still.
    func pause() {
        ticking?.cancel()
        ticking = nil
        player.pause()
    }

    /// Lets go of everything: what is played next begins with its first frame.
    func stop() {
        guard playing != nil else { return }
        playing = nil
        pause()
        player.stop()
    }

    private var isPlayable: Bool {
        guard let playing else { return false }
        return display.isInWindow && display.allowsMotion && !player.isOver(playing)
    }

    /// - Returns: How long until it is to be looked again; `nil` when there is nothing to look for.
    private func tick() -> Duration? {
        guard let playing, isPlayable else {
            pause()
            return nil
        }
        guard display.isInSight else {
            player.pause()
            return Self.sightInterval
        }
        player.advance(playing, to: clock.now())
        guard !player.isOver(playing) else {
            pause()
            return nil
        }
        // Dates are rounded, so that a frame may seem to be due in no time.
        return max(player.timeToNextFrame(of: playing), .milliseconds(1))
    }
}
