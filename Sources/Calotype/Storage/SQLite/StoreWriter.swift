import Foundation
import Synchronization

/// Carries out the changes of a store, in order, on a thread of its own. What waits is written in one transaction.
///
///     callers -> waiting -> BEGIN IMMEDIATE, uses, change, change, …, COMMIT -> unlink files -> callers go on
///
/// If one change of a transaction fails, it is rolled back, and its changes are carried out one by one; unless another
/// process kept it from beginning: then all have waited for it, and all fail.
///
/// - Isolation: Callers' part is behind a lock. The rest belongs to `queue`.
/// - Owns: The connection that writes.
final class StoreWriter: Sendable {
    /// A change, and what is done once it has been committed or given up.
    struct Change: Sendable {
        let apply: @Sendable (StoreIndex) throws -> Void
        /// Whether nothing may be left of what it removes.
        var erases = false
        let finish: @Sendable ((any Error)?) -> Void
    }

    private struct Line {
        var waiting: [Change] = []
        var isRunning = false
        var removals = RemovalLog()
        /// When responses were last used, not yet written.
        var uses: [Int64: Int64] = [:]
        var isFlushPlanned = false
        var latestTime: Int64 = 0
        var isClosed = false
    }

    /// So many uses are written without waiting for a change that comes anyway.
    private static let useLimit = 512
    /// So many changes may wait before one that nobody waits for is dropped.
    private static let postLimit = 1_024
    /// How long uses wait for a change that comes anyway.
    private static let useDelay = DispatchTimeInterval.seconds(10)

    let home: StoreHome
    let staging: StoreStaging
    private let filter: StoreFilter
    let queue = DispatchQueue(label: "calotype.store.writer", qos: .utility)
    private let line = Mutex(Line())

    // Touched on `queue` alone.
    private(set) nonisolated(unsafe) var index: StoreIndex? {
        // It looks at memory that the connection has mapped.
        willSet { filter.detach() }
    }
    nonisolated(unsafe) var tidying = StoreTidying()

    init(_ home: StoreHome, staging: StoreStaging, filter: StoreFilter) {
        self.home = home
        self.staging = staging
        self.filter = filter
    }

    // MARK: Callers

    var epoch: StoreEpoch { line.withLock { $0.removals.epoch } }

    func permits(_ epoch: StoreEpoch, _ partition: Partition?, _ resource: ResourceID) -> Bool {
        line.withLock { $0.removals.permits(epoch, partition: partition?.digest, resource: resource.digest) }
    }

    /// A time for a use: the present in microseconds, and later than every time before.
    func nextTime() -> Int64 {
        let now = Int64(home.options.clock.now().timeIntervalSince1970 * 1e6)
        return line.withLock { line in
            line.latestTime = max(line.latestTime + 1, now)
            return line.latestTime
        }
    }

    /// Notes that a response has been used. Written later, with others.
    func noteUse(of id: Int64) {
        let time = nextTime()
        let (isFlushDue, isFlushToBePlanned) = line.withLock { line in
            line.uses[id] = time
            defer { line.isFlushPlanned = true }
            return (line.uses.count == Self.useLimit, !line.isFlushPlanned)
        }
        if isFlushDue { flush() }
        if isFlushToBePlanned { queue.asyncAfter(deadline: .now() + Self.useDelay) { [weak self] in self?.flush() } }
    }

    private func flush() {
        run(Change(apply: { try $0.noteUses() }, finish: { _ in }))
    }

    /// Writes the uses that wait, before the process is suspended. Returns once that has gone well or badly: uses that are
    /// lost make for a worse choice of what goes, and for nothing else.
    func writeUses() async {
        guard line.withLock({ !$0.uses.isEmpty }) else { return }
        await withCheckedContinuation { continuation in
            run(Change(apply: { try $0.noteUses() }, finish: { _ in continuation.resume() }))
        }
    }

