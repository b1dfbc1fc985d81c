import Foundation
import Testing

@testable import Calotype

/// What every store of responses must do. A suite for a store goes through ``rules``.
struct ResponseStoreContract<Store: ResponseStore>: Sendable {
    /// A rule, as a sentence, and its proof.
    struct Rule: Sendable, CustomTestStringConvertible {
        let title: String
        /// What a store must be able to do for the rule to apply to it.
        var needs: Ability?
        let check: @Sendable (ResponseStoreContract) async throws -> Void
        var testDescription: String { title }
    }

    /// What a store may leave to something behind it.
    enum Ability: Sendable {
        /// Has a bound of its own on all that it holds, and evicts what was least recently used.
        case evicts
        /// Counts what it holds.
        case counts
    }

    /// Whether `usage()` can be asked.
    var counts = true
    /// Makes an empty store with that limit; with a limit on each entry, if there is none on all.
    let make: @Sendable (_ byteLimit: Int) async throws -> Store

    static var rules: [Rule] {
        [
            Rule(title: "what is committed is found, with its metadata and body") { try await $0.commits() },
            Rule(title: "variants of a key come newest first") { try await $0.newestFirst() },
            Rule(title: "a replaced variant gives way") { try await $0.replaces() },
            Rule(title: "a body that is added whole is stored as a writer would, and refused likewise") {
                try await $0.addsWhole()
            },
            Rule(title: "metadata changes without the body") { try await $0.updatesMetadata() },
            Rule(title: "nothing is seen before the commit, nor after an abort or of a dropped writer") {
                try await $0.hidesUncommitted()
            },
            Rule(
                title: "the byte limit holds after every insert, and the least recently used goes first",
                needs: .evicts
            ) {
                try await $0.evicts()
            },
            Rule(title: "what is larger than the limit is refused, and drives nothing out") {
                try await $0.refusesOversized()
            },
            Rule(title: "metadata that grows past the limit makes room for itself", needs: .evicts) {
                try await $0.growsMetadata()
            },
            Rule(title: "one variant, a resource, a partition or everything can be removed") {
                try await $0.removes()
            },
            Rule(title: "a removal refuses what loads that began before it commit, and no others") {
                try await $0.refusesLate()
            },
            Rule(title: "usage adds up through inserts, updates and removals", needs: .counts) {
                try await $0.addsUp()
            },
            Rule(title: "writers at the same time don't disturb each other") { try await $0.concurrent() },
        ]
    }

    // MARK: Helpers

    private func key(_ name: String, _ partition: Partition? = nil) -> FetchKey {
        FetchKey(url: URL(string: "https://example.com/\(name)")!, partition: partition)
    }

    private func bytes(_ count: Int, _ value: UInt8 = 0) -> Data { Data(repeating: value, count: count) }

    @discardableResult
    private func put(
        _ store: Store, _ name: String, _ partition: Partition? = nil, metadata: Data = Data([0]), body: Data,
        replacing replaced: StoredResponse.ID? = nil, since epoch: StoreEpoch? = nil
    ) async throws -> StoredResponse? {
        let writer = try await store.writer(
            for: key(name, partition), resource: ResourceID(name), metadata: metadata, replacing: replaced,
            since: epoch ?? store.epoch())
        try await writer.append(body)
        return try await writer.commit()
    }

    private func names(_ store: Store, among names: [String]) async throws -> [String] {
        var result: [String] = []
        for name in names where try await !store.responses(for: key(name)).isEmpty { result.append(name) }
        return result
    }

