import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the caller of one exchange and the session that runs it share.
///
///     send: begin -> waiting for the head -> head given, waiting for nothing <-> waiting for bytes
///     end:  nil -> complete | failed | cancelled          (set once; the first one stays)
///
/// Whoever takes a continuation out of the state resumes it, after the lock is let go: so each is resumed once.
///
/// - Isolation: any thread. What the session reports comes on its delegate queue, one call at a time.
/// - Owns: the bytes that wait for the reader. They are bounded where URLSession can be paused; see `pausesAt`.
final class URLSessionExchange: Sendable {
    enum End {
        case complete
        case failed(HTTPTransportError)
        case cancelled
    }

    typealias HeadWaiter = CheckedContinuation<HTTPResponse, any Error>
    typealias Reader = CheckedContinuation<Data?, any Error>

    fileprivate struct State {
        var task: URLSessionDataTask?
        var headWaiter: HeadWaiter?
        var reader: Reader?
        var head: URLSessionHead?
        var buffer = Data()
        var receivedByteCount: Int64 = 0
        var isPaused = false
        var end: End?
    }

    /// The bytes that wait for the reader when the task is suspended; `nil` if it never is.
    ///
    /// On Linux, to suspend a task is to close its connection, and to resume it is to send the request once more.
    static let pausesAt: Int? = {
        #if canImport(FoundationNetworking)
        nil
        #else
        256 * 1024
        #endif
    }()

    let request: URLRequest
    let priority: TransferPriority
    /// When it fails, whatever comes until then: in nanoseconds, as `DispatchTime` counts them.
    let deadline: UInt64
    private let timeouts: HTTPTimeouts
    /// Keeps the transport, and so its session, for as long as there is an exchange.
    private let transport: URLSessionTransport
    private let state = Mutex(State())

    init(_ request: HTTPRequest, transport: URLSessionTransport) throws(HTTPTransportError) {
        self.request = try URLRequest(checking: request)
        self.priority = request.priority
        self.timeouts = request.timeouts
        self.deadline = DispatchTime.now().uptimeNanoseconds + request.timeouts.total.timeoutNanoseconds
        self.transport = transport
    }

    // MARK: The caller's side

    /// Starts the exchange, unless it has been cancelled already.
    func begin(_ continuation: HeadWaiter) {
        let isCancelled = state.withLock { state in
            if state.end == nil { state.headWaiter = continuation }
            return state.end != nil
        }
        guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
        guard let task = transport.makeTask(for: self) else { return finish(.failed(.shutDown)) }
        task.priority = priority.value.sessionPriority
        // The priority may outlive the exchange, so its handler holds nothing of it.
        priority.onChange { [weak task] in task?.priority = $0.sessionPriority }
        task.resume()
        let hasEnded = state.withLock { state in
            if state.end == nil { state.task = task }
            return state.end != nil
        }
        // Who cancelled in the meantime had no task to cancel.
        if hasEnded { transport.cancel(task) }
    }

    /// Ends the exchange unless it has ended. Who waits is told at once; the connection closes soon after.
    func cancel() {
        state.withLock { state in
            if state.end == nil { state.buffer = Data() }
        }
        finish(.cancelled)
    }

    /// What the reader finds without waiting.
    enum Reading {
        case bytes(Data)
        case ended(Result<Data?, any Error>)
        case nothingYet
    }

    /// Takes the bytes that are there.
    func read() -> Reading {
        let (reading, resumes) = state.withLock { $0.read() }
        if let resumes { transport.resume(resumes) }
        return reading
    }

    /// Resumes the continuation with the next bytes or the end, now or later.
    func read(_ continuation: Reader) {
        let (reading, resumes) = state.withLock { state in
            let result = state.read()
            if case .nothingYet = result.0 { state.reader = continuation }
            return result
        }
        if let resumes { transport.resume(resumes) }
        switch reading {
        case .bytes(let bytes): continuation.resume(returning: bytes)
        case .ended(let result): continuation.resume(with: result)
        case .nothingYet: break
        }
    }

    // MARK: The session's side

