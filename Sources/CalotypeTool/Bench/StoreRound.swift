import Calotype
import Foundation

/// One measurement of ``StoreCase``: CPU time of the whole process, kernel included, unless it says otherwise.
struct StoreRound {
    private let folder: URL
    private let metadata = Data(repeating: 0x6d, count: 400)

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "calo-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Measures in a folder that is removed afterwards.
    static func measure(_ storeCase: StoreCase) async throws -> [Double] {
        let round = try StoreRound()
        defer { try? FileManager.default.removeItem(at: round.folder) }
        switch storeCase {
        case .read: return try await round.read()
        case .miss: return try await round.miss()
        case .add: return try await round.add(byteCount: 20_000, count: 2_000)
        case .addLarge: return try await round.add(byteCount: 100_000, count: 600)
        case .open: return try await round.open()
        case .trim: return try await round.trim()
        case .impressions: return try await round.impressions()
        case .inlineOverhead: return try await round.overhead(2_000...40_000, count: 3_000)
        case .fileOverhead: return try await round.overhead(80_000...400_000, count: 500)
        }
    }

    private func store(_ name: String = "store") -> SQLiteStore {
        SQLiteStore(
            directory: folder.appending(path: name),
            options: .init(byteLimit: 1 << 40, entryLimit: 1_000_000))
    }

    private static func key(_ number: Int) -> FetchKey {
        FetchKey(url: URL(string: "https://images.example.com/photos/2026/11/picture-\(number).jpg?w=264")!)
    }

    private func add(_ number: Int, _ body: Data, to store: SQLiteStore) async throws {
        let key = Self.key(number)
        let response = try await store.add(
            body, for: key, resource: ResourceID(url: key.url), metadata: metadata, replacing: nil,
            since: store.epoch())
        guard response != nil else { throw BenchError("The store refused a response.") }
    }

    /// Random bytes: another body for each, which no file system shares.
    private static func body(_ byteCount: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        var body = Data(capacity: byteCount + 8)
        while body.count < byteCount { withUnsafeBytes(of: generator.next()) { body.append(contentsOf: $0) } }
        return body.prefix(byteCount)
    }

    /// CPU microseconds of one of `count` operations.
    private func cost(
        _ count: Int, atOnce width: Int, _ operation: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Double {
        let start = ProcessTime.nanoseconds()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<width {
                group.addTask {
                    for number in stride(from: lane, to: count, by: width) { try await operation(number) }
                }
            }
            try await group.waitForAll()
        }
        return Double(ProcessTime.nanoseconds() - start) / Double(count) / 1_000
    }

    private func costSynchronously(_ count: Int, _ operation: (Int) throws -> Void) rethrows -> Double {
        let start = ProcessTime.nanoseconds()
        for number in 0..<count { try operation(number) }
        return Double(ProcessTime.nanoseconds() - start) / Double(count) / 1_000
    }

    // MARK: Cases

    private func read() async throws -> [Double] {
        let store = store()
        let count = 1_000
        for number in 0..<count { try await add(number, Self.body(20_000), to: store) }
        var ids: [StoredResponse.ID] = []
        for number in 0..<count {
            guard let response = try await store.responses(for: Self.key(number)).first else {
                throw BenchError("A response is gone.")
            }
            ids.append(response.id)
        }
        let known = ids
        let operation: @Sendable (Int) async throws -> Void = { number in
            guard case .data(let body)? = try await store.body(of: known[number % count]), body.count == 20_000 else {
                throw BenchError("A body is gone.")
            }
        }
        _ = try await cost(count, atOnce: 16, operation)
        let atOnce = try await cost(20 * count, atOnce: 16, operation)
        let single = try await cost(10 * count, atOnce: 1, operation)

        let bare = folder.appending(path: "bare").path(percentEncoded: false)
        let body = Self.body(20_000)
        try Self.writeFile(body, to: bare)
        let file = try costSynchronously(10 * count) { _ in
            guard try Self.readFile(bare, 20_000).count == 20_000 else { throw BenchError("A file is gone.") }
        }
        let database = try BareDatabase(folder.appending(path: "bare.sqlite").path(percentEncoded: false))
        for number in 0..<count { try database.insert(number, metadata, body) }
        let sqlite = try costSynchronously(10 * count) { number in
            guard try database.find(number % count) == 20_000 else { throw BenchError("A row is gone.") }
        }
        await store.close()
        return [atOnce, single, file, sqlite]
    }

    private func miss() async throws -> [Double] {
        let store = store()
        let count = 10_000
        try await fill(store, count: count, sizes: 100...100)
        let keys = (0..<count).map { Self.key(1_000_000 + $0) }
        let operation: @Sendable (Int) async throws -> Void = { number in
            guard try await store.responses(for: keys[number % count]).isEmpty else {
                throw BenchError("Something is found that isn't there.")
            }
        }
        _ = try await cost(count, atOnce: 16, operation)
        let atOnce = try await cost(10 * count, atOnce: 16, operation)
        let single = try await cost(2 * count, atOnce: 1, operation)
        let database = try BareDatabase(folder.appending(path: "bare.sqlite").path(percentEncoded: false))
        for number in 0..<count { try database.insert(number, metadata, Data(count: 100)) }
        let sqlite = try costSynchronously(10 * count) { number in
            guard try database.find(1_000_000 + number) == nil else { throw BenchError("A row is found.") }
        }
        await store.close()
        return [atOnce, single, sqlite]
    }

