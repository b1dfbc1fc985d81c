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
    /// The app has gone to the background, where it lives the longer the less it holds. The same holds for the thread.
    func respondToBackground()
}

extension MemoryPressureResponder {
    /// As to a warning.
    func respondToBackground() { respondToMemoryPressure(.warning) }
}

/// Passes on what the system says to every memory cache of the process, and to whatever else can give memory back.
///
/// - Isolation: Any thread. Responders are told on the source's thread, with no lock held.
/// - Owns: the process's one source, from the first responder on.
final class MemoryPressureCenter: Sendable {
    static let shared = {
        let shared = MemoryPressureCenter { center in MemoryPressureSource { [weak center] in center?.report($0) } }
        AppEventCenter.shared.add(shared)
        return shared
    }()

    private let listeners = Mutex(WeakList<any MemoryPressureResponder>())
    private let source = Mutex<MemoryPressureSource?>(nil)

    /// - Parameter makeSource: Makes the source, which is to call ``report(_:)``.
    init(_ makeSource: (MemoryPressureCenter) -> MemoryPressureSource?) {
        let made = makeSource(self)
        source.withLock { $0 = made }
    }

    var isAvailable: Bool { source.withLock { $0 != nil } }

    /// Tells `responder` from now on, as long as it lives.
    func add(_ responder: any MemoryPressureResponder) {
        listeners.withLock { $0.append(responder) }
    }

    /// Tells all of them.
    func report(_ level: MemoryPressure.Level) {
        // Held while they are told: the last reference may go here, but not under the lock.
        for responder in listeners.withLock({ $0.elements }) { responder.respondToMemoryPressure(level) }
    }

    /// Responders that have been added, and perhaps some that have gone: for tests.
    var listenerCount: Int { listeners.withLock { $0.placeCount } }
}

extension MemoryPressureCenter: AppEventResponder {
    /// Tells all of them that the app has gone to the background.
    func respond(to event: AppEvent) async {
        guard event == .enteredBackground else { return }
        for responder in listeners.withLock({ $0.elements }) { responder.respondToBackground() }
    }
}
