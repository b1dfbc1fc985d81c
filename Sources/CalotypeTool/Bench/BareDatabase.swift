import Foundation

#if os(Linux)
import CSQLite
#else
import SQLite3
#endif

/// A table with a unique key and everything inline: what SQLite takes without a store around it.
final class BareDatabase {
    private var handle: OpaquePointer?
    private var insertion: OpaquePointer?
    private var selection: OpaquePointer?

    init(_ path: String) throws {
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw BenchError("SQLite can't open a file.") }
        try execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
            CREATE TABLE entries (id INTEGER PRIMARY KEY, key BLOB UNIQUE, metadata BLOB, body BLOB);
            """)
        let insert = "INSERT INTO entries (key, metadata, body) VALUES (?, ?, ?)"
        guard sqlite3_prepare_v2(handle, insert, -1, &insertion, nil) == SQLITE_OK,
            sqlite3_prepare_v2(handle, "SELECT body FROM entries WHERE key = ?", -1, &selection, nil) == SQLITE_OK
        else { throw BenchError("SQLite can't prepare.") }
    }

    deinit {
        sqlite3_finalize(insertion)
        sqlite3_finalize(selection)
        sqlite3_close(handle)
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw BenchError("SQLite fails.") }
    }

    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }

    func insert(_ number: Int, _ metadata: Data, _ body: Data) throws {
        let key = Self.key(number)
        let code = key.withUnsafeBytes { key in
            metadata.withUnsafeBytes { metadata in
                body.withUnsafeBytes { body in
                    sqlite3_bind_blob(insertion, 1, key.baseAddress, Int32(key.count), nil)
                    sqlite3_bind_blob(insertion, 2, metadata.baseAddress, Int32(metadata.count), nil)
                    sqlite3_bind_blob(insertion, 3, body.baseAddress, Int32(body.count), nil)
                    defer { sqlite3_reset(insertion) }
                    return sqlite3_step(insertion)
                }
            }
        }
        guard code == SQLITE_DONE else { throw BenchError("SQLite can't insert.") }
    }

    /// - Returns: The length of the body, which has been copied; `nil` if there is none.
    func find(_ number: Int) throws -> Int? {
        Self.key(number).withUnsafeBytes { key in
            sqlite3_bind_blob(selection, 1, key.baseAddress, Int32(key.count), nil)
            defer { sqlite3_reset(selection) }
            guard sqlite3_step(selection) == SQLITE_ROW, let bytes = sqlite3_column_blob(selection, 0) else {
                return nil
            }
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(selection, 0))).count
        }
    }

    private static func key(_ number: Int) -> [UInt64] {
        // Mixed, so that keys come in no order.
        var bits = UInt64(number) &* 0x9e37_79b9_7f4a_7c15
        bits ^= bits >> 32
        return [bits, bits &* 0xc2b2_ae3d_27d4_eb4f]
    }
}
