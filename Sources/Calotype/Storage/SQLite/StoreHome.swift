import Foundation
import Synchronization

/// A store's folder, and how connections to its index are opened. Shared by the threads of one store.
///
///     index.sqlite        what is stored, and small bodies; with SQLite's own -wal and -shm beside it
///     bodies/ab/cdef…     larger bodies, under random names
///     staging/NAME        bodies on their way, and for each writer a file that it holds locked while it lives
///     damaged/            an index that had to be set aside
///     lock                held by whoever creates an index or sets one aside
///
/// - Isolation: Any thread that may block.
final class StoreHome: Sendable {
    /// The number of the format. An index with a greater one isn't touched; one with a smaller one is dropped.
    static let formatVersion: Int64 = 1
    /// In the index's header beside the version, so that a damaged number isn't taken for a newer one.
    private static func mark(of version: Int64) -> Int64 { 0x4341_0000 | version }

    let path: String
    let calls: FileCalls
    let options: SQLiteStore.Options
    /// Told of what no caller sees. Called without a lock held.
    let onEvent: (@Sendable (ImageEvent) -> Void)?
    /// Which index is the present one: each time it is replaced, connections to the old one are of no use.
    private let generation = Mutex(0)
    private let observers = Mutex<[WeakObserver]>([])

    init(
        path: String, calls: FileCalls, options: SQLiteStore.Options,
        onEvent: (@Sendable (ImageEvent) -> Void)?
    ) {
        self.path = path
        self.calls = calls
        self.options = options
        self.onEvent = onEvent
    }

    var indexPath: String { path + "/index.sqlite" }
    private var indexFiles: [String] { ["", "-wal", "-shm"].map { indexPath + $0 } }
    var stagingPath: String { path + "/staging" }
    var bodiesPath: String { path + "/bodies" }
    private var damagedPath: String { path + "/damaged" }
    private var lockPath: String { path + "/lock" }

    var currentGeneration: Int { generation.withLock { $0 } }

    func report(_ operation: String, _ error: any Error) {
        onEvent?(.cacheFault(operation: operation, error))
        for observer in observers.withLock({ $0.compactMap(\.observer) }) {
            observer.onEvent(.cacheFault(operation: operation, error))
        }
    }

    /// Tells `observer` as well, for as long as somebody keeps it.
    func add(_ observer: StoreObserver) {
        observers.withLock { observers in
            observers.removeAll { $0.observer == nil }
            observers.append(WeakObserver(observer))
        }
    }

    private struct WeakObserver: Sendable {
        weak let observer: StoreObserver?

        init(_ observer: StoreObserver) { self.observer = observer }
    }

    // MARK: Opening

    /// Opens a connection to the index, which is created or made anew if need be.
    ///
    /// - Throws: ``StoreError``, ``SQLiteFailure`` or ``FileFailure``.
    func connect() throws -> StoreConnection {
        let generation = currentGeneration
        do {
            return try open(generation)
        } catch let failure as SQLiteFailure where failure.isDamage {
            try replace(identity: FileIdentity(path: indexPath), because: failure)
            return try open(currentGeneration)
        }
    }

    private func open(_ generation: Int) throws -> StoreConnection {
        if let byteCount = FileCalls.byteCount(of: indexPath), byteCount > 0 {
            let connection = try SQLiteConnection(path: indexPath, readOnly: options.isReadOnly)
            try Self.prepare(connection, options)
            if try check(connection) { return try StoreConnection(connection, home: self, generation) }
        }
        return try create(generation)
    }

    /// - Returns: Whether it is an index of this format; if not, there is none yet.
    private func check(_ connection: SQLiteConnection) throws -> Bool {
        let version = try connection.number("PRAGMA user_version")
        let mark = try connection.number("PRAGMA application_id")
        if version == Self.formatVersion, mark == Self.mark(of: version) { return true }
        if version > Self.formatVersion, mark == Self.mark(of: version) {
            throw StoreError.newerFormat(found: Int(version), supported: Int(Self.formatVersion))
        }
        if version == 0, mark == 0, try connection.number("SELECT count(*) FROM sqlite_schema") == 0 { return false }
        throw SQLiteFailure.otherFormat
    }

    /// What holds for each connection.
    private static func prepare(_ connection: SQLiteConnection, _ options: SQLiteStore.Options) throws {
        try connection.execute(
            """
            PRAGMA busy_timeout = \(options.busyMilliseconds);
            PRAGMA synchronous = \(options.durability == .full ? "FULL" : "NORMAL");
            PRAGMA secure_delete = FAST;
            PRAGMA cell_size_check = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA temp_store = MEMORY;
            PRAGMA mmap_size = 0;
            PRAGMA journal_size_limit = \(SQLiteStore.Options.logByteLimit);
            """)
    }