    /// Closes the connection until it is needed again.
    func rest() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.index = nil
                continuation.resume()
            }
        }
    }

    /// Carries out a change, and returns once its transaction has been committed.
    ///
    /// - Parameter recording: Called while it gets its place in the line: removals are recorded in the order in which they
    ///   are carried out.
    func perform<Value: Sendable>(
        erases: Bool = false, recording: (@Sendable (inout RemovalLog) -> Void)? = nil,
        _ apply: @escaping @Sendable (StoreIndex) throws -> Value
    ) async throws -> Value {
        try await handover { finish in
            // Written when it is applied and read when that has been committed: both on `queue`.
            nonisolated(unsafe) var value: Value?
            run(
                Change(
                    apply: { value = try apply($0) },
                    erases: erases,
                    finish: { error in
                        if let value, error == nil {
                            finish(.success(value))
                        } else {
                            finish(.failure(error ?? StoreError.closed))
                        }
                    }),
                recording: recording)
        }
    }

    /// Carries out a change that nobody waits for, unless too many wait already. A failure is reported.
    func post(_ apply: @escaping @Sendable (StoreIndex) throws -> Void) {
        guard line.withLock({ $0.waiting.count < Self.postLimit && !$0.isClosed }) else { return }
        run(Change(apply: apply, finish: { [home] error in if let error { home.report("write", error) } }))
    }

    private func run(_ change: Change, recording: ((inout RemovalLog) -> Void)? = nil) {
        let (isAccepted, isToBeStarted) = line.withLock { line in
            recording?(&line.removals)
            guard !line.isClosed else { return (false, false) }
            line.waiting.append(change)
            defer { line.isRunning = true }
            return (true, !line.isRunning)
        }
        if !isAccepted { change.finish(StoreError.closed) }
        if isToBeStarted { queue.async { self.drain() } }
    }

    /// Writes what waits, and closes the connection. What comes later fails.
    func close() async {
        await withCheckedContinuation { continuation in
            shutDown { continuation.resume() }
        }
    }

    /// The same, without waiting.
    func shutDown(_ completion: @escaping @Sendable () -> Void = {}) {
        // A store that was never used isn't made for nothing.
        if line.withLock({ !$0.uses.isEmpty }) { flush() }
        line.withLock { $0.isClosed = true }
        queue.async {
            self.index = nil
            if self.tidying.sweep == nil { self.staging.close() } else { self.staging.leave() }
            self.tidying.sweep = nil
            completion()
        }
    }

    // MARK: On the queue

    private func drain() {
        while true {
            let changes = line.withLock { line in
                defer { line.waiting = [] }
                line.isRunning = !line.waiting.isEmpty
                return line.waiting
            }
            if changes.isEmpty { return }
            write(changes)
        }
    }

    private func write(_ changes: [Change]) {
        do {
            try transaction(changes)
        } catch {
            if changes.count > 1, (error as? SQLiteFailure)?.isBusy != true {
                for change in changes { write([change]) }
            } else if !recover(from: error) {
                for change in changes { change.finish(error) }
            } else {
                do {
                    try transaction(changes)
                } catch {
                    for change in changes { change.finish(error) }
                }
            }
        }
    }

    private func transaction(_ changes: [Change]) throws {
        let index = try ready()
        do {
            try index.begin()
            let before = filter.stateInTransaction()
            for change in changes { try change.apply(index) }
            try index.commit()
            filter.noteCommit(since: before)
        } catch {
            index.rollBack()
            throw error
        }
        if changes.contains(where: \.erases) { tidying.isErasurePending = true }
        tidyUp(index)
        for change in changes { change.finish(nil) }
    }

    /// The index, open; opened anew if it isn't the present one.
    func ready() throws -> StoreIndex {
        if let index {
            if index.connection.generation == home.currentGeneration, home.isCurrent(index.connection) { return index }
            if index.connection.generation == home.currentGeneration { home.abandonIndex() }
        }
        index = nil
        let new = StoreIndex(try home.connect(), home: home, filter: filter) { [weak self] in self?.takeUses() ?? [:] }
        index = new
        try staging.claim()
        planSweep(isEmpty: try new.connection.database.number("SELECT response_count FROM state") == 0)
        return new
    }

    private func takeUses() -> [Int64: Int64] {
        line.withLock { line in
            defer {
                line.uses = [:]
                line.isFlushPlanned = false
            }
            return line.uses
        }
    }

    /// - Returns: Whether there is a new index to try again with.
    private func recover(from error: any Error) -> Bool {
        guard let failure = error as? SQLiteFailure, failure.isDamage else { return false }
        let identity = index?.connection.identity ?? FileIdentity(path: home.indexPath)
        index = nil
        do {
            try home.replace(identity: identity, because: failure)
            return true
        } catch {
            home.report("open", error)
            return false
        }
    }

    // MARK: The filter

    /// Loads the filter or brings it up to date, once something has been written: before that it takes no connection.
    func loadFilter() {
        queue.async { [weak self] in
            guard let self, let index, index.connection.generation == home.currentGeneration else { return }
            do {
                try filter.load(from: index.connection)
            } catch {
                filter.detach()
                if !recover(from: error) { home.report("look up", error) }
            }
        }
    }
}