    /// Takes the head of a response, which may be an interim one.
    func receive(_ response: URLResponse) {
        let head: URLSessionHead
        do {
            guard let final = try URLSessionHead(response, method: request.httpMethod ?? "GET") else { return }
            head = final
        } catch {
            return finish(.failed(error))
        }
        let waiter = state.withLock { state -> HeadWaiter? in
            guard state.end == nil, state.head == nil else { return nil }
            state.head = head
            return state.headWaiter.take()
        }
        waiter?.resume(
            returning: HTTPResponse(
                status: head.status, fields: head.fields, body: HTTPBody(URLSessionBody(self))))
    }

    /// Takes bytes of the body.
    /// - Returns: Whether the task is to be suspended.
    func receive(_ bytes: Data) -> Bool {
        let (reader, pauses) = state.withLock { state -> (Reader?, Bool) in
            guard state.end == nil, state.head != nil, !bytes.isEmpty else { return (nil, false) }
            state.receivedByteCount += Int64(bytes.count)
            if let reader = state.reader.take() { return (reader, false) }
            if state.buffer.isEmpty { state.buffer = bytes } else { state.buffer.append(bytes) }
            guard let limit = Self.pausesAt, !state.isPaused, state.buffer.count >= limit else { return (nil, false) }
            state.isPaused = true
            return (nil, true)
        }
        reader?.resume(returning: bytes)
        return pauses
    }

    /// Notes how the session's task ended.
    func complete(_ error: (any Error)?) {
        finish(
            state.withLock { state in
                if let error {
                    return .failed(HTTPTransportError(error, head: state.head, received: state.receivedByteCount))
                }
                guard let head = state.head else {
                    return .failed(HTTPTransportError(.connectionLost, detail: "The response has no head."))
                }
                // Not every end that comes too early is an error to URLSession.
                if let expected = head.bodyByteCount, state.receivedByteCount < expected {
                    let received = state.receivedByteCount
                    return .failed(HTTPTransportError(.truncated(received: received, expected: expected)))
                }
                return .complete
            })
    }

    /// Notes that the deadline has come.
    func failLate() { finish(.failed(.exceeded(total: timeouts.total))) }

    /// Ends the exchange, unless it has ended, and tells whoever waits.
    func finish(_ end: End) {
        let (task, headWaiter, reader) = state.withLock { state in
            guard state.end == nil else { return (nil as URLSessionDataTask?, nil as HeadWaiter?, nil as Reader?) }
            state.end = end
            return (state.task.take(), state.headWaiter.take(), state.reader.take())
        }
        // It does nothing to a task that has completed.
        if let task { transport.cancel(task) }
        headWaiter?.resume(throwing: end.failure ?? HTTPTransportError(.connectionLost))
        reader?.resume(with: end.result)
    }
}

extension URLSessionExchange.End {
    fileprivate var failure: (any Error)? {
        switch self {
        case .complete: nil
        case .failed(let error): error
        case .cancelled: CancellationError()
        }
    }

    fileprivate var result: Result<Data?, any Error> {
        failure.map { .failure($0) } ?? .success(nil)
    }
}

extension URLSessionExchange.State {
    /// The next bytes or the end, and the task that was suspended and is to go on.
    fileprivate mutating func read() -> (URLSessionExchange.Reading, resumes: URLSessionDataTask?) {
        guard !buffer.isEmpty else { return (end.map { .ended($0.result) } ?? .nothingYet, nil) }
        let bytes = buffer
        buffer = Data()
        defer { isPaused = false }
        return (.bytes(bytes), isPaused ? task : nil)
    }
}

/// The reader's end of an exchange. Letting go of it before the body has ended closes the exchange.
final class URLSessionBody: HTTPBodySource {
    private let exchange: URLSessionExchange

    init(_ exchange: URLSessionExchange) { self.exchange = exchange }

    deinit { exchange.cancel() }

    func next() async throws -> Data? {
        // A reader that always finds bytes would never wait, and so never see that it was cancelled.
        if Task.isCancelled { exchange.cancel() }
        switch exchange.read() {
        case .bytes(let bytes): return bytes
        case .ended(let result): return try result.get()
        case .nothingYet: break
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { exchange.read($0) }
        } onCancel: {
            exchange.cancel()
        }
    }
}
