import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The table alone: what is given beside what decodes leave and a store brings.
extension GivenImpressionTests {
    private static func record(_ number: Int) -> ImpressionRecord { ImpressionTableTests.record(number) }

    private func find(_ resource: ResourceID, in partition: Partition? = nil, _ table: ImpressionTable) -> Int? {
        table.impression(of: resource, in: partition).map { $0.originalPixelSize.width - 16 }
    }

    @Test("a table without room takes nothing that is given, and one with room for one takes the last")
    func capacity() {
        let none = ImpressionTable(capacity: 0)
        none.insertGiven(Self.record(1), of: "a", in: nil)
        #expect(none.count == 0 && find("a", none) == nil)
        let one = ImpressionTable(capacity: 1)
        one.insertGiven(Self.record(1), of: "a", in: nil)
        one.insertGiven(Self.record(2), of: "b", in: nil)
        #expect(one.count == 1 && find("a", one) == nil && find("b", one) == 2)
    }

    @Test("without a table nothing is kept of what is given")
    func noTable() throws {
        let fixture = try Fixture { $0.impressions = nil }
        let request = ImageRequest(url: fixture.server.url("/a"))
        let image = DecodedImage(bitmap: TestImages.solidBitmap(width: 60, height: 40, color: .green))
        fixture.pipeline.insertImpression(Impression(of: image), for: request)
        #expect(fixture.pipeline.impression(for: request) == nil)
    }

    @Test("what is given for one who sends credentials isn't another's", arguments: ["Authorization", "Cookie"])
    func credentials(field: String) throws {
        let fixture = try Fixture()
        func request(_ value: String?) -> ImageRequest {
            var message = URLRequest(url: fixture.server.url("/a"))
            message.setValue(value, forHTTPHeaderField: field)
            return ImageRequest(urlRequest: message)
        }
        let image = DecodedImage(bitmap: TestImages.solidBitmap(width: 60, height: 40, color: .green))
        fixture.pipeline.insertImpression(Impression(of: image), for: request("one"))
        #expect(fixture.pipeline.impression(for: request("one")) != nil)
        #expect(fixture.pipeline.impression(for: request("other")) == nil)
        #expect(fixture.pipeline.impression(for: request(nil)) == nil)
    }

    @Test(
        "the image's own stays, however full the table is, when it comes while a store is read",
        arguments: [1, 2, 20_000])
    func whileLoading(capacity: Int) async {
        let (reached, opened) = (TestEvent(), TestEvent())
        let store = MemoryImpressionStore {
            reached.fire()
            await opened.wait()
        }
        let table = ImpressionTable(capacity: capacity)
        let loading = table.load(from: store) { Issue.record("\($0)") }
        await reached.wait()
        table.insertGiven(Self.record(1), of: "a", in: nil)
        #expect(table.insert(Self.record(2), of: "a", in: nil, version: 1, since: table.epoch))
        table.insertGiven(Self.record(3), of: "a", in: nil)
        opened.fire()
        await loading.value
        #expect(find("a", table) == 2)
        #expect(!table.wants("a", in: nil, version: 1))
    }

    @Test("what has come stays when a store can't be read at first, and what was removed stays away")
    func failedLoading() async {
        let count = Mutex(0)
        let store = MemoryImpressionStore {
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { throw CocoaError(.fileReadCorruptFile) }
        }
        store.keep(Self.record(9), of: "kept", in: nil, since: store.epoch())
        let table = ImpressionTable()
        let faults = Mutex(0)
        let first = table.load(from: store) { _ in faults.withLock { $0 += 1 } }
        for resource in ["early", "removed"] as [ResourceID] {
            table.insertGiven(Self.record(1), of: resource, in: nil)
        }
        await first.value
        #expect(faults.withLock { $0 } == 1)
        table.remove("removed")
        table.insertGiven(Self.record(2), of: "late", in: "account")
        table.insert(Self.record(3), of: "own", in: nil, version: 1, since: table.epoch)
        table.insertGiven(Self.record(4), of: "kept", in: nil)
        await table.load(from: store) { Issue.record("\($0)") }.value
        #expect(find("early", table) == 1)
        #expect(find("removed", table) == nil)
        #expect(find("late", in: "account", table) == 2)
        #expect(find("own", table) == 3)
        #expect(find("kept", table) == 9)
        #expect(table.count == 4)
    }

    @Test("in any order of operations the image's own counts more than what is given", arguments: [UInt64(1), 2, 3])
    func randomOperations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let table = ImpressionTable(capacity: 100)
        var expected: [Int: (number: Int, isOwn: Bool)] = [:]
        for step in 0..<10_000 {
            let number = Int(random.next() % 60)
            let resource = ResourceID("\(number)")
            switch random.next() % 10 {
            case 0:
                table.remove(resource)
                expected[number] = nil
            case 1...3:
                let former = expected[number]
                let isNews = table.insert(
                    Self.record(step), of: resource, in: nil, version: UInt32(2 * step + 1), since: table.epoch)
                #expect(isNews == (former?.isOwn != true || former?.number != step))
                expected[number] = (step, true)
            case 4...6:
                table.insertGiven(Self.record(step), of: resource, in: nil)
                if expected[number] == nil { expected[number] = (step, false) }
            default:
                #expect(find(resource, table) == expected[number]?.number)
            }
        }
        #expect(table.count == expected.count)
    }

    @Test("from many threads, while a store is read: nobody's is another's, and what is removed stays away")
    func threads() async {
        let (reached, opened) = (TestEvent(), TestEvent())
        let store = MemoryImpressionStore {
            reached.fire()
            await opened.wait()
        }
        for number in 0..<50 {
            store.keep(Self.record(0), of: ResourceID("\(number)"), in: "account 0", since: store.epoch())
        }
        let table = ImpressionTable(capacity: 2_000)
        let loading = table.load(from: store) { Issue.record("\($0)") }
        await reached.wait()
        await withTaskGroup(of: Void.self) { group in
            for account in 0..<8 {
                group.addTask {
                    let partition = Partition("account \(account)")
                    for step in 0..<2_000 {
                        let resource = ResourceID("\(step % 50)")
                        let epoch = table.epoch
                        table.insertGiven(Self.record(account), of: resource, in: partition)
                        if step % 3 == 0 {
                            table.insert(
                                Self.record(account + 100), of: resource, in: partition, version: 1, since: epoch)
                        }
                        if let found = table.impression(of: resource, in: partition) {
                            #expect([account, account + 100].contains(found.originalPixelSize.width - 16))
                        }
                        if step % 500 == 499 { table.removePartition(partition) }
                        if account == 0, step == 1_000 { opened.fire() }
                    }
                    // The last step has removed all of it.
                    table.insertGiven(Self.record(account), of: "left", in: partition)
                }
            }
        }
        await loading.value
        for account in 0..<8 {
            let partition = Partition("account \(account)")
            #expect((0..<50).allSatisfy { find(ResourceID("\($0)"), in: partition, table) == nil })
            #expect(find("left", in: partition, table) == account)
        }
        #expect(table.count == 8)
    }
}
