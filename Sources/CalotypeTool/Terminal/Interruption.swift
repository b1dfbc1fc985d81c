import Foundation
import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// Ctrl-C: the first one cancels the work, so that what is done can be reported; a second one ends the program.
enum Interruption {
    /// Runs `body` in a task that SIGINT cancels.
    ///
    /// - Returns: What `body` made of it, and whether it was interrupted.
    static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> (result: Result, wasInterrupted: Bool) {
        // Nothing begins before an interrupt can reach it.
        let (isReady, ready) = AsyncStream.makeStream(of: Never.self)
        let task = Task {
            for await _ in isReady {}
            return try await body()
        }
        let wasInterrupted = Mutex(false)
        // Ignored as far as the default goes, so that it reaches the source alone.
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global(qos: .userInitiated))
        let interrupt: @Sendable () -> Void = {
            wasInterrupted.withLock { $0 = true }
            signal(SIGINT, SIG_DFL)
            task.cancel()
        }
        source.setEventHandler(handler: interrupt)
        source.resume()
        ready.finish()
        defer {
            source.cancel()
            signal(SIGINT, SIG_DFL)
        }
        return (try await task.value, wasInterrupted.withLock { $0 })
    }
}
