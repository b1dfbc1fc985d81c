public import Foundation

/// Keeps responses: for each key any number of variants, each with metadata that the store doesn't look into, and a body.
///
/// A store knows nothing of HTTP: what a variant means, and when it may be used, is told by its metadata to others.
///
/// - Isolation: Any thread. What touches a file does so on the store's own threads.
/// - Errors: A method throws when the store can't do its work. That never fails a load that the network can satisfy; a
///   miss is `nil` or empty, not an error.
public protocol ResponseStore: AnyObject, Sendable {
    /// The moment from which a load counts as begun. Removals after it refuse what that load commits.
    ///
    /// Asked with a lock held: it must neither wait for I/O nor call back into the pipeline.
    func epoch() -> StoreEpoch

    /// The variants stored under a key, newest first.
    func responses(for key: FetchKey) async throws -> [StoredResponse]

    /// The body of a variant, checked to be whole; `nil` if it has gone meanwhile.
    func body(of id: StoredResponse.ID) async throws -> StoredBody?

    /// Replaces the metadata and leaves the body as it is.
    ///
    /// - Returns: Whether the variant was still there.
    func updateMetadata(of id: StoredResponse.ID, to metadata: Data) async throws -> Bool

    /// Begins to store a response. Nothing of it is seen before ``ResponseWriter/commit()``.
    ///
    /// - Parameters:
    ///   - replaced: The variant that gives way to this one, if any.
    ///   - epoch: From before the load began. If the key's partition or its resource has been removed since, the commit
    ///     is refused.
    func writer(
        for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> any ResponseWriter

    /// Stores a response whose whole body is at hand: a writer's work in one step, which a store may do more cheaply.
    ///
    /// Parameters as those of ``writer(for:resource:metadata:replacing:since:)``.
    ///
    /// - Returns: As ``ResponseWriter/commit()``.
    func add(
        _ body: Data, for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> StoredResponse?

    /// Removes one variant.
    func remove(_ id: StoredResponse.ID) async throws

    /// Removes what is stored for a resource, in every partition.
    func remove(_ resource: ResourceID) async throws

    /// Removes what is stored for a partition.
    func removePartition(_ partition: Partition) async throws

    /// Removes everything.
    func removeAll() async throws

    /// What the store holds.
    ///
    /// - Throws: ``StoreError/notCounted`` if what it keeps its responses in doesn't tell.
    func usage() async throws -> StoreUsage
}

extension ResponseStore {
    /// Opens a writer, and commits.
    public func add(
        _ body: Data, for key: FetchKey, resource: ResourceID, metadata: Data, replacing replaced: StoredResponse.ID?,
        since epoch: StoreEpoch
    ) async throws -> StoredResponse? {
        let writer = try await writer(
            for: key, resource: resource, metadata: metadata, replacing: replaced, since: epoch)
        do {
            try await writer.append(body)
            return try await writer.commit()
        } catch {
            await writer.abort()
            throw error
        }
    }
}

/// A response that is stored.
public struct StoredResponse: Sendable, Identifiable {
    /// Names a variant in its store.
    public struct ID: Hashable, Sendable {
        /// Never used twice.
        public let number: Int64

        /// Makes an ID.
        public init(_ number: Int64) { self.number = number }
    }

    /// Names the variant.
    public let id: ID
    /// What was stored with it.
    public let metadata: Data
    /// The length of the body, in bytes.
    public let bodyByteCount: Int64

    /// Makes a stored response.
    public init(id: ID, metadata: Data, bodyByteCount: Int64) {
        self.id = id
        self.metadata = metadata
        self.bodyByteCount = bodyByteCount
    }
}

extension StoredResponse: CustomStringConvertible, CustomReflectable {
    /// Redacted: "#12, 8192 bytes, metadata 310 bytes". The metadata may hold anything.
    public var description: String { "#\(id.number), \(bodyByteCount) bytes, metadata \(metadata.count) bytes" }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

/// A stored body: bytes in memory, or an open file that stays readable when its entry goes.
public enum StoredBody: Sendable {
    /// The bytes.
    case data(Data)
    /// A file, open for reading and positioned at its start.
    case file(FileHandle, byteCount: Int64)
}

extension StoredBody: CustomStringConvertible, CustomReflectable {
    /// Its length.
    public var description: String {
        switch self {
        case .data(let data): "\(data.count) bytes"
        case .file(_, let byteCount): "\(byteCount) bytes in a file"
        }
    }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

/// Takes the body of a response as it arrives.
///
/// - Ownership: Letting go of a writer without committing aborts it.
public protocol ResponseWriter: AnyObject, Sendable {
    /// Takes the next bytes. One call at a time: the next one waits for this one's end.
    ///
    /// - Throws: What keeps the store from taking them. The writer is of no use then, and has to be aborted.
    func append(_ bytes: Data) async throws
    /// Makes the response visible. Called once, at the end.
    ///
    /// - Returns: The stored response, or `nil` if a removal has refused it or the store has no room for it.
    func commit() async throws -> StoredResponse?
    /// Forgets what came so far, and whatever may still come.
    func abort() async
}

/// A moment in the life of a store.
public struct StoreEpoch: Hashable, Sendable, Comparable {
    /// Removals before this moment.
    public let number: UInt64

    /// Makes an epoch.
    public init(_ number: UInt64) { self.number = number }

    /// Earlier first.
    public static func < (lhs: StoreEpoch, rhs: StoreEpoch) -> Bool { lhs.number < rhs.number }
}

/// What a store holds.
public struct StoreUsage: Hashable, Sendable {
    /// Responses, variants counted each.
    public var responseCount: Int
    /// Bodies and metadata, in bytes.
    public var byteCount: Int64

    /// Makes a usage.
    public init(responseCount: Int, byteCount: Int64) {
        self.responseCount = responseCount
        self.byteCount = byteCount
    }
}
