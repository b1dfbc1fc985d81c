import Synchronization

/// The system's word that memory runs short, and who hears of it.
///
/// Caches hear of it by themselves: see ``MemoryCache/respondToMemoryPressure(_:)``.
public enum MemoryPressure {
    /// How short memory is.
    public enum Level: Sendable, Hashable, CaseIterable, Comparable {
        /// It begins to run short: what is easily made again should go.
        case warning
        /// Processes are about to be ended: all that can go should go.
        case critical
    }

    /// Whether the system says so here.
    ///
    /// On Linux that takes pressure stall information (a kernel built with PSI, 6.5 or later unless the process is
    /// privileged), and no rule that forbids it, as containers may have. Without it caches keep to their limits, and
    /// nothing else happens.
    public static var isAvailable: Bool { MemoryPressureCenter.shared.isAvailable }
}

/// What gives memory back when the system runs short of it.
protocol MemoryPressureResponder: AnyObject, Sendable {
    /// Called on a thread that waits for nothing else, with no lock held.
    func respondToMemoryPressure(_ level: MemoryPressure.Level)
}

/// Passes on what the system says to every memory cache of the process, and to whatever else can give memory back.
///
/// - Isolation: Any thread. Responders are told on the source's thread, with no lock held.
/// - Owns: the process's one source, from the first responder on.
final class MemoryPressureCenter: Sendable {
    static let shared = MemoryPressureCenter { center in MemoryPressureSource { [weak center] in center?.report($0) } }

    private struct Listener {
        weak var responder: (any MemoryPressureResponder)?
    }

    private struct State {
        var listeners: [Listener] = []
        /// Listeners are looked through for those that have gone when there are this many.
        var sweepCount = 16
    }

    private let state = Mutex(State())
    private let source = Mutex<MemoryPressureSource?>(nil)

    /// - Parameter makeSource: Makes the source, which is to call ``report(_:)``.
    init(_ makeSource: (MemoryPressureCenter) -> MemoryPressureSource?) {
        let made = makeSource(self)
        source.withLock { $0 = made }
    }

    var isAvailable: Bool { source.withLock { $0 != nil } }

    /// Tells `responder` from now on, as long as it lives.
    func add(_ responder: any MemoryPressureResponder) {
        state.withLock { state in
            if state.listeners.count >= state.sweepCount {
                state.listeners.removeAll { $0.responder == nil }
                state.sweepCount = max(16, 2 * state.listeners.count)
            }
            state.listeners.append(Listener(responder: responder))
        }
    }

    /// Tells all of them.
    func report(_ level: MemoryPressure.Level) {
        // Held while they are told: the last reference may go here, but not under the lock.
        let responders = state.withLock { $0.listeners.compactMap(\.responder) }
        for responder in responders { responder.respondToMemoryPressure(level) }
    }

    /// Responders that have been added, and perhaps some that have gone: for tests.
    var listenerCount: Int { state.withLock { $0.listeners.count } }
}
