import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The impression table: filed, found, replaced and removed")
struct ImpressionTableTests {
    private static let gradient = ThumbHash(TestImages.gradientBitmap(width: 60, height: 40))

    /// A record that differs from those of other numbers by its size.
    static func record(_ number: Int) -> ImpressionRecord {
        ImpressionRecord(hash: gradient, pixelSize: PixelSize(width: 16 + number, height: 32))
    }

    private func insert(
        _ number: Int, of resource: ResourceID, in partition: Partition? = nil, into table: ImpressionTable
    ) {
        table.insert(Self.record(number), of: resource, in: partition, version: 1, since: table.epoch)
    }

    private func find(_ resource: ResourceID, in partition: Partition? = nil, _ table: ImpressionTable) -> Int? {
        table.impression(of: resource, in: partition).map { $0.originalPixelSize.width - 16 }
    }

    // MARK: Lookup

    @Test("an impression is of one resource in one partition")
    func keys() throws {
        let table = ImpressionTable()
        let url = try #require(URL(string: "https://img.example.com/a.png?w=1"))
        let same = try #require(URL(string: "HTTPS://IMG.example.com:443/a.png?w=1#top"))
        insert(1, of: ResourceID(url: url), into: table)
        insert(2, of: ResourceID(url: url), in: "first-account", into: table)
        insert(3, of: "photo", into: table)
        #expect(find(ResourceID(url: same), table) == 1)
        #expect(find(ResourceID(url: same), in: "first-account", table) == 2)
        #expect(find(ResourceID(url: url), in: "second-account", table) == nil)
        #expect(find("photo", table) == 3)
        #expect(find("photos", table) == nil)
        #expect(table.count == 3)
    }

    @Test("partitions of credentials have impressions as well, and no name to keep them by")
    func credentials() {
        let table = ImpressionTable()
        let (one, other) = (Partition(credentials: Digest("a")), Partition(credentials: Digest("b")))
        insert(1, of: "photo", in: one, into: table)
        #expect(find("photo", in: one, table) == 1)
        #expect(find("photo", in: other, table) == nil)
        #expect(find("photo", in: "", table) == nil)
        #expect([one, other, "", "first-account"].map(\.isLasting) == [false, false, true, true])
    }

    @Test("what has no name of its own leaves no impression")
    func nameless() {
        let table = ImpressionTable()
        let data = ImageRequest(data: Data([1, 2, 3]))
        var post = URLRequest(url: URL(filePath: "/a"))
        post.httpMethod = "POST"
        for resource in [data.id, ImageRequest(urlRequest: post).id] {
            #expect(!table.wants(resource, in: nil, version: 1))
            insert(1, of: resource, into: table)
        }
        #expect(table.count == 0)
        #expect(table.wants(ImageRequest(urlRequest: URLRequest(url: URL(filePath: "/a"))).id, in: nil, version: 1))
    }

    @Test("an impression is wanted of each version of a content, once")
    func versions() {
        let table = ImpressionTable()
        #expect(table.wants("photo", in: nil, version: 1))
        #expect(table.insert(Self.record(1), of: "photo", in: nil, version: 1, since: table.epoch))
        #expect(!table.wants("photo", in: nil, version: 1))
        #expect(table.wants("photo", in: nil, version: 3))
        // The same picture in other bytes is no news.
        #expect(!table.insert(Self.record(1), of: "photo", in: nil, version: 3, since: table.epoch))
        #expect(!table.wants("photo", in: nil, version: 3))
        #expect(table.insert(Self.record(2), of: "photo", in: nil, version: 5, since: table.epoch))
        #expect(find("photo", table) == 2)
        #expect(table.count == 1)
    }

    // MARK: Replacement

    @Test("where there is no room, those give way that nobody has looked at")
    func clock() {
        let table = ImpressionTable(capacity: 4)
        for number in 0..<4 { insert(number, of: ResourceID("\(number)"), into: table) }
        #expect(find("0", table) == 0)
        #expect(find("2", table) == 2)
        insert(4, of: "4", into: table)
        insert(5, of: "5", into: table)
        #expect((0..<6).map { find(ResourceID("\($0)"), table) } == [0, nil, 2, nil, 4, 5])
        #expect(table.count == 4)
    }

