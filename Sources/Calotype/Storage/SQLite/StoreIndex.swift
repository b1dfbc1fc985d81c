import Foundation

/// The changes of an index, each within a transaction that holds the limits when it ends.
///
/// - Isolation: The writer's thread alone.
final class StoreIndex {
    let connection: StoreConnection
    let home: StoreHome
    private let filter: StoreFilter
    var database: SQLiteConnection { connection.database }

    // Of the transaction under way.
    private var nextID: Int64 = 0
    private var responseCount: Int64 = 0
    private var byteCount: Int64 = 0
    private var hasChangedState = false
    /// Files that no row will name any more. They go after the commit: a crash leaves files without rows, never the
    /// reverse.
    private var unneeded: [String] = []

    /// Gives the uses that haven't been written yet, once.
    private let takeUses: () -> [Int64: Int64]
    /// Removals since free pages were last looked at.
    var removalCount = 0

    init(
        _ connection: StoreConnection, home: StoreHome, filter: StoreFilter, takeUses: @escaping () -> [Int64: Int64]
    ) {
        self.connection = connection
        self.home = home
        self.filter = filter
        self.takeUses = takeUses
    }

    // MARK: Transactions

    /// Begins to write. Other processes wait from here on, so that the totals are everybody's.
    func begin() throws {
        try database.statement(.begin).run()
        let state = try database.statement(.state)
        guard try state.step() else { throw SQLiteFailure.otherFormat }
        (nextID, responseCount, byteCount) = (state.number(0), state.number(1), state.number(2))
        state.reset()
        hasChangedState = false
        unneeded = []
    }

    func commit() throws {
        if hasChangedState {
            let state = try database.statement(.setState)
            state.bind(1, nextID)
            state.bind(2, responseCount)
            state.bind(3, byteCount)
            try state.run()
        }
        try database.statement(.commit).run()
        for file in unneeded { removeFile(file) }
        unneeded = []
    }

    /// Undoes the transaction. SQLite may have done so already.
    func rollBack() {
        unneeded = []
        if database.isInTransaction { try? database.statement(.rollback).run() }
    }

    /// One that isn't there any more has been removed by somebody; one that can't be removed is swept up later.
    func removeFile(_ file: String) {
        if home.calls.unlink("\(home.bodiesPath)/\(file)") != 0, errno != ENOENT {
            home.report("remove", FileFailure("remove a body"))
        }
    }

    // MARK: Inserting

    /// A response to be stored.
    struct NewResponse: Sendable {
        enum Body: Sendable {
            case inline(Data)
            case staged(StagedBody)
        }

        let key: FetchKey
        let resource: ResourceID
        let metadata: Data
        let body: Body
        let bodyByteCount: Int64
        let bodyChecksum: UInt32
        let replaced: StoredResponse.ID?

        var byteCount: Int64 { bodyByteCount + Int64(metadata.count) }
    }

    /// - Returns: The ID; `nil` if the response is larger than the store, or has no name that lasts.
    func insert(_ new: NewResponse, now: Int64) throws -> Int64? {
        guard new.byteCount <= home.options.byteLimit, home.options.entryLimit > 0,
            let digest = new.key.diskDigest(connection.digestKey),
            let resource = new.resource.diskDigest(connection.digestKey)?.bytes
        else { return nil }
        let key = digest.bytes
        if let replaced = new.replaced { try remove(replaced.number) }
        try trim(
            toByteCount: Int64(home.options.byteLimit) - new.byteCount, responseCount: home.options.entryLimit - 1)

        let id = nextID
        nextID += 1
        responseCount += 1
        byteCount += new.byteCount
        hasChangedState = true
        let checksum = new.metadata.withUnsafeBytes { metadata in
            key.withUnsafeBytes {
                Checksum.row(
                    key: $0, metadata: metadata, bodyByteCount: new.bodyByteCount,
                    bodyChecksum: Int64(new.bodyChecksum))
            }
        }
        let row = try database.statement(.insert)
        row.bind(1, id)
        row.bind(2, copying: key)
        row.bind(3, copying: resource)
        if let partition = new.key.partition?.diskDigest(connection.digestKey) {
            row.bind(4, copying: partition.bytes)
        } else {
            row.bindNull(4)
        }
        row.bind(5, now)
        row.bind(6, now)
        row.bind(7, new.bodyByteCount)
        row.bind(8, Int64(new.bodyChecksum))
        row.bind(9, checksum)
        row.bind(11, RedactedURL(new.key.url).description)
        row.bind(12, copying: new.metadata)
        switch new.body {
        case .inline(let body):
            row.bindNull(10)
            try row.run()
            try body.withUnsafeBytes { bytes in
                let statement = try database.statement(.insertBody)
                statement.bind(1, id)
                statement.bind(2, lasting: bytes)
                try statement.run()
            }
        case .staged(let staged):
            // Under the index's lock: whoever has that sees no file in its place without a row, but for those of the dead.
            row.bind(10, try staged.place())
            try row.run()
        }
        filter.insert(digest)
        return id
    }

    // MARK: Changing

