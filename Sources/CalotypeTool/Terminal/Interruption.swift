import Foundation
import Synchronization

/// Ctrl-C, and SIGTERM, which asks for the same: the first one cancels the work, so that nothing stays half written and what
/// is done can be reported; a second one ends the program.
enum Interruption {
    private static let signals = [SIGINT, SIGTERM]
    /// The signal that came; 0 before one has.
    private static let received = Atomic<Int32>(0)

    /// How the program ends after an interruption.
    static var exitCode: ExitCode { received.load(ordering: .relaxed) == SIGTERM ? .terminated : .interrupted }

    /// Runs `body` in a task that the signals cancel.
    ///
    /// - Returns: What `body` made of it, and whether it was interrupted.
    static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> (result: Result, wasInterrupted: Bool) {
        let (isReady, ready) = AsyncStream.makeStream(of: Never.self)
        let task = Task {
            for await _ in isReady {}
            return try await body()
        }
        let registration = DispatchGroup()
        let sources = signals.map { number in
            registration.enter()
            // Ignored as far as the default goes, so that it reaches the source alone.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
            let interrupt: @Sendable () -> Void = {
                received.store(number, ordering: .relaxed)
                for number in signals { signal(number, SIG_DFL) }
                task.cancel()
            }
            source.setEventHandler(handler: interrupt)
            let registered: @Sendable () -> Void = { registration.leave() }
            source.setRegistrationHandler(handler: registered)
            source.resume()
            return source
        }
        // Nothing begins before an interrupt can reach it: until a source is registered, on another thread, what is sent to
        // the program is lost.
        registration.notify(queue: .global(qos: .userInitiated)) { ready.finish() }
        defer {
            for source in sources { source.cancel() }
            for number in signals { signal(number, SIG_DFL) }
        }
        return (try await task.value, received.load(ordering: .relaxed) != 0)
    }
}
