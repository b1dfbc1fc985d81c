#if os(Linux)
import CSQLite
#else
import SQLite3
#endif

/// The head of the index of SQLite's write-ahead log, which all processes map that use the database: it changes with every
/// transaction, whoever commits it. Looking at it takes no call of the system.
///
/// - Source: SQLite's "WAL-mode File Format", section 2 ("The WAL-Index File Format"), and `SQLITE_FCNTL_FILE_POINTER` and
///   `sqlite3_io_methods`, through which SQLite gives the memory that it has mapped.
struct WriteAheadLogHeader: @unchecked Sendable {
    // Unchecked, for a pointer isn't Sendable. What it points to is read alone, by whoever; written by SQLite in such an
    // order that the two copies of the head differ until a change is complete, so that no mixture looks like the state before it.
    private let memory: UnsafeRawPointer

    /// The head, and the beginning of its copy.
    struct Value: Equatable, Sendable {
        fileprivate let words: SIMD8<UInt64>

        /// How many transactions there have been.
        var transactionCount: UInt32 { UInt32(truncatingIfNeeded: words[1]) }
    }

    /// The present one.
    var value: Value { Value(words: memory.load(as: SIMD8<UInt64>.self)) }

    /// The head that belongs to a database, for as long as the connection is open.
    ///
    /// - Returns: `nil` if there is none: what keeps the log's index elsewhere than in shared memory.
    init?(_ connection: SQLiteConnection) throws {
        // The first read is what maps the memory.
        _ = try connection.number("PRAGMA schema_version")
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var mapped: UnsafeMutableRawPointer?
        guard map(file, 0, Self.regionByteCount, 0, &mapped) == SQLITE_OK, let mapped else { return nil }
        memory = UnsafeRawPointer(mapped)
    }

    /// The size of the pieces in which SQLite maps it.
    private static let regionByteCount: Int32 = 32_768
}
