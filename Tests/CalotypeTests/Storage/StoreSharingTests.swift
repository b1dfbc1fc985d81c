import CalotypeTesting
import Foundation
import Testing

@testable import Calotype
@testable import CalotypeTool

@Suite("SQLiteStore: limits, and folders that are shared")
struct StoreSharingTests {
    @Test("two stores on one folder see each other's entries, changes and removals at once")
    func visibility() async throws {
        try await StoreFolder.with { folder in
            let (one, other) = (folder.store(), folder.store())
            for byteCount in [500, 90_000] {
                let body = distinctBytes(byteCount, seed: 1)
                #expect(try await other.get("a") == nil)
                let response = try #require(try await one.put("a", body))
                #expect(try await other.get("a") == body)
                #expect(try await other.updateMetadata(of: response.id, to: Data([9])))
                #expect(try await one.responses(for: SQLiteStore.key("a")).map(\.metadata) == [Data([9])])
                try await other.remove(ResourceID("a"))
                #expect(try await one.get("a") == nil)
                #expect(try await one.usage() == StoreUsage(responseCount: 0, byteCount: 0))
            }
        }
    }

    @Test("what another process stores is found, and both together keep the limit", .timeLimit(.minutes(5)))
    func processes() async throws {
        try await StoreFolder.with { folder in
            let limit = 900_000
            let store = folder.store { $0.byteLimit = limit }
            let process = try ToolProcess.Running([
                "store-churn", folder.url.path(percentEncoded: false), "3", "\(limit)",
            ])
            #expect(await process.firstOutput() == "ready\n")
            var foundCount = 0
            let churn = StoreChurn(store: store)
            var rounds: UInt64 = 0
            // Until the other process has had a turn as well.
            while rounds < 150 || foundCount == 0 {
                try Task.checkCancellation()
                let round = rounds % 150
                rounds += 1
                try await store.put("own \(round)", distinctBytes(Int(round) * 300, seed: round))
                #expect(try await store.usage().byteCount <= limit)
                foundCount += try await churn.check(StoreChurn.key(round))
                let own = try await store.get("own \(round / 2)")
                if let own { #expect(own == distinctBytes(Int(round / 2) * 300, seed: round / 2)) }
            }
            process.killNow()
            #expect(await process.end().status == 128 + SIGKILL)
            // Entries that the other process removed between the look at the row and that at the file are no damage.
            #expect(folder.errors == [])
        }
    }

    @Test("the entry limit holds, and the least recently used goes first")
    func entryLimit() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store { $0.entryLimit = 3 }
            for name in ["a", "b", "c"] { try await store.put(name, distinctBytes(10, seed: 1)) }
            #expect(try await store.get("a") != nil)
            try await store.put("d", distinctBytes(10, seed: 1))
            #expect(try await store.usage().responseCount == 3)
            #expect(try await store.get("b") == nil)
            #expect(try await store.get("a") != nil)
        }
    }

    @Test("uses outlast the store that noted them")
    func uses() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            for name in ["a", "b"] { try await store.put(name, distinctBytes(100, seed: 1)) }
            _ = try await store.get("a")
            await store.close()
            let next = folder.store()
            try await next.trim(toByteCount: 150)
            #expect(try await next.get("b") == nil)
            #expect(try await next.get("a") != nil)
        }
    }

    @Test("a limit that has been lowered holds from the next insert on")
    func loweredLimit() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            for number in 0..<700 as Range<UInt64> {
                try await store.put("\(number)", distinctBytes(20_000, seed: number))
            }
            #expect(try await store.statistics().indexByteCount > 14_000_000)
            await store.close()
            let next = folder.store { $0.byteLimit = 200_000 }
            try await next.put("new", distinctBytes(20_000, seed: 1))
            let usage = try await next.usage()
            #expect(usage.byteCount <= 200_000 && usage.responseCount == 9)
            #expect(try await next.get("699") == distinctBytes(20_000, seed: 699))
            // The file gets smaller, too.
            await next.writer.finishTidying()
            let statistics = try await next.statistics()
            #expect(statistics.freeByteCount <= statistics.indexByteCount / 8)
            #expect(statistics.indexByteCount < 500_000)
            #expect(try await next.verify().isWhole)
        }
    }

    @Test("what hasn't been used for a while can be removed, and sizes be told by partition")
    func settings() async throws {
        try await StoreFolder.with { folder in
            let clock = ManualClock()
            let store = folder.store { $0.clock = clock }
            try await store.put("old", distinctBytes(1_000, seed: 1), metadata: Data(count: 10))
            try await store.put("account", distinctBytes(70_000, seed: 1), metadata: Data(count: 10), partition: "p")
            try await store.put("kept", distinctBytes(500, seed: 1), metadata: Data(count: 10))
            #expect(try await store.usage(of: nil) == StoreUsage(responseCount: 2, byteCount: 1_520))
            #expect(try await store.usage(of: "p") == StoreUsage(responseCount: 1, byteCount: 70_010))
            #expect(try await store.usage(of: "q") == StoreUsage(responseCount: 0, byteCount: 0))
            clock.advance(by: .seconds(3_600))
            _ = try await store.get("kept")
            #expect(try await store.removeUnused(since: clock.now().addingTimeInterval(-60)) == 2)
            #expect(try await store.get("kept") != nil)
            #expect(try await store.usage() == StoreUsage(responseCount: 1, byteCount: 510))
            #expect(folder.bodies.isEmpty)
        }
    }

    @Test("bodies that belong to nothing are swept up, but not those of a writer at work")
    func orphans() async throws {
        try await StoreFolder.with { folder in
            let working = folder.store()
            try await working.put("a", distinctBytes(100_000, seed: 1))
            let writer = try await working.writer(
                for: SQLiteStore.key("b"), resource: "b", metadata: Data(), replacing: nil, since: working.epoch())
            try await writer.append(distinctBytes(100_000, seed: 2))
            // What a process leaves that ended between its steps: a file on its way, and one in its place.
            let dead = String(repeating: "d", count: 32)
            let staging = folder.url.appending(path: "staging")
            for name in ["\(dead).lock", "\(dead)-0"] { try Data([1]).write(to: staging.appending(path: name)) }
            let place = folder.url.appending(path: "bodies/ab")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data([1]).write(to: place.appending(path: String(repeating: "e", count: 30)))
            #expect(folder.bodies.count == 2)

            let next = folder.store()
            #expect(try await next.put("c", distinctBytes(10, seed: 3)) != nil)
            await next.writer.finishTidying()
            #expect(folder.bodies.count == 1)
            // The locks of both stores, and the body that is being written.
            let left = StoreFolder.files(below: staging).map(\.lastPathComponent)
            #expect(left.count == 3 && !left.contains { $0.hasPrefix(dead) })
            #expect(try await writer.commit() != nil)
            #expect(try await next.get("b") == distinctBytes(100_000, seed: 2))
            #expect(try await next.get("a") == distinctBytes(100_000, seed: 1))
        }
    }

    @Test("an index of a newer version isn't touched; the store says so, and works in no way")
    func newerVersion() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            try await store.put("a", distinctBytes(100, seed: 1))
            await store.close()
            let database = try SQLiteConnection(path: folder.index.path(percentEncoded: false))
            try database.execute("PRAGMA user_version = 2; PRAGMA application_id = \(0x4341_0002)")
            try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            let before = try Data(contentsOf: folder.index)

            let next = folder.store()
            let expected = StoreError.newerFormat(found: 2, supported: 1)
            await #expect(throws: expected) { try await next.responses(for: SQLiteStore.key("a")) }
            await #expect(throws: expected) { try await next.put("a", distinctBytes(100, seed: 1)) }
            await #expect(throws: expected) { try await next.put("a", distinctBytes(100_000, seed: 1)) }
            await #expect(throws: expected) { try await next.removeAll() }
            #expect(try Data(contentsOf: folder.index) == before)
            #expect(folder.bodies.isEmpty)
        }
    }

    @Test("an index of another format, or of somebody else, is set aside with an event")
    func otherFormats() async throws {
        for change in [
            "PRAGMA user_version = 0; PRAGMA application_id = 0", "PRAGMA user_version = 2",
            "PRAGMA user_version = -1", "PRAGMA application_id = 7",
        ] {
            try await StoreFolder.with { folder in
                let store = folder.store()
                try await store.put("a", distinctBytes(100_000, seed: 1))
                await store.close()
                do {
                    let database = try SQLiteConnection(path: folder.index.path(percentEncoded: false))
                    try database.execute(change)
                }
                let next = folder.store()
                #expect(try await next.get("a") == nil)
                #expect(folder.errors == [.otherFormat])
                #expect(try await next.put("a", distinctBytes(100, seed: 2)) != nil)
                #expect(try await next.get("a") == distinctBytes(100, seed: 2))
                #expect(try await next.verify().indexFaults.isEmpty)
                #expect(folder.bodies.isEmpty)
            }
        }
    }

    @Test("an index that another process has replaced is found anew")
    func replaced() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            try await store.put("a", distinctBytes(100, seed: 1))
            for file in folder.files where file.lastPathComponent.hasPrefix("index") {
                try FileManager.default.removeItem(at: file)
            }
            let other = folder.store()
            try await other.put("b", distinctBytes(100, seed: 2))
            try await store.put("c", distinctBytes(100, seed: 3))
            #expect(try await store.get("b") == distinctBytes(100, seed: 2))
            #expect(try await other.get("c") == distinctBytes(100, seed: 3))
            #expect(try await store.get("a") == nil)
        }
    }
}