    /// Creates the index: one process at a time, and as a whole or not at all.
    private func create(_ generation: Int) throws -> StoreConnection {
        try createFolders()
        let lock = try FileLock(lockPath, waits: true)
        defer { withExtendedLifetime(lock) {} }
        let wasEmptied = FileCalls.byteCount(of: indexPath) == 0
        let connection = try SQLiteConnection(path: indexPath)
        try Self.prepare(connection, options)
        if try !check(connection) {
            if wasEmptied { report("open", StoreError.damagedIndex) }
            // These two work in a file without tables alone.
            try connection.execute("PRAGMA page_size = \(options.pageByteCount); PRAGMA auto_vacuum = INCREMENTAL")
            guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
                throw SQLiteFailure.noWriteAheadLog
            }
            let key = DigestKey.random()
            try connection.execute(
                """
                BEGIN IMMEDIATE;
                \(Self.tables)
                INSERT INTO state VALUES (1, \(Int64(bitPattern: key.first)), \(Int64(bitPattern: key.second)), 1, 0, 0);
                PRAGMA application_id = \(Self.mark(of: Self.formatVersion));
                PRAGMA user_version = \(Self.formatVersion);
                COMMIT;
                """)
            chmod(indexPath, 0o600)
            for file in indexFiles where FileCalls.byteCount(of: file) != nil { try protect(file) }
        }
        return try StoreConnection(connection, home: self, generation)
    }

    /// Bodies have a table of their own, so that a change of a row doesn't write its body again.
    private static let tables = """
        CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1), digest_key_1 INTEGER NOT NULL, digest_key_2 INTEGER NOT NULL,
            next_id INTEGER NOT NULL, response_count INTEGER NOT NULL, byte_count INTEGER NOT NULL);
        CREATE TABLE responses (
            id INTEGER PRIMARY KEY, key BLOB NOT NULL, resource BLOB NOT NULL, partition BLOB,
            stored INTEGER NOT NULL, used INTEGER NOT NULL, body_byte_count INTEGER NOT NULL,
            body_crc INTEGER NOT NULL, row_crc INTEGER NOT NULL, file TEXT, origin TEXT NOT NULL,
            metadata BLOB NOT NULL);
        CREATE INDEX responses_by_key ON responses (key);
        CREATE INDEX responses_by_resource ON responses (resource);
        CREATE INDEX responses_by_partition ON responses (partition) WHERE partition IS NOT NULL;
        CREATE INDEX responses_by_use ON responses (used);
        CREATE UNIQUE INDEX responses_by_file ON responses (file) WHERE file IS NOT NULL;
        CREATE TABLE bodies (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE impressions (
            id INTEGER PRIMARY KEY, resource INTEGER NOT NULL, partition INTEGER NOT NULL, record BLOB NOT NULL,
            UNIQUE (resource, partition));
        """

    func createFolders() throws {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += part
            // What is there already is no concern of ours: folders on the way may not even be readable.
            if !made.isEmpty, FileIdentity(path: made) == nil { try calls.createFolder(made) }
            made += "/"
        }
        for folder in [path, stagingPath, bodiesPath] { try calls.createFolder(folder) }
        guard chmod(path, 0o700) == 0 else { throw FileFailure("protect folder") }
        for folder in [path, stagingPath, bodiesPath] { try protect(folder) }
        #if canImport(Darwin)
        // What can be loaded again needs no backup. Where the volume has no such mark, it has no backup of that kind.
        var url = URL(filePath: path, directoryHint: .isDirectory)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? url.setResourceValues(values)
        #endif
    }

    /// What is made in a protected folder is protected like that. SQLite may make its files otherwise.
    private func protect(_ path: String) throws(FileFailure) {
        if calls.protect(path, options.fileProtection) != 0 { throw FileFailure("protect") }
    }

    // MARK: Replacing

    /// Whether the index at the path is still the one that a connection has open.
    func isCurrent(_ connection: StoreConnection) -> Bool {
        FileIdentity(path: indexPath) == connection.identity
    }

    /// Lets go of an index that has been replaced by another process, or has been removed.
    func abandonIndex() { generation.withLock { $0 += 1 } }

    /// Sets a damaged index aside, unless somebody has done so already. Its bodies are swept up later.
    ///
    /// - Parameter identity: The file that was found to be damaged.
    func replace(identity: FileIdentity?, because reason: SQLiteFailure) throws {
        let lock = try FileLock(lockPath, waits: true)
        defer { withExtendedLifetime(lock) {} }
        defer { abandonIndex() }
        guard identity != nil, FileIdentity(path: indexPath) == identity else { return }
        report("open", reason == .otherFormat ? StoreError.otherFormat : StoreError.damagedIndex)
        removeDamagedIndex()
        try calls.createFolder(damagedPath)
        for file in indexFiles where FileCalls.byteCount(of: file) != nil {
            let name = file.dropFirst(path.utf8.count)
            if calls.rename(file, damagedPath + name) != 0 { throw FileFailure("set the index aside") }
        }
    }

    /// Removes what has been set aside: it holds bodies that somebody may have asked to be erased.
    func removeDamagedIndex() {
        for name in FileCalls.names(in: damagedPath) {
            if calls.unlink("\(damagedPath)/\(name)") != 0, errno != ENOENT {
                report("erase", FileFailure("remove a damaged index"))
            }
        }
    }
}

/// Hears of the faults of a store that others share.
final class StoreObserver: Sendable {
    let onEvent: @Sendable (ImageEvent) -> Void

    init(_ onEvent: @escaping @Sendable (ImageEvent) -> Void) {
        self.onEvent = onEvent
    }
}
