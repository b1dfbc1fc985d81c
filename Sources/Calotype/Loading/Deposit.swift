import Foundation

/// A response on its way into the store.
///
/// A body of one piece, as most small images have, goes into the store in one step once it is complete. The second piece
/// opens a writer.
///
/// - Isolation: One task at a time.
final class Deposit {
    private let store: any ResponseStore
    private let key: FetchKey
    private let resource: ResourceID
    private let metadata: Data
    private let replaced: StoredResponse.ID?
    private let epoch: StoreEpoch
    /// The first piece, as long as there is no writer.
    private var first: Data
    private var writer: (any ResponseWriter)?

    /// Begins with the first piece. Other parameters as those of
    /// ``ResponseStore/writer(for:resource:metadata:replacing:since:)``.
    init(
        of first: Data, in store: any ResponseStore, for key: FetchKey, resource: ResourceID, metadata: Data,
        replacing replaced: StoredResponse.ID?, since epoch: StoreEpoch
    ) {
        self.first = first
        self.store = store
        self.key = key
        self.resource = resource
        self.metadata = metadata
        self.replaced = replaced
        self.epoch = epoch
    }

    /// Takes the next bytes.
    func append(_ bytes: Data) async throws {
        if let writer { return try await writer.append(bytes) }
        let writer = try await store.writer(
            for: key, resource: resource, metadata: metadata, replacing: replaced, since: epoch)
        self.writer = writer
        try await writer.append(first)
        first = Data()
        try await writer.append(bytes)
    }

    /// Makes the response visible: see ``ResponseWriter/commit()``.
    func commit() async throws -> StoredResponse? {
        if let writer { return try await writer.commit() }
        return try await store.add(
            first, for: key, resource: resource, metadata: metadata, replacing: replaced, since: epoch)
    }

    /// Forgets what came so far.
    func abort() async {
        await writer?.abort()
    }
}
