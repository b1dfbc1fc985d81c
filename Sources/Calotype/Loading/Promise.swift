import Synchronization

/// A value that arrives once, and those who wait for it.
///
/// - Isolation: Any thread. Nobody is resumed with the lock held.
struct Promise<Value: Sendable>: ~Copyable, Sendable {
    /// Unchecked, since each is resumed once: by whoever has taken it out of the state, or has not put it in.
    ///
    /// It brings nothing, and the value is read from the state: what passes through the functions that wait is copied by
    /// each, and their frames are larger by it.
    typealias Awaiting = UnsafeContinuation<Void, Never>

    struct State {
        var outcome: Result<Value, any Error>?
        var awaiting = ShortList<Awaiting>()
    }

    private let state = Mutex(State())

    /// What has arrived, if anything has.
    var outcome: Result<Value, any Error>? { state.withLock { $0.outcome } }

    /// Takes the value, unless there is one.
    ///
    /// - Returns: `nil` if it was the first; else the value, of which nothing has been copied.
    @discardableResult
    borrowing func fulfil(_ outcome: consuming Result<Value, any Error>) -> Result<Value, any Error>? {
        var outcome = Optional(consume outcome)
        let awaiting = state.withLock { state -> ShortList<Awaiting>? in
            guard state.outcome == nil else { return nil }
            swap(&state.outcome, &outcome)
            return state.awaiting.takeAll()
        }
        guard let awaiting else { return outcome }
        for continuation in awaiting { continuation.resume() }
        return nil
    }

    /// Waits for the value.
    ///
    /// - Parameter onCancel: Called if the waiting task is cancelled. It should fulfil the promise.
    borrowing func value(onCancel: @Sendable () -> Void) async -> Result<Value, any Error> {
        if let outcome { return outcome }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { add($0) }
        } onCancel: {
            onCancel()
        }
        guard let outcome else { preconditionFailure("Whoever waits goes on once there is an outcome.") }
        return outcome
    }

    private borrowing func add(_ continuation: Awaiting) {
        let isThere = state.withLock { state in
            if state.outcome == nil { state.awaiting.append(continuation) }
            return state.outcome != nil
        }
        if isThere { continuation.resume() }
    }
}
