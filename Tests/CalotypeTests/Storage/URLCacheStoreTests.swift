import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("URLCacheStore")
struct URLCacheStoreTests {
    private typealias Contract = ResponseStoreContract<URLCacheStore>

    /// A cache that takes entries of up to that many bytes. In memory alone: Foundation's on Linux takes milliseconds to
    /// store an entry beside hundreds on disk.
    private static func store(entryByteLimit: Int) -> URLCacheStore {
        let capacity = (entryByteLimit + URLCacheEntries.overhead) * 20
        return URLCacheStore(URLCache(memoryCapacity: capacity, diskCapacity: 0, diskPath: emptyFolder))
    }

    /// For caches in memory, which make a folder all the same; without a path, one among the user's caches.
    fileprivate static let emptyFolder = DefaultFolder.url.appending(path: "URLCache").path(percentEncoded: false)

    /// A cache on disk.
    private static func cache(_ folder: URL) -> URLCache {
        let path = folder.path(percentEncoded: false)
        return URLCache(memoryCapacity: 1 << 20, diskCapacity: 20 << 20, diskPath: path)
    }

    private static func key(_ name: String, _ partition: Partition? = nil) -> FetchKey {
        SQLiteStore.key(name, partition)
    }

    @discardableResult
    private func put(
        _ store: URLCacheStore, _ name: String, _ body: Data, partition: Partition? = nil
    ) async throws -> StoredResponse? {
        try await store.add(
            body, for: Self.key(name, partition), resource: ResourceID(name), metadata: Data("metadata".utf8),
            replacing: nil, since: store.epoch())
    }

    private func get(_ store: URLCacheStore, _ name: String, partition: Partition? = nil) async throws -> Data? {
        guard let response = try await store.responses(for: Self.key(name, partition)).first else { return nil }
        return try await store.body(of: response.id)?.bytes()
    }

    /// What the cache itself decides, and what it doesn't tell, are no rules for the store: its bound, the order in which it
    /// evicts, and its usage.
    @Test(
        "a store in a URLCache keeps the contract of stores, less limits and usage",
        arguments: ResponseStoreContract<URLCacheStore>.rules.filter { $0.needs == nil })
    func contract(_ rule: ResponseStoreContract<URLCacheStore>.Rule) async throws {
        try await rule.check(Contract(counts: false) { Self.store(entryByteLimit: $0) })
    }

    @Test("usage isn't made up")
    func usage() async throws {
        await #expect(throws: StoreError.notCounted) { try await Self.store(entryByteLimit: 1_000).usage() }
    }

    @Test("an ID that was handed out before a removal gives no body after it")
    func removedMeanwhile() async throws {
        let removals: [@Sendable (URLCacheStore) async throws -> Void] = [
            { try await $0.remove(ResourceID("a")) }, { try await $0.removePartition("p") },
            { try await $0.removeAll() },
        ]
        for removal in removals {
            let store = Self.store(entryByteLimit: 100_000)
            let response = try #require(try await put(store, "a", Data([1, 2]), partition: "p"))
            #expect(try await store.body(of: response.id)?.bytes() == Data([1, 2]))
            try await removal(store)
            #expect(try await store.body(of: response.id) == nil)
            #expect(try await store.updateMetadata(of: response.id, to: Data()) == false)
            #expect(try await put(store, "a", Data([3]), partition: "p") != nil)
            #expect(try await get(store, "a", partition: "p") == Data([3]))
            #expect(try await store.responses(for: Self.key("a", "p")).count == 1)
        }
    }

    @Test("what others have in the cache stays, and an app may empty its cache at any time")
    func shared() async throws {
        let store = Self.store(entryByteLimit: 100_000)
        let request = URLRequest(url: URL(string: "https://example.com/feed.json")!)
        let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: [:])!
        store.cache.storeCachedResponse(CachedURLResponse(response: response, data: Data([9])), for: request)
        #expect(try await put(store, "a", Data([1])) != nil)
        try await store.removeAll()
        #expect(try await get(store, "a") == nil)
        #expect(store.cache.cachedResponse(for: request)?.data == Data([9]))

