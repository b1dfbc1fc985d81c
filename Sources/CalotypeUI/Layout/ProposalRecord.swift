import Synchronization

/// Where a layout notes how it placed an image.
///
/// - Isolation: Layouts may be asked on any thread: a lock guards it.
final class ProposalRecord: Sendable {
    private struct State {
        var placement: ImagePlacement?
        var observer: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The last placement; `nil` before the first.
    var placement: ImagePlacement? { state.withLock { $0.placement } }

    /// Is told of each placement that differs from the one before, on the layout's thread. Must not block.
    func observe(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    func note(_ placement: ImagePlacement) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.placement != placement else { return nil }
            state.placement = placement
            return state.observer
        }
        observer?()
    }
}
