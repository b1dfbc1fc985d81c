import Foundation

/// What memory has for a request, and what may be done with it.
extension ImagePipeline {
    /// What to do with a rendition in memory.
    enum MemoryUse {
        /// It is the answer.
        case final
        /// It is stale, and the answer all the same, while its server is asked.
        case finalWhileRevalidating
        /// It is shown until the answer is there.
        case preview
    }

    /// What the policy allows of a rendition that was found.
    ///
    /// - Source: the table of policies in ``ImageRequest/CachePolicy``.
    func use(of found: MemoryHit, _ policy: ImageRequest.CachePolicy) -> MemoryUse {
        found.match == .preview ? .preview : use(ofFresh: found.freshness, policy)
    }

    private func use(ofFresh freshness: Freshness, _ policy: ImageRequest.CachePolicy) -> MemoryUse {
        switch policy {
        case .storedElseLoad, .storedOnly, .immutable: return .final
        case .revalidate, .reload, .noStore: return .preview
        case .http:
            if freshness.staleAt == .infinity { return .final }
            if configuration.clock.now().timeIntervalSinceReferenceDate < freshness.staleAt { return .final }
            return freshness.validatesFirst ? .preview : .finalWhileRevalidating
        }
    }

    /// Pixels in memory that the right ones can be made of: fresh, of the same URL or of a server-made thumbnail, unprocessed,
    /// and large enough.
    func larger(for query: RenditionQuery, _ policy: ImageRequest.CachePolicy) -> FoundRendition? {
        guard policy.readsMemory, let found = memory.find(query.unprocessed, countsAsUse: false),
            found.source == query.source || (found.isThumbnail && query.target != .original),
            use(ofFresh: found.freshness, policy) == .final
        else { return nil }
        let needed = query.target.pixelSize(for: found.image.sourcePixelSize)
        let isLargeEnough = found.decodedSize.width >= needed.width && found.decodedSize.height >= needed.height
        return isLargeEnough ? found : nil
    }

    /// The answer in memory, if there is one. A stale one is revalidated in the background.
    @inline(__always)
    func answerFromMemory(_ query: RenditionQuery, _ request: ImageRequest) -> DecodedImage? {
        var hit = MemoryHit()
        guard request.cachePolicy.readsMemory, let image = memory.find(query, countsAsUse: true, &hit) else {
            return nil
        }
        switch use(of: hit, request.cachePolicy) {
        case .final: break
        case .finalWhileRevalidating: coordinator.revalidate(prepared(request), query: query)
        case .preview: return nil
        }
        return image
    }

    /// What a load ends with that memory answers. Whoever listens is told.
    func memoryResult(_ found: FoundRendition, _ load: ImageLoad) -> ImageResult {
        let end = Moment.now
        let report = LoadReport(
            number: load.number, request: load.request, duration: end - load.startTime,
            LoadReport.Rendition(
                found.image.pixelSize, of: found.image.originalPixelSize, .init(layer: .memory), endedAt: end,
                following: .init(priority: load.request.priority)))
        configuration.observer?.loaded(report)
        return ImageResult(image: found.image, report: report)
    }
}

extension ImageRequest.CachePolicy {
    /// Whether pixels in memory may be looked at.
    var readsMemory: Bool { self != .reload && self != .noStore }
}
