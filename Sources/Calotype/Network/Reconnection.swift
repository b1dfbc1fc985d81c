import Foundation
import Synchronization

/// A moment in the life of a pipeline's network: see ``Reconnection``.
package struct ReconnectionMoment: Hashable, Sendable, Comparable {
    fileprivate let number: UInt64

    package static func < (lhs: ReconnectionMoment, rhs: ReconnectionMoment) -> Bool { lhs.number < rhs.number }
}

/// Tells those who failed for want of a connection that it may be back.
///
/// It may be back when the monitor says that the network has become available or may be used more freely, or when a load
/// from the same origin has got an answer after a failure. By origin, so that a dead host isn't tried again with each
/// success of another. A load that keeps off the only network there is (``ImageError/Reason/networkRestricted``) waits for
/// the monitor alone: that others, who don't keep off it, get answers changes nothing.
///
///     moment taken -> load begins -> load fails -> wait(for:since: moment) -> load again, with a new moment
///
/// Whoever waits names a moment from before its failure. What has happened since then ends the wait at once, so nothing
/// that comes between the failure and the wait is lost; at worst a load is tried once too often. Only the network's return
/// before the very first failure of a pipeline isn't seen: until then the monitor isn't listened to.
///
/// - Isolation: Any thread. Nobody is called or resumed with the lock held.
/// - Memory: A few bytes for each origin that has failed and not recovered, up to a limit.
final class Reconnection: Sendable {
    fileprivate struct Waiter {
        let origin: String?
        let continuation: CheckedContinuation<Void, any Error>
    }

    fileprivate struct State {
        var moment: UInt64 = 0
        /// When the network became available last, or free to use.
        var lastAvailability: UInt64 = 0
        /// URLs whose last load has kept off the network, since then.
        var restricted: Set<URL> = []
        /// Origins that failed and haven't answered since.
        var troubled: Set<String> = []
        /// When the others answered first after a failure.
        var recoveries: [String: UInt64] = [:]
        /// Recoveries up to this one aren't known singly any more: whoever asks about an earlier time is told to try.
        var floor: UInt64 = 0
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
        var observation: StatusObservation?
    }

    /// More origins than this are hardly in trouble at once, and the lists stay small.
    private static let capacity = 1_024

    private let monitor: any NetworkMonitor
    private let state = Mutex(State())
    /// Whether any origin is in trouble: all that a success has to ask.
    private let hasTrouble = Atomic(false)

    init(_ monitor: any NetworkMonitor) {
        self.monitor = monitor
    }

    /// The moment now.
    var moment: ReconnectionMoment { state.withLock { ReconnectionMoment(number: $0.moment) } }

    /// How many wait: for tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// The monitor's word.
    var status: NetworkStatus { monitor.status }

    /// Notes that a load from a URL had no connection, or lost it.
    ///
    /// - Returns: The moment of the failure.
    func noteFailure(at url: URL) -> ReconnectionMoment {
        listen()
        return state.withLock { state in
            state.restricted.remove(url)
            addTrouble(url.origin, &state)
            return ReconnectionMoment(number: state.moment)
        }
    }

    /// Notes that a load from a URL keeps off the network as it is.
    func noteRestriction(at url: URL) {
        listen()
        state.withLock { state in
            if state.restricted.count >= Self.capacity { state.restricted = [] }
            state.restricted.insert(url)
        }
    }

    /// Notes that a load from a URL got an answer. An atomic load unless something is in trouble.
    func noteSuccess(at url: URL) {
        guard hasTrouble.load(ordering: .relaxed) else { return }
        noteRecovery(of: url.origin)
    }

    @inline(never)
    private func noteRecovery(of origin: String) {
        resume { state in
            guard state.troubled.remove(origin) != nil else { return [] }
            hasTrouble.store(!state.troubled.isEmpty, ordering: .relaxed)
            state.moment += 1
            if state.recoveries.count >= Self.capacity {
                state.floor = state.moment
                state.recoveries = [:]
            }
            state.recoveries[origin] = state.moment
            return state.waiters.filter { $0.value.origin == origin }.map(\.key)
        }
    }

    private func addTrouble(_ origin: String, _ state: inout State) {
        if state.troubled.count >= Self.capacity {
            // Who waits keeps its place; the others only hear of a recovery later, from the monitor.
            state.troubled = Set(state.waiters.values.compactMap(\.origin))
        }
        state.troubled.insert(origin)
        hasTrouble.store(true, ordering: .relaxed)
    }

    // MARK: Waiting

    /// Returns once the connection to a URL may be back: at once if that has happened since `moment`.
    ///
    /// - Parameter url: `nil` waits for the monitor alone, and so does one whose load has kept off the network.
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait(for url: URL?, since moment: ReconnectionMoment) async throws {
        listen()
        let (id, isRestricted) = state.withLock { state in
            state.nextID += 1
            return (state.nextID, url.map(state.restricted.contains) ?? false)
        }
        let origin = isRestricted ? nil : url?.origin
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    // Under the lock: a cancellation that comes later finds the waiter.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.hasRecovered(origin, since: moment.number) { return .success(()) }
                    if let origin { addTrouble(origin, &state) }
                    state.waiters[id] = Waiter(origin: origin, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Sleeps, no longer than until the connection may be back.
    func sleep(
        for duration: Duration, on clock: any ImageClock, for url: URL, since moment: ReconnectionMoment
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(for: duration) }
            group.addTask { [self] in try await wait(for: url, since: moment) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Begins to listen to the monitor, if that hasn't begun.
    func listen() {
        guard state.withLock({ $0.observation == nil }) else { return }
        let observation = monitor.observe { [weak self] previous, current in
            if current.allowsMore(than: previous) { self?.noteAvailability() }
        }
        // Two at once: the second one's observation ends here, after the lock.
        let surplus = state.withLock { state -> StatusObservation? in
            guard state.observation == nil else { return observation }
            state.observation = observation
            return nil
        }
        withExtendedLifetime(surplus) {}
    }

    private func noteAvailability() {
        resume { state in
            state.moment += 1
            state.lastAvailability = state.moment
            state.restricted = []
            return Array(state.waiters.keys)
        }
    }

    /// Lets those go on whom `choose` names.
    private func resume(_ choose: (inout State) -> [Int]) {
        let waiters = state.withLock { state in
            choose(&state).compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in waiters { waiter.continuation.resume() }
    }
}

extension Reconnection.State {
    fileprivate func hasRecovered(_ origin: String?, since moment: UInt64) -> Bool {
        if lastAvailability > moment { return true }
        guard let origin else { return false }
        return (recoveries[origin] ?? floor) > moment
    }
}

extension NetworkStatus {
    /// Whether a load may go well now that couldn't before.
    fileprivate func allowsMore(than previous: NetworkStatus) -> Bool {
        guard isAvailable else { return false }
        return !previous.isAvailable || !isConstrained && previous.isConstrained || !isExpensive && previous.isExpensive
    }
}

extension URL {
    /// Scheme, host and port.
    ///
    /// - Source: RFC 6454 section 4.
    var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host()?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }
}
