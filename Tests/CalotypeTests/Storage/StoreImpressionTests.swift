import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("SQLiteStore: impressions")
struct StoreImpressionTests {
    /// That of an image of one color.
    private static func record(_ color: PixelColor) throws -> ImpressionRecord {
        let image = try SystemImageDecoder().decode(
            TestImages.solidPNG(width: 30, height: 20, color: color), format: .png, options: DecodeOptions())
        return ImpressionRecord(hash: ThumbHash(image.bitmap), pixelSize: image.pixelSize)
    }

    private func kept(_ store: SQLiteStore, limit: Int = .max) async throws -> Set<ImpressionKey> {
        Set(try await store.impressions(limit: limit).entries.map(\.key))
    }

    @Test("what one store has kept, the next one on its folder brings, under the same key")
    func lasting() async throws {
        try await StoreFolder.with { folder in
            let record = try Self.record(.red)
            let store = folder.store()
            store.keep(record, of: "a", in: nil, since: store.epoch())
            store.keep(record, of: "b", in: "first-account", since: store.epoch())
            store.keep(record, of: "a", in: nil, since: store.epoch())
            await store.close()
            let stored = try await folder.store().impressions(limit: 10)
            let keys = [("b" as ResourceID, "first-account" as Partition?), ("a", nil)].map {
                ImpressionKey($0.0, in: $0.1, by: stored.key)
            }
            // The one that was kept last is the last; in place of another one it counts once.
            #expect(stored.entries.map(\.key) == keys)
            #expect(stored.entries.allSatisfy { $0.record == record })
            #expect(try await kept(folder.store(), limit: 1).count == 1)
        }
    }

    @Test("an impression outlives its response, and goes with its resource, its partition, and everything")
    func removal() async throws {
        try await StoreFolder.with { folder in
            let record = try Self.record(.green)
            let store = folder.store()
            let body = Data(count: 100)
            try await store.put("a", body)
            let before = store.epoch()
            for (resource, partition) in [
                ("a" as ResourceID, nil as Partition?), ("b", nil), ("b", "first-account"), ("c", "second-account"),
            ] {
                store.keep(record, of: resource, in: partition, since: before)
            }
            try await store.trim(toByteCount: 0)
            #expect(try await store.usage().responseCount == 0)
            #expect(try await kept(store).count == 4)
            try await store.remove("b" as ResourceID)
            #expect(try await kept(store).count == 2)
            try await store.removePartition("second-account")
            #expect(try await kept(store).count == 1)
            // What began before a removal comes too late.
            store.keep(record, of: "c", in: "second-account", since: before)
            store.keep(record, of: "b", in: nil, since: before)
            store.keep(record, of: "d", in: nil, since: before)
            // What is waited for comes after what isn't.
            try await store.put("e", body)
            #expect(try await kept(store).count == 2)
            try await store.removeAll()
            #expect(try await kept(store).isEmpty)
        }
    }

    @Test("after a restart, the first frame shows what the image looked like, without a request")
    @MainActor
    func restart() async throws {
        try await StoreFolder.with { folder in
            let fixture = try Fixture { $0.store = folder.store() }
            let request = ImageRequest(url: fixture.serve("/a", width: 60, height: 40, color: .red))
            _ = try await fixture.pipeline.image(for: request)
            await fixture.pipeline.waitUntilIdle()
            // It is made once the image has been handed over.
            try await waitUntil { fixture.pipeline.impression(for: request) != nil }
            try await waitUntil {
                try await (fixture.pipeline.configuration.store as? SQLiteStore)?.impressions(limit: 1).entries.count
                    == 1
            }

            let second = try Fixture { $0.store = folder.store() }
            await second.pipeline.prepare()
            let phase = RemoteImageModel().phase(for: request, in: second.pipeline)
            let image = try #require(phase.image)
            #expect(!phase.isSuccess && image.originalPixelSize == PixelSize(width: 60, height: 40))
            let color = image.bitmap.pixel(image.pixelSize.width / 2, image.pixelSize.height / 2)
            #expect(color.red > 200 && color.green < 60 && color.blue < 60)
            #expect(fixture.server.requestCount == 1)

            await second.pipeline.invalidate(request.id)
            #expect(second.pipeline.impression(for: request) == nil)
            let third = try Fixture { $0.store = folder.store() }
            await third.pipeline.prepare()
            #expect(third.pipeline.impression(for: request) == nil)
        }
    }
}
