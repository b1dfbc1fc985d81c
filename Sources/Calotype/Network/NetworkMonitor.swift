import Synchronization

/// What can be said of the network without sending anything.
public struct NetworkStatus: Sendable, Hashable {
    /// Whether there is a way out at all. It says nothing of any server.
    public var isAvailable: Bool
    /// Whether the user has asked to spare the network: Low Data Mode.
    public var isConstrained: Bool
    /// Whether it may cost the user: cellular, a personal hotspot.
    public var isExpensive: Bool

    /// Makes a status; a network that is there and free to use unless told otherwise.
    public init(isAvailable: Bool = true, isConstrained: Bool = false, isExpensive: Bool = false) {
        self.isAvailable = isAvailable
        self.isConstrained = isConstrained
        self.isExpensive = isExpensive
    }
}

/// Watches the network.
///
/// - Isolation: Any thread. Nothing here waits.
public protocol NetworkMonitor: Sendable {
    /// The network now. The first call may be what starts the watching.
    var status: NetworkStatus { get }

    /// Calls `handler` after each change, one call at a time and in their order, on any thread, until the observation is
    /// let go.
    func observe(_ handler: @escaping @Sendable (_ previous: NetworkStatus, _ current: NetworkStatus) -> Void)
        -> StatusObservation
}

/// Somebody's interest in a ``NetworkMonitor`` or a ``PowerMonitor``: it ends when this is let go.
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
