/// Pixels made of a resource, as the memory cache holds them: by digests alone, since names may tell whose they are.
struct Rendition: Sendable {
    /// The ``ResourceID``: what the image depicts.
    var resource: Digest
    /// The ``Partition``: whose it is.
    var partition: Digest?
    /// The URL that it came from.
    var source: Digest
    /// What was done to the decoded pixels.
    var processors: Digest?
    /// The digest of the bytes that the pixels were made of.
    var version: Digest
    /// The size that was decoded to, before any processor.
    var decodedSize: PixelSize
    /// The pixels.
    var image: DecodedImage
    /// When it goes stale.
    var freshness: Freshness
    /// When the server said so last, in seconds since the reference date.
    var responseTime: Double
    /// What the cache counts, in bytes.
    var cost: Int
    /// Whether it is made of a thumbnail that an image server has made of the resource.
    var isThumbnail = false
}

/// What the memory cache is asked for.
struct RenditionQuery: Hashable, Sendable {
    /// Resource and partition.
    let key: Digest
    /// The URL of the request.
    let source: Digest
    /// What is to be done to the decoded pixels; the zero digest for nothing.
    let processors: Digest
    /// The size.
    let target: PixelTarget
    /// Whether the processors allow no other size than the right one.
    let needsExactSize: Bool

    /// The key of a resource within a partition.
    static func key(resource: Digest, partition: Digest?) -> Digest {
        guard let partition else { return resource }
        return resource.combined(with: partition)
    }

    init(
        key: Digest, source: Digest, processors: Digest, target: PixelTarget, needsExactSize: Bool
    ) {
        self.key = key
        self.source = source
        self.processors = processors
        self.target = target
        self.needsExactSize = needsExactSize
    }

    /// What a request asks for, within a partition.
    init(_ request: ImageRequest, partition: Digest?) {
        self.init(
            key: Self.key(resource: request.idDigest, partition: partition), source: request.urlDigest,
            processors: request.processorsDigest ?? .zero, target: request.size.target(),
            needsExactSize: request.needsExactSize)
    }

    /// The same without processors, in any size.
    var unprocessed: RenditionQuery {
        RenditionQuery(key: key, source: source, processors: .zero, target: target, needsExactSize: false)
    }

    /// How well pixels of one size answer the query.
    enum Match: UInt8, Sendable, Comparable {
        /// To be shown until the right ones are there.
        case preview
        /// Larger, but not so large that scaling them down would waste memory or look rough.
        case larger
        /// As decoding would make them.
        case exact

        static func < (lhs: Match, rhs: Match) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// How well an entry of the right resource, partition and processors answers the query.
    ///
    /// Another URL of the same resource may have fewer pixels: it answers only if it has as many as the target asks for. A
    /// server-made thumbnail that wasn't made smaller has all there are, though not for who wants the original itself.
    @inline(__always)
    func match(source: Digest, decoded: PixelSize, original: PixelSize, isThumbnail: Bool) -> Match {
        // The commonest target is spared the call: this is the way of every hit.
        let needed: PixelSize
        if case .original = target { needed = original } else { needed = target.pixelSize(for: original) }
        if source != self.source, needed == original, !isThumbnail || target == .original { return .preview }
        if decoded == needed { return .exact }
        if needsExactSize || decoded.width < needed.width || decoded.height < needed.height
            || decoded.width > 2 &* needed.width || decoded.height > 2 &* needed.height
        {
            return .preview
        }
        return .larger
    }
}

/// How pixels in memory answer a query. Plain bits: it is handed out on every hit.
struct MemoryHit: Sendable {
    /// How well the pixels answer.
    var match = RenditionQuery.Match.preview
    /// When they go stale.
    var freshness = Freshness.transient
}

/// What the memory cache found, with all that it knows of it.
@dynamicMemberLookup
struct FoundRendition: Sendable {
    /// What is known of the pixels.
    struct Detail: Sendable {
        /// How they answer.
        var hit = MemoryHit()
        /// Whether they are held by those who show them alone.
        var isEvicted = false
        /// The digest of the bytes that they were made of.
        var version = Digest.zero
        /// The URL that they came from.
        var source = Digest.zero
        /// Whether that was a server-made thumbnail's.
        var isThumbnail = false
        /// The size that was decoded to, before any processor.
        var decodedSize = PixelSize(width: 0, height: 0)
        /// When the server said so last, in seconds since the reference date.
        var responseTime = 0.0

        var match: RenditionQuery.Match { hit.match }
        var freshness: Freshness { hit.freshness }
    }

    /// The pixels.
    var image: DecodedImage
    /// What is known of them.
    var detail: Detail

    subscript<Value>(dynamicMember path: KeyPath<Detail, Value>) -> Value { detail[keyPath: path] }
}
