package import Foundation
import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// A response that is made while it is sent: bytes go in on one side, in order, and the server's thread takes them out.
///
/// The bytes are those of the wire, head and framing included.
///
/// - Isolation: any thread; one at a time waits in ``send(_:)``. Nobody is told or resumed with the lock held.
/// - Owns: the bytes that the client hasn't taken yet; about 256 KiB, beyond which ``send(_:)`` waits.
package final class ResponseStream: Sendable {
    /// How a response ends.
    package enum End: Sendable {
        /// Complete; the connection takes the next request.
        case kept
        /// Complete; the connection is closed.
        case closing
        /// Broken off: the connection is closed, so that the client sees that something is missing.
        case aborted
    }

    enum Taken {
        case bytes(Data)
        case end(End)
        case nothingYet
    }

    private struct State {
        var bytes = Data()
        var end: End?
        var isClosed = false
        var wake: (@Sendable () -> Void)?
        var sender: CheckedContinuation<Void, any Error>?
        var onClose: (@Sendable () -> Void)?
    }

    private static let limit = 256 * 1024
    private let state = Mutex(State())

    package init() {}

    /// Adds bytes without waiting. Those for a client that has gone are dropped.
    package func post(_ bytes: Data) {
        let wake = state.withLock { state in
            guard !state.isClosed, state.end == nil else { return nil as (@Sendable () -> Void)? }
            state.bytes.append(bytes)
            return state.wake.take()
        }
        wake?()
    }

    /// Adds bytes, and returns once there is room for more.
    ///
    /// - Throws: `CancellationError` if the client has gone.
    package func send(_ bytes: Data) async throws {
        post(bytes)
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Void, any Error>? in
                if state.isClosed { return .failure(CancellationError()) }
                if state.bytes.count < Self.limit { return .success(()) }
                state.sender = continuation
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Ends the response. The first end counts.
    package func finish(_ end: End) {
        let wake = state.withLock { state in
            if state.end == nil { state.end = end }
            return state.wake.take()
        }
        wake?()
    }

    /// Calls `handler` when the client goes before the response has ended; at once, if it has gone.
    package func onClose(_ handler: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.onClose = handler }
            return state.isClosed
        }
        if isClosed { handler() }
    }

    // MARK: The server's side

    /// Takes what is there; if that is nothing, `wake` is called once there is something.
    func take(orWake wake: @escaping @Sendable () -> Void) -> Taken {
        let (taken, sender) = state.withLock { state -> (Taken, CheckedContinuation<Void, any Error>?) in
            if !state.bytes.isEmpty {
                defer { state.bytes = Data() }
                return (.bytes(state.bytes), state.sender.take())
            }
            if let end = state.end { return (.end(end), nil) }
            state.wake = wake
            return (.nothingYet, nil)
        }
        sender?.resume()
        return taken
    }

    /// The connection is no more, or the response has been sent.
    func close() {
        let (sender, handler) = state.withLock { state in
            state.isClosed = true
            state.bytes = Data()
            state.wake = nil
            defer { state.onClose = nil }
            return (state.sender.take(), state.end == nil ? state.onClose : nil)
        }
        sender?.resume(throwing: CancellationError())
        handler?()
    }
}

extension LoopbackServer {
    /// A request that is answered by a ``ResponseStream``.
    package struct StreamedRequest: Sendable {
        package let request: Request
        /// Whether the client wants the connection to stay open.
        package let keepsAlive: Bool
        /// Whether it takes chunks and interim responses, as HTTP/1.1 has it.
        package let isHTTP11: Bool
    }

    /// Answers every request by what `handler` returns, whatever has been scripted. It is called on the server's thread and
    /// must not block.
    package func stream(_ handler: @escaping @Sendable (StreamedRequest) -> ResponseStream) {
        setStreaming(handler)
    }

    /// The usual words for a status.
    package static func reasonPhrase(_ status: Int) -> String { Response.reasonPhrase(status) }
}
