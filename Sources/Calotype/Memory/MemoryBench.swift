/// What `calo bench` needs of the memory cache below the pipeline: hits with the digest at hand.
package struct MemoryBench: Sendable {
    private let memory: MemoryCache
    private let queries: [RenditionQuery]

    package init(_ memory: MemoryCache, _ requests: [ImageRequest]) {
        self.memory = memory
        queries = requests.map { RenditionQuery($0, partition: $0.cachePartition) }
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
}
