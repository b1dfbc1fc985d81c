import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes HTTP requests as a load needs them: signed, with redirects followed, validated, and committed as they stream.
final class HTTPLoader: Sendable {
    /// A response to a request, after redirects. An object, since it goes through many hands.
    final class Exchange: Sendable {
        let response: HTTPResponse
        /// When the request was sent that brought the response.
        let requestTime: Date
        let responseTime: Date
        /// The same moments on a clock that nobody sets.
        let start: ContinuousClock.Instant
        let headTime: ContinuousClock.Instant
        let redirectCount: Int
        let retryCount: Int

        init(
            response: HTTPResponse, requestTime: Date, responseTime: Date, start: ContinuousClock.Instant,
            redirectCount: Int, retryCount: Int
        ) {
            self.response = response
            self.requestTime = requestTime
            self.responseTime = responseTime
            self.start = start
            headTime = .now
            self.redirectCount = redirectCount
            self.retryCount = retryCount
        }

        func describe(in work: inout LoadReport.Work) {
            work.times.firstByte = headTime - start
            work.redirectCount = redirectCount
            work.retryCount = retryCount
            work.exchange = response.metrics
        }
    }

    private let configuration: ImagePipeline.Configuration

    init(_ configuration: ImagePipeline.Configuration) {
        self.configuration = configuration
    }

    /// Sends a request, signs it if the configuration says how, and follows redirects.
    func send(_ request: consuming HTTPRequest) async throws -> Exchange {
        if configuration.authorize != nil { request = try await authorized(request) }
        var redirectCount = 0
        var retryCount = 0
        while true {
            let requestTime = configuration.clock.now()
            let start = ContinuousClock.now
            let response: HTTPResponse
            do {
                response = try await configuration.transport.send(request)
            } catch let error as HTTPTransportError {
                throw ImageError(error)
            }
            if response.status == 401, configuration.authorize != nil, retryCount == 0, redirectCount == 0 {
                retryCount = 1
                request = try await authorized(request)
                continue
            }
            if (300..<400).contains(response.status), let next = try RedirectPolicy.next(after: response, to: request) {
                redirectCount += 1
                guard redirectCount <= RedirectPolicy.limit else {
                    throw ImageError(.network, .tooManyRedirects(limit: RedirectPolicy.limit))
                }
                request = next
                continue
            }
            return Exchange(
                response: response, requestTime: requestTime, responseTime: configuration.clock.now(), start: start,
                redirectCount: redirectCount, retryCount: retryCount)
        }
    }

    /// Receives the body of a success, checks it as it comes, and commits it once it is complete.
    ///
    /// - Parameters:
    ///   - requestFields: The fields of the request, less what made it conditional.
    ///   - replaced: The stored response that gives way to this one.
    ///   - lookup: What came before.
    func receive(
        _ exchange: Exchange, fetch: Fetch, requestFields: HTTPFields, replacing replaced: StoredResponse.ID?,
        lookup: StoreLookup, progress: @Sendable (LoadProgress) -> Void
    ) async throws -> FetchedResource {
        let expected = try checkHead(exchange.response)
        let arrival = HTTPCache.Arrival(
            method: fetch.key?.method ?? "GET", requestFields: requestFields, status: exchange.response.status,
            fields: exchange.response.fields, requestTime: exchange.requestTime, responseTime: exchange.responseTime)
        let isStorable = fetch.policy.writesStore && arrival.mayStore

        var data = Data()
        var header: ImageHeader?
        var deposit: Deposit?
        var pieces = exchange.response.body.makeAsyncIterator()
        do {
            while let piece = try await pieces.next() {
                if data.isEmpty {
                    data = piece
                } else {
                    if data.count == piece.count, let expected { data.reserveCapacity(Int(expected)) }
                    data.append(piece)
                }
                try checkLength(Int64(data.count))
                if header == nil {
                    header = try BodyValidation.header(
                        of: data, isComplete: false, configuration.limits, stage: .validation)
                    if header != nil, isStorable {
                        deposit = await self.deposit(fetch, arrival.head, replaced, firstBytes: data)
                    }
                } else if let open = deposit, await !append(piece, to: open) {
                    deposit = nil
                }
                progress(LoadProgress(receivedByteCount: Int64(data.count), expectedByteCount: expected))
            }
            try Task.checkCancellation()
            if let expected, Int64(data.count) < expected {
                throw ImageError(.network, .truncated(received: Int64(data.count), expected: expected))
            }
            if data.isEmpty { throw ImageError(.validation, .emptyBody) }
            if header == nil {
                header = try BodyValidation.header(
                    of: data, isComplete: true, configuration.limits, stage: .validation)
            }
        } catch {
            await deposit?.writer.abort()
            throw (error as? HTTPTransportError).map(ImageError.init) ?? error
        }
        guard let header else { throw ImageError(.validation, .notAnImage) }

        var stored: StoredResponse.ID?
        if let deposit {
            do {
                stored = try await deposit.writer.commit()?.id
            } catch {
                reportFault("commit", error)
            }
        }
        var work = lookup.work(of: .network)
        exchange.describe(in: &work)
        work.times.body = .now - exchange.headTime
        work.receivedByteCount = Int64(data.count)
        return FetchedResource(
            data: data, header: header, freshness: Self.freshness(arrival.freshness, by: fetch.policy), stored: stored,
            work: work)
    }

