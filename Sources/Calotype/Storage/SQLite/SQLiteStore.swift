public import Foundation
import Synchronization

/// Keeps responses on disk: an index in SQLite with small bodies in it, and larger bodies in files.
///
/// Several processes may share a folder: what one has stored the others find, and the limits hold for all together. A
/// store does nothing before it is first used, and may be made anywhere.
///
/// **What is promised.** The limits hold after every insert: the least recently used responses make room. What
/// ``add(_:for:resource:metadata:replacing:since:)`` or a writer's commit has returned can be read by every process, and
/// survives the end of this one, however it ends. Every body is checked against its length and its checksum when it is
/// read: what doesn't match is a miss, is reported, and goes. A damaged index is set aside, and the store begins anew.
/// What becomes of a power cut is ``Options/durability-swift.property``.
///
/// **Privacy.** The folder is readable by the user alone. Neither index nor file names hold a URL, a credential or the
/// name of an account: keys are digests under a random key that is kept in the index. Beside a response stands scheme,
/// host and port of where it came from, for ``entries(after:limit:)``. The metadata is stored as it comes. Responses of a
/// partition that has no lasting name (``ImageRequest/partition`` unset, with credentials in the request or an `authorize`
/// in the configuration) are kept in memory alone, in up to 16 MiB, and end with the store: nobody could ask for them to
/// be erased from the disk. They count for no limit, and no usage. ``removePartition(_:)`` and
/// ``removeAll()`` leave no byte of what they remove in the index or its log; the files of larger bodies are unlinked,
/// which a disk may take its time to follow.
///
/// - Isolation: Any thread. SQLite and files are touched on the store's own threads: one that writes the index, one that
///   writes bodies, two that read.
/// - Errors: A method throws ``StoreError``, or an error whose description says what SQLite or the system couldn't do, and
///   names no path.
/// - Memory: About 2 MB for each of its three connections, 4 to 8 bytes for each response, by which most misses are known
///   without a look at the index, and ``Options/stagingByteLimit`` for bodies on their way.
public final class SQLiteStore: ResponseStore {
    /// When what has been stored survives a power cut.
    public enum Durability: Sendable, Hashable {
        /// A power cut may lose the newest responses, never damage the others. The disk isn't waited for.
        case relaxed
        /// What has been stored stays. Each transaction waits for the disk, which takes milliseconds.
        case full
    }

    /// What a store may take, and how it works.
    public struct Options: Sendable {
        /// The most bytes that bodies and metadata may take; 0 keeps nothing. Indexes, free pages and the log come on top: a tenth to a
        /// quarter for small bodies, and 4 MiB.
        public var byteLimit: Int
        /// The most responses.
        public var entryLimit: Int
        /// What a power cut may take.
        public var durability: Durability
        /// The largest body that is kept in the index, in bytes; larger ones are files of their own.
        public var inlineByteLimit: Int
        /// When the device lets the files be read. That of files which are there already stays as it is.
        public var fileProtection: FileProtection
        /// The most bytes of bodies that may wait to be written; what comes on top isn't stored, and is reported.
        public var stagingByteLimit: Int
        /// The time.
        public var clock: any ImageClock

        /// The size of the index's pages.
        package var pageByteCount = 4_096
        /// How long to wait for another process that writes.
        package var busyMilliseconds = 5_000
        /// Opens the index as the system does for who may not write.
        package var isReadOnly = false
        /// The system calls.
        package var calls = FileCalls.system
        /// The log is written back into the index when it has grown by this, and cut to it.
        package static let logByteLimit = 4 << 20

        /// The defaults, each of which may be changed.
        public init(
            byteLimit: Int = 256 << 20, entryLimit: Int = 100_000, durability: Durability = .relaxed,
            clock: any ImageClock = SystemClock()
        ) {
            self.byteLimit = byteLimit
            self.entryLimit = entryLimit
            self.durability = durability
            self.clock = clock
            inlineByteLimit = 64 << 10
            fileProtection = .completeUntilFirstUserAuthentication
            stagingByteLimit = 16 << 20
        }
    }