    /// - Returns: Whether the response was there, and still is: a larger one may not leave room for it.
    func setMetadata(of id: Int64, to metadata: Data) throws -> Bool {
        let old = try database.statement(.metadata)
        old.bind(1, id)
        guard try old.step() else { return false }
        let (bodyByteCount, bodyChecksum) = (old.number(2), old.number(3))
        let (oldByteCount, isWhole, checksum) = old.withBytes(0) { key in
            old.withBytes(1) { oldMetadata in
                let expected = Checksum.row(
                    key: key, metadata: oldMetadata, bodyByteCount: bodyByteCount, bodyChecksum: bodyChecksum)
                let new = metadata.withUnsafeBytes {
                    Checksum.row(key: key, metadata: $0, bodyByteCount: bodyByteCount, bodyChecksum: bodyChecksum)
                }
                return (oldMetadata.count, expected == old.number(4), new)
            }
        }
        old.reset()
        guard isWhole else {
            // With the new metadata it would look whole.
            home.report("update", StoreError.damagedEntry)
            try remove(id)
            return false
        }
        let statement = try database.statement(.setMetadata)
        statement.bind(1, copying: metadata)
        statement.bind(2, checksum)
        statement.bind(3, id)
        try statement.run()
        byteCount += Int64(metadata.count - oldByteCount)
        hasChangedState = true
        guard byteCount > home.options.byteLimit else { return true }
        try trim(toByteCount: Int64(home.options.byteLimit), responseCount: home.options.entryLimit)
        return try exists(id)
    }

    private func exists(_ id: Int64) throws -> Bool {
        let statement = try database.statement(.metadata)
        statement.bind(1, id)
        defer { statement.reset() }
        return try statement.step()
    }

    /// Takes down when responses were last used.
    func noteUses() throws {
        let statement = try database.statement(.use)
        for (id, time) in takeUses() {
            statement.bind(1, time)
            statement.bind(2, id)
            try statement.run()
        }
    }

    // MARK: Removing

    /// - Returns: Whether it was there.
    @discardableResult
    func remove(_ id: Int64) throws -> Bool {
        let row = try database.statement(.delete)
        row.bind(1, id)
        guard try row.step() else { return false }
        let removedByteCount = row.number(0)
        let file = row.isNull(1) ? nil : row.text(1)
        while try row.step() {}
        if let file {
            unneeded.append(file)
        } else {
            let body = try database.statement(.deleteBody)
            body.bind(1, id)
            try body.run()
        }
        responseCount -= 1
        removalCount += 1
        byteCount -= removedByteCount
        hasChangedState = true
        return true
    }

    /// Removes the least recently used until the rest is no more than that.
    func trim(toByteCount byteLimit: Int64, responseCount countLimit: Int) throws {
        guard byteCount > byteLimit || responseCount > countLimit else { return }
        try noteUses()
        while byteCount > byteLimit || responseCount > countLimit {
            let oldest = try database.statement(.oldest)
            // As many as are likely to be needed: mostly one, hundreds when the limit has been lowered.
            let average = max(1, byteCount / max(1, responseCount))
            let needed = max((byteCount - byteLimit) / average, responseCount - Int64(countLimit))
            oldest.bind(1, min(256, max(1, needed)))
            let ids = try Self.ids(oldest)
            if ids.isEmpty {
                // The totals say otherwise than the rows: count anew.
                try recount()
                guard byteCount > byteLimit || responseCount > countLimit else { return }
                throw SQLiteFailure.otherFormat
            }
            for id in ids where byteCount > byteLimit || responseCount > countLimit { try remove(id) }
        }
    }

    private func recount() throws {
        let usage = try connection.usage(by: database.statement(.sums))
        (responseCount, byteCount) = (Int64(usage.responseCount), usage.byteCount)
        hasChangedState = true
    }

    /// Whether the totals are the sums of what is there. If not, they are from now on.
    func totalsAddUp() throws -> Bool {
        let before = (responseCount, byteCount)
        try recount()
        return before == (responseCount, byteCount)
    }

    func remove(_ resource: ResourceID) throws {
        guard let digest = resource.diskDigest(connection.digestKey) else { return }
        let rows = try database.statement(.ofResource)
        rows.bind(1, copying: digest.bytes)
        for id in try Self.ids(rows) { try remove(id) }
        try removeImpressions(of: resource)
    }

    func remove(_ partition: Partition) throws {
        guard let digest = partition.diskDigest(connection.digestKey) else { return }
        let rows = try database.statement(.ofPartition)
        rows.bind(1, copying: digest.bytes)
        for id in try Self.ids(rows) { try remove(id) }
        try removeImpressions(in: partition)
    }

    func removeAll() throws {
        let files = try database.statement(.allFiles)
        while try files.step() { unneeded.append(files.text(0)) }
        // Without a condition, SQLite drops whole trees instead of going through the rows.
        try database.execute("DELETE FROM responses; DELETE FROM bodies; DELETE FROM impressions")
        removalCount += Int(responseCount)
        (responseCount, byteCount) = (0, 0)
        hasChangedState = true
    }

    /// - Returns: How many responses have been removed.
    func removeUnused(since time: Int64) throws -> Int {
        let before = responseCount
        while true {
            let rows = try database.statement(.unusedSince)
            rows.bind(1, time)
            rows.bind(2, 256)
            let ids = try Self.ids(rows)
            if ids.isEmpty { return Int(before - responseCount) }
            for id in ids { try remove(id) }
        }
    }

    private static func ids(_ statement: SQLiteStatement) throws -> [Int64] {
        var ids: [Int64] = []
        while try statement.step() { ids.append(statement.number(0)) }
        return ids
    }
}
