import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("SQLiteStore: damage")
struct StoreDamageTests {
    /// Something that may happen to a file.
    enum Harm: Sendable, CaseIterable, CustomTestStringConvertible {
        case flippedBit, truncated, emptied, lengthened, removed

        var testDescription: String { "\(self)" }

        func happen(to file: URL) throws {
            if self == .removed { return try FileManager.default.removeItem(at: file) }
            var bytes = try Data(contentsOf: file)
            switch self {
            case .flippedBit: bytes[bytes.count / 2] ^= 0x10
            case .truncated: bytes.removeLast(bytes.count / 3)
            case .emptied: bytes = Data()
            case .lengthened: bytes.append(7)
            case .removed: break
            }
            // In place: the file stays the same one.
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: bytes)
            try handle.close()
        }
    }

    @Test("a body in a file that has changed is a miss, is reported, and goes", arguments: Harm.allCases)
    func bodyFile(_ harm: Harm) async throws {
        for byteCount in [100_000, 5 << 20] {
            try await StoreFolder.with { folder in
                let store = folder.store()
                let body = distinctBytes(byteCount, seed: 1)
                try await store.put("a", body)
                try await store.put("other", distinctBytes(200_000, seed: 2))
                #expect(try await store.get("a") == body)
                let file = try #require(
                    folder.bodies.first { (try? Data(contentsOf: $0).count) == byteCount })
                try harm.happen(to: file)
                #expect(try await store.get("a") == nil)
                #expect(folder.errors == [harm == .removed ? .missingBody : .damagedEntry])
                #expect(try await store.responses(for: SQLiteStore.key("a")).isEmpty)
                #expect(!FileManager.default.fileExists(atPath: file.path(percentEncoded: false)))
                #expect(try await store.get("other") == distinctBytes(200_000, seed: 2))
                #expect(try await store.usage().responseCount == 1)
                #expect(try await store.verify().isWhole)
            }
        }
    }

    @Test("a bit flipped in an inline body or in metadata is a miss, is reported, and the entry goes")
    func inlineBytes() async throws {
        let (metadata, body) = (distinctBytes(300, seed: 3), distinctBytes(3_000, seed: 4))
        for target in [metadata, body] {
            try await StoreFolder.with { folder in
                let store = folder.store()
                try await store.put("a", body, metadata: metadata)
                try await store.put("b", distinctBytes(3_000, seed: 5), metadata: distinctBytes(300, seed: 6))
                await store.close()
                // A bit of the bytes themselves: SQLite sees nothing wrong with that.
                var bytes = try Data(contentsOf: folder.index)
                let position = try #require(bytes.range(of: target.dropFirst(100).prefix(64))).lowerBound
                bytes[position] ^= 1
                try bytes.write(to: folder.index)

                let again = folder.store()
                #expect(try await again.get("a") == nil)
                #expect(folder.errors == [.damagedEntry])
                #expect(try await again.responses(for: SQLiteStore.key("a")).isEmpty)
                #expect(try await again.get("b") == distinctBytes(3_000, seed: 5))
                #expect(try await again.usage().responseCount == 1)
            }
        }
    }

    @Test("metadata that is damaged isn't made to look whole by an update")
    func updateOfDamaged() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            let metadata = distinctBytes(300, seed: 3)
            let response = try #require(try await store.put("a", distinctBytes(100, seed: 1), metadata: metadata))
            await store.close()
            var bytes = try Data(contentsOf: folder.index)
            let position = try #require(bytes.range(of: metadata.dropFirst(100))).lowerBound
            bytes[position] ^= 1
            try bytes.write(to: folder.index)
            let again = folder.store()
            #expect(try await again.updateMetadata(of: response.id, to: Data([1])) == false)
            #expect(folder.errors == [.damagedEntry])
            #expect(try await again.usage() == StoreUsage(responseCount: 0, byteCount: 0))
        }
    }

    /// An index of some pages, closed: all in one file.
    private func fill(_ folder: StoreFolder) async throws {
        let store = folder.store()
        for number in 0..<60 {
            try await store.put(
                "\(number)", distinctBytes(number % 3 == 0 ? 70_000 : 2_000, seed: UInt64(number)),
                metadata: distinctBytes(200, seed: UInt64(1_000 + number)))
        }
        await store.close()
    }

    private func check(_ folder: StoreFolder, _ title: String) async throws {
        let store = folder.store()
        var foundCount = 0
        for number in 0..<60 {
            guard let found = try await store.get("\(number)") else { continue }
            foundCount += 1
            #expect(
                found == distinctBytes(number % 3 == 0 ? 70_000 : 2_000, seed: UInt64(number)),
                "\(title): never wrong bytes")
        }
        if foundCount < 60 { #expect(!folder.errors.isEmpty, "\(title): what is lost is reported") }
        // Whatever it was, the store works again.
        let response = try await store.put("new", distinctBytes(1_000, seed: 99))
        #expect(response != nil, "\(title)")
        #expect(try await store.get("new") == distinctBytes(1_000, seed: 99), "\(title)")
        await store.close()
    }

    @Test(
        "an index that isn't one any more is set aside with an event, and the store begins anew",
        arguments: ["emptied", "truncated", "text", "header", "schema", "zeroed"])
    func index(_ kind: String) async throws {
        try await StoreFolder.with { folder in
            try await fill(folder)
            var bytes = try Data(contentsOf: folder.index)
            switch kind {
            case "emptied": bytes = Data()
            case "truncated": bytes = bytes.prefix(bytes.count / 2 + 100)
            case "text": bytes = Data(String(repeating: "This is no database. ", count: 1_000).utf8)
            case "header": bytes[16...40] = Data(repeating: 0xff, count: 25)
            case "schema": bytes.replaceSubrange(100..<4_096, with: Data(repeating: 0x55, count: 3_996))
            default: bytes = Data(count: bytes.count)
            }
            try bytes.write(to: folder.index)
            try await check(folder, kind)
            #expect(folder.errors.first == .damagedIndex)
            // Files of bodies that no row names any more are swept up.
            let store = folder.store()
            await store.writer.finishTidying()
            if kind != "truncated" { #expect(folder.bodies.isEmpty) }
            #expect(try await store.verify().isWhole)
        }
    }

    @Test("bits flipped anywhere in the index cost entries at most, never wrong bytes, and the store goes on")
    func flippedBits() async throws {
        try await StoreFolder.with { pattern in
            try await fill(pattern)
            let whole = try Data(contentsOf: pattern.index)
            var generator = SeededGenerator(seed: 7)
            for round in 0..<40 {
                try await StoreFolder.with { folder in
                    try FileManager.default.copyItem(at: pattern.url, to: folder.url)
                    var bytes = whole
                    for _ in 0..<(round % 2 == 0 ? 1 : 200) {
                        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                            1
                            << UInt8.random(
                                in: 0..<8, using: &generator)
                    }
                    try bytes.write(to: folder.index)
                    try await checkSomehow(folder, "round \(round)")
                }
            }
        }
    }

    /// As `check`; but a flip in the right place can make the file one of a newer version, or an ID that no entry has.
    private func checkSomehow(_ folder: StoreFolder, _ title: String) async throws {
        let store = folder.store()
        for number in 0..<60 {
            if let found = try await store.get("\(number)") {
                #expect(
                    found == distinctBytes(number % 3 == 0 ? 70_000 : 2_000, seed: UInt64(number)),
                    "\(title): never wrong bytes")
            }
        }
        for number in 0..<20 { _ = try await store.put("new \(number)", distinctBytes(1_000, seed: 99)) }
        #expect(try await store.get("new 19") == distinctBytes(1_000, seed: 99), "\(title)")
        await store.close()
    }

    @Test("a damaged log costs what was in it alone")
    func log() async throws {
        try await StoreFolder.with { folder in
            try await fill(folder)
            let store = folder.store()
            try await store.put("late", distinctBytes(5_000, seed: 1))
            try await StoreFolder.with { copy in
                // As a crash leaves it: the log hasn't been written back.
                try FileManager.default.copyItem(at: folder.url, to: copy.url)
                let log = copy.url.appending(path: "index.sqlite-wal")
                var bytes = try Data(contentsOf: log)
                try #require(bytes.count > 10_000)
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: log)
                try await check(copy, "log")
            }
        }
    }

    @Test("what was set aside goes with the next erasure, since it may hold what is to be erased")
    func setAside() async throws {
        try await StoreFolder.with { folder in
            try await fill(folder)
            var bytes = try Data(contentsOf: folder.index)
            bytes.replaceSubrange(100..<4_096, with: Data(repeating: 0x55, count: 3_996))
            try bytes.write(to: folder.index)
            let store = folder.store()
            #expect(try await store.get("1") == nil)
            let damaged = folder.url.appending(path: "damaged")
            #expect(StoreFolder.files(below: damaged).map(\.lastPathComponent) == ["index.sqlite"])
            try await store.removePartition("anybody")
            #expect(StoreFolder.files(below: damaged).isEmpty)
        }
    }
}
