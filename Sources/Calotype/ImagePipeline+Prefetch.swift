extension ImagePipeline {
    /// Brings an image into memory.
    ///
    /// - Parameter hold: Is given the way to stop it, as soon as there is something to stop.
    func prefetch(
        _ request: ImageRequest, hold: (@escaping @Sendable () -> Void) -> Void
    ) async -> ImagePrefetcher.Outcome.Result {
        guard request.cachePolicy != .noStore else { return .failed(.notStorable(request)) }
        let load = load(request)
        hold { load.cancel() }
        switch await load.outcome {
        case .failure(let error): return .init(error)
        case .success(let result):
            // From memory as it was, rather than made of larger pixels there.
            if result.report.layer == .memory, result.report.times.decode == nil { return .alreadyThere }
            // It may be too large for the cache, or its server may forbid to keep it.
            let found = memory.find(query(for: request), countsAsUse: false)
            guard let found, !found.isEvicted else { return .failed(.notStorable(request)) }
            return .loaded(result.report)
        }
    }

    /// Brings the bytes of an image into the store. Those that are there, and fresh, aren't even read.
    ///
    /// - Parameter hold: Is given the way to stop it, as soon as there is something to stop.
    func prefetchBytes(
        _ request: ImageRequest, hold: (@escaping @Sendable () -> Void) -> Void
    ) async -> ImagePrefetcher.Outcome.Result {
        guard configuration.store != nil else { return .failed(.init(.cache, .noStore).located(at: request.url)) }
        guard request.url?.isHTTP == true else { return .failed(.notStorable(request)) }
        let number = ImageLoad.nextNumber()
        var fetch = loader.fetch(for: request, number: number)
        switch await loader.stored(for: fetch) {
        case .usable: return .alreadyThere
        case .usableWhileRevalidating: fetch = loader.fetch(for: request.revalidating, number: number)
        case .unusable: break
        }
        // With `storedOnly` the fetch itself fails.
        guard request.cachePolicy != .noStore else { return .failed(.notStorable(request)) }
        let load = DataLoad(priority: request.priority)
        coordinator.join(load, fetch: fetch)
        hold { [coordinator] in coordinator.cancel(load) }
        switch await load.promise.value(onCancel: {}) {
        case .failure(let error): return .init(error)
        case .success(let resource):
            if resource.work.layer == .storage { return .alreadyThere }
            return resource.stored == nil ? .failed(.notStorable(request)) : .stored
        }
    }
}

extension ImagePrefetcher.Outcome.Result {
    /// The outcome of a load that has failed.
    fileprivate init(_ error: any Error) {
        if error is CancellationError {
            self = .cancelled
        } else {
            self = .failed(error as? ImageError ?? ImageError(.source, .sourceFailed, underlying: error))
        }
    }
}

extension ImageError {
    fileprivate static func notStorable(_ request: ImageRequest) -> ImageError {
        ImageError(.cache, .notStorable).located(at: request.url)
    }
}
