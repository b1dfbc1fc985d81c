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

    init(_ configuration: ImagePipeline.Configuration) {
        self.configuration = configuration
        http = HTTPLoader(configuration)
    }

    /// What to fetch for a request.
    func fetch(for request: ImageRequest) -> Fetch {
        Fetch(
            sharing: sharing(of: request), request: request, policy: request.cachePolicy,
            key: request.fetchKey(configuration.signatures), epoch: configuration.store?.epoch() ?? StoreEpoch(0))
    }

    /// What requests must have in common to share a download.
    func sharing(of request: ImageRequest) -> Digest { request.sharing(configuration.signatures) }

    /// What to fetch for a request once stored bytes have turned out to be damaged.
    func fetch(for request: ImageRequest, insteadOf damaged: FetchedResource) -> Fetch {
        let fetch = fetch(for: request)
        return Fetch(
            sharing: fetch.sharing.combined(with: damaged.version), request: request, policy: .reload, key: fetch.key,
            epoch: fetch.epoch, damaged: damaged.stored)
    }

    /// Loads the bytes, complete and recognised as an image within the limits.
    ///
    /// - Throws: ``ImageError`` that names the source, or `CancellationError`.
    func load(
        _ fetch: Fetch, priority: TransferPriority, progress: @escaping @Sendable (LoadProgress) -> Void
    ) async throws -> FetchedResource {
        do {
            if let damaged = fetch.damaged { await discard(damaged, of: nil) }
            switch fetch.source {
            case .http(let message):
                return try await loadHTTP(message, fetch, priority, progress)
            case .url(let url):
                switch url.scheme?.lowercased() {
                case "http", "https":
                    let message = ImageRequest.HTTPMessage(method: "GET", url: url, fields: .init(), body: nil)
                    return try await loadHTTP(message, fetch, priority, progress)
                case "file":
                    return try resource(of: try await FileSource.read(url, configuration.limits), fetch)
                case "data":
                    return try resource(of: try DataURL.decode(url, configuration.limits), fetch)
                case let scheme:
                    throw ImageError(.request, .unsupportedScheme(scheme ?? ""))
                }
            case .data(let data):
                return try resource(of: data, fetch)
            case .closure(let closure):
                return try resource(of: try await Self.call(closure), fetch)
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as ImageError {
            throw error.located(at: fetch.source.url)
        }
    }

    /// Removes stored bytes that turned out to be damaged.
    func discard(_ id: StoredResponse.ID?, of url: URL?) async {
        guard let id, let store = configuration.store else { return }
        configuration.onEvent?(.removedDamaged(url.map(RedactedURL.init)))
        await http.attempt("remove") { try await store.remove(id) }
    }

    private static func call(_ closure: @Sendable () async throws -> Data) async throws -> Data {
        do {
            return try await closure()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ImageError(.source, .sourceFailed, underlying: error)
        }
    }

    /// Bytes that didn't come by HTTP. They can't go stale by themselves: `.revalidate` and `.reload` read them anew.
    private func resource(of data: Data, _ fetch: Fetch) throws -> FetchedResource {
        try Task.checkCancellation()
        if data.isEmpty { throw ImageError(.source, .emptyBody) }
        if data.count > configuration.limits.bodyByteCount {
            throw ImageError(
                .source,
                .bodyTooLarge(byteCount: Int64(data.count), limit: Int64(configuration.limits.bodyByteCount)))
        }
        let header = try BodyValidation.header(of: data, isComplete: true, configuration.limits, stage: .source)
        guard let header else { throw ImageError(.source, .notAnImage) }
        return FetchedResource(
            data: data, header: header, freshness: fetch.policy == .noStore ? .transient : .immutable, stored: nil,
            work: LoadReport.Work(layer: .source))
    }

    // MARK: HTTP

    /// A response in the store, with its head read.
    private struct Candidate {
        let response: StoredResponse
        let head: HTTPCache.StoredHead
    }

    private func loadHTTP(
        _ message: ImageRequest.HTTPMessage, _ fetch: Fetch, _ priority: TransferPriority,
        _ progress: @escaping @Sendable (LoadProgress) -> Void
    ) async throws -> FetchedResource {
        let start = ContinuousClock.now
        var fields = configuration.fields
        for field in message.fields { fields[field.name] = field.value }
        let candidates = await self.candidates(for: fetch)
        let decision = decide(candidates.map(\.head), fields, fetch.policy)

        var work = LoadReport.Work(layer: .network)
        if fetch.policy.readsStore { work.cacheReason = decision.reason }
        work.times.lookup = .now - start

        var validators = HTTPFields()
        var validated: Candidate?
        switch decision.outcome {
        case .useStored(let index), .useStaleWhileRevalidating(let index):
            work.layer = .storage
            if let resource = await stored(
                candidates[index], fetch, fields, work, needsRevalidation: decision.outcome.isStale)
            {
                return resource
            }
            if fetch.policy == .storedOnly { throw ImageError(.cache, .notStored) }
            work.layer = .network
        case .revalidate(let index, let fields):
            validated = candidates[index]
            validators = fields
        case .fetch:
            if fetch.policy == .storedOnly { throw ImageError(.cache, .notStored) }
        case .unsatisfiable:
            throw ImageError(.cache, .notStored)
        }

        var request = HTTPRequest(
            method: message.method, url: message.url, fields: fields, body: message.body,
            timeouts: configuration.timeouts, priority: priority)
        for field in validators { request.fields[field.name] = field.value }
        if fetch.policy == .reload || fetch.policy == .revalidate, request.fields["Cache-Control"] == nil {
            request.fields["Cache-Control"] = "no-cache"
        }
        var exchange = try await http.send(request, partition: fetch.partition)
        if exchange.response.status == 304, let candidate = validated {
            if let resource = await confirmed(candidate, exchange, fetch, fields, work) { return resource }
            // The body has gone while the server was asked: ask again, for all of it.
            for field in validators { request.fields[field.name] = nil }
            exchange = try await http.send(request, partition: fetch.partition)
            validated = nil
        }
        return try await http.receive(
            exchange, fetch: fetch, requestFields: fields, replacing: validated?.response.id, work: work,
            progress: progress)
    }

    private func candidates(for fetch: Fetch) async -> [Candidate] {
        guard fetch.policy.readsStore, let store = configuration.store, let key = fetch.key else { return [] }
        let responses = await http.attempt("look up") { try await store.responses(for: key) } ?? []
        return responses.compactMap { response in
            HTTPCache.StoredHead(encoded: response.metadata).map { Candidate(response: response, head: $0) }
        }
    }

    private func decide(
        _ heads: [HTTPCache.StoredHead], _ fields: HTTPFields, _ policy: ImageRequest.CachePolicy
    ) -> HTTPCache.Decision {
        switch policy {
        case .http:
            return HTTPCache.decide(candidates: heads, request: fields, now: configuration.clock.now())
        case .revalidate:
            var fields = fields
            fields["Cache-Control"] = "no-cache"
            return HTTPCache.decide(candidates: heads, request: fields, now: configuration.clock.now())
        case .storedElseLoad, .storedOnly, .immutable:
            guard let index = HTTPCache.selected(of: heads, request: fields) else {
                return HTTPCache.Decision(outcome: .fetch, reason: .nothingStored)
            }
            return HTTPCache.Decision(outcome: .useStored(index), reason: .policy)
        case .reload, .noStore:
            return HTTPCache.Decision(outcome: .fetch, reason: .requested)
        }
    }

    /// The resource that a stored response holds; `nil` if its body has gone or is no image any more.
    private func stored(
        _ candidate: Candidate, _ fetch: Fetch, _ fields: HTTPFields, _ work: LoadReport.Work,
        needsRevalidation: Bool = false
    ) async -> FetchedResource? {
        guard let store = configuration.store else { return nil }
        let id = candidate.response.id
        let body = await http.attempt("read") { try await store.body(of: id)?.bytes() }
        guard let data = body ?? nil else { return nil }
        guard
            let header = try? BodyValidation.header(of: data, isComplete: true, configuration.limits, stage: .cache)
        else {
            await discard(id, of: fetch.source.url)
            return nil
        }
        return FetchedResource(
            data: data, header: header, freshness: http.freshness(of: candidate.head, fields, fetch.policy), stored: id,
            work: work, needsRevalidation: needsRevalidation)
    }

    /// The resource whose stored response a 304 has confirmed.
    private func confirmed(
        _ candidate: Candidate, _ exchange: HTTPLoader.Exchange, _ fetch: Fetch, _ fields: HTTPFields,
        _ work: LoadReport.Work
    ) async -> FetchedResource? {
        let head = HTTPCache.freshen(
            candidate.head, with: exchange.response.fields, requestTime: exchange.requestTime,
            responseTime: exchange.responseTime)
        if let store = configuration.store {
            let id = candidate.response.id
            await http.attempt("update") { _ = try await store.updateMetadata(of: id, to: head.encoded()) }
        }
        var work = work
        work.layer = .revalidation
        exchange.describe(in: &work)
        return await stored(Candidate(response: candidate.response, head: head), fetch, fields, work)
    }
}

extension ImageRequest.Source {
    /// The URL, if there is one.
    var url: URL? {
        switch self {
        case .url(let url): url
        case .http(let message): message.url
        case .data, .closure: nil
        }
    }
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

extension StoredBody {
    /// All the bytes. A file is read on a thread that may block.
    func bytes() async throws -> Data {
        switch self {
        case .data(let data): return data
        case .file(let handle, _): return try await BlockingWork.run { try handle.readToEnd() ?? Data() }
        }
    }
}
