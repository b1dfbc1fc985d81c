public import Foundation

/// An entry of a store, as far as it may be shown.
public struct StoreEntry: Sendable, Identifiable {
    /// Names the response in its store.
    public let id: StoredResponse.ID
    /// What was stored with it.
    public let metadata: Data
    /// The length of the body, in bytes.
    public let bodyByteCount: Int64
    /// Scheme, host and port of where it came from: "https://img.example.com".
    public let origin: String
    /// Tells partitions apart; `nil` for an entry without one. The name isn't known.
    public let partitionTag: String?
    /// When it was stored.
    public let stored: Date
    /// When its body was last read. Written with other changes, or after ten seconds.
    public let used: Date
    /// Whether the body is a file of its own.
    public let isInFile: Bool
}

extension StoreEntry: CustomStringConvertible, CustomReflectable {
    /// Redacted: "#12 https://img.example.com, 8192 bytes, metadata 310 bytes". The metadata may hold anything.
    public var description: String {
        "#\(id.number) \(origin), \(bodyByteCount) bytes, metadata \(metadata.count) bytes"
    }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

/// What a store takes on disk.
public struct StoreStatistics: Sendable, Hashable {
    /// Responses, and the bytes of bodies and metadata: what the limits are about.
    public var usage: StoreUsage
    /// The index with the bodies in it, free pages included.
    public var indexByteCount: Int64
    /// Of that, pages that are free.
    public var freeByteCount: Int64
    /// The log: what hasn't been written back into the index.
    public var logByteCount: Int64
    /// Files of bodies.
    public var fileCount: Int
    /// The bytes of these.
    public var fileByteCount: Int64

    /// All of it.
    public var diskByteCount: Int64 { indexByteCount + logByteCount + fileByteCount }
}

/// What a check of a store has found.
public struct StoreVerification: Sendable, Hashable {
    /// Responses whose bodies were read.
    public var checkedCount = 0
    /// Responses that were damaged, or whose file was gone. They have been removed.
    public var damagedCount = 0
    /// Files that belong to no response. They have been removed; one that can't be is reported as an event.
    public var orphanCount = 0
    /// What SQLite's own check says of the index; empty if it is whole.
    public var indexFaults: [String] = []
    /// Whether the totals are the sums of what is there.
    public var totalsAddUp = true

    /// Whether nothing was amiss.
    public var isWhole: Bool { damagedCount == 0 && orphanCount == 0 && indexFaults.isEmpty && totalsAddUp }
}

extension SQLiteStore {
    /// What the store holds of a partition; `nil` asks about what belongs to none.
    ///
    /// - Complexity: Linear in the partition, or in the store for `nil`.
    public func usage(of partition: Partition?) async throws -> StoreUsage {
        try await read { try $0.usage(of: partition) }
    }

    /// Removes what hasn't been used since `date`.
    ///
    /// - Returns: How many responses that were.
    @discardableResult
    public func removeUnused(since date: Date) async throws -> Int {
        let time = Int64(date.timeIntervalSince1970 * 1e6)
        return try await writer.perform {
            try $0.noteUses()
            return try $0.removeUnused(since: time)
        }
    }

    /// Removes the least recently used until the rest takes no more than that. The limit stays what it is.
    public func trim(toByteCount byteCount: Int) async throws {
        try await writer.perform { try $0.trim(toByteCount: Int64(max(0, byteCount)), responseCount: .max) }
    }

    /// Entries in the order in which they were stored.
    ///
    /// - Parameters:
    ///   - id: The last of those that are known already.
    ///   - limit: The most that are given at once.
    public func entries(after id: StoredResponse.ID? = nil, limit: Int = 256) async throws -> [StoreEntry] {
        try await read { try $0.entries(after: id?.number ?? 0, limit: max(1, limit)) }
    }

    /// What the store takes on disk.
    ///
    /// - Complexity: Looks at every file.
    public func statistics() async throws -> StoreStatistics {
        let (bodies, log) = (home.bodiesPath, home.indexPath + "-wal")
        return try await read { connection in
            let pageByteCount = try connection.database.number("PRAGMA page_size")
            var statistics = StoreStatistics(
                usage: try connection.usage(),
                indexByteCount: try connection.database.number("PRAGMA page_count") * pageByteCount,
                freeByteCount: try connection.database.number("PRAGMA freelist_count") * pageByteCount,
                logByteCount: FileCalls.byteCount(of: log) ?? 0, fileCount: 0, fileByteCount: 0)
            for folder in FileCalls.names(in: bodies) {
                for file in FileCalls.names(in: "\(bodies)/\(folder)") {
                    guard let byteCount = FileCalls.byteCount(of: "\(bodies)/\(folder)/\(file)") else { continue }
                    statistics.fileCount += 1
                    statistics.fileByteCount += byteCount
                }
            }
            return statistics
        }
    }

    /// Reads everything, and removes what is damaged or belongs to nothing.
    ///
    /// Others may use the store meanwhile.
    public func verify() async throws -> StoreVerification {
        var result = StoreVerification()
        result.indexFaults = try await read { connection in
            let check = try SQLiteStatement(connection.database, "PRAGMA integrity_check(20)")
            var lines: [String] = []
            while try check.step() { lines.append(check.text(0)) }
            return lines == ["ok"] ? [] : lines
        }
        result.totalsAddUp = try await writer.perform { try $0.totalsAddUp() }

        var last: StoredResponse.ID?
        while true {
            let ids = try await entries(after: last).map(\.id)
            guard let next = ids.last else { break }
            for id in ids {
                switch try await check(id) {
                case .whole: result.checkedCount += 1
                case .damaged(let error):
                    result.checkedCount += 1
                    // Otherwise somebody has removed it meanwhile.
                    if try await discard(id.number, because: error) { result.damagedCount += 1 }
                case .gone: break
                }
            }
            last = next
        }
        for folder in FileCalls.names(in: home.bodiesPath) {
            result.orphanCount += try await writer.perform { try $0.sweep(folder) }
        }
        await writer.sweep()
        return result
    }

    /// Returns once what the store does by and by is done: sweeping up what belongs to nothing, and making the index
    /// smaller.
    package func finishTidying() async {
        await writer.finishTidying()
    }
}
