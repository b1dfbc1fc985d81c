import Calotype
import Foundation

extension Command {
    /// Works on a store without end, for the tests that kill it: `store-churn DIR SEED BYTES [FILE-BYTES]`. Says "ready"
    /// once it has tried to store a first response. What is read and isn't what was written ends it with 1.
    static let storeChurn = Command(name: "store-churn", summary: "", help: "For tests.") { arguments in
        guard arguments.count >= 3, let seed = UInt64(arguments[1]), let byteLimit = Int(arguments[2]) else {
            throw UsageError("store-churn takes a folder, a seed and a number of bytes.")
        }
        if arguments.count == 4, let byteCount = rlim_t(arguments[3]) {
            // As on a full disk: no file gets larger. The signal would end the process first.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: byteCount, rlim_max: byteCount)
            #if os(Linux)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #else
            setrlimit(RLIMIT_FSIZE, &limit)
            #endif
        }
        var options = SQLiteStore.Options(byteLimit: byteLimit)
        // Half of the bodies are files.
        options.inlineByteLimit = 16 << 10
        let store = SQLiteStore(directory: URL(filePath: arguments[0]), options: options)
        let churn = StoreChurn(store: store)
        // Whether it could doesn't matter here either: see ``StoreChurn/writeOn(seed:)``.
        _ = try? await churn.write(serial: seed)
        Console.print("ready")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 as Range<UInt64> {
                group.addTask { try await churn.writeOn(seed: seed &+ task &* 1_000_003) }
                group.addTask { try await churn.readOn(seed: seed ^ task &* 7_000_003) }
            }
            try await group.waitForAll()
        }
        return .success
    }
}

/// Responses that can be told to be right: metadata begins with a number, and the body follows from it.
struct StoreChurn: Sendable {
    let store: SQLiteStore

    init(store: SQLiteStore) {
        self.store = store
    }

    static let nameCount: UInt64 = 300

    static func key(_ serial: UInt64) -> FetchKey {
        FetchKey(
            url: URL(string: "https://img.example.com/\(serial % nameCount)")!,
            partition: serial % 5 == 0 ? "account" : nil)
    }

    private static func resource(_ serial: UInt64) -> ResourceID { ResourceID("name \(serial % nameCount)") }

    /// A body of 0 to 48 KiB.
    static func body(_ serial: UInt64) -> Data {
        var state = serial &* 0x9e37_79b9_7f4a_7c15 &+ 1
        let count = Int(truncatingIfNeeded: (state >> 33) % (48 << 10))
        var data = Data(capacity: count + 8)
        while data.count < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            withUnsafeBytes(of: state) { data.append(contentsOf: $0) }
        }
        return data.prefix(count)
    }

    static func metadata(_ serial: UInt64, revision: Int) -> Data {
        withUnsafeBytes(of: serial.littleEndian) { Data($0) } + Data(repeating: 0x6d, count: 200 + revision)
    }

    static func serial(of metadata: Data) -> UInt64? {
        guard metadata.count >= 208 else { return nil }
        return metadata.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    func write(serial: UInt64) async throws {
        let body = Self.body(serial)
        let replaced = try await store.responses(for: Self.key(serial)).first?.id
        let writer = try await store.writer(
            for: Self.key(serial), resource: Self.resource(serial), metadata: Self.metadata(serial, revision: 0),
            replacing: replaced, since: store.epoch())
        // In two pieces, so that a kill may fall between.
        try await writer.append(body.prefix(body.count / 2))
        try await writer.append(body.dropFirst(body.count / 2))
        _ = try await writer.commit()
    }

    /// Writes, and now and then changes or removes.
    func writeOn(seed: UInt64) async throws {
        var random = Sequence(state: seed)
        while true {
            let serial = random.next()
            // A store that can't write is no failure here: the point is what it leaves.
            do {
                switch serial >> 60 {
                case 0..<11: try await write(serial: serial)
                case 11..<14:
                    if let response = try await store.responses(for: Self.key(serial)).first,
                        let old = Self.serial(of: response.metadata)
                    {
                        _ = try await store.updateMetadata(
                            of: response.id, to: Self.metadata(old, revision: Int(serial % 300)))
                    }
                case 14: try await store.remove(Self.resource(serial))
                default: if serial >> 52 & 0xf == 0 { try await store.removePartition("account") }
                }
            } catch is SQLiteFailure {
            } catch is FileFailure {
            }
        }
    }

    func readOn(seed: UInt64) async throws {
        var random = Sequence(state: seed)
        while true {
            do {
                _ = try await check(Self.key(random.next()))
            } catch is SQLiteFailure {
            } catch is FileFailure {
            }
        }
    }

    /// Reads what is stored under a key, and compares it with what was written.
    ///
    /// - Returns: How many responses there were.
    func check(_ key: FetchKey) async throws -> Int {
        let responses = try await store.responses(for: key)
        for response in responses {
            guard let serial = Self.serial(of: response.metadata), Self.key(serial) == key else {
                throw StoreChurnError(description: "metadata isn't what was written")
            }
            guard let body = try await store.body(of: response.id) else { continue }
            guard try await body.bytes() == Self.body(serial) else {
                throw StoreChurnError(description: "a body isn't what was written")
            }
        }
        return responses.count
    }

    private struct Sequence {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var mixed = state
            mixed ^= mixed >> 33
            mixed = mixed &* 0xff51_afd7_ed55_8ccd
            return mixed ^ mixed >> 33
        }
    }
}

struct StoreChurnError: Error, CustomStringConvertible {
    let description: String
}
