import Foundation
import Testing

@testable import Calotype

@Suite("MemoryStore")
struct MemoryStoreTests {
    @Test("a store in memory keeps the contract of stores", arguments: ResponseStoreContract<MemoryStore>.rules)
    func contract(_ rule: ResponseStoreContract<MemoryStore>.Rule) async throws {
        try await rule.check(ResponseStoreContract { MemoryStore(byteLimit: $0) })
    }

    @Test("a body that has been handed out stays whole when its entry goes")
    func handedOut() async throws {
        let store = MemoryStore()
        let key = FetchKey(url: URL(string: "https://example.com/")!)
        let writer = try await store.writer(
            for: key, resource: "a", metadata: Data(), replacing: nil, since: store.epoch())
        try await writer.append(Data([1, 2, 3]))
        let response = try #require(try await writer.commit())
        let body = try #require(try await store.body(of: response.id))
        try await store.removeAll()
        #expect(try await body.bytes() == Data([1, 2, 3]))
    }

    @Test("many uses of few entries leave the order right")
    func manyUses() async throws {
        let store = MemoryStore(byteLimit: 30)
        var ids: [StoredResponse.ID] = []
        for name in ["a", "b", "c"] {
            let writer = try await store.writer(
                for: FetchKey(url: URL(string: "https://example.com/\(name)")!), resource: ResourceID(name),
                metadata: Data(), replacing: nil, since: store.epoch())
            try await writer.append(Data(count: 10))
            ids.append(try #require(try await writer.commit()).id)
        }
        for use in 0..<1_000 { _ = try await store.body(of: ids[[0, 2, 0, 1][use % 4]]) }
        // The last uses were of c, a and b.
        for gone in [2, 0, 1] {
            let writer = try await store.writer(
                for: FetchKey(url: URL(string: "https://example.com/new")!), resource: "new", metadata: Data(),
                replacing: nil, since: store.epoch())
            try await writer.append(Data(count: 10))
            _ = try await writer.commit()
            #expect(try await store.body(of: ids[gone]) == nil)
        }
    }
}
