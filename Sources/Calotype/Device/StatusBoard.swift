import Synchronization

/// Somebody's interest in a ``NetworkMonitor`` or a ``PowerMonitor``: it ends when this is let go.
///
/// - Isolation: Any thread. What ends it is called on the thread that lets go of it last.
/// - Ownership: Whoever observes keeps it; a monitor doesn't.
public final class StatusObservation: Sendable {
    private let onEnd: @Sendable () -> Void

    /// Makes an observation that ends with a call of `onEnd`.
    public init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
}

/// A status and those who observe it: what every monitor has inside.
///
/// - Isolation: Any thread may read and observe. `set` is called by one thread at a time: so the calls are in order.
package final class StatusBoard<Status: Sendable & Equatable>: Sendable {
    private struct State {
        var status: Status
        var nextID = 0
        var handlers: [Int: @Sendable (Status, Status) -> Void] = [:]
    }

    private let state: Mutex<State>

    package init(_ status: Status) {
        state = Mutex(State(status: status))
    }

    package var status: Status { state.withLock { $0.status } }

    package var observerCount: Int { state.withLock { $0.handlers.count } }

    /// Tells everybody of a change.
    package func set(_ status: Status) {
        let (previous, handlers) = state.withLock { state in
            defer { state.status = status }
            return (state.status, state.handlers)
        }
        guard previous != status else { return }
        for handler in handlers.values { handler(previous, status) }
    }

    package func observe(
        _ handler: @escaping @Sendable (_ previous: Status, _ current: Status) -> Void
    ) -> StatusObservation {
        let id = state.withLock { state in
            state.nextID += 1
            state.handlers[state.nextID] = handler
            return state.nextID
        }
        return StatusObservation { [weak self] in
            // Let go of after the lock: it may hold the last reference to anything.
            let handler = self?.state.withLock { $0.handlers.removeValue(forKey: id) }
            withExtendedLifetime(handler) {}
        }
    }
}
