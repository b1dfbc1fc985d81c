import Foundation

#if os(Linux)
import CSQLite
#else
import SQLite3
#endif

/// A connection to a database, with its statements prepared once and kept.
///
/// - Isolation: One thread at a time; not `Sendable`, so whoever has one sees to it.
/// - Owns: The handle and its statements, closed with it.
final class SQLiteConnection {
    let handle: OpaquePointer
    private var statements: [SQLiteStatement?] = Array(repeating: nil, count: StoreQuery.allCases.count)

    /// Opens or creates a database.
    init(path: String, readOnly: Bool = false) throws(SQLiteFailure) {
        var opened: OpaquePointer?
        // Each connection has its one thread: SQLite's own mutexes aren't needed.
        let flags =
            (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let failure = SQLiteFailure(code: opened.map { sqlite3_extended_errcode($0) } ?? code)
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
    }

    deinit {
        statements = []
        sqlite3_close_v2(handle)
    }

    /// Runs statements that give nothing back.
    func execute(_ sql: String) throws(SQLiteFailure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteFailure(code: code) }
    }

    /// The first column of the first row that `sql` gives; 0 if it gives none.
    func number(_ sql: String) throws(SQLiteFailure) -> Int64 {
        let statement = try SQLiteStatement(self, sql)
        return try statement.step() ? statement.number(0) : 0
    }

    /// The same for a text.
    func text(_ sql: String) throws(SQLiteFailure) -> String {
        let statement = try SQLiteStatement(self, sql)
        return try statement.step() ? statement.text(0) : ""
    }

    /// The kept statement for a query, ready to be bound.
    func statement(_ query: StoreQuery) throws(SQLiteFailure) -> SQLiteStatement {
        if let statement = statements[query.rawValue] { return statement }
        let statement = try SQLiteStatement(self, query.sql, isKept: true)
        statements[query.rawValue] = statement
        return statement
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}

/// A prepared statement.
///
/// - Isolation: That of its connection, which it must not outlive.
final class SQLiteStatement {
    private let handle: OpaquePointer

    init(_ connection: SQLiteConnection, _ sql: String, isKept: Bool = false) throws(SQLiteFailure) {
        var prepared: OpaquePointer?
        let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = sqlite3_prepare_v3(connection.handle, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            // The statements are right: if one doesn't fit the tables, the tables aren't what they were.
            throw SQLiteFailure(code: code == SQLITE_ERROR ? SQLITE_CORRUPT : code)
        }
        handle = prepared
    }

    deinit { sqlite3_finalize(handle) }

    /// The next row, or `false` at the end; then, and after an error, the statement is ready for its next use.
    func step() throws(SQLiteFailure) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw SQLiteFailure(code: code) }
        return false
    }

    /// Runs a statement that gives no rows.
    func run() throws(SQLiteFailure) {
        while try step() {}
    }

    /// Ends the use of a statement whose rows haven't all been taken.
    func reset() { sqlite3_reset(handle) }

    // MARK: Values in

    func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(handle, index, number) }

    func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    func bind(_ index: Int32, _ text: String) {
        sqlite3_bind_text(handle, index, text, -1, Self.copied)
    }

    /// Binds bytes, which SQLite copies.
    func bind(_ index: Int32, copying bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { bind(index, $0, Self.copied) }
    }

    /// Binds bytes, which must stay where they are until the statement has been run.
    func bind(_ index: Int32, lasting bytes: UnsafeRawBufferPointer) { bind(index, bytes, nil) }

    private func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer, _ destructor: sqlite3_destructor_type?) {
        // No bytes at no address would be NULL.
        guard let address = bytes.baseAddress, !bytes.isEmpty else {
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        sqlite3_bind_blob64(handle, index, address, UInt64(bytes.count), destructor)
    }

    /// SQLITE_TRANSIENT, which is a cast that Swift doesn't import.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    // MARK: Values out

    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func text(_ column: Int32) -> String {
        sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func data(_ column: Int32) -> Data { withBytes(column) { Data($0) } }

    /// Gives the bytes of a column without a copy. They are gone with the next step.
    func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let address = sqlite3_column_blob(handle, column)
        return try body(UnsafeRawBufferPointer(start: address, count: Int(sqlite3_column_bytes(handle, column))))
    }
}

/// What SQLite says when it can't do something: a number. Its own messages may quote what was to be stored.
package struct SQLiteFailure: Error, Equatable, CustomStringConvertible {
    /// SQLite's extended result code.
    package let code: Int32

    /// "database disk image is malformed (SQLite 11)".
    package var description: String { "\(String(cString: sqlite3_errstr(code))) (SQLite \(code))" }

    /// A database that isn't a store's, or of a format that no version writes any more. A code that SQLite doesn't use: it
    /// counts as damage.
    static let otherFormat = SQLiteFailure(code: SQLITE_NOTADB | 99 << 8)
    /// The file system has no shared memory, say.
    static let noWriteAheadLog = SQLiteFailure(code: SQLITE_NOLFS)

    /// Whether the file is no database, or a damaged one.
    var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) || code == Self.shortRead }

    /// SQLITE_IOERR_SHORT_READ, which is a computation that Swift doesn't import: the file ends too early.
    private static let shortRead = SQLITE_IOERR | (2 << 8)

    /// Whether somebody else holds the database.
    var isBusy: Bool { code & 0xff == SQLITE_BUSY }
}
