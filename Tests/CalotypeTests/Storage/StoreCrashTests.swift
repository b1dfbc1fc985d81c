import CalotypeTesting
import Foundation
import Testing

@testable import Calotype
@testable import CalotypeTool

/// How often a writer is killed: `make crash-test` sets more.
private let roundCount = ProcessInfo.processInfo.environment["CALOTYPE_CRASH_ROUNDS"].flatMap { Int($0) } ?? 10

@Suite("SQLiteStore: crashes")
struct StoreCrashTests {
    private static let byteLimit = 1_500_000

    @Test("processes that are killed while they write leave whole entries, right sums and a limit that holds")
    func kills() async throws {
        try await StoreFolder.with { folder in
            var generator = SeededGenerator(seed: 20_261_130)
            var entryCount = 0
            for round in 0..<roundCount {
                // The folder goes through all rounds, so that what one leaves is what the next one finds.
                let path = folder.url.path(percentEncoded: false)
                let processes = try (0..<2).map { number in
                    try ToolProcess.Running(["store-churn", path, "\(round * 2 + number)", "\(Self.byteLimit)"])
                }
                for process in processes { #expect(await process.firstOutput() == "ready\n") }
                // No event says where in its work a process is: that is the point.
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...120, using: &generator)))
                processes[0].killNow()
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...40, using: &generator)))
                processes[1].killNow()
                for process in processes {
                    let end = await process.end()
                    #expect(end.status == 128 + SIGKILL, "round \(round): \(end.all)")
                }
                entryCount += try await check(folder, round: round)
            }
            #expect(entryCount > 0)
            #expect(folder.errors == [])
        }
    }

    /// - Returns: The number of entries.
    private func check(_ folder: StoreFolder, round: Int) async throws -> Int {
        let store = folder.store { $0.byteLimit = Self.byteLimit }
        let usage = try await store.usage()
        #expect(usage.byteCount <= Self.byteLimit, "round \(round)")
        let churn = StoreChurn(store: store)
        var count = 0
        for serial in 0..<StoreChurn.nameCount {
            for partition in [nil, "account"] as [Partition?] {
                count += try await churn.check(
                    FetchKey(url: URL(string: "https://img.example.com/\(serial)")!, partition: partition))
            }
        }
        #expect(count == usage.responseCount, "round \(round): each entry is found by its key")
        await store.writer.finishTidying()
        let verification = try await store.verify()
        #expect(verification.isWhole, "round \(round): \(verification)")
        #expect(verification.checkedCount == usage.responseCount, "round \(round)")
        let statistics = try await store.statistics()
        let rows = try await store.entries(limit: 1_000_000)
        #expect(statistics.fileCount == rows.filter(\.isInFile).count, "round \(round)")
        #expect(rows.reduce(0) { $0 + $1.bodyByteCount + Int64($1.metadata.count) } == usage.byteCount)
        await store.close()
        #expect(StoreFolder.files(below: folder.url.appending(path: "staging")).isEmpty, "round \(round)")
        return count
    }
}
