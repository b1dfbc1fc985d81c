import Foundation
import Synchronization

/// Reads from a store's index, on a thread of its own. What waits is read without another change of threads.
///
/// - Isolation: The line is behind a lock. The connection belongs to `queue`.
/// - Owns: A connection.
final class StoreReader: Sendable {
    private struct Line {
        var waiting: [@Sendable (StoreReader) -> Void] = []
        var isRunning = false
    }

    private let home: StoreHome
    private let queue = DispatchQueue(label: "calotype.store.reader", qos: .userInitiated)
    private let line = Mutex(Line())

    // Touched on `queue` alone.
    private nonisolated(unsafe) var connection: StoreConnection?

    init(_ home: StoreHome) {
        self.home = home
    }

    /// How much waits: whoever has the choice takes the reader with less to do.
    var load: Int { line.withLock { $0.waiting.count + ($0.isRunning ? 1 : 0) } }

    /// Runs `work` with the connection. An index that turns out to be damaged is set aside, and `work` runs once more.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (StoreConnection) throws -> Value
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Value, any Error>) in
            let isToBeStarted = line.withLock { line in
                line.waiting.append { reader in
                    continuation.resume(with: Result { try reader.perform(work) })
                }
                defer { line.isRunning = true }
                return !line.isRunning
            }
            if isToBeStarted { queue.async { self.drain() } }
        }
    }

    /// Closes the connection; it is opened again when it is needed.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.connection = nil
                continuation.resume()
            }
        }
    }

    private func drain() {
        while true {
            let waiting = line.withLock { line in
                defer { line.waiting = [] }
                line.isRunning = !line.waiting.isEmpty
                return line.waiting
            }
            if waiting.isEmpty { return }
            for work in waiting { work(self) }
        }
    }

    private func perform<Value>(_ work: (StoreConnection) throws -> Value) throws -> Value {
        do {
            return try work(try ready())
        } catch let failure as SQLiteFailure where failure.isDamage {
            let identity = connection?.identity ?? FileIdentity(path: home.indexPath)
            connection = nil
            try home.replace(identity: identity, because: failure)
            return try work(try ready())
        }
    }

    private func ready() throws -> StoreConnection {
        if let connection, connection.generation == home.currentGeneration { return connection }
        connection = nil
        let new = try home.connect()
        connection = new
        return new
    }
}
