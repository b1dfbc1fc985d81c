public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Keeps responses in a `URLCache`, for an app that wants its images under the limits it has set there, beside what else is
/// in it. ``SQLiteStore`` does more, and is what pipelines have unless they are given another.
///
/// Give it to one pipeline or several:
///
///     let store = URLCacheStore(URLCache(memoryCapacity: 16 << 20, diskCapacity: 512 << 20, directory: folder))
///     let pipeline = ImagePipeline(.init(store: store))
///
/// **What is kept.** Complete responses alone: a body that broke off never reaches the cache.
///
/// **What is the cache's own.** How much it holds, what it evicts and when, and when what it has been given reaches the disk.
/// It refuses an entry larger than about a twentieth of its capacity, so that a cache of 20 MB keeps no image of more than
/// 1 MB (``entryByteLimit``). It can't be listed: ``usage()`` counts no responses. Whether a commit survives the end of the
/// process is the cache's to say; what has been evicted is a miss, and what comes back damaged, too. There are no
/// impressions: those of a pipeline last as long as the process.
///
/// **Removal.** ``remove(_:)-(StoredResponse.ID)`` removes a response. A resource, a partition or everything can't be removed
/// one by one: each has a mark in the cache, a random number, and what is stored bears the marks of its time. Removal changes
/// the mark, and nothing with the old one is ever given out again, in this launch or a later one. Its bytes stay until the
/// cache evicts them, or the same URL is asked for again. If a mark itself is evicted, what bears it is lost, never brought
/// back. To erase bytes at once, have a cache for images alone and call its `removeAllCachedResponses()`: nothing here minds.
///
/// **Privacy.** Entries have invented URLs, made of digests under a random key that is kept in the cache: no URL, credential
/// or account name is in them. The metadata is stored as it comes. Responses of a partition without a lasting name are kept
/// in memory alone, in up to 16 MiB, as ``SQLiteStore`` does.
///
/// On Linux, Foundation's `URLCache` evicts what was stored first, used or not; refuses no entry that fits in at all; takes
/// milliseconds to store one beside hundreds on disk; and traps when it evicts from memory an entry that was stored twice
/// without having been removed between, which the store takes care of for its own. Enough for tests and small programs.
///
/// - Isolation: Any thread. The cache is asked on the store's own thread, since it may read files.
/// - Ownership: One store for a cache, in one process. Others may use the cache for what is theirs.
/// - Source: Apple's documentation of `URLCache` and of `urlSession(_:dataTask:willCacheResponse:completionHandler:)`, which
///   states the twentieth.
public final class URLCacheStore: ResponseStore {
    /// Where responses are.
    public let cache: URLCache
    let entries: URLCacheEntries
    private let queue = DispatchQueue(label: "calotype.store.urlcache", qos: .userInitiated)
    private let removals = Mutex(RemovalLog())
    /// Keeps what mustn't reach the disk.
    private let unnamed = UnnamedResponses()

    /// Makes a store. The cache is first asked when the store is first used.
    public init(_ cache: URLCache) {
        self.cache = cache
        entries = URLCacheEntries(cache)
    }

    /// The most bytes that a body and its metadata may have together, by the capacities that the cache has at present.
    public var entryByteLimit: Int { entries.byteLimit }

    private func perform<Value: Sendable>(
        recording: ((inout RemovalLog) -> Void)? = nil,
        _ work: @escaping @Sendable (URLCacheEntries) throws -> Value
    ) async throws -> Value {
        try await handover { finish in
            // Recorded and put into the line at once: removals are recorded in the order in which they are carried out.
            removals.withLock { removals in
                recording?(&removals)
                queue.async { [entries] in finish(Result { try work(entries) }) }
            }
        }
    }

    // MARK: Reading

    /// The moment now.
    public func epoch() -> StoreEpoch { removals.withLock { $0.epoch } }

    /// The variants stored under a key, newest first.
    public func responses(for key: FetchKey) async throws -> [StoredResponse] {
        if key.isUnnamed { return unnamed.responses(for: key) }
        return try await perform { $0.responses(for: key) }
    }

    /// The body of a variant, checked to be whole.
    public func body(of id: StoredResponse.ID) async throws -> StoredBody? {
        if id.isUnnamed { return try await unnamed.body(of: id) }
        return try await perform { $0.body(of: id.number) }.map { .data($0) }
    }

    /// Always throws: the cache can't be listed. What it takes with everybody's entries, its own properties say.
    ///
    /// - Throws: ``StoreError/notCounted``.
    public func usage() async throws -> StoreUsage { throw StoreError.notCounted }

    // MARK: Writing

    /// Replaces the metadata and leaves the body as it is.
    public func updateMetadata(of id: StoredResponse.ID, to metadata: Data) async throws -> Bool {
        if id.isUnnamed { return try await unnamed.updateMetadata(of: id, to: metadata) }
        return try await perform { $0.setMetadata(of: id.number, to: metadata) }
    }

    /// Begins to store a response. Its body is collected in memory.
    public func writer(
        for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> any ResponseWriter {
        let deposit = StoreDeposit(key: key, resource: resource, metadata: metadata, replaced: replaced, epoch: epoch)
        if key.isUnnamed { return unnamed.writer(of: deposit) }
        return BodyCollector(byteLimit: entryByteLimit - metadata.count) { [self] in try await add($0, deposit) }
    }

    /// Stores a response whose whole body is at hand.
    ///
    /// - Returns: The response; `nil` if a removal has refused it, if it is larger than ``entryByteLimit``, if the cache
    ///   hasn't taken it, or if its resource is named by bytes, a name that doesn't last.
    public func add(
        _ body: Data, for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> StoredResponse? {
        let deposit = StoreDeposit(key: key, resource: resource, metadata: metadata, replaced: replaced, epoch: epoch)
        return key.isUnnamed ? unnamed.add(body, deposit) : try await add(body, deposit)
    }

    private func add(_ body: Data, _ deposit: StoreDeposit) async throws -> StoredResponse? {
        try await perform { [self] entries in
            let isPermitted = removals.withLock {
                $0.permits(deposit.epoch, partition: deposit.key.partition?.digest, resource: deposit.resource.digest)
            }
            return isPermitted ? entries.insert(deposit, body) : nil
        }
    }

    // MARK: Removing

    /// Removes one variant.
    public func remove(_ id: StoredResponse.ID) async throws {
        if id.isUnnamed { return try await unnamed.remove(id) }
        try await perform { $0.remove(id.number) }
    }

    /// Makes what is stored for a resource unreachable, in every partition.
    ///
    /// - Throws: ``StoreError/notRemoved`` if the cache doesn't take the new mark.
    public func remove(_ resource: ResourceID) async throws {
        try await perform(
            recording: { [unnamed] in
                $0.record(resource)
                unnamed.erase(resource)
            }
        ) { try $0.remove(resource) }
    }

    /// Makes what is stored for a partition unreachable.
    ///
    /// - Throws: ``StoreError/notRemoved`` if the cache doesn't take the new mark.
    public func removePartition(_ partition: Partition) async throws {
        try await perform(
            recording: { [unnamed] in
                $0.record(partition)
                unnamed.erase(partition)
            }
        ) { try $0.remove(partition) }
    }

    /// Makes everything that the store has stored unreachable. What others have in the cache stays.
    ///
    /// - Throws: ``StoreError/notRemoved`` if the cache doesn't take the new key.
    public func removeAll() async throws {
        try await perform(
            recording: { [unnamed] in
                $0.recordEverything()
                unnamed.eraseAll()
            }
        ) { try $0.removeAll() }
    }
}
