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

    /// Lets one of `readers` run `work` with its connection. An index that turns out to be damaged is set aside, and `work`
    /// runs once more.
    ///
    /// The first one takes it, unless it has its hands full: a thread that is awake already costs less than another.
    static func run<Value: Sendable>(
        on readers: [StoreReader], _ work: @escaping @Sendable (StoreConnection) throws -> Value
    ) async throws -> Value {
        try await handover { finish in
            let job: @Sendable (StoreReader) -> Void = { reader in
                finish(Result { try reader.perform(work) })
            }
            for reader in readers.dropLast() where reader.take(job, ifFewerWaitThan: 8) { return }
            _ = readers[readers.count - 1].take(job, ifFewerWaitThan: .max)
        }
    }

    private func take(_ job: @escaping @Sendable (StoreReader) -> Void, ifFewerWaitThan limit: Int) -> Bool {
        let (isTaken, isToBeStarted) = line.withLock { line in
            guard line.waiting.count < limit else { return (false, false) }
            line.waiting.append(job)
            defer { line.isRunning = true }
            return (true, !line.isRunning)
        }
        if isToBeStarted { queue.async { self.drain() } }
        return isTaken
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
        // Two arrays that change places: neither is made anew.
        var taken: [@Sendable (StoreReader) -> Void] = []
        while true {
            line.withLock { line in
                swap(&taken, &line.waiting)
                line.isRunning = !taken.isEmpty
            }
            if taken.isEmpty { return }
            for job in taken { job(self) }
            taken.removeAll(keepingCapacity: true)
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
