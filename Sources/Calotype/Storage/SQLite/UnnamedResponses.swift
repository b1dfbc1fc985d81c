import Foundation

// Responses of partitions without a lasting name, which a store on disk keeps in memory beside it. Both number their
// responses from 1; here the numbers are negative, so that they never meet.

extension FetchKey {
    /// Whether nothing of it may be written to disk.
    var isUnnamed: Bool { partition?.isLasting == false }
}

extension StoredResponse.ID {
    var isUnnamed: Bool { number < 0 }
    var opposite: StoredResponse.ID { .init(-number) }
}

extension StoredResponse {
    /// The response of the store in memory, as callers know it.
    var unnamed: StoredResponse { StoredResponse(id: id.opposite, metadata: metadata, bodyByteCount: bodyByteCount) }
}

/// Writes into the store in memory.
final class UnnamedWriter: ResponseWriter {
    private let writer: any ResponseWriter

    init(_ writer: any ResponseWriter) {
        self.writer = writer
    }

    func append(_ bytes: Data) async throws { try await writer.append(bytes) }
    func commit() async throws -> StoredResponse? { try await writer.commit()?.unnamed }
    func abort() async { await writer.abort() }
}
