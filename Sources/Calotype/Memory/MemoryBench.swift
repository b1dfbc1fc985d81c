/// What `calo bench` needs of the memory cache below the pipeline: hits with the digest at hand, and hit ratios.
package struct MemoryBench: Sendable {
    private let memory: MemoryCache
    private let queries: [RenditionQuery]

    package init(_ memory: MemoryCache, _ requests: [ImageRequest]) {
        self.memory = memory
        queries = requests.map { RenditionQuery($0, partition: $0.partitionDigest) }
    }

    /// Looks up `count` times, round the requests.
    ///
    /// - Returns: The hits.
    package func hit(_ count: Int) -> Int {
        var hits = 0
        var hit = MemoryHit()
        queries.withUnsafeBufferPointer { queries in
            var index = 0
            for _ in 0..<count {
                if memory.find(queries[index], countsAsUse: true, &hit) != nil { hits &+= 1 }
                index = index &+ 1 == queries.count ? 0 : index &+ 1
            }
        }
        return hits
    }

    /// Replays accesses to an empty cache; what it doesn't have is inserted, and nobody shows it.
    ///
    /// - Parameters:
    ///   - accesses: The number of an image, and its cost in bytes.
    ///   - costLimit: The cache's, in bytes.
    /// - Returns: The hits.
    package static func hits(_ accesses: [(key: Int, cost: Int)], costLimit: Int) -> Int {
        let memory = MemoryCache(costLimit: costLimit)
        let bitmap = Bitmap(size: PixelSize(width: 1, height: 1)) { _ in }
        var hits = 0
        for access in accesses {
            let resource = Digest("\(access.key)")
            let source = Digest("\(access.key)")
            let query = RenditionQuery(
                key: RenditionQuery.key(resource: resource, partition: nil), source: source, processors: .zero,
                target: .original, needsExactSize: false)
            if memory.find(query, countsAsUse: true) != nil {
                hits += 1
                continue
            }
            // An image of its own: one that is shown elsewhere could be found after its eviction.
            let image = DecodedImage(bitmap: bitmap)
            memory.insert(
                Rendition(
                    resource: resource, partition: nil, source: source, processors: nil, version: source,
                    decodedSize: image.originalPixelSize, image: image, freshness: .immutable, responseTime: 0,
                    cost: access.cost))
        }
        return hits
    }

    /// Many renditions, ready to be inserted, and the queries that find them.
    package struct Renditions: Sendable {
        private let renditions: [Rendition]
        private let queries: [RenditionQuery]

        package var images: [DecodedImage] { renditions.map(\.image) }

        package init(count: Int) {
            let bitmap = Bitmap(size: PixelSize(width: 1, height: 1)) { _ in }
            renditions = (0..<count).map { number in
                let image = DecodedImage(bitmap: bitmap)
                return Rendition(
                    resource: Digest("\(number)"), partition: nil, source: Digest("\(number)"), processors: nil,
                    version: Digest("\(number)"), decodedSize: image.originalPixelSize, image: image,
                    freshness: .immutable, responseTime: 0, cost: image.byteCount)
            }
            queries = renditions.map {
                RenditionQuery(
                    key: RenditionQuery.key(resource: $0.resource, partition: nil), source: $0.source,
                    processors: .zero, target: .original, needsExactSize: false)
            }
        }

        package func insert(into memory: MemoryCache) {
            for rendition in renditions { memory.insert(rendition) }
        }

        /// Looks each of them up, so many times.
        ///
        /// - Returns: The hits.
        package func hit(_ memory: MemoryCache, rounds: Int) -> Int {
            var hits = 0
            var hit = MemoryHit()
            for _ in 0..<rounds {
                for query in queries where memory.find(query, countsAsUse: true, &hit) != nil { hits &+= 1 }
            }
            return hits
        }
    }
}
