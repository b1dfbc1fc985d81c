import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a ``URLCacheStore`` has in its cache, each under a URL of its own:
///
///     root                   the key that all names below are made by
///     mark/DIGEST            the mark of a partition or a resource: eight random bytes
///     variants/DIGEST        of a key, newest first: for each its ID, its marks, the body's length and checksum, its metadata
///     body/DIGEST            of an ID: the name of its variants, then the bytes
///
/// A variant counts only if the marks that it bears are still there. A new root makes all names new.
///
/// The bytes of everything are in the entries' data, since that is what every `URLCache` brings back unchanged.
///
/// - Isolation: The store's queue, except for ``byteLimit``.
final class URLCacheEntries: Sendable {
    private let cache: URLCache

    // Touched on the store's queue alone.
    private nonisolated(unsafe) var root: DigestKey?
    /// What many entries depend on and has been written lately: the root, and marks of partitions.
    private nonisolated(unsafe) var renewed: Set<Data> = []
    private nonisolated(unsafe) var byteCountSinceRenewal = 0

    init(_ cache: URLCache) {
        self.cache = cache
    }

    /// The most bytes of a body with its metadata: a twentieth of the capacity, less what comes on top.
    ///
    /// - Source: Apple's documentation of `urlSession(_:dataTask:willCacheResponse:completionHandler:)`.
    var byteLimit: Int { max(0, max(cache.memoryCapacity, cache.diskCapacity) / 20 - Self.overhead) }

    static let overhead = 2_048

    /// The variants of a key, as they are stored.
    private struct Variants: Codable {
        struct Variant: Codable {
            var id: Int64
            var resource: Data
            var resourceMark: Data
            var partition: Data?
            var partitionMark: Data?
            var byteCount: Int
            var checksum: UInt32
            var metadata: Data

            /// What it bears.
            var marks: [(name: Data, mark: Data)] {
                var marks = [(resource, resourceMark)]
                if let partition, let partitionMark { marks.append((partition, partitionMark)) }
                return marks
            }

            var response: StoredResponse {
                StoredResponse(id: .init(id), metadata: metadata, bodyByteCount: Int64(byteCount))
            }
        }

        var list: [Variant] = []
    }

    // MARK: Reading

    func responses(for key: FetchKey) -> [StoredResponse] {
        guard let root = knownRoot(), let name = Self.name(of: key, root) else { return [] }
        return variants(name, root).list.map(\.response)
    }

    func body(of id: Int64) -> Data? {
        guard let root = knownRoot(), let (owner, body) = ownedBody(of: id, root),
            let variant = variants(owner, root).list.first(where: { $0.id == id }),
            variant.byteCount == body.count, variant.checksum == Checksum(body).value
        else { return nil }
        return body
    }

    /// The variants of that name whose marks still hold. What bears a mark that has been changed goes.
    private func variants(_ name: Data, _ root: DigestKey) -> Variants {
        guard let data = read(.variants, name),
            var variants = try? PropertyListDecoder().decode(Variants.self, from: data)
        else { return Variants() }
        variants.list.removeAll { variant in
            let changed = variant.marks.first { read(.mark, $0.name) != $0.mark }
            guard let changed else { return false }
            if read(.mark, changed.name) != nil { erase(.body, Self.name(of: variant.id, root)) }
            return true
        }
        return variants
    }

    /// A body, and the name of the variants that it belongs to.
    private func ownedBody(of id: Int64, _ root: DigestKey) -> (owner: Data, body: Data)? {
        guard let data = read(.body, Self.name(of: id, root)), data.count >= Self.nameByteCount else { return nil }
        // Bytes of their own, counted from 0.
        return (Data(data.prefix(Self.nameByteCount)), Data(data.dropFirst(Self.nameByteCount)))
    }

    // MARK: Writing

    func insert(_ deposit: StoreDeposit, _ body: Data) -> StoredResponse? {
        guard body.count + deposit.metadata.count <= byteLimit else { return nil }
        let root = knownRoot() ?? .random()
        guard let name = Self.name(of: deposit.key, root),
            let resource = deposit.resource.diskDigest(root).map({ Data($0.bytes) })
        else { return nil }
        self.root = root
        let partition = deposit.key.partition?.diskDigest(root).map { Data($0.bytes) }
        let partitionMark = partition.map(newMark)
        renew(root, partition, partitionMark, before: body.count)
        let variant = Variants.Variant(
            id: .random(in: 1 ... .max), resource: resource, resourceMark: newMark(resource), partition: partition,
            partitionMark: partitionMark, byteCount: body.count, checksum: Checksum(body).value,
            metadata: deposit.metadata)
        let bodyName = Self.name(of: variant.id, root)
        write(name + body, .body, bodyName)
        guard read(.body, bodyName) != nil else { return nil }
        if let replaced = deposit.replaced { remove(replaced.number) }
        var list = variants(name, root)
        list.list.insert(variant, at: 0)
        guard write(list, name, root) else {
            erase(.body, bodyName)
            return nil
        }
        return variant.response
    }

    func setMetadata(of id: Int64, to metadata: Data) -> Bool {
        let limit = byteLimit
        return change(id) { list, index in
            list[index].metadata = metadata
            return list[index].byteCount + metadata.count <= limit
        }
    }

    func remove(_ id: Int64) {
        guard let root = knownRoot() else { return }
        _ = change(id) { list, index in
            list.remove(at: index)
            return true
        }
        erase(.body, Self.name(of: id, root))
    }

