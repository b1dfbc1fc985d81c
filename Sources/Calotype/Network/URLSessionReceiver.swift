import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The session's delegate: gives what the session reports to the exchange it is about, and ends those that take too long:
/// a session has one limit for all of its tasks.
///
/// - Isolation: any thread; the session calls it on its delegate queue, one call at a time.
/// - Owns: the exchanges whose tasks haven't completed, and one timer for all of them.
final class URLSessionReceiver: NSObject, URLSessionDataDelegate {
    private struct State {
        var exchanges: [Int: URLSessionExchange] = [:]
        /// No exchange is late before then, when the timer fires. Ends move deadlines away without touching this.
        var earliestDeadline = UInt64.max
        var isClosed = false
        var isInvalid = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// `nonisolated(unsafe)`: sources are safe on any thread, though Dispatch on Linux doesn't say so. Set once, here; set to
    /// a time under the lock, so that a later one doesn't take the place of an earlier one.
    private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))

    override init() {
        super.init()
        timer.setEventHandler { [weak self] in self?.failLate() }
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Makes a task that reports to `exchange`; `nil` after ``close(_:)``.
    func register(_ exchange: URLSessionExchange, makeTask: () -> URLSessionDataTask) -> URLSessionDataTask? {
        // Made under the lock: to ask an invalidated session for a task is a fatal error. No callback comes from it.
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let task = makeTask()
            state.exchanges[task.taskIdentifier] = exchange
            if exchange.deadline < state.earliestDeadline { setTimer(to: exchange.deadline, &state) }
            return task
        }
    }

    private func setTimer(to deadline: UInt64, _ state: inout State) {
        state.earliestDeadline = deadline
        if deadline < .max { timer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline)) }
    }

    private func failLate() {
        let now = DispatchTime.now().uptimeNanoseconds
        let late = state.withLock { state in
            let late = state.exchanges.values.filter { $0.deadline <= now }
            setTimer(to: state.exchanges.values.lazy.map(\.deadline).filter { $0 > now }.min() ?? .max, &state)
            return late
        }
        for exchange in late { exchange.failLate() }
    }

    /// Fails what runs and refuses what comes.
    /// - Parameter continuation: Resumed when the session has become invalid.
    /// - Returns: Whether the session is to be invalidated: once.
    func close(_ continuation: CheckedContinuation<Void, Never>?) -> Bool {
        let (isFirst, isInvalid, exchanges) = state.withLock { state in
            defer { state.isClosed = true }
            if let continuation, !state.isInvalid { state.waiters.append(continuation) }
            return (!state.isClosed, state.isInvalid, Array(state.exchanges.values))
        }
        if isInvalid { continuation?.resume() }
        for exchange in exchanges { exchange.finish(.failed(.shutDown)) }
        return isFirst
    }

    /// Reports nothing more of that task. So an exchange that nobody wants lets go of the transport at once, whether or
    /// not the session says that the task has completed.
    func forget(_ task: URLSessionTask) {
        // Let go of after the lock: it may be the last reference to the transport, which closes the receiver.
        let exchange = state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
        withExtendedLifetime(exchange) {}
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        state.withLock { $0.exchanges[task.taskIdentifier] }
    }

    // MARK: What the session calls

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if exchange(of: dataTask)?.receive(data) == true { dataTask.suspend() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
        exchange?.complete(error)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        let waiters = state.withLock { state in
            state.isInvalid = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
