import Foundation

/// A connection to a store's index.
///
/// - Isolation: One thread at a time.
final class StoreConnection {
    let database: SQLiteConnection
    let digestKey: DigestKey
    let generation: Int
    let identity: FileIdentity?

    init(_ database: SQLiteConnection, home: StoreHome, _ generation: Int) throws {
        self.database = database
        self.generation = generation
        identity = FileIdentity(path: home.indexPath)
        let key = try SQLiteStatement(database, "SELECT digest_key_1, digest_key_2 FROM state")
        guard try key.step() else { throw SQLiteFailure.otherFormat }
        digestKey = DigestKey(
            UInt64(bitPattern: key.number(0)), UInt64(bitPattern: key.number(1)))
        key.reset()
    }
}

// MARK: - Reading

extension StoreConnection {
    /// The responses of a key, newest first, and the IDs of those that are damaged.
    func responses(for key: FetchKey) throws -> (found: [StoredResponse], damaged: [Int64]) {
        guard let digest = key.diskDigest(digestKey) else { return ([], []) }
        var found: [StoredResponse] = []
        var damaged: [Int64] = []
        let rows = try database.statement(.find)
        try digest.withBytes { digest in
            rows.bind(1, lasting: digest)
            while try rows.step() {
                let (id, bodyByteCount) = (rows.number(0), rows.number(2))
                let expected = rows.withBytes(1) { metadata in
                    Checksum.row(
                        key: digest, metadata: metadata, bodyByteCount: bodyByteCount, bodyChecksum: rows.number(3))
                }
                if expected == rows.number(4) {
                    found.append(
                        StoredResponse(id: .init(id), metadata: rows.data(1), bodyByteCount: bodyByteCount))
                } else {
                    damaged.append(id)
                }
            }
        }
        return (found, damaged)
    }

    /// What has become of a body.
    enum BodyState: Sendable {
        case whole(StoredBody)
        case damaged(StoreError)
        case gone
    }

    /// The body of a response.
    func body(of id: Int64, bodies: String) throws -> BodyState {
        let row = try database.statement(.body)
        row.bind(1, id)
        guard try row.step() else { return .gone }
        let (byteCount, checksum) = (row.number(0), row.number(1))
        if row.isNull(2) {
            let body = row.data(3)
            row.reset()
            guard body.count == byteCount, Int64(Checksum(body).value) == checksum else {
                return .damaged(.damagedEntry)
            }
            return .whole(.data(body))
        }
        let file = row.text(2)
        row.reset()
        return try Self.body(at: "\(bodies)/\(file)", byteCount, checksum)
    }

    /// Files up to here are read as a whole, once; larger ones are checked in pieces and handed out open.
    private static let wholeByteLimit: Int64 = 4 << 20

    private static func body(at path: String, _ byteCount: Int64, _ checksum: Int64) throws -> BodyState {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            // Removed by another process between the look at the row and this one, or by somebody who doesn't know us.
            if errno == ENOENT || errno == ELOOP { return .damaged(.missingBody) }
            throw FileFailure("open a body")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure("read a body") }
        guard status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == byteCount else {
            return .damaged(.damagedEntry)
        }
        if byteCount <= wholeByteLimit {
            var body = Data(count: Int(byteCount))
            let count = try body.withUnsafeMutableBytes { try read(descriptor, into: $0) }
            guard count == byteCount, Int64(Checksum(body).value) == checksum else { return .damaged(.damagedEntry) }
            return .whole(.data(body))
        }
        var found = Checksum()
        var remaining = Int(byteCount)
        try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
            while remaining > 0 {
                let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(remaining, buffer.count)])
                let count = try read(descriptor, into: piece)
                found.append(UnsafeRawBufferPointer(rebasing: piece[..<count]))
                remaining -= count
                // It has become shorter meanwhile.
                if count < piece.count { break }
            }
        }
        guard remaining == 0, Int64(found.value) == checksum, lseek(descriptor, 0, SEEK_SET) == 0 else {
            return .damaged(.damagedEntry)
        }
        return .whole(.file(file, byteCount: byteCount))
    }

    /// - Returns: How many bytes there were; fewer than the buffer holds only at the end of the file.
    private static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var position = 0
        while position < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[position...])
            let count = Foundation.read(descriptor, rest.baseAddress, rest.count)
            if count == 0 { break }
            if count > 0 { position += count } else if errno != EINTR { throw FileFailure("read a body") }
        }
        return position
    }

    /// What the index holds, by its totals.
    func usage() throws -> StoreUsage {
        let state = try database.statement(.state)
        guard try state.step() else { throw SQLiteFailure.otherFormat }
        defer { state.reset() }
        return StoreUsage(responseCount: Int(state.number(1)), byteCount: state.number(2))
    }

    /// What the index holds of a partition; `nil` asks about what belongs to none.
    func usage(of partition: Partition?) throws -> StoreUsage {
        guard let partition else { return try usage(by: database.statement(.usageOfNoPartition)) }
        guard let digest = partition.diskDigest(digestKey) else { return StoreUsage(responseCount: 0, byteCount: 0) }
        let rows = try database.statement(.usageOfPartition)
        rows.bind(1, copying: digest.bytes)
        return try usage(by: rows)
    }

    /// The count and the sum that a statement gives.
    func usage(by statement: SQLiteStatement) throws -> StoreUsage {
        guard try statement.step() else { return StoreUsage(responseCount: 0, byteCount: 0) }
        defer { statement.reset() }
        return StoreUsage(responseCount: Int(statement.number(0)), byteCount: statement.number(1))
    }

    /// Entries in the order in which they were stored.
    func entries(after id: Int64, limit: Int) throws -> [StoreEntry] {
        let rows = try database.statement(.entries)
        rows.bind(1, id)
        rows.bind(2, Int64(limit))
        var entries: [StoreEntry] = []
        while try rows.step() {
            entries.append(
                StoreEntry(
                    id: .init(rows.number(0)), metadata: rows.data(10), bodyByteCount: rows.number(5),
                    origin: rows.text(9), partitionTag: rows.isNull(2) ? nil : Self.tag(rows.data(2)),
                    stored: Self.date(rows.number(3)), used: Self.date(rows.number(4)), isInFile: !rows.isNull(8)))
        }
        return entries
    }

    private static func tag(_ digest: Data) -> String {
        digest.prefix(4).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func date(_ microseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1e6)
    }
}
