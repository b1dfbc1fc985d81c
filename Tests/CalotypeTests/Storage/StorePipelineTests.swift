import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("SQLiteStore: under a pipeline")
struct StorePipelineTests {
    private func fixture(_ store: SQLiteStore) throws -> Fixture {
        try Fixture { $0.store = store }
    }

    private func faults(_ fixture: Fixture) -> [any Error] {
        fixture.events.all.compactMap { event in
            if case .cacheFault(_, let error) = event { error } else { nil }
        }
    }

    @Test("what one pipeline has loaded, another finds on disk, in a process to come")
    func lasting() async throws {
        try await StoreFolder.with { folder in
            let first = folder.store()
            let one = try fixture(first)
            let url = one.serve("/a.png", fields: ["Cache-Control": "max-age=600"])
            _ = try await one.pipeline.image(for: url)
            await first.close()

            let two = try fixture(folder.store())
            let result = try await two.pipeline.result(for: ImageRequest(url: url))
            #expect(result.report.layer == .storage)
            #expect(one.server.requests.count == 1 && two.server.requests.isEmpty)
            #expect(faults(one).isEmpty && faults(two).isEmpty)
        }
    }

    @Test("a folder that can't be used fails no load, and an event says why nothing is stored")
    func noFolder() async throws {
        try await StoreFolder.with { folder in
            try Data("in the way".utf8).write(to: folder.url)
            let fixture = try fixture(folder.store())
            let url = fixture.serve("/a.png", fields: ["Cache-Control": "max-age=600"])
            #expect(try await fixture.pipeline.result(for: ImageRequest(url: url)).report.layer == .network)
            let faults = faults(fixture).compactMap { $0 as? FileFailure }
            #expect(!faults.isEmpty && faults.allSatisfy { $0.code == ENOTDIR })
        }
    }

    @Test("a full disk, or too much that waits, fails no load, and an event says so")
    func full() async throws {
        for change in [
            { $0.stagingByteLimit = 10 }, { $0.isReadOnly = true },
            {
                $0.inlineByteLimit = 10
                $0.calls.write = { _, _ in
                    errno = ENOSPC
                    return -1
                }
            },
        ] as [@Sendable (inout SQLiteStore.Options) -> Void] {
            try await StoreFolder.with { folder in
                // There is an index already, as with `isReadOnly` there would be none.
                let other = folder.store()
                #expect(try await other.usage().responseCount == 0)
                let fixture = try fixture(folder.store(change))
                let url = fixture.serve("/a.png", fields: ["Cache-Control": "max-age=600"])
                _ = try await fixture.pipeline.image(for: url)
                #expect(faults(fixture).count == 1)
                #expect(try await other.usage().responseCount == 0)
                #expect(folder.bodies.isEmpty)
            }
        }
    }

    @Test("a stored body that is damaged is fetched again, and stored again")
    func damaged() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store { $0.inlineByteLimit = 10 }
            let one = try fixture(store)
            let url = one.serve("/a.png", fields: ["Cache-Control": "max-age=600"])
            _ = try await one.pipeline.image(for: url)
            let file = try #require(folder.bodies.first)
            try StoreDamageTests.Harm.flippedBit.happen(to: file)

            let two = try Fixture { $0.store = store }
            #expect(try await two.pipeline.result(for: ImageRequest(url: url)).report.layer == .network)
            #expect(folder.errors == [.damagedEntry])
            #expect(one.server.requests.count == 2)
            #expect(try await store.usage().responseCount == 1)
            let three = try Fixture { $0.store = store }
            #expect(try await three.pipeline.result(for: ImageRequest(url: url)).report.layer == .storage)
        }
    }

    @Test("whoever shares a store hears of its faults, and no longer than it wants to")
    func observers() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            let (first, second) = (EventLog(), EventLog())
            let observer = store.observe(first.append)
            do {
                let brief = store.observe(second.append)
                try await store.put("a", distinctBytes(100_000, seed: 1))
                try StoreDamageTests.Harm.flippedBit.happen(to: try #require(folder.bodies.first))
                #expect(try await store.get("a") == nil)
                withExtendedLifetime(brief) {}
            }
            try await store.put("b", distinctBytes(100_000, seed: 1))
            try StoreDamageTests.Harm.flippedBit.happen(to: try #require(folder.bodies.first))
            #expect(try await store.get("b") == nil)
            #expect(first.all.count == 2 && second.all.count == 1)
            #expect(folder.errors == [.damagedEntry, .damagedEntry])
            withExtendedLifetime(observer) {}
        }
    }

    @Test("the default store lies in the user's caches, in a folder of the program's own")
    func defaultStore() throws {
        DefaultFolder.use()
        let store = try #require(ImagePipeline.Configuration().store as? SQLiteStore)
        #expect(store === ImagePipeline.defaultStore)
        #expect(store.directory == DefaultFolder.url && store.directory == SQLiteStore.defaultDirectory)
        // Where it is but for tests.
        let path = SQLiteStore.userDirectory.path(percentEncoded: false)
        #if os(Linux)
        let caches = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? "\(NSHomeDirectory())/.cache"
        #expect(path.hasPrefix("\(caches)/"))
        #else
        #expect(path.hasPrefix("/") && path.contains("/Caches/"))
        #endif
        #expect(
            path.contains(ProcessInfo.processInfo.processName) || path.contains(Bundle.main.bundleIdentifier ?? "/"))
    }
}
