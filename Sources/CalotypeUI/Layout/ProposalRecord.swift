import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// Where a layout notes how it placed an image.
///
/// - Isolation: Layouts may be asked on any thread: a lock guards it.
final class ProposalRecord: Sendable {
    private struct State {
        var placement: ImagePlacement?
        /// Whether there has been a placement since the view was last away.
        var isPlaced = false
        var observer: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The last placement; `nil` before the first.
    var placement: ImagePlacement? { state.withLock { $0.placement } }

    /// Whether the view has been laid out since it was last away.
    var isPlaced: Bool { state.withLock { $0.isPlaced } }

    /// Is told of each placement that differs from the one before, and of the first since the view was away; on the
    /// layout's thread. Must not block.
    func observe(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// The view is away. Its next placement is told, though it be the same.
    func leave() {
        state.withLock { $0.isPlaced = false }
    }

    func note(_ placement: ImagePlacement) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.placement != placement || !state.isPlaced else { return nil }
            state.placement = placement
            state.isPlaced = true
            return state.observer
        }
        observer?()
    }
}