    @Test("a table without room takes nothing")
    func noRoom() {
        let table = ImpressionTable(capacity: 0)
        #expect(!table.wants("photo", in: nil, version: 1))
        insert(1, of: "photo", into: table)
        #expect(find("photo", table) == nil)
        #expect(ImpressionTable(capacity: -1).capacity == 0)
    }

    // MARK: Removal

    @Test("a removal takes what it is about, and refuses what began before it")
    func removal() {
        struct Case {
            var remove: (ImpressionTable) -> Void
            /// Of "a" and "b" without a partition, then in the first account's.
            var remains: [Bool]
        }
        let cases = [
            Case(remove: { $0.remove("a") }, remains: [false, true, false, true]),
            Case(remove: { $0.removePartition("first-account") }, remains: [true, true, false, false]),
            Case(remove: { $0.removePartition("second-account") }, remains: [true, true, true, true]),
            Case(remove: { $0.removeAll() }, remains: [false, false, false, false]),
        ]
        for (index, row) in cases.enumerated() {
            let table = ImpressionTable()
            let places: [(ResourceID, Partition?)] = [
                ("a", nil), ("b", nil), ("a", "first-account"), ("b", "first-account"),
            ]
            for (resource, partition) in places { insert(1, of: resource, in: partition, into: table) }
            let epoch = table.epoch
            row.remove(table)
            #expect(places.map { find($0, in: $1, table) != nil } == row.remains, "case \(index)")
            for (resource, partition) in places {
                table.insert(Self.record(2), of: resource, in: partition, version: 3, since: epoch)
            }
            #expect(places.map { find($0, in: $1, table) == 2 } == row.remains, "late, case \(index)")
            for (resource, partition) in places { insert(3, of: resource, in: partition, into: table) }
            #expect(places.allSatisfy { find($0, in: $1, table) == 3 }, "anew, case \(index)")
        }
    }

    @Test("it does what a dictionary does, in any order of operations", arguments: [UInt64(1), 2, 3])
    func randomOperations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let table = ImpressionTable(capacity: 300)
        var expected: [[Int]: Int] = [:]
        let partitions: [Partition?] = [nil, "a", "b"]
        for step in 0..<20_000 {
            let (resource, partition) = (Int(random.next() % 90), Int(random.next() % 3))
            switch random.next() % 100 {
            case 0:
                table.removePartition(partitions[1 + partition % 2]!)
                expected = expected.filter { $0.key[1] != 1 + partition % 2 }
            case 1..<6:
                table.remove(ResourceID("\(resource)"))
                expected = expected.filter { $0.key[0] != resource }
            case 6 where step % 7 == 0:
                table.removeAll()
                expected = [:]
            case 7..<60:
                insert(step, of: ResourceID("\(resource)"), in: partitions[partition], into: table)
                expected[[resource, partition]] = step
            default:
                #expect(
                    find(ResourceID("\(resource)"), in: partitions[partition], table)
                        == expected[[resource, partition]])
            }
        }
        #expect(table.count == expected.count)
    }

    @Test("a full table stays full, finds what came last, and never another's", arguments: [1, 2, 63, 64])
    func randomReplacement(capacity: Int) {
        var random = SeededGenerator(seed: UInt64(capacity))
        let table = ImpressionTable(capacity: capacity)
        for step in 0..<5_000 {
            let number = Int(random.next() % 500)
            insert(number, of: ResourceID("\(number)"), into: table)
            #expect(find(ResourceID("\(number)"), table) == number)
            let other = Int(random.next() % 500)
            let found = find(ResourceID("\(other)"), table)
            #expect(found == nil || found == other)
            if random.next() % 50 == 0 { table.remove(ResourceID("\(other)")) }
            #expect(table.count <= capacity, "step \(step)")
        }
    }
}
