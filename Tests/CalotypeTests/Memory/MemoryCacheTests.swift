import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Memory cache: bounded at every moment, and what is shown stays found")
struct MemoryCacheTests {
    @Test("neither limit is ever exceeded, whatever comes and goes")
    func limits() {
        let cache = MemoryCache(costLimit: 1_000, countLimit: 20)
        var random = SeededGenerator(seed: 1)
        for step in 0..<20_000 {
            let number = Int.random(in: 0..<200, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: cache.remove(ResourceID("\(number)"))
            case 1: cache.removePartition(Partition("\(number % 3)"))
            case 2 where step % 500 == 0: cache.costLimit = Int.random(in: 100...2_000, using: &random)
            case 3 where step % 500 == 0: cache.countLimit = Int.random(in: 1...40, using: &random)
            case 4 where step % 1_000 == 0: cache.trim(toCost: 50)
            case 5 where step % 3_000 == 0: cache.removeAll()
            default:
                let query = Item(number).query
                if cache.find(query, countsAsUse: true) == nil {
                    cache.insert(Item(number).rendition(cost: 1 + number % 90))
                }
            }
            #expect(cache.totalCost <= cache.costLimit && cache.count <= cache.countLimit)
        }
        cache.removeAll()
        #expect(cache.totalCost == 0 && cache.count == 0)
    }

    @Test("an image that is evicted while somebody shows it is still found; once nobody does, it isn't")
    func weakTable() {
        let cache = MemoryCache(costLimit: 10)
        let first = Item(1)
        var shown: DecodedImage? = first.rendition(cost: 10).image
        cache.insert(first.rendition(cost: 10, image: shown))
        cache.insert(Item(2).rendition(cost: 10))
        #expect(cache.count == 1)
        #expect(cache.find(first.query, countsAsUse: false)?.image === shown)
        #expect(cache.find(first.query, countsAsUse: false)?.isEvicted == true)
        shown = nil
        #expect(cache.find(first.query, countsAsUse: false) == nil)
    }

    @Test("an evicted image that is still shown is held again once it is wanted, within the limits")
    func readmission() {
        let cache = MemoryCache(costLimit: 10)
        let shown = Item(1).rendition(cost: 10)
        cache.insert(shown)
        cache.insert(Item(2).rendition(cost: 10))
        #expect(cache.find(Item(1).query, countsAsUse: true)?.isEvicted == true)
        #expect(cache.find(Item(1).query, countsAsUse: true)?.isEvicted == false)
        #expect(cache.count == 1 && cache.totalCost == 10)
        #expect(cache.find(Item(2).query, countsAsUse: false) == nil)
    }

    @Test("an image larger than the whole cache evicts nothing, and is found as long as it is shown")
    func tooLarge() {
        let cache = MemoryCache(costLimit: 10)
        cache.insert(Item(1).rendition(cost: 5))
        let large = Item(2).rendition(cost: 11)
        cache.insert(large)
        #expect(cache.count == 1)
        #expect(cache.find(Item(1).query, countsAsUse: false) != nil)
        #expect(cache.find(Item(2).query, countsAsUse: false)?.image === large.image)
    }

    @Test("a cache without a limit can be emptied by its cost")
    func unlimited() {
        let cache = MemoryCache(costLimit: .max)
        for number in 0..<10 { cache.insert(Item(number).rendition(cost: 1_000)) }
        cache.trim(toCost: 3_000)
        #expect(cache.count == 3)
        cache.trim(toCost: 0)
        #expect(cache.totalCost == 0)
    }

    @Test("what was shown for a while and dropped leaves no entry behind")
    func sweep() {
        let cache = MemoryCache(costLimit: 100)
        for number in 0..<10_000 { cache.insert(Item(number).rendition(cost: 1)) }
        #expect(cache.count == 100)
        // Live entries, at most two ghosts for each, and a few that wait to be swept.
        #expect(cache.entryCount <= 320)
    }

