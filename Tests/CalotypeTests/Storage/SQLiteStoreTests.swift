import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("SQLiteStore")
struct SQLiteStoreTests {
    @Test("a store on disk keeps the contract of stores", arguments: ResponseStoreContract<SQLiteStore>.rules)
    func contract(_ rule: ResponseStoreContract<SQLiteStore>.Rule) async throws {
        try await StoreFolder.with { folder in
            try await rule.check(
                ResponseStoreContract { limit in
                    folder.store { $0.byteLimit = limit }
                })
        }
    }

    @Test("bodies in files keep the contract of stores", arguments: ResponseStoreContract<SQLiteStore>.rules)
    func contractOfFiles(_ rule: ResponseStoreContract<SQLiteStore>.Rule) async throws {
        try await StoreFolder.with { folder in
            try await rule.check(
                ResponseStoreContract { limit in
                    folder.store {
                        $0.byteLimit = limit
                        $0.inlineByteLimit = 8
                    }
                })
        }
    }

    @Test("a store that is made, never used and closed makes no folder")
    func unused() async throws {
        try await StoreFolder.with { folder in
            await folder.store().close()
            #expect(!FileManager.default.fileExists(atPath: folder.url.path(percentEncoded: false)))
        }
    }
}