        #expect(try await put(store, "b", Data([1]), partition: "p") != nil)
        store.cache.removeAllCachedResponses()
        #expect(try await get(store, "b", partition: "p") == nil)
        #expect(try await put(store, "b", Data([2]), partition: "p") != nil)
        #expect(try await get(store, "b", partition: "p") == Data([2]))
        // The next store finds it as well: the root has been written again.
        #expect(try await get(URLCacheStore(store.cache), "b", partition: "p") == Data([2]))
    }

    @Test("an entry that comes back damaged is a miss", arguments: [0, 1, 17])
    func damage(_ keptByteCount: Int) async throws {
        let cache = HarmedCache(keeping: keptByteCount)
        let store = URLCacheStore(cache)
        #expect(try await put(store, "a", distinctBytes(500, seed: 1)) != nil)
        cache.isHarmful = true
        #expect(try await get(store, "a") == nil)
        #expect(try await store.responses(for: Self.key("b")).isEmpty)
    }

    @Test("a pipeline uses it as HTTP says: fresh, stale and confirmed, stale and replaced, erased by account")
    func pipeline() async throws {
        let store = Self.store(entryByteLimit: 1 << 20)
        let memory = { MemoryCache(costLimit: 64 << 20, reactsToMemoryPressure: false) }
        let one = try Fixture { $0.store = store }
        let fresh = one.serve("/fresh.png", fields: ["Cache-Control": "max-age=600"])
        let red = LoopbackServer.Resource(
            TestImages.solidPNG(width: 64, height: 48, color: .red), type: "image/png", etag: "\"1\"",
            fields: ["Cache-Control": "max-age=0"])
        one.server.route("/stale.png") { red.response(to: $0) }
        let stale = one.server.url("/stale.png")

        func layers(_ request: (URL) -> ImageRequest = { ImageRequest(url: $0) }) async throws -> [LoadReport.Layer] {
            // Another pipeline each time: its memory is empty.
            let pipeline = ImagePipeline(.init(transport: Fixture.transport(), memory: memory(), store: store))
            var layers: [LoadReport.Layer] = []
            for url in [fresh, stale] { layers.append(try await pipeline.result(for: request(url)).report.layer) }
            return layers
        }
        #expect(try await layers() == [.network, .network])
        #expect(try await layers() == [.storage, .revalidation])
        #expect(try await layers() == [.storage, .revalidation])
        #expect(one.server.requests.count == 4)

        let green = LoopbackServer.Resource(
            TestImages.solidPNG(width: 64, height: 48, color: .green), type: "image/png", etag: "\"2\"",
            fields: ["Cache-Control": "max-age=600"])
        one.server.route("/stale.png") { green.response(to: $0) }
        #expect(try await layers() == [.storage, .network])
        #expect(try await layers() == [.storage, .storage])

        let ofAccount = { @Sendable (url: URL) in ImageRequest(url: url, partition: "account") }
        #expect(try await layers(ofAccount) == [.network, .network])
        #expect(try await layers(ofAccount) == [.storage, .storage])
        try await store.removePartition("account")
        #expect(try await layers(ofAccount) == [.network, .network])
        #expect(try await layers() == [.storage, .storage])
    }

    // What a cache writes to its disk when, under which names, and what it evicts first, is known of Foundation's on Linux.
    // Apple's writes when it likes.
    #if os(Linux)
    @Test("what has been stored is found by the next store on the same folder, as are removals")
    func lasting() async throws {
        try await StoreFolder.with { folder in
            let body = distinctBytes(30_000, seed: 1)
            do {
                let store = URLCacheStore(Self.cache(folder.url))
                for (name, partition) in [("a", nil), ("b", "p"), ("c", "q"), ("d", nil)] as [(String, Partition?)] {
                    #expect(try await put(store, name, body, partition: partition) != nil)
                }
            }
            do {
                let store = URLCacheStore(Self.cache(folder.url))
                #expect(try await get(store, "a") == body)
                #expect(try await store.responses(for: Self.key("a")).map(\.metadata) == [Data("metadata".utf8)])
                #expect(try await get(store, "b", partition: "p") == body)
                try await store.removePartition("p")
                try await store.remove(ResourceID("d"))
            }
            do {
                let store = URLCacheStore(Self.cache(folder.url))
                #expect(try await get(store, "b", partition: "p") == nil)
                #expect(try await get(store, "d") == nil)
                #expect(try await get(store, "c", partition: "q") == body)
                try await store.removeAll()
            }
            let store = URLCacheStore(Self.cache(folder.url))
            #expect(try await get(store, "a") == nil)
            #expect(try await get(store, "c", partition: "q") == nil)
        }
    }

    @Test("what the cache evicts is a miss, and the marks that many depend on aren't among the first to go")
    func eviction() async throws {
        let store = Self.store(entryByteLimit: 20_000)
        for number in 0..<200 { #expect(try await put(store, "\(number)", Data(count: 15_000), partition: "p") != nil) }
        #expect(try await get(store, "0", partition: "p") == nil)
        #expect(try await get(store, "199", partition: "p") == Data(count: 15_000))
        #expect(try await get(URLCacheStore(store.cache), "198", partition: "p") == Data(count: 15_000))
    }

    @Test("neither URL nor credentials nor account names reach the disk")
    func privacy() async throws {
        try await StoreFolder.with { folder in
            let store = URLCacheStore(Self.cache(folder.url))
            let url = URL(string: "https://ada:s3cret@img.example.com/albums/lovelace.jpg?token=t0ken")!
            let key = FetchKey(
                method: "POST", url: url, partition: "ada@example.com", fields: ["X-Api-Key": "f1eld"],
                body: Data("b0dy".utf8))
            let response = try await store.add(
                distinctBytes(1_000, seed: 1), for: key, resource: "mail:ada", metadata: Data([1]), replacing: nil,
                since: store.epoch())
            #expect(response != nil)
            let unnamed = Partition(credentials: Digest("Bearer abc"))
            #expect(try await put(store, "a", Data("unn4med".utf8), partition: unnamed) != nil)
            #expect(try await get(store, "a", partition: unnamed) == Data("unn4med".utf8))
            let files = folder.files
            #expect(!files.isEmpty)
            for secret in ["s3cret", "lovelace", "t0ken", "ada@", "f1eld", "b0dy", "mail:", "Api-Key", "unn4med"] {
                for file in files {
                    // Names of files are URLs in base64.
                    let name = Data(base64Encoded: String(file.lastPathComponent.split(separator: ".")[1])) ?? Data()
                    for bytes in [try Data(contentsOf: file), name, Data(file.path(percentEncoded: false).utf8)] {
                        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)")
                    }
                }
            }
        }
    }
    #endif
}

/// A cache that gives back less than it has been given.
private final class HarmedCache: URLCache, @unchecked Sendable {
    private let keptByteCount: Int
    // Set by the test between calls that it awaits.
    var isHarmful = false

    init(keeping byteCount: Int) {
        keptByteCount = byteCount
        super.init(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: URLCacheStoreTests.emptyFolder)
    }

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        let found = super.cachedResponse(for: request)
        guard let found, isHarmful else { return found }
        return CachedURLResponse(response: found.response, data: found.data.prefix(keptByteCount))
    }
}
