import Synchronization

/// A value that arrives once, and those who wait for it.
///
/// - Isolation: Any thread. Nobody is resumed with the lock held.
struct Promise<Value: Sendable>: ~Copyable, Sendable {
    struct State {
        var outcome: Result<Value, any Error>?
        var awaiting: [CheckedContinuation<Value, any Error>] = []
    }

    private let state = Mutex(State())

    /// What has arrived, if anything has.
    var outcome: Result<Value, any Error>? { state.withLock { $0.outcome } }

    /// Takes the value, unless there is one.
    ///
    /// - Returns: Whether it was the first.
    @discardableResult
    borrowing func fulfil(_ outcome: Result<Value, any Error>) -> Bool {
        let awaiting = state.withLock { state -> [CheckedContinuation<Value, any Error>]? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.awaiting = [] }
            return state.awaiting
        }
        guard let awaiting else { return false }
        for continuation in awaiting { continuation.resume(with: outcome) }
        return true
    }

    /// Adds somebody who waits.
    borrowing func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let outcome = state.withLock { state -> Result<Value, any Error>? in
            if state.outcome == nil { state.awaiting.append(continuation) }
            return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
    }
}
