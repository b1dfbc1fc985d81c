import Foundation
import Synchronization

/// What a response is stored with, besides its body.
struct StoreDeposit: Sendable {
    let key: FetchKey
    let resource: ResourceID
    let metadata: Data
    let replaced: StoredResponse.ID?
    let epoch: StoreEpoch
}

/// Collects a body in memory, and stores it in one step: for stores that have no way to write it as it comes.
///
/// - Isolation: Any thread; one call at a time, as callers await each.
/// - Memory: The body, up to the limit. What is larger is let go of, and refused.
final class BodyCollector: ResponseWriter {
    private let byteLimit: Int
    private let store: @Sendable (Data) async throws -> StoredResponse?
    /// `nil` once it has become too large, has been stored, or has been given up.
    private let body = Mutex<Data?>(Data())

    /// - Parameters:
    ///   - byteLimit: The largest body that the store takes.
    ///   - store: Stores the whole body.
    init(byteLimit: Int, _ store: @escaping @Sendable (Data) async throws -> StoredResponse?) {
        self.byteLimit = byteLimit
        self.store = store
    }

    func append(_ bytes: Data) async throws {
        body.withLock { body in
            guard let count = body?.count else { return }
            if bytes.count > byteLimit - count {
                body = nil
            } else if count == 0 {
                // One piece is the rule for small bodies; it is kept without being copied.
                body = bytes
            } else {
                body?.append(bytes)
            }
        }
    }

    func commit() async throws -> StoredResponse? {
        guard let body = body.withLock({ $0.take() }) else { return nil }
        return try await store(body)
    }

    func abort() async {
        body.withLock { $0 = nil }
    }
}
