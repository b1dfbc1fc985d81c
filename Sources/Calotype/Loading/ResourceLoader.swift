import Foundation

/// Brings the bytes of a resource from wherever the policy and the HTTP cache say.
///
///     candidates from the store -> HTTPCache.decide -> stored body
///                                                   -> conditional request -> 304: freshen, stored body
///                                                                          -> new bytes: validate, commit
///                                                   -> request             -> new bytes: validate, commit
///
/// - Isolation: Called in the task of a ``FetchJob``; nothing of it runs on the main actor.
/// - Errors: A fault of the store is reported as an event, and the load goes on without it.
final class ResourceLoader: Sendable {
    let configuration: ImagePipeline.Configuration
    let http: HTTPLoader
    /// The configuration's fields: all that most requests have.
    let ownFields: RequestFields
    /// Whether some of them aren't for everybody.
    let hasPrivateFields: Bool
    /// Says which requests an image server answers, if there is one.
    let thumbnails: ThumbnailRewriter?

    init(_ configuration: ImagePipeline.Configuration) {
        self.configuration = configuration
        ownFields = RequestFields(configuration.fields)
        hasPrivateFields = RedirectPolicy.forAnyOrigin(configuration.fields) != configuration.fields
        http = HTTPLoader(configuration)
        thumbnails = ThumbnailRewriter(configuration)
    }

    /// What to fetch for a request.
    ///
    /// - Parameters:
    ///   - sharing: What ``sharing(of:)`` has said of the request, if it has been asked.
    ///   - number: That of the load.
    func fetch(for request: ImageRequest, sharing: Digest? = nil, number: UInt64) -> Fetch {
        Fetch(
            sharing: sharing ?? self.sharing(of: request), request: request, policy: request.cachePolicy,
            key: request.fetchKey(configuration.signatures), epoch: configuration.store?.epoch() ?? StoreEpoch(0),
            number: number)
    }

    /// What requests must have in common to share a download.
    func sharing(of request: ImageRequest) -> Digest {
        let sharing = request.sharing(configuration.signatures)
        // One that is answered by what is stored alone doesn't wait for others' downloads.
        if let failure = request.standsInFor { return sharing.combined(with: Digest("stands in for \(failure)")) }
        // Where it is sent without fields that others send there, it is another request.
        return request.isForeign && (hasPrivateFields || request.isUnsigned)
            ? sharing.combined(with: request.isUnsigned ? Self.unsigned : Self.foreign) : sharing
    }

    private static let foreign = Digest("foreign")
    private static let unsigned = Digest("unsigned")

    /// What to fetch for a request once stored bytes have turned out to be damaged.
    func fetch(for request: ImageRequest, insteadOf damaged: FetchedResource, number: UInt64) -> Fetch {
        let fetch = fetch(for: request, number: number)
        return Fetch(
            sharing: fetch.sharing.combined(with: damaged.version), request: request, policy: .reload, key: fetch.key,
            epoch: fetch.epoch, number: number, damaged: damaged.stored)
    }

    /// Loads the bytes, complete and recognised as an image within the limits.
    ///
    /// - Parameter receiver: Is given each piece of a body that arrives.
    /// - Throws: Whatever went wrong: see ``located(_:at:)``.
    func load(
        _ fetch: Fetch, priority: TransferPriority, receiver: any PieceReceiver
    ) async throws -> FetchedResource {
        if let damaged = fetch.damaged { await discard(damaged, of: nil) }
        guard let url = fetch.source.url, url.isHTTP else { return try await loadElsewhere(fetch) }

        let lookup = if let found = lookUpAtOnce(fetch) { found } else { await lookUp(fetch) }
        if let candidate = lookup.usable, let resource = await stored(candidate, .storage, fetch, lookup) {
            return resource
        }
        if fetch.policy == .storedOnly || lookup.isUnsatisfiable { throw Self.notStored }
        if let failure = fetch.standsInFor { return try await standIn(for: failure, fetch, lookup) }

        var attempts = attempts(fetch, lookup)
        var isConditional = true
        while true {
            var latest: HTTPLoader.Exchange?
            do {
                let conditions = attempts.partial?.conditions ?? (isConditional ? lookup.conditions : nil)
                let exchange = try await http.send(
                    url, fetch, lookup, priority, conditions, failureCount: attempts.failureCount)
                latest = exchange
                if !fetch.isSafe { await invalidate(fetch, after: exchange) }
                if attempts.partial == nil {
                    if exchange.response.status == 304, isConditional, let candidate = lookup.validated {
                        await http.close(&attempts)
                        if let resource = await confirmed(candidate, exchange, fetch, lookup) {
                            http.reconnection.noteSuccess(at: url)
                            return resource
                        }
                        // It speaks of another response, or the body has gone meanwhile: ask again, for all of it.
                        isConditional = false
                        continue
                    }
                } else if exchange.response.status == 416 {
                    // There is no such rest, so what there is belongs to something else.
                    attempts.partial = nil
                    continue
                }
                let whole = try http.receiveAtOnce(
                    exchange, fetch: fetch, lookup: lookup, attempts: &attempts, receiver: receiver)
                let resource =
                    if let whole { whole } else {
                        try await http.receive(
                            exchange, fetch: fetch, lookup: lookup, attempts: &attempts, receiver: receiver)
                    }
                http.reconnection.noteSuccess(at: url)
                return resource
            } catch {
                let resource = try await recover(from: error, latest, url, fetch, lookup, priority, &attempts)
                if let resource { return resource }
            }
        }
    }

    static let notStored: any Error = ImageError(.cache, .notStored)

