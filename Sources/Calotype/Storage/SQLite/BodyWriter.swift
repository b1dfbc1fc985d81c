import Foundation
import Synchronization

/// Writes larger bodies into files, on a thread of its own, and sees to it that not too many bytes wait.
///
/// - Isolation: Any thread.
final class BodyFiles: Sendable {
    private let home: StoreHome
    private let staging: StoreStaging
    private let queue = DispatchQueue(label: "calotype.store.bodies", qos: .utility)
    private let waitingByteCount = Mutex(0)

    init(_ home: StoreHome, staging: StoreStaging) {
        self.home = home
        self.staging = staging
    }

    /// Takes room for bytes that wait.
    ///
    /// - Throws: ``StoreError/stagingFull(byteLimit:)``.
    func reserve(_ byteCount: Int) throws(StoreError) -> Int {
        let isGranted = waitingByteCount.withLock { waiting in
            guard waiting + byteCount <= home.options.stagingByteLimit else { return false }
            waiting += byteCount
            return true
        }
        if !isGranted { throw .stagingFull(byteLimit: home.options.stagingByteLimit) }
        return byteCount
    }

    func release(_ byteCount: Int) {
        waitingByteCount.withLock { $0 -= byteCount }
    }

    /// Writes a whole body.
    func write(_ body: Data) async throws -> StagedBody {
        let staged = try await append([body], to: nil)
        try await run { try staged.finish() }
        return staged
    }

    /// Writes pieces of a body, into a new file if there is none yet.
    func append(_ pieces: [Data], to staged: StagedBody?) async throws -> StagedBody {
        let reserved = try reserve(pieces.reduce(0) { $0 + $1.count })
        defer { release(reserved) }
        return try await run { [home, staging] in
            let body = try staged ?? Self.newBody(home, staging)
            for piece in pieces { try body.append(piece) }
            return body
        }
    }

    private static func newBody(_ home: StoreHome, _ staging: StoreStaging) throws -> StagedBody {
        do {
            return try StagedBody(home, path: staging.newPath())
        } catch let failure as FileFailure where failure.code == ENOENT {
            // The first body of a new store may come before its index has been opened; or somebody has removed it all.
            try home.createFolders()
            staging.close()
            return try StagedBody(home, path: staging.newPath())
        }
    }

    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await handover { finish in
            queue.async { finish(Result { try work() }) }
        }
    }
}

/// Collects a body: in memory as long as it is small, then in a file.
///
/// - Isolation: Any thread; one call at a time, as callers await each.
final class BodyWriter: ResponseWriter {
    private enum State {
        case small(Data, reserved: Int)
        case large(StagedBody)
        /// There is no use in what comes.
        case refused
    }

    private let store: SQLiteStore
    private let deposit: StoreDeposit
    private let state = Mutex(State.small(Data(), reserved: 0))

    init(_ store: SQLiteStore, _ deposit: StoreDeposit) {
        self.store = store
        self.deposit = deposit
        if !deposit.isStorable(bodyByteCount: 0, store.options) { set(.refused) }
    }

    deinit { set(.refused) }

    /// Lets go of what was there. A file that wasn't committed goes with it.
    private func set(_ new: State) {
        let old = state.withLock { state in
            defer { state = new }
            return state
        }
        if case .small(_, let reserved) = old { store.files.release(reserved) }
    }

    func append(_ bytes: Data) async throws {
        switch state.withLock({ $0 }) {
        case .small(let body, let reserved):
            let byteCount = body.count + bytes.count
            guard deposit.isStorable(bodyByteCount: Int64(byteCount), store.options) else { return set(.refused) }
            if byteCount <= store.options.inlineByteLimit {
                let added = try store.files.reserve(bytes.count)
                state.withLock { $0 = .small(body + bytes, reserved: reserved + added) }
            } else {
                set(.large(try await store.files.append([body, bytes], to: nil)))
            }
        case .large(let staged):
            guard deposit.isStorable(bodyByteCount: staged.byteCount + Int64(bytes.count), store.options) else {
                return set(.refused)
            }
            _ = try await store.files.append([bytes], to: staged)
        case .refused:
            return
        }
    }

    func commit() async throws -> StoredResponse? {
        defer { set(.refused) }
        switch state.withLock({ $0 }) {
        case .small(let body, _):
            return try await store.commit(
                deposit, .inline(body), byteCount: Int64(body.count), checksum: Checksum(body).value)
        case .large(let staged):
            try await store.files.run { try staged.finish() }
            return try await store.commit(deposit, staged: staged)
        case .refused:
            return nil
        }
    }

    func abort() async {
        set(.refused)
    }
}

extension StoreDeposit {
    /// Whether there is any use in writing the body. The index decides again.
    func isStorable(bodyByteCount: Int64, _ options: SQLiteStore.Options) -> Bool {
        bodyByteCount + Int64(metadata.count) <= Int64(options.byteLimit)
    }
}
