#if os(Linux)
import Foundation
import Synchronization

/// What the caller of one exchange and the thread that runs it share.
///
///     send: begin -> waiting for the head -> head given, waiting for nothing <-> waiting for bytes
///     end:  nil -> complete | failed | cancelled          (set once; the first one stays)
///
/// Whoever takes a continuation out of the state resumes it, after the lock is let go: so each is resumed once.
///
/// - Isolation: any thread. `receive` and `publish` are called by the transport's thread.
/// - Owns: the bytes that wait for the reader, at most a bounded amount.
final class CurlTransfer: Sendable {
    enum End {
        case complete
        case failed(HTTPTransportError)
        case cancelled
    }

    typealias HeadWaiter = CheckedContinuation<HTTPResponse, any Error>
    typealias Reader = CheckedContinuation<Data?, any Error>

    fileprivate struct State {
        var headWaiter: HeadWaiter?
        var reader: Reader?
        var buffer = Data()
        var end: End?
        var isPaused = false
    }

    let request: CurlRequest
    /// Keeps the transport, and so its thread, for as long as there is an exchange.
    let transport: CurlTransport
    private let state = Mutex(State())

    init(_ request: CurlRequest, transport: CurlTransport) {
        self.request = request
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
        // The priority may outlive the exchange, so its handler holds neither the transfer nor the transport.
        let (id, mailbox) = (ObjectIdentifier(self), transport.mailbox)
        request.priority.onChange { _ in mailbox.post(.reprioritize(id)) }
        if !transport.mailbox.post(.start(self)) { publish(nil, end: .failed(.shutDown)) }
    }

    /// Ends the exchange unless it has ended. Who waits is told at once; the connection closes soon after.
    func cancel() {
        let (isFirst, headWaiter, reader) = state.withLock { state in
            guard state.end == nil else { return (false, nil as HeadWaiter?, nil as Reader?) }
            state.end = .cancelled
            state.buffer = Data()
            return (true, state.headWaiter.take(), state.reader.take())
        }
        guard isFirst else { return }
        transport.mailbox.post(.cancel(self))
        headWaiter?.resume(throwing: CancellationError())
        reader?.resume(throwing: CancellationError())
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
        if resumes { transport.mailbox.post(.resume(self)) }
        return reading
    }

    /// Resumes the continuation with the next bytes or the end, now or later.
    func read(_ continuation: Reader) {
        let (reading, resumes) = state.withLock { state in
            let result = state.read()
            if case .nothingYet = result.0 { state.reader = continuation }
            return result
        }
        if resumes { transport.mailbox.post(.resume(self)) }
        switch reading {
        case .bytes(let bytes): continuation.resume(returning: bytes)
        case .ended(let result): continuation.resume(with: result)
        case .nothingYet: break
        }
    }

    // MARK: The side of the transport's thread

    enum Receipt {
        case taken
        /// Too much waits for the reader. The bytes were not taken and are to be offered again.
        case paused
        /// Nobody wants them.
        case refused
    }

    /// Takes bytes of the body. The reader hears of them by ``publish(_:end:)``.
    /// - Parameter expected: How many bytes the rest of the body has, these included, as far as that is known.
    func receive(_ bytes: UnsafeRawBufferPointer, expected: Int?, limit: Int) -> Receipt {
        state.withLock { state in
            guard state.end == nil else { return .refused }
            guard state.buffer.count < limit else {
                state.isPaused = true
                return .paused
            }
            if state.buffer.isEmpty {
                // One allocation for a small body; a piece of a long one grows as it comes.
                let capacity = expected.flatMap { $0 <= limit ? $0 : nil } ?? bytes.count
                state.buffer = Data(capacity: max(capacity, bytes.count))
            }
            state.buffer.append(contentsOf: bytes)
            return .taken
        }
    }

    /// Tells whoever waits what has come since the last time.
    /// - Parameters:
    ///   - head: The response without its body; given once.
    ///   - end: Set once no more bytes come.
    func publish(_ head: HTTPResponse?, end: End?) {
        let notice = state.withLock { state -> Notice in
            if let end, state.end == nil { state.end = end }
            if head != nil || state.isFailed, let waiter = state.headWaiter.take() {
                guard let head else { return .head(waiter, .failure(state.failure)) }
                guard case .complete = state.end else {
                    return .head(waiter, .success((head, nil)))
                }
                defer { state.buffer = Data() }
                return .head(waiter, .success((head, state.buffer)))
            }
            guard state.reader != nil else { return .none }
            let (reading, resumes) = state.read()
            switch reading {
            case .bytes(let bytes): return .body(state.reader.take(), .success(bytes), resumes: resumes)
            case .ended(let result): return .body(state.reader.take(), result, resumes: resumes)
            case .nothingYet: return .none
            }
        }
        switch notice {
        case .none: break
        case .body(let reader, let result, let resumes):
            // The turn that filled the buffer may also be the one that empties it.
            if resumes { transport.mailbox.post(.resume(self)) }
            reader?.resume(with: result)
        case .head(let waiter, .failure(let error)): waiter.resume(throwing: error)
        case .head(let waiter, .success((var response, let whole))):
            response.body = whole.map { HTTPBody($0) } ?? HTTPBody(CurlBody(self))
            waiter.resume(returning: response)
        }
    }

    private enum Notice {
        case none
        case head(HeadWaiter, Result<(HTTPResponse, Data?), any Error>)
        case body(Reader?, Result<Data?, any Error>, resumes: Bool)
    }
}

extension CurlTransfer.State {
    fileprivate var isFailed: Bool {
        switch end {
        case .failed, .cancelled: true
        case .complete, nil: false
        }
    }

    fileprivate var failure: any Error {
        if case .failed(let error) = end { error } else { CancellationError() }
    }

    /// The next bytes or the end, and whether the transfer had paused and is to go on.
    fileprivate mutating func read() -> (CurlTransfer.Reading, resumes: Bool) {
        if !buffer.isEmpty {
            let bytes = buffer
            buffer = Data()
            defer { isPaused = false }
            return (.bytes(bytes), isPaused)
        }
        switch end {
        case nil: return (.nothingYet, false)
        case .complete: return (.ended(.success(nil)), false)
        case .failed, .cancelled: return (.ended(.failure(failure)), false)
        }
    }
}
#endif