    /// What is done about a failure.
    ///
    /// - Returns: What stands in for what couldn't be had; `nil` once it is time for another attempt.
    /// - Throws: `error`, if there is nothing to be done.
    @inline(never)
    private func recover(
        from error: any Error, _ exchange: HTTPLoader.Exchange?, _ url: URL, _ fetch: Fetch, _ lookup: StoreLookup,
        _ priority: TransferPriority, _ attempts: inout LoadAttempts
    ) async throws -> FetchedResource? {
        if let resource = await standIn(for: error, exchange, url, fetch, lookup) {
            await http.close(&attempts)
            return resource
        }
        let isLast = await hasStandIn(for: error, exchange, fetch)
        try await http.retry(
            after: error, exchange, url, fetch, isBackground: priority.value <= .low, isLast: isLast, &attempts)
        return nil
    }

    /// What callers see of an error: ``ImageError`` that names the source, or `CancellationError`.
    @inline(never)
    static func located(_ error: any Error, at source: ImageRequest.Source) -> any Error {
        if error is CancellationError, Task.isCancelled { return error }
        // What an app's own transport throws may be anything, a cancellation of its own included.
        return (error as? ImageError ?? ImageError(.network, .transport, underlying: error)).located(at: source.url)
    }

    /// What the store has for a fetch, told without reading a body.
    enum Stored {
        /// A response that may be used as it is.
        case usable
        /// One that may be used while it is revalidated.
        case usableWhileRevalidating
        /// None, or one that has to be validated first.
        case unusable
    }

    /// What the store has for a fetch.
    func stored(for fetch: Fetch) async -> Stored {
        let lookup = await lookUp(fetch)
        return lookup.usable == nil ? .unusable : lookup.isUsedStale ? .usableWhileRevalidating : .usable
    }

    /// Removes stored bytes that turned out to be damaged.
    @inline(never)
    func discard(_ id: StoredResponse.ID?, of url: URL?) async {
        guard let id, let store = configuration.store else { return }
        configuration.observer?.note(.removedDamaged(url.map(RedactedURL.init)))
        await http.attempt("remove") { try await store.remove(id) }
    }

    // MARK: Beginning

    /// The beginning of a load: with what an earlier one has left, unless there is a stored response to ask about.
    @inline(never)
    private func attempts(_ fetch: Fetch, _ lookup: StoreLookup) -> LoadAttempts {
        var attempts = LoadAttempts(epoch: http.partials.epoch)
        if !http.partials.isEmpty, fetch.policy.resumes, lookup.validated == nil, let key = fetch.key {
            attempts.partial = http.partials.take(key, fields: lookup.fields)
        }
        return attempts
    }

    @inline(never)
    private func lookUp(_ fetch: Fetch) async -> StoreLookup {
        let start = Moment.now
        return lookup(await responses(for: fetch), fetch, since: start)
    }

    /// What is stored for a fetch, if the store has a say.
    func responses(for fetch: Fetch) async -> [StoredResponse] {
        guard asksStore(fetch), let store = configuration.store, let key = fetch.key else { return [] }
        do {
            return try await store.responses(for: key)
        } catch {
            http.reportFault("look up", error)
            return []
        }
    }

    /// The same, if it takes no wait.
    @inline(never)
    private func lookUpAtOnce(_ fetch: Fetch) -> StoreLookup? {
        let start = Moment.now
        guard asksStore(fetch), let key = fetch.keyDigest else { return lookup([], fetch, since: start) }
        return http.promptStore.map { lookup($0.responsesAtOnce(for: key), fetch, since: start) }
    }

    private func lookup(_ responses: [StoredResponse], _ fetch: Fetch, since start: Moment) -> StoreLookup {
        // Where nothing is stored, nobody asks for the time.
        let now = responses.isEmpty ? Date.distantPast : configuration.clock.now()
        let lookup = StoreLookup(responses, fields(of: fetch), fetch.policy, now: now, since: start)
        configuration.observer?.onEvent?(.lookedUp(fetch.label, lookup.reason))
        return lookup
    }

    /// Whether the store has a say: a reload uses nothing of it, but takes its place.
    private func asksStore(_ fetch: Fetch) -> Bool {
        configuration.store != nil && (fetch.policy.readsStore || fetch.policy == .reload)
    }
}

extension URL {
    /// Whether the scheme is http or https. Told by the bytes: `scheme` would be made for the question.
    var isHTTP: Bool {
        absoluteString.withBytes { bytes in
            guard bytes.count > 4 else { return false }
            // In lower case all at once: no other characters come to these.
            let start = UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt32.self) | 0x2020_2020
            guard start == Self.http else { return false }
            let colon = bytes[4].asciiLowercased == UInt8(ascii: "s") ? 5 : 4
            return colon < bytes.count && bytes[colon] == UInt8(ascii: ":")
        }
    }

    /// "http", as it lies in memory.
    private static let http = UInt32(littleEndian: 0x7074_7468)
}

extension ImageRequest.CachePolicy {
    /// Whether what is stored may be looked at.
    var readsStore: Bool { self != .reload && self != .noStore }

    /// Whether the response may be stored.
    var writesStore: Bool { self != .noStore && self != .storedOnly }

    /// Tells requests of one policy from those of another, so that they don't share a download.
    var digest: Digest {
        let number: UInt64 =
            switch self {
            case .http: 1
            case .storedElseLoad: 2
            case .storedOnly: 3
            case .revalidate: 4
            case .reload: 5
            case .immutable: 6
            case .noStore: 7
            }
        return Digest(high: number &* 0x9e37_79b9_7f4a_7c15, low: number &* 0xc2b2_ae3d_27d4_eb4f)
    }
}
