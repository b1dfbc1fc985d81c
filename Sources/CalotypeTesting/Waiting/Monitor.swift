import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// A guarded state, and the tasks that wait until a condition on it holds.
///
/// Conditions are looked at when a wait begins and after each change; nothing polls.
///
/// - Isolation: Any thread. Conditions run under the lock; tasks are resumed outside it.
/// - Owns: one timer task for each wait that has a timeout, until the wait ends.
final class Monitor<State: Sendable>: Sendable {
    private typealias Resume = @Sendable () -> Void

    private struct Waiter: Sendable {
        let id: Int
        /// How far the condition has looked, where the state is a log: a long log isn't searched again each time.
        var cursor = 0
        let check: @Sendable (inout State, inout Int) -> Resume?
        let fail: @Sendable (any Error) -> Void
        let explain: @Sendable (State) -> String
        var timer: Task<Void, Never>?
    }

    private struct Guarded: Sendable {
        var state: State
        var waiters: [Waiter] = []
        var nextID = 0
        var isClosed = false
    }

    private let guarded: Mutex<Guarded>

    init(_ state: State) {
        guarded = Mutex(Guarded(state: state))
    }

    /// Reads or changes the state, then resumes whoever waited for that.
    func withLock<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        var ready: [Resume] = []
        let value = guarded.withLock { guarded in
            let value = body(&guarded.state)
            if !guarded.waiters.isEmpty { ready = Self.takeReady(&guarded) }
            return value
        }
        for resume in ready { resume() }
        return value
    }

    /// In the order in which they began to wait, since a condition may take what another one wants as well.
    private static func takeReady(_ guarded: inout Guarded) -> [Resume] {
        var ready: [Resume] = []
        var remaining: [Waiter] = []
        for var waiter in guarded.waiters {
            if let resume = waiter.check(&guarded.state, &waiter.cursor) {
                waiter.timer?.cancel()
                ready.append(resume)
            } else {
                remaining.append(waiter)
            }
        }
        guarded.waiters = remaining
        return ready
    }

    /// Suspends until `condition` gives a value.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait; `nil` waits for ever.
    ///   - explain: What was awaited and what there is, for the error.
    ///   - condition: Gets the state, which it may change, and a cursor of its own that starts at 0.
    /// - Throws: ``WaitError``, or `CancellationError` if the task is cancelled.
    func wait<Value: Sendable>(
        timeout: Duration?, explain: @escaping @Sendable (State) -> String,
        until condition: @escaping @Sendable (inout State, inout Int) -> Value?
    ) async throws -> Value {
        let id = guarded.withLock { guarded in
            guarded.nextID += 1
            return guarded.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                let waiter = Waiter(
                    id: id,
                    check: { state, cursor in
                        guard let value = condition(&state, &cursor) else { return nil }
                        return { continuation.resume(returning: value) }
                    },
                    fail: { continuation.resume(throwing: $0) },
                    explain: explain)
                register(waiter, timeout: timeout)
            }
        } onCancel: {
            end(id) { _ in CancellationError() }
        }
    }

    private func register(_ waiter: Waiter, timeout: Duration?) {
        let immediate: Resume? = guarded.withLock { guarded in
            // Under the lock: a cancellation that comes later finds the waiter in the list.
            if Task.isCancelled { return { waiter.fail(CancellationError()) } }
            var waiter = waiter
            if let resume = waiter.check(&guarded.state, &waiter.cursor) { return resume }
            if guarded.isClosed {
                let error = WaitError(reason: .stopped, detail: waiter.explain(guarded.state))
                return { [fail = waiter.fail] in fail(error) }
            }
            if let timeout {
                waiter.timer = Task.detached { [id = waiter.id] in
                    guard (try? await Task.sleep(for: timeout)) != nil else { return }
                    self.end(id) { WaitError(reason: .timedOut(timeout), detail: $0) }
                }
            }
            guarded.waiters.append(waiter)
            return nil
        }
        immediate?()
    }

    private func end(_ id: Int, with error: (_ explanation: String) -> any Error) {
        let found = guarded.withLock { guarded -> (Waiter, String)? in
            guard let index = guarded.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            let waiter = guarded.waiters.remove(at: index)
            return (waiter, waiter.explain(guarded.state))
        }
        guard let (waiter, explanation) = found else { return }
        waiter.timer?.cancel()
        waiter.fail(error(explanation))
    }

    /// Fails every wait, and each later one whose condition doesn't hold already.
    func close() {
        let ended = guarded.withLock { guarded in
            guarded.isClosed = true
            let ended = guarded.waiters.map { ($0, $0.explain(guarded.state)) }
            guarded.waiters = []
            return ended
        }
        for (waiter, explanation) in ended {
            waiter.timer?.cancel()
            waiter.fail(WaitError(reason: .stopped, detail: explanation))
        }
    }
}
