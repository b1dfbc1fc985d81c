import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Impressions that a store keeps")
struct ImpressionStoreTests {
    /// What a store can have kept, by its own key.
    private final class Kept {
        let store: MemoryImpressionStore
        let table: ImpressionTable
        let faults = EventLog()

        init(_ store: MemoryImpressionStore, capacity: Int = 100) {
            self.store = store
            table = ImpressionTable(capacity: capacity)
        }

        func load() -> Task<Void, Never> {
            table.load(from: store) { [faults] in faults.append(.cacheFault(operation: "load", $0)) }
        }

        func find(_ resource: ResourceID, _ partition: Partition? = nil) -> Int? {
            table.impression(of: resource, in: partition).map { $0.originalPixelSize.width - 16 }
        }

        func insert(_ number: Int, _ resource: ResourceID, _ partition: Partition? = nil) {
            table.insert(
                ImpressionTableTests.record(number), of: resource, in: partition, version: 1, since: table.epoch)
        }
    }

    private func keep(
        _ number: Int, _ resource: ResourceID, _ partition: Partition? = nil, in store: MemoryImpressionStore
    ) {
        store.keep(ImpressionTableTests.record(number), of: resource, in: partition, since: store.epoch())
    }

    @Test("a record comes back from its bytes, and other bytes are none")
    func coding() throws {
        for colorSpace in [DecodedImage.ColorSpace.sRGB, .displayP3] {
            for vector in ThumbHashVector.all {
                let hash = try #require(ThumbHash(bytes: vector.hash))
                let record = ImpressionRecord(
                    hash: hash, pixelSize: PixelSize(width: 4_032, height: 3_024), colorSpace: colorSpace)
                #expect(record.bytes.count <= 30)
                #expect(ImpressionRecord(bytes: record.bytes) == record)
                for count in 0..<record.bytes.count {
                    #expect(ImpressionRecord(bytes: record.bytes.prefix(count)) == nil)
                }
                #expect(ImpressionRecord(bytes: [2] + record.bytes.dropFirst()) == nil)
                #expect(ImpressionRecord(bytes: [0, 0, 0, 1, 0] + vector.hash) == nil)
            }
        }
    }

    @Test("a side that 16 bits don't hold is scaled with the other")
    func enormous() throws {
        let hash = try #require(ThumbHash(bytes: ThumbHashVector.all[0].hash))
        let record = ImpressionRecord(hash: hash, pixelSize: PixelSize(width: 131_070, height: 200))
        #expect(record.pixelSize == PixelSize(width: 65_535, height: 100))
    }

    @Test("what a store has kept is found by its names, whatever key the table had")
    func load() async throws {
        let kept = Kept(MemoryImpressionStore())
        let url = try #require(URL(string: "https://img.example.com/a.png"))
        keep(1, ResourceID(url: url), in: kept.store)
        keep(2, ResourceID(url: url), "first-account", in: kept.store)
        keep(3, "photo", in: kept.store)
        await kept.load().value
        #expect(kept.find(ResourceID(url: url)) == 1)
        #expect(kept.find(ResourceID(url: url), "first-account") == 2)
        #expect(kept.find("photo") == 3)
        #expect(kept.find("photo", "first-account") == nil)
        #expect(kept.table.count == 3)
        // Of what was loaded nobody knows the version: the next decode makes sure.
        #expect(kept.table.wants("photo", in: nil, version: 1))
    }

    @Test("of more than there is room for, those that were kept last are loaded")
    func limit() async {
        let kept = Kept(MemoryImpressionStore(), capacity: 3)
        for number in 0..<5 { keep(number, ResourceID("\(number)"), in: kept.store) }
        await kept.load().value
        #expect((0..<5).map { kept.find(ResourceID("\($0)")) } == [nil, nil, 2, 3, 4])
    }

    @Test("what comes while a store is read is newer than what it brings")
    func interim() async throws {
        let gate = TestGate()
        let kept = Kept(MemoryImpressionStore { await gate.wait() })
        keep(1, "a", in: kept.store)
        keep(1, "b", in: kept.store)
        let loading = kept.load()
        await gate.waitUntilReached()
        kept.insert(2, "b")
        kept.insert(2, "c")
        #expect(["a", "b", "c"].map { kept.find($0) } == [nil, 2, 2])
        gate.open()
        await loading.value
        #expect(["a", "b", "c"].map { kept.find($0) } == [1, 2, 2])
        #expect(!kept.table.wants("b", in: nil, version: 1))
    }

    @Test("what is removed while a store is read doesn't come back with it")
    func removalWhileLoading() async throws {
        let gate = TestGate()
        let kept = Kept(MemoryImpressionStore { await gate.wait() })
        for resource in ["a", "b", "c"] as [ResourceID] {
            keep(1, resource, in: kept.store)
            keep(1, resource, "first-account", in: kept.store)
        }
        let loading = kept.load()
        await gate.waitUntilReached()
        kept.insert(2, "a")
        kept.insert(2, "b", "first-account")
        kept.table.remove("a")
        kept.table.removePartition("first-account")
        kept.insert(3, "c", "first-account")
        gate.open()
        await loading.value
        #expect(["a", "b", "c"].map { kept.find($0) } == [nil, 1, 1])
        #expect(["a", "b", "c"].map { kept.find($0, "first-account") } == [nil, nil, 3])
        kept.table.removeAll()
        #expect(kept.table.count == 0)
    }

    @Test("everything removed while a store is read: nothing comes")
    func everythingRemovedWhileLoading() async throws {
        let gate = TestGate()
        let kept = Kept(MemoryImpressionStore { await gate.wait() })
        keep(1, "a", in: kept.store)
        let loading = kept.load()
        await gate.waitUntilReached()
        kept.insert(2, "b")
        kept.table.removeAll()
        gate.open()
        await loading.value
        #expect(kept.table.count == 0)
    }

    @Test("a store is read once, whoever asks; one that can't be read is reported and tried again")
    func once() async throws {
        let count = Counter()
        let kept = Kept(
            MemoryImpressionStore {
                if count.increment() == 1 { throw CocoaError(.fileReadCorruptFile) }
            })
        keep(1, "a", in: kept.store)
        await kept.load().value
        #expect(kept.faults.all.count == 1)
        #expect(kept.find("a") == nil)
        kept.insert(2, "b")
        for _ in 0..<3 { await kept.load().value }
        #expect(count.value == 2)
        #expect(kept.find("a") == 1)
        #expect(kept.faults.all.count == 1)
    }
}

/// Holds a task until the test lets it go.
private final class TestGate: Sendable {
    private let reached = TestEvent()
    private let opened = TestEvent()

    func wait() async {
        reached.fire()
        await opened.wait()
    }

    func waitUntilReached() async { await reached.wait() }

    func open() { opened.fire() }
}
