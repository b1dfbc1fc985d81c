extension MemoryTable {
    /// The entry that answers a query best, if any does. Called under the lock of the chain's shard.
    @inline(__always)
    static func best(
        for query: RenditionQuery, in chain: Entry?
    ) -> (Entry, RenditionQuery.Match)? {
        var best: (Entry, RenditionQuery.Match)?
        var next = chain
        while let entry = next {
            next = entry.pointee.next
            guard entry.pointee.key == query.key, entry.pointee.processors == query.processors, entry.pointee.isAlive
            else { continue }
            let match = query.match(
                source: entry.pointee.source, decoded: entry.pointee.decodedSize, original: entry.pointee.originalSize,
                isThumbnail: entry.pointee.isThumbnail)
            if match == .exact, entry.pointee.source == query.source { return (entry, match) }
            if let (other, otherMatch) = best, !prefers(entry, match, over: other, otherMatch) { continue }
            best = (entry, match)
        }
        return best
    }

    /// A final answer rather than a preview; of two that answer, the smaller; of two previews, the larger.
    private static func prefers(
        _ entry: Entry, _ match: RenditionQuery.Match, over best: Entry, _ bestMatch: RenditionQuery.Match
    ) -> Bool {
        if match != bestMatch { return match > bestMatch }
        let isLarger = entry.pointee.decodedSize.pixelCount > best.pointee.decodedSize.pixelCount
        return match == .preview ? isLarger : !isLarger
    }

    /// The entries that a new one takes the place of.
    func entries(replacedBy new: Entry) -> [Entry] {
        var result: [Entry] = []
        withShard(of: new.pointee.key) { buckets in
            var next = buckets.pointee.chain(of: new.pointee.key)
            while let entry = next {
                next = entry.pointee.next
                guard entry.pointee.key == new.pointee.key, entry.pointee.source == new.pointee.source else { continue }
                let isSame =
                    entry.pointee.processors == new.pointee.processors
                    && entry.pointee.decodedSize == new.pointee.decodedSize
                if isSame || entry.pointee.version != new.pointee.version { result.append(entry) }
            }
        }
        return result
    }
}

extension MemoryEntry {
    /// Whether there are pixels to be had. Read under the shard's lock.
    fileprivate var isAlive: Bool { image != nil || shown != nil }
}
