import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The session's delegate: gives what the session reports to the exchange it is about.
///
/// - Isolation: any thread; the session calls it on its delegate queue, one call at a time.
/// - Owns: the exchanges whose tasks haven't completed.
final class URLSessionReceiver: NSObject, URLSessionDataDelegate {
    private struct State {
        var exchanges: [Int: URLSessionExchange] = [:]
        var isClosed = false
        var isInvalid = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Makes a task that reports to `exchange`; `nil` after ``close(_:)``.
    func register(_ exchange: URLSessionExchange, makeTask: () -> URLSessionDataTask) -> URLSessionDataTask? {
        // Made under the lock: to ask an invalidated session for a task is a fatal error. No callback comes from it.
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let task = makeTask()
            state.exchanges[task.taskIdentifier] = exchange
            return task
        }
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