    /// When pixels made of a response go stale, by what its head says and by the request's policy.
    static func freshness(
        _ said: @autoclosure () -> Freshness, by policy: ImageRequest.CachePolicy
    ) -> Freshness {
        switch policy {
        case .immutable: .immutable
        case .noStore: .transient
        default: said()
        }
    }

    /// Does something with a cache. A fault is reported, and `nil` returned.
    @discardableResult
    func attempt<Value>(_ operation: String, _ body: () async throws -> Value) async -> Value? {
        do {
            return try await body()
        } catch {
            reportFault(operation, error)
            return nil
        }
    }

    /// Reports that a cache couldn't do its work. What every load does with the store is written out around this: a
    /// closure that waits costs its caller another frame.
    func reportFault(_ operation: String, _ error: any Error) {
        configuration.onEvent?(.cacheFault(operation: operation, error))
    }

    // MARK: Checks

    /// - Returns: The length of the body, if the head says so and nothing has been decoded from it.
    private func checkHead(_ response: HTTPResponse) throws -> Int64? {
        // A part is never used as a whole; that nothing was asked for in parts makes 206 an error.
        guard (200..<300).contains(response.status), response.status != 206 else {
            throw ImageError(.validation, .status(response.status))
        }
        if response.status == 204 || response.status == 205 { throw ImageError(.validation, .emptyBody) }
        if let type = response.fields["Content-Type"] { try checkContentType(type) }
        guard let length = response.fields["Content-Length"].flatMap(Int64.init), length >= 0,
            response.fields["Content-Encoding"] == nil
        else { return nil }
        try checkLength(length)
        return length
    }

    private func checkContentType(_ type: String) throws {
        // Most say so in so many letters; the others are looked at closely.
        if type.hasPrefixIgnoringASCIICase("image/") { return }
        let essence = String(Substring(type.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmingOptionalWhitespace))
            .lowercased()
        guard essence.hasPrefix("image/") || configuration.acceptedContentTypes.contains(essence) else {
            throw ImageError(.validation, .contentType(String(essence.prefix(80))))
        }
    }

    private func checkLength(_ byteCount: Int64) throws {
        let limit = Int64(configuration.limits.bodyByteCount)
        if byteCount > limit {
            throw ImageError(.validation, .bodyTooLarge(byteCount: byteCount, limit: limit))
        }
    }

    // MARK: Store

    /// A writer that has been opened. An object: a value whose size nobody knows is dear to hand about.
    private final class Deposit: Sendable {
        let writer: any ResponseWriter

        init(_ writer: any ResponseWriter) { self.writer = writer }
    }

    /// A place in the store that has taken the first bytes; `nil` if there is no store or it has failed.
    private func deposit(
        _ fetch: Fetch, _ head: HTTPCache.StoredHead, _ replaced: StoredResponse.ID?, firstBytes: Data
    ) async -> Deposit? {
        guard let store = configuration.store, let key = fetch.key else { return nil }
        let deposit: Deposit
        do {
            deposit = Deposit(
                try await store.writer(
                    for: key, resource: fetch.resource, metadata: head.encoded(), replacing: replaced,
                    since: fetch.epoch))
        } catch {
            reportFault("open", error)
            return nil
        }
        return await append(firstBytes, to: deposit) ? deposit : nil
    }

    /// - Returns: Whether the writer has taken the bytes. One that hasn't is aborted.
    private func append(_ bytes: Data, to deposit: Deposit) async -> Bool {
        do {
            try await deposit.writer.append(bytes)
            return true
        } catch {
            reportFault("write", error)
            await deposit.writer.abort()
            return false
        }
    }

    // MARK: Authorization

    /// The request as the app's closure signs it. After a 401 the closure sees the request that was refused.
    private func authorized(_ request: HTTPRequest) async throws -> HTTPRequest {
        guard let authorize = configuration.authorize else { return request }
        var plain = URLRequest(url: request.url)
        plain.httpMethod = request.method
        plain.httpBody = request.body
        for field in request.fields { plain.setValue(field.value, forHTTPHeaderField: field.name) }
        let signed: URLRequest
        do {
            signed = try await authorize(plain)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ImageError(.authorization, .authorizationFailed, underlying: error)
        }
        var result = request
        if let url = signed.url { result.url = url }
        for (name, value) in signed.allHTTPHeaderFields ?? [:] { result.fields[name] = value }
        return result
    }
}

extension ImageError {
    /// What a transport reports, as callers see it.
    init(_ error: HTTPTransportError) {
        let reason: Reason =
            switch error.code {
            case .hostNotFound: .hostNotFound
            case .cannotConnect: .cannotConnect
            case .connectionLost: .connectionLost
            case .timedOut: .timedOut
            case .secureConnectionFailed: .secureConnectionFailed
            case .malformedResponse: .malformedResponse
            case .truncated(let received, let expected): .truncated(received: received, expected: expected)
            case .unsupportedScheme: .unsupportedScheme("")
            case .other: .transport
            }
        self.init(.network, reason, underlying: error)
    }
}