    /// Changes the variants that one belongs to, unless `body` doesn't want to.
    ///
    /// - Returns: Whether it was there, and the change has been stored.
    private func change(_ id: Int64, _ body: (inout [Variants.Variant], Int) -> Bool) -> Bool {
        guard let root = knownRoot(), let (owner, _) = ownedBody(of: id, root) else { return false }
        var variants = variants(owner, root)
        guard let index = variants.list.firstIndex(where: { $0.id == id }), body(&variants.list, index) else {
            return false
        }
        return write(variants, owner, root)
    }

    /// Writes the variants of a name; the oldest give way if there are too many for an entry.
    ///
    /// - Returns: Whether the cache has them.
    private func write(_ variants: Variants, _ name: Data, _ root: DigestKey) -> Bool {
        var variants = variants
        while let oldest = variants.list.last {
            guard let data = try? Self.encoder.encode(variants) else { return false }
            if data.count <= byteLimit + Self.overhead || variants.list.count == 1 {
                write(data, .variants, name)
                return read(.variants, name) == data
            }
            erase(.body, Self.name(of: oldest.id, root))
            variants.list.removeLast()
        }
        erase(.variants, name)
        return read(.variants, name) == nil
    }

    private static let encoder: PropertyListEncoder = {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return encoder
    }()

    // MARK: Removing

    func remove(_ resource: ResourceID) throws {
        try changeMark { resource.diskDigest($0) }
    }

    func remove(_ partition: Partition) throws {
        try changeMark { partition.diskDigest($0) }
    }

    func removeAll() throws {
        guard let old = knownRoot() else { return }
        let new = DigestKey.random()
        root = new
        renewed = []
        write(new.bytes, .root, Data())
        if read(.root, Data()) == old.bytes { throw StoreError.notRemoved }
    }

    // MARK: Marks

    /// The mark of that name; made if there is none.
    private func newMark(_ name: Data) -> Data {
        if let mark = read(.mark, name) { return mark }
        let mark = Self.randomMark()
        write(mark, .mark, name)
        return mark
    }

    /// Overwritten, not removed: what has been stored is there, while removal is what caches have been careless with.
    private func changeMark(_ digest: (DigestKey) -> Digest?) throws {
        guard let root = knownRoot(), let name = digest(root).map({ Data($0.bytes) }), let old = read(.mark, name)
        else { return }
        write(Self.randomMark(), .mark, name)
        if read(.mark, name) == old { throw StoreError.notRemoved }
    }

    private static func randomMark() -> Data {
        withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Data($0) }
    }

    /// Writes again what many entries depend on, from time to time and if it has gone: caches may evict what came first,
    /// used or not, and the app may have emptied its cache.
    private func renew(_ root: DigestKey, _ partition: Data?, _ mark: Data?, before byteCount: Int) {
        byteCountSinceRenewal += byteCount
        if byteCountSinceRenewal > byteLimit || read(.root, Data()) != root.bytes {
            renewed = []
            byteCountSinceRenewal = 0
        }
        if renewed.insert(Data()).inserted { write(root.bytes, .root, Data()) }
        if let partition, let mark, renewed.insert(partition).inserted { write(mark, .mark, partition) }
    }

    // MARK: Names

    private static let nameByteCount = 16

    private static func name(of key: FetchKey, _ root: DigestKey) -> Data? {
        key.diskDigest(root).map { Data($0.bytes) }
    }

    private static func name(of id: Int64, _ root: DigestKey) -> Data {
        var hash = DigestBuilder(by: root)
        hash.append(UInt64(bitPattern: id))
        return Data(hash.finish().bytes)
    }

    /// The key of all names, once there is one. The first response makes it; before that nothing is concluded from its not
    /// being there, for a cache may need a moment to find what it has on disk.
    private func knownRoot() -> DigestKey? {
        if root == nil { root = read(.root, Data()).flatMap(DigestKey.init(bytes:)) }
        return root
    }

    // MARK: The cache

    private enum Kind: String {
        case root, mark, variants, body
    }

    private static func url(_ kind: Kind, _ name: Data) -> URL? {
        // A host that no server has: nobody asks for it but this.
        URL(string: "https://calotype.invalid/\(kind.rawValue)/\([UInt8](name).hexadecimal)")
    }

    private func read(_ kind: Kind, _ name: Data) -> Data? {
        guard let url = Self.url(kind, name) else { return nil }
        return cache.cachedResponse(for: URLRequest(url: url))?.data
    }

    private func write(_ data: Data, _ kind: Kind, _ name: Data) {
        // As a response that may be kept for long: caches may look at that.
        guard let url = Self.url(kind, name),
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: [
                    "Cache-Control": "max-age=31536000", "Content-Type": "application/octet-stream",
                    "Content-Length": "\(data.count)",
                ])
        else { return }
        let request = URLRequest(url: url)
        #if !canImport(Darwin)
        // Foundation's own URLCache traps when it evicts from memory what has been stored twice.
        cache.removeCachedResponse(for: request)
        #endif
        cache.storeCachedResponse(CachedURLResponse(response: response, data: data), for: request)
    }

    private func erase(_ kind: Kind, _ name: Data) {
        guard let url = Self.url(kind, name) else { return }
        cache.removeCachedResponse(for: URLRequest(url: url))
    }
}

extension DigestKey {
    fileprivate var bytes: Data { Data(Digest(high: first, low: second).bytes) }

    fileprivate init?(bytes: Data) {
        guard let digest = bytes.withUnsafeBytes({ Digest(stored: $0) }) else { return nil }
        self.init(digest.high, digest.low)
    }
}
