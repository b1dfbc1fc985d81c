import Foundation
import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// Something that happens once. Tasks and threads may wait for it; it may happen before they do.
final class TestEvent: Sendable {
    private struct State {
        var hasFired = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let semaphore = DispatchSemaphore(value: 0)

    func fire() {
        let waiters = state.withLock { state in
            state.hasFired = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        semaphore.signal()
    }

    var hasFired: Bool { state.withLock { $0.hasFired } }

    /// Waits without blocking a thread.
    func wait() async {
        await withCheckedContinuation { continuation in
            let hasFired = state.withLock { state in
                if !state.hasFired { state.waiters.append(continuation) }
                return state.hasFired
            }
            if hasFired { continuation.resume() }
        }
    }

    /// Blocks the thread: for the server's side of a script.
    func waitBlocking() {
        semaphore.wait()
        semaphore.signal()
    }
}