    private func add(byteCount: Int, count: Int) async throws -> [Double] {
        let bodies = (0..<64).map { _ in Self.body(byteCount) }
        let store = store()
        try await add(1_000_000, bodies[0], to: store)
        let atOnce = try await cost(count, atOnce: 16) { try await self.add($0, bodies[$0 % 64], to: store) }
        let single = try await cost(count, atOnce: 1) { try await self.add($0 + count, bodies[$0 % 64], to: store) }
        await store.close()

        let bare = folder.appending(path: "bare").path(percentEncoded: false)
        let file = try costSynchronously(count) { number in
            try Self.writeFile(bodies[number % 64], to: bare + ".part")
            guard rename(bare + ".part", bare + "\(number)") == 0 else { throw BenchError("A file can't be moved.") }
        }
        let database = try BareDatabase(folder.appending(path: "bare.sqlite").path(percentEncoded: false))
        let sqlite = try costSynchronously(count / 32) { batch in
            try database.transaction {
                for number in 0..<32 { try database.insert(batch * 32 + number, metadata, bodies[number]) }
            }
        }
        return [atOnce, single, file, sqlite / 32]
    }

    private func fill(_ store: SQLiteStore, count: Int, sizes: ClosedRange<Int>) async throws {
        let pattern = Self.body(sizes.upperBound)
        // The same sizes in each run.
        let step = max(1, (sizes.upperBound - sizes.lowerBound) / 997)
        _ = try await cost(count, atOnce: 64) { number in
            let byteCount = sizes.lowerBound + number * 601 % 998 * step
            try await self.add(number, pattern.prefix(min(byteCount, sizes.upperBound)), to: store)
        }
    }

    /// The index is in the system's cache, as it is after a program's end. What the disk takes besides isn't measured.
    private func open() async throws -> [Double] {
        let first = store()
        try await fill(first, count: 100_000, sizes: 500...500)
        await first.close()
        var times: [(cpu: Double, elapsed: Double)] = []
        for _ in 0..<5 {
            let store = store()
            let (cpu, start) = (ProcessTime.nanoseconds(), ContinuousClock.now)
            guard try await store.responses(for: Self.key(50_000)).count == 1 else {
                throw BenchError("A response is gone.")
            }
            times.append(
                (Double(ProcessTime.nanoseconds() - cpu) / 1e6, (ContinuousClock.now - start) / .milliseconds(1)))
            await store.close()
        }
        return [.median(times.map(\.cpu)), .median(times.map(\.elapsed))]
    }

    private func trim() async throws -> [Double] {
        let store = store()
        try await fill(store, count: 11_000, sizes: 2_000...40_000)
        let usage = try await store.usage()
        let (cpu, start) = (ProcessTime.nanoseconds(), ContinuousClock.now)
        try await store.trim(toByteCount: Int(usage.byteCount) / 11)
        let result = [
            Double(ProcessTime.nanoseconds() - cpu) / 1e6, (ContinuousClock.now - start) / .milliseconds(1),
        ]
        guard try await store.usage().responseCount < 1_100 else { throw BenchError("Too little has gone.") }
        let afterwards = ProcessTime.nanoseconds()
        await store.finishTidying()
        let tidying = Double(ProcessTime.nanoseconds() - afterwards) / 1e6
        await store.close()
        return result + [tidying]
    }

    /// With opening the store. The index is in the system's cache, as it is after a program's end.
    private func impressions() async throws -> [Double] {
        let count = 100_000
        let first = store()
        for number in 0..<count {
            first.keep(
                ImpressionBench.record(number), of: ImpressionBench.request(number).id, in: nil, since: first.epoch())
            // A thousand may wait; more would be dropped.
            if number % 512 == 511 { await first.finishTidying() }
        }
        await first.close()
        var times: [(cpu: Double, elapsed: Double)] = []
        for _ in 0..<5 {
            let (store, table) = (store(), ImpressionTable(capacity: count))
            let (cpu, start) = (ProcessTime.nanoseconds(), ContinuousClock.now)
            await table.load(from: store) { print("The store can't be read: \($0)") }.value
            times.append(
                (Double(ProcessTime.nanoseconds() - cpu) / 1e6, (ContinuousClock.now - start) / .milliseconds(1)))
            guard table.count == count else { throw BenchError("\(table.count) of \(count) impressions are loaded.") }
            await store.close()
        }
        return [.median(times.map(\.cpu)), .median(times.map(\.elapsed))]
    }

    private func overhead(_ sizes: ClosedRange<Int>, count: Int) async throws -> [Double] {
        let store = store()
        try await fill(store, count: count, sizes: sizes)
        let found = try await store.statistics()
        await store.close()
        // What a file takes beyond its length is the file system's, and counts.
        let taken = try Self.allocatedByteCount(folder)
        let overhead = Double(taken) / Double(found.usage.byteCount) - 1
        return [overhead * 100, Double(found.logByteCount), Double(found.freeByteCount)]
    }

    private static func allocatedByteCount(_ folder: URL) throws -> Int64 {
        var total: Int64 = 0
        for case let url as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            ?? .init()
        {
            var status = stat()
            guard lstat(url.path(percentEncoded: false), &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFREG { total += Int64(status.st_blocks) * 512 }
        }
        return total
    }

    // MARK: What it is compared with

    private static func writeFile(_ body: Data, to path: String) throws {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchError("A file can't be made.") }
        defer { close(descriptor) }
        let count = body.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == body.count else { throw BenchError("A file can't be written.") }
    }

    private static func readFile(_ path: String, _ byteCount: Int) throws -> Data {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchError("A file can't be opened.") }
        defer { close(descriptor) }
        var body = Data(count: byteCount)
        let count = body.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        return body.prefix(max(0, count))
    }
}