    @Test("new bytes of a URL replace what was made of the old ones, in every size; other URLs of the resource stay")
    func versions() {
        let cache = MemoryCache(costLimit: 1_000)
        let old = Digest("old")
        let new = Digest("new")
        cache.insert(Item(1).rendition(cost: 1, version: old, side: 10))
        cache.insert(Item(1).rendition(cost: 1, version: old, side: 20))
        cache.insert(Item(1, source: 2).rendition(cost: 1, version: old, side: 30))
        cache.insert(Item(1).rendition(cost: 1, version: new, side: 10))
        #expect(cache.count == 2)
        #expect(cache.find(Item(1).query, countsAsUse: false)?.version == new)
        #expect(cache.find(Item(1, source: 2).query, countsAsUse: false)?.decodedSize.width == 30)
    }

    @Test("pixels of older bytes that come late leave those of newer ones alone")
    func outdated() {
        let cache = MemoryCache(costLimit: 1_000)
        let (old, new) = (Digest("old"), Digest("new"))
        cache.insert(Item(1).rendition(cost: 1, version: new, responseTime: 2))
        cache.insert(Item(1).rendition(cost: 1, version: old, side: 5, responseTime: 1))
        #expect(cache.count == 1)
        #expect(cache.find(Item(1).query, countsAsUse: false)?.version == new)
    }

    @Test("work begun before a removal can't bring back what it erased")
    func epochs() {
        let cache = MemoryCache(costLimit: 1_000)
        let epoch = cache.epoch
        cache.removePartition("1")
        #expect(!cache.insert(Item(1).rendition(cost: 1), since: epoch))
        #expect(cache.insert(Item(2).rendition(cost: 1), since: epoch))
        #expect(cache.insert(Item(1).rendition(cost: 1), since: cache.epoch))
        cache.remove(Item(2).id)
        #expect(!cache.insert(Item(2).rendition(cost: 1), since: epoch))
        cache.removeAll()
        #expect(!cache.insert(Item(3).rendition(cost: 1), since: epoch))
    }

    @Test("many threads that look up, insert and remove at once agree with the limits and find only what was inserted")
    func threads() async {
        let cache = MemoryCache(costLimit: 500)
        await withTaskGroup(of: Int.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(seed))
                    var wrong = 0
                    for _ in 0..<10_000 {
                        let number = Int.random(in: 0..<300, using: &random)
                        if let found = cache.find(Item(number).query, countsAsUse: true) {
                            if found.version != Digest("\(number)") { wrong += 1 }
                        } else {
                            cache.insert(Item(number).rendition(cost: 1 + number % 7, version: Digest("\(number)")))
                        }
                        if number == 7 { cache.remove(Item(number).id) }
                        if cache.totalCost > 500 { wrong += 1 }
                    }
                    return wrong
                }
            }
            for await wrong in group { #expect(wrong == 0) }
        }
    }
}

/// An image of a number, for caches that look at keys and costs alone.
struct Item {
    static let image = DecodedImage(bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .red))

    let id: ResourceID
    let partition: Partition
    let source: Digest

    init(_ number: Int, source: Int? = nil) {
        id = ResourceID("\(number)")
        partition = Partition("\(number % 3)")
        self.source = Digest("\(source ?? number)")
    }

    var query: RenditionQuery {
        RenditionQuery(
            key: RenditionQuery.key(resource: id.digest, partition: partition.digest), source: source,
            processors: .zero, target: .original, needsExactSize: false)
    }

    func rendition(
        cost: Int, version: Digest = Digest("1"), side: Int = 1, responseTime: Double = 0,
        image: DecodedImage? = nil
    ) -> Rendition {
        let image =
            image
            ?? DecodedImage(
                bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .red),
                originalPixelSize: PixelSize(width: side, height: side))
        return Rendition(
            resource: id.digest, partition: partition.digest, source: source, processors: nil, version: version,
            decodedSize: image.originalPixelSize, image: image, freshness: .immutable,
            responseTime: responseTime, cost: cost)
    }
}