    /// Where it is.
    public let directory: URL
    /// What it was made with.
    public let options: Options
    let home: StoreHome
    let writer: StoreWriter
    let files: BodyFiles
    private let readers: [StoreReader]
    let filter = StoreFilter()
    /// Keeps what mustn't reach the disk.
    private let unnamed: UnnamedResponses

    /// Makes a store. Its folder is made, and its index opened, when it is first used.
    ///
    /// - Parameters:
    ///   - directory: A folder of its own. Parts of the way that don't exist are made.
    ///   - onEvent: Told of faults that no caller sees, as ``ImageEvent/cacheFault(operation:_:)`` mostly with a
    ///     ``StoreError``. Called on the store's threads; must not block.
    public init(
        directory: URL, options: Options = .init(), onEvent: (@Sendable (ImageEvent) -> Void)? = nil
    ) {
        self.directory = directory
        var options = options
        options.byteLimit = max(0, options.byteLimit)
        options.entryLimit = max(0, options.entryLimit)
        self.options = options
        var path = directory.path(percentEncoded: false)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        home = StoreHome(path: path, calls: options.calls, options: options, onEvent: onEvent)
        let staging = StoreStaging(home)
        writer = StoreWriter(home, staging: staging, filter: filter)
        files = BodyFiles(home, staging: staging)
        readers = [StoreReader(home), StoreReader(home)]
        unnamed = UnnamedResponses(byteLimit: min(options.byteLimit, 16 << 20))
        AppEventCenter.shared.add(self)
    }

    deinit { writer.shutDown() }

    /// Writes what waits, and closes the files. What is asked for afterwards throws ``StoreError/closed``, or opens them
    /// again to read.
    public func close() async {
        await writer.close()
        await closeReaders()
    }

    /// They are opened again when they are needed.
    func closeReaders() async {
        for reader in readers { await reader.close() }
    }

    /// Tells somebody else of faults as well, who had no say when the store was made: a pipeline that shares it.
    ///
    /// - Returns: Until this is let go of.
    func observe(_ onEvent: @escaping @Sendable (ImageEvent) -> Void) -> StoreObserver {
        let observer = StoreObserver(onEvent)
        home.add(observer)
        return observer
    }

    func read<Value: Sendable>(_ work: @escaping @Sendable (StoreConnection) throws -> Value) async throws -> Value {
        try await StoreReader.run(on: readers, work)
    }

    // MARK: Reading

    /// The moment now.
    public func epoch() -> StoreEpoch { writer.epoch }

    /// The variants stored under a key, newest first.
    ///
    /// - Throws: What keeps the index from being read.
    public func responses(for key: FetchKey) async throws -> [StoredResponse] {
        if key.isUnnamed { return unnamed.responses(for: key) }
        if filter.rulesOut(key, generation: home.currentGeneration) { return [] }
        let (found, damaged) = try await read { try $0.responses(for: key) }
        if found.isEmpty, damaged.isEmpty, filter.noteMiss() { writer.loadFilter() }
        for id in damaged { try await discard(id, because: .damagedEntry) }
        return found
    }

    /// The body of a variant, checked to be whole. This is what counts as a use.
    ///
    /// - Throws: What keeps the index or the file from being read.
    public func body(of id: StoredResponse.ID) async throws -> StoredBody? {
        if id.isUnnamed { return try await unnamed.body(of: id) }
        switch try await check(id) {
        case .whole(let body):
            writer.noteUse(of: id.number)
            return body
        case .damaged(let error):
            try await discard(id.number, because: error)
            return nil
        case .gone:
            return nil
        }
    }

    func check(_ id: StoredResponse.ID) async throws -> StoreConnection.BodyState {
        let bodies = home.bodiesPath
        return try await read { try $0.body(of: id.number, bodies: bodies) }
    }

