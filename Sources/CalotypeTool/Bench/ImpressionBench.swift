import Calotype
import CalotypeTesting
import Foundation

/// What `calo bench` needs of impressions: a store that has kept many, read into a table.
enum ImpressionBench {
    /// A request whose URL has one of the first impressions that ``store(of:)`` has.
    static func request(_ number: Int) -> ImageRequest {
        ImageRequest(url: URL(string: "https://images.example.com/photos/2026/11/picture-\(number).png?w=264")!)
    }

    /// A pipeline that has loaded so many impressions.
    static func pipeline(of count: Int) async -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(
            transport: SilentTransport(), memory: MemoryCache(costLimit: 1 << 20), store: store(of: count))
        configuration.impressions = ImpressionTable(capacity: count)
        let pipeline = ImagePipeline(configuration)
        await pipeline.prepare()
        return pipeline
    }

    /// The milliseconds until an empty table has filed so many impressions of a store that holds their bytes in memory. What
    /// reading a file costs comes on top.
    static func loadMilliseconds(_ count: Int) async -> Double {
        let store = store(of: count)
        let table = ImpressionTable(capacity: count)
        let start = ContinuousClock.now
        await table.load(from: store) { preconditionFailure("The store can't be read: \($0)") }.value
        precondition(table.count == count)
        return (ContinuousClock.now - start) / .milliseconds(1)
    }

    /// The bytes that become resident when so many impressions are filed.
    static func byteCount(_ count: Int) async throws -> Double {
        let table = ImpressionTable(capacity: count)
        let record = ImpressionRecord(hash: hash, pixelSize: PixelSize(width: 400, height: 300))
        let before = try ProcessCase.residentByteCount()
        for number in 0..<count {
            table.insert(record, of: ResourceID("\(number)"), in: nil, version: 1, since: table.epoch)
        }
        let after = try ProcessCase.residentByteCount()
        precondition(table.count == count)
        return Double(after - before)
    }

    private static let hash = ThumbHash(TestImages.gradientBitmap(width: 40, height: 30))

    /// The record of an image; many have the same.
    static func record(_ number: Int) -> ImpressionRecord {
        ImpressionRecord(hash: hash, pixelSize: PixelSize(width: 400 + number % 100, height: 300))
    }

    private static func store(of count: Int) -> MemoryImpressionStore {
        let store = MemoryImpressionStore()
        for number in 0..<count { store.keep(record(number), of: request(number).id, in: nil, since: store.epoch()) }
        return store
    }
}
