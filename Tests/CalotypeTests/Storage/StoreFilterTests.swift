import Foundation
import Testing

@testable import Calotype

@Suite("SQLiteStore: misses without a look")
struct StoreFilterTests {
    /// Whether a key is known not to be there without a look at the index.
    private func isRuledOut(_ name: String, _ store: SQLiteStore) -> Bool {
        store.filter.rulesOut(SQLiteStore.key(name), generation: store.home.currentGeneration)
    }

    /// Looks for what isn't there until the filter is there, or up to date.
    private func warm(_ store: SQLiteStore) async throws {
        var number = 0
        while !isRuledOut("none", store) {
            try #require(number < 10_000)
            #expect(try await store.get("none \(number)") == nil)
            number += 1
            // What a look has set going is done on the writer's queue.
            if number.isMultiple(of: 16) { await store.writer.finishTidying() }
        }
    }

    @Test("after some misses, most keys that aren't stored are ruled out, and none that is")
    func rulesOut() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            for number in 0..<400 { try await store.put("\(number)", Data([1])) }
            #expect(!isRuledOut("none", store))
            try await warm(store)
            // With some 42 bits for each key, one in thousands passes.
            let passedCount = (1_000..<2_000).filter { !isRuledOut("\($0)", store) }.count
            #expect(passedCount < 10)
            for number in 400..<3_000 {
                #expect(try await store.put("\(number)", Data([1])) != nil)
                #expect(!isRuledOut("\(number)", store))
            }
            for number in stride(from: 0, to: 3_000, by: 7) { #expect(try await store.get("\(number)") != nil) }
        }
    }

    @Test("a store's own changes leave the filter at work; another's silence it until it is brought up to date")
    func others() async throws {
        try await StoreFolder.with { folder in
            let (one, other) = (folder.store(), folder.store())
            try await one.put("a", Data([1]))
            try await warm(one)
            let response = try #require(try await one.put("b", Data([2])))
            #expect(isRuledOut("none", one))
            #expect(try await one.updateMetadata(of: response.id, to: Data(count: 9)))
            try await one.remove(response.id)
            #expect(isRuledOut("none", one))

            for round in 0..<20 {
                try await other.put("other \(round)", Data([3]))
                #expect(!isRuledOut("none", one))
                #expect(try await one.get("other \(round)") == Data([3]))
                try await warm(one)
                #expect(try await one.get("other \(round)") == Data([3]))
                // The other's filter is its own.
                try await one.put("own \(round)", Data([4]))
                #expect(try await other.get("own \(round)") == Data([4]))
            }
        }
    }

    @Test("what has been removed is ruled out again in time, and the filter doesn't wear out")
    func removal() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store { $0.entryLimit = 50 }
            for number in 0..<50 { try await store.put("\(number)", Data([1])) }
            try await warm(store)
            // More than there was room for: it is made anew.
            for number in 50..<2_500 { try await store.put("\(number)", Data([1])) }
            try await warm(store)
            for number in 0..<2_000 where !isRuledOut("\(number)", store) {
                #expect(try await store.get("\(number)") == nil)
            }
            await store.writer.finishTidying()
            let passedCount = (0..<2_000).filter { !isRuledOut("\($0)", store) }.count
            #expect(passedCount < 20)
            for number in 2_450..<2_500 { #expect(try await store.get("\(number)") != nil) }
        }
    }

    @Test("without an index, or with another one, nothing is ruled out")
    func otherIndex() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            try await store.put("a", Data([1]))
            try await warm(store)
            // What a reader does that finds the index damaged.
            store.home.abandonIndex()
            #expect(!isRuledOut("none", store))
            try await store.put("b", Data([1]))
            #expect(!isRuledOut("none", store))
            try await warm(store)
            #expect(try await store.get("b") == Data([1]))
            await store.close()
            #expect(!isRuledOut("none", store))
            #expect(try await store.get("a") == Data([1]))
        }
    }

    @Test("lookups beside writers of the same store find all that has been stored")
    func concurrent() async throws {
        try await StoreFolder.with { folder in
            let (store, other) = (folder.store(), folder.store())
            try await store.put("a", Data([1]))
            try await warm(store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for round in 0..<100 {
                            let writer = round.isMultiple(of: 10) ? other : store
                            try await writer.put("\(task)-\(round)", Data([UInt8(round)]))
                            #expect(try await store.get("\(task)-\(round)") == Data([UInt8(round)]))
                            #expect(try await store.get("none \(task)-\(round)") == nil)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
