import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("SQLiteStore: files that a locked device doesn't let be read")
struct StoreProtectionTests {
    @Test(
        "folders are protected before anything is made in them, and the index as well",
        arguments: SQLiteStore.FileProtection.allCases)
    func protects(_ protection: SQLiteStore.FileProtection) async throws {
        try await StoreFolder.with { folder in
            let calls = Mutex<[String]>([])
            let store = folder.store { options in
                options.fileProtection = protection
                options.calls.protect = { path, given in
                    if given == protection { calls.withLock { $0.append(path) } }
                    return 0
                }
            }
            try await store.put("a", distinctBytes(200_000, seed: 1))
            let root = folder.url.path(percentEncoded: false)
            let names = calls.withLock { $0 }.map { $0.dropFirst(root.count) }
            // The first body may come before the index.
            #expect(names.contains("") && names.contains("/staging") && names.contains("/bodies"))
            #expect(names.contains("/index.sqlite") && names.contains("/index.sqlite-wal"))
            #expect(names.firstIndex(of: "")! < names.firstIndex(of: "/index.sqlite")!)
        }
    }

    @Test("unless told otherwise, files can be read once the device has been unlocked for the first time")
    func standard() {
        #expect(SQLiteStore.Options().fileProtection == .completeUntilFirstUserAuthentication)
    }

    @Test("a folder that can't be protected holds nothing, and is used once it can be")
    func refusal() async throws {
        try await StoreFolder.with { folder in
            let refuses = Atomic(true)
            let store = folder.store { options in
                options.calls.protect = { _, _ in
                    guard refuses.load(ordering: .relaxed) else { return 0 }
                    errno = EPERM
                    return -1
                }
            }
            await #expect(throws: FileFailure("protect", code: EPERM)) { try await store.put("a", Data("a".utf8)) }
            #expect(folder.files.isEmpty)
            refuses.store(false, ordering: .relaxed)
            try await store.put("a", Data("a".utf8))
            #expect(try await store.get("a") == Data("a".utf8))
        }
    }

    /// Makes an index unreadable as a locked device does: it is there, and can't be opened.
    private func lock(_ folder: StoreFolder) throws {
        try FileManager.default.moveItem(at: folder.index, to: folder.url.appending(path: "unlocked"))
        try FileManager.default.createDirectory(at: folder.index, withIntermediateDirectories: false)
    }

    private func unlock(_ folder: StoreFolder) throws {
        try FileManager.default.removeItem(at: folder.index)
        try FileManager.default.moveItem(at: folder.url.appending(path: "unlocked"), to: folder.index)
    }

    @Test(
        """
        a store under complete protection closes its index when the device is locked; calls throw, nothing is set aside, \
        and once it is unlocked all is there
        """,
        arguments: [SQLiteStore.FileProtection.complete, .completeUnlessOpen])
    func locking(_ protection: SQLiteStore.FileProtection) async throws {
        try await StoreFolder.with { folder in
            let store = folder.store { $0.fileProtection = protection }
            try await store.put("small", Data("small".utf8))
            try await store.put("large", distinctBytes(200_000, seed: 1))
            #expect(try await store.get("small") == Data("small".utf8))
            await store.respond(to: .protectedDataWillBecomeUnavailable)
            // Closed by the last connection: the log is written back, and goes.
            #expect(!FileManager.default.fileExists(atPath: folder.index.path + "-wal"))
            try lock(folder)
            for _ in 0..<2 {
                await #expect(throws: SQLiteFailure.self) { try await store.responses(for: SQLiteStore.key("small")) }
                await #expect(throws: (any Error).self) { try await store.put("other", Data("other".utf8)) }
            }
            try unlock(folder)
            #expect(try await store.get("small") == Data("small".utf8))
            #expect(try await store.get("large") == distinctBytes(200_000, seed: 1))
            #expect(try await store.put("other", Data("other".utf8)) != nil)
            #expect(folder.errors.isEmpty)
            #expect(try await store.verify().isWhole)
        }
    }

    @Test("a store whose files stay readable keeps its index open")
    func unlocked() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            try await store.put("a", Data("a".utf8))
            await store.respond(to: .protectedDataWillBecomeUnavailable)
            #expect(FileManager.default.fileExists(atPath: folder.index.path + "-wal"))
            #expect(try await store.get("a") == Data("a".utf8))
        }
    }

    @Test("a body that can't be read now is no damaged one: it throws, and is there when it can be")
    func body() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            try await store.put("large", distinctBytes(200_000, seed: 1))
            let place = try #require(folder.bodies.first).deletingLastPathComponent()
            let aside = folder.url.appending(path: "unlocked")
            try FileManager.default.moveItem(at: place, to: aside)
            // Anything but "no such file".
            try Data().write(to: place)
            await #expect(throws: FileFailure.self) { try await store.get("large") }
            try FileManager.default.removeItem(at: place)
            try FileManager.default.moveItem(at: aside, to: place)
            #expect(try await store.get("large") == distinctBytes(200_000, seed: 1))
            #expect(folder.errors.isEmpty)
        }
    }

    @Test("while the store can't be read loads go to the network and say why; afterwards they find what was stored")
    func pipeline() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store { $0.fileProtection = .complete }
            let fixture = try Fixture { $0.store = store }
            let url = fixture.serve("/a.png", fields: ["Cache-Control": "max-age=600"])
            _ = try await fixture.pipeline.image(for: url)
            try await waitUntil { try await store.usage().responseCount == 1 }
            await store.respond(to: .protectedDataWillBecomeUnavailable)
            try lock(folder)
            fixture.memory.removeAll()
            _ = try await fixture.pipeline.image(for: url)
            #expect(fixture.server.requestCount == 2)
            await fixture.events.wait { event in
                if case .cacheFault(_, let error) = event { error is SQLiteFailure } else { false }
            }
            await fixture.pipeline.waitUntilIdle()
            try unlock(folder)
            fixture.memory.removeAll()
            let result = try await fixture.pipeline.result(for: ImageRequest(url: url))
            #expect(result.layer == .storage && fixture.server.requestCount == 2)
        }
    }

    @Test("uses that wait are written when the app goes to the background")
    func uses() async throws {
        try await StoreFolder.with { folder in
            let clock = ManualClock()
            let store = folder.store { $0.clock = clock }
            for name in ["a", "b"] { try await store.put(name, Data(name.utf8)) }
            clock.advance(by: .seconds(60))
            #expect(try await store.get("a") != nil)
            func used() async throws -> [Date] { try await store.entries(after: nil, limit: 2).map(\.used) }
            #expect(try await used().max()! < clock.now().addingTimeInterval(-30))
            await store.respond(to: .enteredBackground)
            let times = try await used()
            #expect(abs(times[0].timeIntervalSince(clock.now())) < 1 && times[1] < times[0])
            // A store that was never used isn't made for it.
            let other = SQLiteStore(directory: folder.url.appending(path: "other"))
            await other.respond(to: .enteredBackground)
            await other.respond(to: .protectedDataWillBecomeUnavailable)
            #expect(!FileManager.default.fileExists(atPath: other.directory.path))
        }
    }
}
