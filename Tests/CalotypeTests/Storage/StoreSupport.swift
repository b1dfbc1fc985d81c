import Foundation
import Synchronization
import Testing

@testable import Calotype

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// A folder for a store, which goes when the test ends; and what the store has reported.
final class StoreFolder: Sendable {
    let url: URL
    private let reported = Mutex<[StoreError]>([])
    private let otherErrors = Mutex<[any Error]>([])

    private init() {
        url = FileManager.default.temporaryDirectory.appending(path: "calotype-store-\(UUID().uuidString)")
    }

    static func with(_ body: (StoreFolder) async throws -> Void) async throws {
        let folder = StoreFolder()
        defer { try? FileManager.default.removeItem(at: folder.url) }
        try await body(folder)
    }

    /// A store in the folder.
    func store(_ change: (inout SQLiteStore.Options) -> Void = { _ in }) -> SQLiteStore {
        var options = SQLiteStore.Options()
        change(&options)
        return SQLiteStore(directory: url, options: options) { [weak self] in self?.note($0) }
    }

    private func note(_ event: ImageEvent) {
        guard case .cacheFault(_, let error) = event else { return }
        if let error = error as? StoreError {
            reported.withLock { $0.append(error) }
        } else {
            otherErrors.withLock { $0.append(error) }
        }
    }

    /// What stores in the folder have reported so far.
    var errors: [StoreError] { reported.withLock { $0 } }
    /// What isn't a ``StoreError``.
    var systemErrors: [any Error] { otherErrors.withLock { $0 } }

    var index: URL { url.appending(path: "index.sqlite") }

    /// Every file of a body.
    var bodies: [URL] { Self.files(below: url.appending(path: "bodies")) }
    /// Every file below the folder.
    var files: [URL] { Self.files(below: url) }

    static func files(below folder: URL) -> [URL] {
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return (found?.compactMap { $0 as? URL } ?? [])
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true }
            .sorted { $0.path < $1.path }
    }
}

extension SQLiteStore {
    static func key(_ name: String, _ partition: Partition? = nil) -> FetchKey {
        FetchKey(url: URL(string: "https://img.example.com/photos/\(name)?size=large")!, partition: partition)
    }

    /// Stores a body under a name.
    @discardableResult
    func put(
        _ name: String, _ body: Data, metadata: Data = Data("metadata".utf8), partition: Partition? = nil
    ) async throws -> StoredResponse? {
        try await add(
            body, for: Self.key(name, partition), resource: ResourceID(name), metadata: metadata, replacing: nil,
            since: epoch())
    }

    /// The body stored under a name.
    func get(_ name: String, partition: Partition? = nil) async throws -> Data? {
        guard let response = try await responses(for: Self.key(name, partition)).first else { return nil }
        return try await body(of: response.id)?.bytes()
    }
}

/// Bytes that tell where they come from: any two runs of eight differ.
func distinctBytes(_ count: Int, seed: UInt64) -> Data {
    var state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1
    var data = Data(capacity: count + 8)
    while data.count < count {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        withUnsafeBytes(of: state) { data.append(contentsOf: $0) }
    }
    return data.prefix(count)
}