    /// Removes an entry that turned out to be damaged, unless another has removed it: then there was nothing to be found.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    func discard(_ id: Int64, because error: StoreError) async throws -> Bool {
        let wasThere = try await writer.perform { try $0.remove(id) }
        if wasThere { home.report("read", error) }
        return wasThere
    }

    /// What the store holds.
    public func usage() async throws -> StoreUsage {
        try await read { try $0.usage() }
    }

    // MARK: Writing

    /// Replaces the metadata and leaves the body as it is.
    public func updateMetadata(of id: StoredResponse.ID, to metadata: Data) async throws -> Bool {
        if id.isUnnamed { return try await unnamed.updateMetadata(of: id, to: metadata) }
        return try await writer.perform { try $0.setMetadata(of: id.number, to: metadata) }
    }

    /// Begins to store a response.
    public func writer(
        for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> any ResponseWriter {
        let deposit = StoreDeposit(key: key, resource: resource, metadata: metadata, replaced: replaced, epoch: epoch)
        return key.isUnnamed ? unnamed.writer(of: deposit) : BodyWriter(self, deposit)
    }

    /// Stores a response whose whole body is at hand.
    ///
    /// - Returns: The response; `nil` if a removal has refused it, if it is larger than the store may be, or if its
    ///   resource is named by bytes, a name that doesn't last.
    /// - Throws: ``StoreError/stagingFull(byteLimit:)``, or what keeps it from being written.
    public func add(
        _ body: Data, for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> StoredResponse? {
        let deposit = StoreDeposit(key: key, resource: resource, metadata: metadata, replaced: replaced, epoch: epoch)
        if key.isUnnamed { return unnamed.add(body, deposit) }
        guard deposit.isStorable(bodyByteCount: Int64(body.count), options) else { return nil }
        if body.count > options.inlineByteLimit {
            return try await commit(deposit, staged: try await files.write(body))
        }
        let reserved = try files.reserve(body.count)
        defer { files.release(reserved) }
        return try await commit(
            deposit, .inline(body), byteCount: Int64(body.count), checksum: Checksum(body).value)
    }

    func commit(_ deposit: StoreDeposit, staged: StagedBody) async throws -> StoredResponse? {
        let response = try await commit(
            deposit, .staged(staged), byteCount: staged.byteCount, checksum: staged.checksum.value)
        if response != nil { staged.keep() }
        return response
    }

    func commit(
        _ deposit: StoreDeposit, _ body: StoreIndex.NewResponse.Body, byteCount: Int64, checksum: UInt32
    ) async throws -> StoredResponse? {
        let response = StoreIndex.NewResponse(
            key: deposit.key, resource: deposit.resource, metadata: deposit.metadata, body: body,
            bodyByteCount: byteCount, bodyChecksum: checksum, replaced: deposit.replaced)
        let writer = writer
        let id: Int64? = try await writer.perform { index in
            guard writer.permits(deposit.epoch, deposit.key.partition, deposit.resource) else { return nil }
            return try index.insert(response, now: writer.nextTime())
        }
        return id.map { StoredResponse(id: .init($0), metadata: deposit.metadata, bodyByteCount: byteCount) }
    }

    // MARK: Removing

    /// Removes one variant.
    public func remove(_ id: StoredResponse.ID) async throws {
        if id.isUnnamed { return try await unnamed.remove(id) }
        _ = try await writer.perform { try $0.remove(id.number) }
    }

    /// Removes what is stored for a resource, in every partition.
    public func remove(_ resource: ResourceID) async throws {
        try await writer.perform(
            recording: { [unnamed] in
                $0.record(resource)
                unnamed.erase(resource)
            }
        ) { try $0.remove(resource) }
    }

    /// Removes what is stored for a partition, and leaves nothing of it in the index.
    public func removePartition(_ partition: Partition) async throws {
        try await writer.perform(
            erases: true,
            recording: { [unnamed] in
                $0.record(partition)
                unnamed.erase(partition)
            }
        ) { try $0.remove(partition) }
    }

    /// Removes everything, and leaves nothing of it in the index.
    public func removeAll() async throws {
        try await writer.perform(
            erases: true,
            recording: { [unnamed] in
                $0.recordEverything()
                unnamed.eraseAll()
            }
        ) { try $0.removeAll() }
    }
}
