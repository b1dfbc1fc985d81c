package import Foundation

extension ResourceLoader {
    /// The resource that a stored response holds; `nil` if its body has gone or is no image any more.
    @inline(never)
    func stored(
        _ candidate: StoreLookup.Candidate, _ layer: LoadReport.Layer, _ fetch: Fetch, _ lookup: StoreLookup,
        confirmedBy exchange: HTTPLoader.Exchange? = nil, because reason: HTTPCache.Reason? = nil
    ) async -> FetchedResource? {
        guard let store = configuration.store else { return nil }
        let body = await http.attempt("read") { try await store.body(of: candidate.id)?.bytes() }
        guard let data = body ?? nil else { return nil }
        if let resource = resource(of: data, candidate, layer, fetch, lookup, exchange, reason) { return resource }
        await discard(candidate.id, of: fetch.source.url)
        return nil
    }

    @inline(never)
    private func resource(
        of data: Data, _ candidate: StoreLookup.Candidate, _ layer: LoadReport.Layer, _ fetch: Fetch,
        _ lookup: StoreLookup, _ exchange: HTTPLoader.Exchange?, _ reason: HTTPCache.Reason?
    ) -> FetchedResource? {
        // Bytes that are no image any more, or one beyond the limits, are as good as none: the caller removes them.
        let header = try? data.withUnsafeBytes {
            try http.validation.header(of: $0, isComplete: true, stage: .cache)
        }
        guard let header else { return nil }
        var work = lookup.work(of: layer)
        exchange?.describe(in: &work)
        if let reason { work.cacheReason = reason }
        let said = HTTPCache.freshness(of: candidate.head, requestFields: lookup.fields)
        return FetchedResource(
            data: data, header: header, freshness: fetch.policy.freshness(of: said),
            responseTime: candidate.head.responseTime,
            stored: candidate.id, work: work,
            needsRevalidation: exchange == nil && reason == nil && lookup.isUsedStale)
    }

    /// The stored resource that stands in for one that couldn't be had, if the HTTP cache allows it.
    ///
    /// It does so at once, before anything is attempted again: an old picture now is better than a wait. Once bytes of a
    /// new one have come it doesn't, for then the rest is soon there.
    @inline(never)
    func standIn(
        for error: any Error, _ exchange: HTTPLoader.Exchange?, _ url: URL, _ fetch: Fetch, _ lookup: StoreLookup
    ) async -> FetchedResource? {
        guard let error = error as? ImageError, let failure = error.cacheFailure(hasResponse: exchange != nil),
            let (candidate, reason) = staleAnswer(to: failure, fetch, lookup),
            let resource = await stored(candidate, .storage, fetch, lookup, because: reason)
        else { return nil }
        if error.isConnectivityFailure { _ = http.reconnection.noteFailure(at: url) }
        return resource
    }

    /// The stored response that may be used stale, and why.
    private func staleAnswer(
        to failure: HTTPCache.Failure, _ fetch: Fetch, _ lookup: StoreLookup
    ) -> (StoreLookup.Candidate, HTTPCache.Reason)? {
        guard fetch.policy == .http, let candidate = lookup.selected else { return nil }
        return HTTPCache.staleAnswer(
            candidate.head, request: lookup.fields, to: failure, now: configuration.clock.now()
        ).map { (candidate, $0) }
    }

    // MARK: An original in place of its thumbnail

    /// The stored original, if the HTTP cache allows its use although it is stale.
    ///
    /// - Throws: ``ImageError/Reason/notStored``.
    @inline(never)
    func standIn(
        for failure: HTTPCache.Failure, _ fetch: Fetch, _ lookup: StoreLookup
    ) async throws -> FetchedResource {
        guard let (candidate, reason) = staleAnswer(to: failure, fetch, lookup),
            let resource = await stored(candidate, .storage, fetch, lookup, because: reason)
        else { throw Self.notStored }
        return resource
    }

    /// Whether the original of a thumbnail that couldn't be had is stored, and may be shown: then that is done at once, before
    /// anything is attempted again.
    @inline(never)
    func hasStandIn(for error: any Error, _ exchange: HTTPLoader.Exchange?, _ fetch: Fetch) async -> Bool {
        guard let thumbnail = fetch.serverThumbnail, let error = error as? ImageError,
            error.thumbnailOutage != nil, let failure = error.cacheFailure(hasResponse: exchange != nil)
        else { return false }
        let fetch = self.fetch(for: thumbnail.original.standingIn(for: failure), number: fetch.number)
        let lookup = StoreLookup(
            await responses(for: fetch), fields(of: fetch), fetch.policy, now: configuration.clock.now(),
            since: .now)
        return lookup.usable != nil || staleAnswer(to: failure, fetch, lookup) != nil
    }

    /// Removes what a request with an unsafe method has made stale.
    ///
    /// - Source: RFC 9111 section 4.4.
    @inline(never)
    func invalidate(_ fetch: Fetch, after exchange: HTTPLoader.Exchange) async {
        // After a redirect it was another URL that answered.
        guard let key = fetch.key, exchange.redirection == nil else { return }
        for url in HTTPCache.invalidated(
            method: key.method, url: key.url, status: exchange.response.status, fields: exchange.response.fields)
        {
            let resource = ResourceID(url: url)
            configuration.memory.remove(resource)
            guard let store = configuration.store else { continue }
            await http.attempt("remove") {
                try await store.remove(resource)
                // An app may have given the resource a name of its own.
                let own = FetchKey(url: url, partition: key.partition, signatures: configuration.signatures)
                for response in try await store.responses(for: own) { try await store.remove(response.id) }
            }
        }
    }

    /// The resource whose stored response a 304 has confirmed; `nil` if it speaks of another one.
    @inline(never)
    func confirmed(
        _ candidate: StoreLookup.Candidate, _ exchange: HTTPLoader.Exchange, _ fetch: Fetch, _ lookup: StoreLookup
    ) async -> FetchedResource? {
        guard exchange.redirection?.target == candidate.head.redirection?.target,
            HTTPCache.confirms(exchange.response.fields, candidate.head)
        else { return nil }
        let head = HTTPCache.freshen(
            candidate.head, with: exchange.response.fields, requestTime: exchange.requestTime,
            responseTime: exchange.responseTime, requestFields: lookup.fields, redirection: exchange.redirection)
        if let store = configuration.store {
            await http.attempt("update") {
                _ = try await store.updateMetadata(of: candidate.id, to: head.encodedForImages())
            }
        }
        let fresh = StoreLookup.Candidate(id: candidate.id, head: head)
        return await stored(fresh, .revalidation, fetch, lookup, confirmedBy: exchange)
    }
}

extension ImageError {
    /// What the HTTP cache makes of the failure; `nil` if it isn't one of the server or the way to it.
    func cacheFailure(hasResponse: Bool) -> HTTPCache.Failure? {
        switch reason {
        case .status(let status): .status(status)
        case .networkRestricted: .disconnected
        default: isConnectivityFailure && !hasResponse ? .disconnected : nil
        }
    }
}

extension StoredBody {
    /// All the bytes. A file is read on a thread that may block.
    package func bytes() async throws -> Data {
        switch self {
        case .data(let data): return data
        case .file(let handle, _): return try await BlockingWork.run { try handle.readToEnd() ?? Data() }
        }
    }
}
