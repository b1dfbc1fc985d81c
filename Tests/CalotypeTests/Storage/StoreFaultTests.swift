import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype
@testable import CalotypeTool

@Suite("SQLiteStore: disks that fail")
struct StoreFaultTests {
    /// A system call that fails.
    struct Fault: Sendable, CustomTestStringConvertible {
        let title: String
        let code: Int32
        let apply: @Sendable (inout FileCalls) -> Void
        var testDescription: String { title }

        static let all: [Fault] = [
            Fault(title: "no space for a body", code: ENOSPC) { calls in
                calls.write = { _, _ in
                    errno = ENOSPC
                    return -1
                }
            },
            Fault(title: "no space for the end of a body", code: ENOSPC) { calls in
                let count = Atomic(0)
                calls.write = { descriptor, bytes in
                    if count.add(1, ordering: .relaxed).newValue > 1 {
                        errno = ENOSPC
                        return -1
                    }
                    // Half is written, as a disk that fills up does.
                    return FileCalls.system.write(
                        descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]))
                }
            },
            Fault(title: "a read-only file system", code: EROFS) { calls in
                calls.open = { _, _ in
                    errno = EROFS
                    return -1
                }
            },
            Fault(title: "a body that can't be moved to its place", code: EIO) { calls in
                calls.rename = { _, _ in
                    errno = EIO
                    return -1
                }
            },
            Fault(title: "a disk that doesn't confirm", code: EIO) { calls in
                calls.synchronize = { _ in
                    errno = EIO
                    return -1
                }
            },
        ]
    }

    @Test("a fault while a body is written throws, and leaves neither entry nor file", arguments: Fault.all)
    func writing(_ fault: Fault) async throws {
        try await StoreFolder.with { folder in
            let whole = folder.store()
            let small = distinctBytes(1_000, seed: 1)
            try await whole.put("before", small)
            let store = folder.store { options in
                options.durability = .full
                fault.apply(&options.calls)
            }
            await #expect {
                try await store.put("large", distinctBytes(200_000, seed: 2))
            } throws: {
                ($0 as? FileFailure)?.code == fault.code
            }
            let writer = try await store.writer(
                for: SQLiteStore.key("large"), resource: "large", metadata: Data(), replacing: nil,
                since: store.epoch())
            await #expect(throws: FileFailure.self) {
                for seed in 0..<4 as Range<UInt64> { try await writer.append(distinctBytes(50_000, seed: seed)) }
                _ = try await writer.commit()
            }
            await writer.abort()
            #expect(try await store.responses(for: SQLiteStore.key("large")).isEmpty)
            // Small bodies need no file.
            #expect(try await store.put("small", small) != nil)
            #expect(try await store.get("before") == small)
            #expect(folder.bodies.isEmpty)
            #expect(try await whole.verify().isWhole)
            await store.close()
            await whole.close()
            #expect(StoreFolder.files(below: folder.url.appending(path: "staging")).isEmpty)
        }
    }

    @Test("a file that can't be removed is reported, and swept up later")
    func unlinking() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store {
                $0.calls.unlink = { path in
                    guard path.contains("/bodies/") else { return FileCalls.system.unlink(path) }
                    errno = EBUSY
                    return -1
                }
            }
            let response = try #require(try await store.put("a", distinctBytes(200_000, seed: 1)))
            try await store.remove(response.id)
            #expect(try await store.get("a") == nil)
            #expect(folder.systemErrors.compactMap { $0 as? FileFailure }.map(\.code) == [EBUSY])
            #expect(folder.bodies.count == 1)
            // Nor by whoever looks for what belongs to nothing, which is reported as well.
            #expect(try await store.verify().orphanCount == 1)
            let failures = folder.systemErrors.compactMap { $0 as? FileFailure }
            #expect(failures.count > 1 && failures.allSatisfy { $0.code == EBUSY })
            #expect(folder.bodies.count == 1)
            await store.close()
            let next = folder.store()
            #expect(try await next.usage().responseCount == 0)
            _ = try await next.verify()
            #expect(folder.bodies.isEmpty)
        }
    }

    @Test("an index that was set aside and can't be erased is reported")
    func unerasedIndex() async throws {
        try await StoreFolder.with { folder in
            let first = folder.store()
            try await first.put("a", distinctBytes(100, seed: 1))
            await first.close()
            try Data(repeating: 7, count: 10_000).write(to: folder.index)
            let store = folder.store {
                $0.calls.unlink = { path in
                    guard path.contains("/damaged/") else { return FileCalls.system.unlink(path) }
                    errno = EACCES
                    return -1
                }
            }
            #expect(try await store.get("a") == nil)
            #expect(folder.errors == [.damagedIndex])
            try await store.removeAll()
            #expect(
                folder.systemErrors.compactMap { $0 as? FileFailure }.map(\.description).allSatisfy {
                    $0.hasPrefix("can't remove a damaged index: ")
                })
            #expect(!folder.systemErrors.isEmpty)
            await store.close()
        }
    }

    @Test("a folder that can't be made makes every call throw, until it can")
    func noFolder() async throws {
        try await StoreFolder.with { folder in
            // A file stands where the folder should be.
            try Data("in the way".utf8).write(to: folder.url)
            let store = folder.store()
            await #expect(throws: FileFailure("create folder", code: ENOTDIR)) {
                try await store.responses(for: SQLiteStore.key("a"))
            }
            await #expect(throws: FileFailure.self) { try await store.put("a", distinctBytes(100, seed: 1)) }
            await #expect(throws: FileFailure.self) { try await store.put("b", distinctBytes(100_000, seed: 1)) }
            try FileManager.default.removeItem(at: folder.url)
            #expect(try await store.put("a", distinctBytes(100, seed: 1)) != nil)
            #expect(try await store.get("a") == distinctBytes(100, seed: 1))
        }
    }

    @Test("a folder that is removed under a store is made again")
    func removedFolder() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            try await store.put("a", distinctBytes(100, seed: 1))
            try await store.put("b", distinctBytes(100_000, seed: 2))
            try FileManager.default.removeItem(at: folder.url)
            #expect(try await store.put("c", distinctBytes(100_000, seed: 3)) != nil)
            #expect(try await store.get("c") == distinctBytes(100_000, seed: 3))
            #expect(try await store.get("a") == nil)
            #expect(try await store.usage().responseCount == 1)
        }
    }

    @Test("an index that can't be written is read still, and says why nothing is stored")
    func readOnlyIndex() async throws {
        try await StoreFolder.with { folder in
            let first = folder.store()
            try await first.put("a", distinctBytes(100, seed: 1))
            let store = folder.store { $0.isReadOnly = true }
            #expect(try await store.get("a") == distinctBytes(100, seed: 1))
            await #expect {
                try await store.put("b", distinctBytes(100, seed: 1))
            } throws: {
                ($0 as? SQLiteFailure)?.description.contains("readonly") == true
            }
            #expect(try await store.get("a") == distinctBytes(100, seed: 1))
        }
    }

    @Test("a full disk fails what is being stored, whatever writes to it, and harms nothing that is there")
    func fullDisk() async throws {
        try await StoreFolder.with { folder in
            // No file may grow beyond 400,000 bytes, the index and its log no less than bodies.
            let process = try ToolProcess.Running([
                "store-churn", folder.url.path(percentEncoded: false), "5", "8000000", "400000",
            ])
            #expect(await process.firstOutput() == "ready\n")
            let index = folder.index.path(percentEncoded: false)
            // Another process's file: there is no event to wait for.
            try await waitUntil {
                try await Task.sleep(for: .milliseconds(5))
                return (FileCalls.byteCount(of: index + "-wal") ?? 0) >= 390_000
            }
            try await Task.sleep(for: .milliseconds(100))
            process.killNow()
            let end = await process.end()
            #expect(end.status == 128 + SIGKILL, "\(end.all)")
            let store = folder.store()
            #expect(try await store.usage().responseCount > 0)
            let churn = StoreChurn(store: store)
            for serial in 0..<StoreChurn.nameCount { _ = try await churn.check(StoreChurn.key(serial)) }
            await store.writer.finishTidying()
            #expect(try await store.verify().isWhole)
        }
    }

    @Test("more bytes than may wait aren't taken, and the store says so")
    func staging() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store { $0.stagingByteLimit = 100_000 }
            let writers = try await (0..<3).asyncMap { number in
                try await store.writer(
                    for: SQLiteStore.key("\(number)"), resource: "a", metadata: Data(), replacing: nil,
                    since: store.epoch())
            }
            try await writers[0].append(distinctBytes(60_000, seed: 1))
            await #expect(throws: StoreError.stagingFull(byteLimit: 100_000)) {
                try await writers[1].append(distinctBytes(60_000, seed: 2))
            }
            await #expect(throws: StoreError.stagingFull(byteLimit: 100_000)) {
                try await store.put("whole", distinctBytes(50_000, seed: 3))
            }
            await writers[1].abort()
            // What has been written, or given up, waits no more.
            #expect(try await writers[0].commit() != nil)
            #expect(try await store.put("whole", distinctBytes(50_000, seed: 3)) != nil)
            try await writers[2].append(distinctBytes(60_000, seed: 4))
            await writers[2].abort()
            #expect(try await store.put("large", distinctBytes(90_000, seed: 5)) != nil)
        }
    }

    @Test("a store that has been closed says so")
    func closed() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            try await store.put("a", distinctBytes(100, seed: 1))
            await store.close()
            await #expect(throws: StoreError.closed) { try await store.put("b", distinctBytes(100, seed: 1)) }
        }
    }
}

extension Swift.Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var result: [Value] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