    /// What the store says that it holds, if it says so.
    private func expect(
        _ store: Store, responseCount: Int, byteCount: Int64? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        guard counts else { return }
        let usage = try await store.usage()
        #expect(usage.responseCount == responseCount, sourceLocation: sourceLocation)
        if let byteCount { #expect(usage.byteCount == byteCount, sourceLocation: sourceLocation) }
    }

    // MARK: Rules

    private func addsWhole() async throws {
        let store = try await make(1_000)
        func add(
            _ name: String, _ count: Int, _ partition: Partition? = nil, replacing replaced: StoredResponse.ID? = nil,
            since epoch: StoreEpoch
        ) async throws -> StoredResponse? {
            try await store.add(
                bytes(count, 7), for: key(name, partition), resource: ResourceID(name), metadata: Data([1, 2]),
                replacing: replaced, since: epoch)
        }
        let added = try #require(try await add("a", 10, since: store.epoch()))
        #expect(added.metadata == Data([1, 2]))
        #expect(added.bodyByteCount == 10)
        #expect(try await store.responses(for: key("a")).map(\.id) == [added.id])
        #expect(try await store.body(of: added.id)?.bytes() == bytes(10, 7))

        let second = try #require(try await add("a", 20, since: store.epoch()))
        #expect(try await store.responses(for: key("a")).map(\.id) == [second.id, added.id])
        let third = try #require(try await add("a", 30, replacing: second.id, since: store.epoch()))
        #expect(try await store.responses(for: key("a")).map(\.id) == [third.id, added.id])
        try await expect(store, responseCount: 2)

        #expect(try await add("large", 2_000, since: store.epoch()) == nil)
        let before = store.epoch()
        try await store.removePartition("p")
        #expect(try await add("late", 10, "p", since: before) == nil)
        #expect(try await add("late", 10, "p", since: store.epoch()) != nil)
    }

    private func commits() async throws {
        let store = try await make(1 << 20)
        let writer = try await store.writer(
            for: key("a"), resource: "a", metadata: Data([1, 2, 3]), replacing: nil, since: store.epoch())
        for piece in [bytes(10, 1), bytes(5, 2), bytes(100_000, 3)] { try await writer.append(piece) }
        let committed = try #require(try await writer.commit())
        #expect(committed.metadata == Data([1, 2, 3]))
        #expect(committed.bodyByteCount == 100_015)
        let found = try await store.responses(for: key("a"))
        #expect(found.map(\.id) == [committed.id])
        #expect(found.first?.metadata == Data([1, 2, 3]))
        #expect(found.first?.bodyByteCount == 100_015)
        #expect(try await store.body(of: committed.id)?.bytes() == bytes(10, 1) + bytes(5, 2) + bytes(100_000, 3))
        #expect(try await store.responses(for: key("b")).isEmpty)
        #expect(try await store.responses(for: key("a", "partition")).isEmpty)
        #expect(try await store.body(of: .init(.max)) == nil)
    }

    private func newestFirst() async throws {
        let store = try await make(1 << 20)
        var ids: [StoredResponse.ID] = []
        for value in 1...3 { ids.append(try #require(try await put(store, "a", body: bytes(10, UInt8(value)))).id) }
        #expect(Set(ids).count == 3)
        #expect(try await store.responses(for: key("a")).map(\.id) == ids.reversed())
        // A use changes nothing of that order.
        _ = try await store.body(of: ids[0])
        #expect(try await store.responses(for: key("a")).map(\.id) == ids.reversed())
    }

    private func replaces() async throws {
        let store = try await make(1 << 20)
        let old = try #require(try await put(store, "a", body: bytes(10, 1)))
        let other = try #require(try await put(store, "a", body: bytes(10, 2)))
        let new = try #require(try await put(store, "a", body: bytes(20, 3), replacing: old.id))
        #expect(try await store.responses(for: key("a")).map(\.id) == [new.id, other.id])
        #expect(try await store.body(of: old.id) == nil)
        // One that has gone meanwhile is no obstacle.
        #expect(try await put(store, "a", body: bytes(5), replacing: old.id) != nil)
        try await expect(store, responseCount: 3)
    }

    private func updatesMetadata() async throws {
        let store = try await make(1 << 20)
        let response = try #require(try await put(store, "a", metadata: Data([1]), body: bytes(10, 1)))
        #expect(try await store.updateMetadata(of: response.id, to: Data([2, 2])))
        let found = try await store.responses(for: key("a"))
        #expect(found.map(\.metadata) == [Data([2, 2])])
        #expect(found.map(\.id) == [response.id])
        #expect(try await store.body(of: response.id)?.bytes() == bytes(10, 1))
        try await store.remove(response.id)
        #expect(try await store.updateMetadata(of: response.id, to: Data([3])) == false)
        try await expect(store, responseCount: 0, byteCount: 0)
    }

    private func hidesUncommitted() async throws {
        let store = try await make(1 << 20)
        let aborted = try await store.writer(
            for: key("a"), resource: "a", metadata: Data([1]), replacing: nil, since: store.epoch())
        try await aborted.append(bytes(10))
        #expect(try await store.responses(for: key("a")).isEmpty)
        await aborted.abort()
        // Whatever still comes: it would be a part of a body.
        try await aborted.append(bytes(5))
        #expect(try await aborted.commit() == nil)
        do {
            let dropped = try await store.writer(
                for: key("a"), resource: "a", metadata: Data([1]), replacing: nil, since: store.epoch())
            try await dropped.append(bytes(10))
        }
        #expect(try await store.responses(for: key("a")).isEmpty)
        try await expect(store, responseCount: 0, byteCount: 0)
    }

    private func evicts() async throws {
        let limit = 40_000
        let store = try await make(limit)
        let all = ["a", "b", "c", "d", "e"]
        for name in ["a", "b", "c"] {
            try await put(store, name, body: bytes(12_000))
            #expect(try await store.usage().byteCount <= limit)
        }
        let a = try #require(try await store.responses(for: key("a")).first)
        _ = try await store.body(of: a.id)
        try await put(store, "d", body: bytes(12_000))
        #expect(try await names(store, among: all) == ["a", "c", "d"])
        // Looking isn't using: c is the oldest still.
        _ = try await store.responses(for: key("c"))
        try await put(store, "e", body: bytes(12_000))
        #expect(try await names(store, among: all) == ["a", "d", "e"])
        for round in 0..<300 {
            try await put(store, "r\(round)", body: bytes(round * 37 % 15_000))
            #expect(try await store.usage().byteCount <= limit)
        }
        #expect(try await names(store, among: ["r299"]) == ["r299"])
    }

    private func refusesOversized() async throws {
        let store = try await make(40_000)
        let small = try #require(try await put(store, "a", body: bytes(10_000)))
        #expect(try await put(store, "b", body: bytes(40_001)) == nil)
        #expect(try await put(store, "a", body: bytes(40_001), replacing: small.id) == nil)
        #expect(try await store.responses(for: key("a")).map(\.id) == [small.id])
        // Nor does what still comes make a body of one that was too large on its way.
        let writer = try await store.writer(
            for: key("c"), resource: "c", metadata: Data([0]), replacing: nil, since: store.epoch())
        for count in [30_000, 20_000, 5] { try await writer.append(bytes(count)) }
        #expect(try await writer.commit() == nil)
        #expect(try await store.responses(for: key("c")).isEmpty)
        try await expect(store, responseCount: 1)
    }

    private func growsMetadata() async throws {
        let store = try await make(40_000)
        try await put(store, "a", body: bytes(15_000))
        let b = try #require(try await put(store, "b", body: bytes(15_000)))
        #expect(try await store.updateMetadata(of: b.id, to: bytes(20_000)))
        #expect(try await names(store, among: ["a", "b"]) == ["b"])
        #expect(try await store.usage().byteCount <= 40_000)
    }

    private func removes() async throws {
        let store = try await make(1 << 20)
        func fill() async throws {
            for (name, partition) in [("a", nil), ("a", "p"), ("b", "p"), ("c", nil)] as [(String, Partition?)] {
                try await put(store, name, partition, body: bytes(10))
            }
        }
        try await fill()
        let c = try #require(try await store.responses(for: key("c")).first)
        try await store.remove(c.id)
        #expect(try await store.responses(for: key("c")).isEmpty)
        try await expect(store, responseCount: 3)

        try await store.remove(ResourceID("a"))
        #expect(try await store.responses(for: key("a")).isEmpty)
        #expect(try await store.responses(for: key("a", "p")).isEmpty)
        try await expect(store, responseCount: 1)

        try await store.removeAll()
        try await fill()
        try await store.removePartition("p")
        #expect(try await store.responses(for: key("a", "p")).isEmpty)
        #expect(try await store.responses(for: key("b", "p")).isEmpty)
        #expect(try await names(store, among: ["a", "c"]) == ["a", "c"])

        try await store.removeAll()
        try await expect(store, responseCount: 0, byteCount: 0)
    }

    private func refusesLate() async throws {
        let store = try await make(1 << 20)
        let beginning = store.epoch()
        let open = try await store.writer(
            for: key("a"), resource: "a", metadata: Data([1]), replacing: nil, since: beginning)
        try await store.remove(ResourceID("a"))
        try await open.append(bytes(10))
        #expect(try await open.commit() == nil)
        #expect(try await put(store, "a", body: bytes(10), since: beginning) == nil)
        #expect(try await put(store, "b", body: bytes(10), since: beginning) != nil)
        #expect(try await put(store, "a", body: bytes(10)) != nil)

        let second = store.epoch()
        #expect(second > beginning)
        try await store.removePartition("p")
        #expect(try await put(store, "c", "p", body: bytes(10), since: second) == nil)
        #expect(try await put(store, "c", "q", body: bytes(10), since: second) != nil)
        #expect(try await put(store, "c", body: bytes(10), since: second) != nil)

        let third = store.epoch()
        try await store.removeAll()
        #expect(try await put(store, "d", body: bytes(10), since: third) == nil)
        #expect(try await put(store, "d", body: bytes(10)) != nil)
        try await expect(store, responseCount: 1)
    }

    private func addsUp() async throws {
        let store = try await make(1 << 20)
        var byteCount: Int64 = 0
        var ids: [StoredResponse.ID] = []
        for index in 0..<50 {
            let response = try await put(store, "a\(index % 7)", metadata: bytes(index), body: bytes(index * 11))
            ids.append(try #require(response).id)
            byteCount += Int64(index * 12)
        }
        #expect(try await store.usage() == StoreUsage(responseCount: 50, byteCount: byteCount))
        for (index, id) in ids.enumerated() where index % 3 == 0 {
            #expect(try await store.updateMetadata(of: id, to: bytes(5)))
            byteCount += Int64(5 - index)
        }
        #expect(try await store.usage() == StoreUsage(responseCount: 50, byteCount: byteCount))
        for (index, id) in ids.enumerated() where index % 2 == 0 {
            try await store.remove(id)
            byteCount -= Int64(index % 3 == 0 ? 5 + index * 11 : index * 12)
        }
        #expect(try await store.usage() == StoreUsage(responseCount: 25, byteCount: byteCount))
    }

    private func concurrent() async throws {
        let store = try await make(64 << 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<25 {
                        let name = round % 5 == 0 ? "shared" : "own-\(task)-\(round)"
                        let body = bytes(100 + round, UInt8(task))
                        let response = try #require(try await put(store, name, body: body))
                        #expect(try await store.body(of: response.id)?.bytes() == body)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.responses(for: key("shared")).count == 40)
        let each = (0..<25).reduce(0) { $0 + 1 + 100 + $1 }
        try await expect(store, responseCount: 200, byteCount: Int64(8 * each))
    }
}
