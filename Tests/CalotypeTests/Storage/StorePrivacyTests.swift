import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("SQLiteStore: privacy")
struct StorePrivacyTests {
    /// Whether bytes stand anywhere below the folder, file names included.
    private func found(_ bytes: Data, in folder: StoreFolder) throws -> Bool {
        try folder.files.contains { file in
            try Data(contentsOf: file).range(of: bytes) != nil
                || Data(file.path(percentEncoded: false).utf8).range(of: bytes) != nil
        }
    }

    @Test("the folder is the user's alone, and so is what is in it")
    func modes() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            try await store.put("a", distinctBytes(100_000, seed: 1))
            try await store.put("b", distinctBytes(100, seed: 1))
            func mode(_ url: URL) -> mode_t {
                var status = stat()
                return stat(url.path(percentEncoded: false), &status) == 0 ? status.st_mode & 0o777 : 0
            }
            #expect(mode(folder.url) == 0o700)
            #expect(mode(folder.index) == 0o600)
            for body in folder.bodies { #expect(mode(body) == 0o600) }
        }
    }

    @Test("neither URL nor credentials nor account names reach the disk by keys or file names")
    func names() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            let url = URL(string: "https://ada:s3cret@img.example.com/albums/lovelace.jpg?token=t0ken")!
            let key = FetchKey(
                method: "POST", url: url, partition: "ada@example.com", fields: ["X-Api-Key": "f1eld"],
                body: Data("b0dy".utf8))
            for (resource, byteCount) in [("mail:ada", 10), ("photo:ada", 100_000)] as [(ResourceID, Int)] {
                #expect(
                    try await store.add(
                        distinctBytes(byteCount, seed: 1), for: key, resource: resource, metadata: Data([1]),
                        replacing: nil, since: store.epoch()) != nil)
            }
            let entries = try await store.entries()
            #expect(entries.map(\.origin) == Array(repeating: "https://img.example.com", count: 2))
            await store.close()
            for secret in [
                "s3cret", "lovelace", "albums", "t0ken", "ada@", "f1eld", "b0dy", "mail:", "photo:", "Api-Key",
            ] {
                #expect(try !found(Data(secret.utf8), in: folder), "\(secret)")
            }
        }
    }

    @Test("keys differ from store to store, so that nobody can look a URL up in a table")
    func keyed() throws {
        let (one, other) = (DigestKey.random(), DigestKey.random())
        let key = SQLiteStore.key("a", "p")
        #expect(key.diskDigest(one) != key.diskDigest(other))
        #expect(key.partition?.diskDigest(one) != key.partition?.diskDigest(other))
        #expect(ResourceID("a").diskDigest(one) != ResourceID("a").diskDigest(other))
    }

    @Test("each part of a key counts on disk, and what doesn't count in memory doesn't either")
    func parts() throws {
        let disk = DigestKey(1, 2)
        func digest(
            _ url: String = "https://a.example/b?c", _ method: String = "GET", _ partition: Partition? = nil,
            _ fields: HTTPFields = [:], _ body: String? = nil
        ) -> Digest? {
            FetchKey(
                method: method, url: URL(string: url)!, partition: partition, fields: fields,
                body: body.map { Data($0.utf8) }
            ).diskDigest(disk)
        }
        let digests = [
            digest(), digest("https://a.example/b"), digest("https://a.example/b?c", "POST"),
            digest("https://a.example/b?c", "GET", "p"), digest("https://a.example/b?c", "GET", ""),
            digest("https://a.example/b?c", "GET", nil, ["Accept": "image/webp"]),
            digest("https://a.example/b?c", "GET", nil, ["Accept": "image/png"]),
            digest("https://a.example/b?c", "GET", nil, [:], "body"),
        ]
        #expect(Set(digests).count == digests.count && !digests.contains(nil))
        #expect(digest("HTTPS://A.example:443/b?c#d") == digest())
        #expect(digest("https://a.example/b?c&Key-Pair-Id=1&Signature=2&Expires=3") == digest())
        // The digest is the format's: another one would lose what is stored.
        #expect(
            digest()?.bytes.map { String($0, radix: 16) }.joined(separator: " ")
                == "8d 5d b2 d0 9 2f d4 38 80 93 56 e2 39 a2 7e 8f")
        let requests: [ResourceID] = [
            ResourceID("a"), ResourceID("b"), ResourceID(url: URL(string: "https://a.example/")!),
            ResourceID(.init(method: "POST", url: URL(string: "https://a.example/")!, fields: [:], body: nil)),
            ResourceID(.init(method: "POST", url: URL(string: "https://a.example/")!, fields: [:], body: Data([1]))),
        ]
        #expect(Set(requests.map { $0.diskDigest(disk) }).count == requests.count)
        #expect(
            ResourceID(.init(method: "GET", url: URL(string: "https://a.example/")!, fields: [:], body: nil))
                .diskDigest(disk) == ResourceID(url: URL(string: "https://a.example")!).diskDigest(disk))
    }

    @Test("what belongs to credentials without a name stays in memory, since nobody could ask for its erasure")
    func unnamedPartitions() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            let partition = Partition(credentials: Digest("Bearer abc"))
            let key = SQLiteStore.key("a", partition)
            try await store.put("named", distinctBytes(100, seed: 9))
            for byteCount in [100, 100_000] {
                let body = distinctBytes(byteCount, seed: 1)
                let added = try #require(try await store.put("a", body, partition: partition))
                #expect(try await store.get("a", partition: partition) == body)
                let writer = try await store.writer(
                    for: key, resource: "a", metadata: Data([1]), replacing: added.id, since: store.epoch())
                try await writer.append(body)
                let response = try #require(try await writer.commit())
                #expect(try await store.responses(for: key).map(\.id) == [response.id])
                #expect(try await store.updateMetadata(of: response.id, to: Data([2])))
                #expect(try await store.responses(for: key).map(\.metadata) == [Data([2])])
                #expect(try !found(body.prefix(64), in: folder))
                try await store.remove(response.id)
                #expect(try await store.responses(for: key).isEmpty)
            }
            #expect(try await store.get("named") == distinctBytes(100, seed: 9))
            #expect(try await store.usage().responseCount == 1)

            // Removals reach both, and so do their epochs.
            for removal in [
                { try await $0.remove(ResourceID("a")) }, { try await $0.removePartition(partition) },
                { try await $0.removeAll() },
            ] as [@Sendable (SQLiteStore) async throws -> Void] {
                #expect(try await store.put("a", distinctBytes(100, seed: 1), partition: partition) != nil)
                let before = store.epoch()
                try await removal(store)
                #expect(try await store.get("a", partition: partition) == nil)
                let late = try await store.add(
                    Data([1]), for: key, resource: "a", metadata: Data(), replacing: nil, since: before)
                #expect(late?.id == nil)
            }
        }
    }

    @Test("what is named by bytes isn't stored: the name doesn't last")
    func namedByBytes() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            let resource = ResourceID(content: Data([1, 2, 3]))
            for byteCount in [100, 100_000] {
                let added = try await store.add(
                    distinctBytes(byteCount, seed: 1), for: SQLiteStore.key("a"), resource: resource,
                    metadata: Data(), replacing: nil, since: store.epoch())
                #expect(added?.id == nil)
            }
            let usage = try await store.usage()
            #expect(usage.responseCount == 0)
            #expect(folder.bodies.isEmpty)
        }
    }

    @Test("removing a partition leaves no byte of its bodies in the index or its log", arguments: [true, false])
    func erasure(_ removesEverything: Bool) async throws {
        try await StoreFolder.with { folder in
            let store = folder.store()
            var erased: [Data] = []
            for number in 0..<60 as Range<UInt64> {
                let isErased = number % 2 == 0
                // From bodies that share a page to those that take many, and files.
                let body = distinctBytes(Int(number * number * 30 + 50), seed: number)
                let response = try await store.put(
                    "\(number)", body, metadata: distinctBytes(100, seed: 1_000 + number),
                    partition: isErased ? "first-account" : "second-account")
                #expect(response != nil)
                if isErased { erased += [body.dropFirst(8).prefix(24), distinctBytes(100, seed: 1_000 + number)] }
                // Copies that were changed or removed before count no less.
                if let response, number % 6 == 0 {
                    try await store.remove(response.id)
                } else if let response, number % 10 == 2 {
                    #expect(try await store.updateMetadata(of: response.id, to: Data(count: 50)))
                }
            }
            #expect(try found(erased[10], in: folder))
            // A reader that looks at the log meanwhile.
            _ = try await store.get("1", partition: "second-account")
            if removesEverything {
                try await store.removeAll()
            } else {
                try await store.removePartition("first-account")
            }
            for bytes in erased { #expect(try !found(bytes, in: folder)) }
            #expect(folder.errors == [])
            if !removesEverything {
                for number in stride(from: 1, to: 60, by: 2) as StrideTo<UInt64> {
                    #expect(
                        try await store.get("\(number)", partition: "second-account")
                            == distinctBytes(Int(number * number * 30 + 50), seed: number))
                }
            }
            #expect(try await store.verify().isWhole)
        }
    }

    @Test("an erasure that a reader delays is reported, and done when the reader is")
    func delayedErasure() async throws {
        try await StoreFolder.with { folder in
            let store = folder.store { $0.busyMilliseconds = 50 }
            let body = distinctBytes(3_000, seed: 1)
            try await store.put("a", body, partition: "first-account")
            let reader = try SQLiteConnection(path: folder.index.path(percentEncoded: false))
            try reader.execute("BEGIN")
            _ = try reader.number("SELECT count(*) FROM responses")
            try await store.removePartition("first-account")
            // Once, or more often on a slow machine: it is tried again every few seconds.
            #expect(!folder.errors.isEmpty && folder.errors.allSatisfy { $0 == .erasureDelayed })
            #expect(try await store.get("a", partition: "first-account") == nil)
            #expect(try found(body.prefix(64), in: folder))
            try reader.execute("COMMIT")
            // With the next change, if the store isn't left alone until then.
            try await store.put("b", distinctBytes(100, seed: 2))
            #expect(try !found(body.prefix(64), in: folder))
        }
    }
}
