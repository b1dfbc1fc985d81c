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
        let start: Moment
        let headTime: Moment
        let redirectCount: Int
        let retryCount: Int
        /// What the redirects mean to the response, if there were any.
        let redirection: HTTPCache.Redirection?

        init(
            response: HTTPResponse, requestTime: Date, responseTime: Date, start: Moment,
            redirectCount: Int, retryCount: Int, redirection: HTTPCache.Redirection?
        ) {
            self.response = response
            self.requestTime = requestTime
            self.responseTime = responseTime
            self.start = start
            headTime = .now
            self.redirectCount = redirectCount
            self.retryCount = retryCount
            self.redirection = redirection
        }

        func describe(in work: inout LoadReport.Work) {
            work.exchangeStart = start
            work.times.firstByte = headTime - start
            work.redirectCount = redirectCount
            work.retryCount = retryCount
            work.exchange = response.metrics
        }
    }

    let configuration: ImagePipeline.Configuration
    let validation: BodyValidation
    /// What loads have left unfinished.
    let partials = PartialBodies()
    let reconnection: Reconnection
    /// The configuration's store, if it needs no wait.
    let promptStore: (any PromptStore)?

    init(_ configuration: ImagePipeline.Configuration) {
        self.configuration = configuration
        validation = BodyValidation(configuration.limits, configuration.decoders)
        promptStore = configuration.store as? any PromptStore
        reconnection = Reconnection(configuration.network)
    }

    /// Sends a request, signs it if the configuration says how, and follows redirects.
    ///
    /// The request is made here: handed over, it would have a place in the caller's frame as well.
    ///
    /// - Parameters:
    ///   - conditions: What the request asks about bytes that are here.
    ///   - fetch: What it is for.
    ///   - failureCount: How many attempts there were before.
    @inline(never)
    func send(
        _ url: URL, _ fetch: Fetch, _ lookup: StoreLookup, _ priority: TransferPriority, _ conditions: Conditions?,
        failureCount: Int
    ) async throws -> Exchange {
        var request = request(url, fetch, lookup, priority)
        conditions?.enter(&request, at: nil)
        if configuration.authorize != nil, !fetch.isUnsigned { try await authorize(&request) }
        if !request.allowsConstrainedNetwork || !request.allowsExpensiveNetwork { try checkNetwork(for: request) }
        var redirectCount = 0
        var refusalCount = 0
        var redirection: HTTPCache.Redirection?
        while true {
            let requestTime = configuration.clock.now()
            let start = Moment.now
            noteRequest(for: fetch)
            let exchange: Exchange
            do {
                exchange = Exchange(
                    response: try await configuration.transport.send(request), requestTime: requestTime,
                    responseTime: configuration.clock.now(), start: start, redirectCount: redirectCount,
                    retryCount: failureCount + refusalCount, redirection: redirection)
            } catch {
                throw Self.imageError(error)
            }
            note(exchange, for: fetch)
            if exchange.response.status == 401, configuration.authorize != nil, !fetch.isUnsigned, refusalCount == 0,
                redirectCount == 0
            {
                refusalCount = 1
                try await authorize(&request)
                continue
            }
            guard (300..<400).contains(exchange.response.status),
                let step = try redirect(&request, by: exchange, conditions)
            else { return exchange }
            redirection = step
            redirectCount += 1
        }
    }

    /// The transport may know better: that of Apple's platforms asks the system once more.
    @inline(never)
    private func checkNetwork(for request: HTTPRequest) throws {
        guard !request.isAllowed(on: configuration.network.status) else { return }
        // Listened to before it is asked for good: no change after that is missed.
        reconnection.listen()
        if !request.isAllowed(on: configuration.network.status) { throw ImageError(.network, .networkRestricted) }
    }

    /// Makes `request` the one that follows a redirect.
    ///
    /// - Returns: The redirects so far; `nil` if the response is none.
    @inline(never)
    private func redirect(
        _ request: inout HTTPRequest, by exchange: Exchange, _ conditions: Conditions?
    ) throws -> HTTPCache.Redirection? {
        guard let next = try RedirectPolicy.next(after: exchange.response, to: request) else { return nil }
        guard exchange.redirectCount < RedirectPolicy.limit else {
            throw ImageError(.network, .tooManyRedirects(limit: RedirectPolicy.limit))
        }
        request = next
        let redirection = HTTPCache.Redirection(
            after: exchange.redirection, status: exchange.response.status, fields: exchange.response.fields,
            requestTime: exchange.requestTime, responseTime: exchange.responseTime,
            // Without its signature, which a redirect may make anew each time.
            to: SHA256.short(URLNormalization(configuration.signatures).string(of: next.url)))
        conditions?.enter(&request, at: redirection)
        return redirection
    }

    /// Receives the body of a success, checks it as it comes, and commits it once it is complete.
    ///
    /// If it breaks off, `attempts` holds what is needed to go on from there.
    ///
    /// - Parameters:
    ///   - lookup: What came before.
    ///   - receiver: Is given each piece.
    func receive(
        _ exchange: Exchange, fetch: Fetch, lookup: StoreLookup, attempts: inout LoadAttempts,
        receiver: any PieceReceiver
    ) async throws -> FetchedResource {
        let reception = try begin(exchange, fetch, lookup, &attempts)
        let isStorable = fetch.policy.writesStore && reception.arrival.mayStore
        var pieces = exchange.response.body.makeAsyncIterator()
        let bodyEnd: Moment
        do {
            if reception.start > 0 {
                openAnew(reception, isStorable, fetch, lookup, &attempts)
            } else if attempts.deposit != nil {
                await close(&attempts)
            }
            while let piece = try await pieces.next() {
                attempts.receivedByteCount += Int64(piece.count)
                let isFirst = reception.header == nil
                if let bytes = try reception.take(piece), isStorable {
                    if isFirst {
                        attempts.deposit = deposit(bytes, fetch, reception.arrival.head, lookup.selected?.id)
                    } else if let open = attempts.deposit, await !append(bytes, to: open) {
                        attempts.deposit = nil
                    }
                }
                receiver.take(piece, of: reception)
            }
            try Task.checkCancellation()
            if let bytes = try reception.checkEnd(), isStorable {
                attempts.deposit = deposit(bytes, fetch, reception.arrival.head, lookup.selected?.id)
            }
            bodyEnd = .now
        } catch {
            throw breakOff(reception, error, fetch, lookup, &attempts)
        }
        note(reception, for: fetch)
        var stored: StoredResponse.ID?
        if let deposit = attempts.deposit.take() {
            do {
                stored = try await deposit.commit()?.id
            } catch {
                reportFault("commit", error)
            }
        }
        return try reception.resource(
            stored: stored, exchange, lookup, fetch.policy, receivedByteCount: attempts.receivedByteCount,
            bodyTime: bodyEnd - exchange.headTime)
    }

    /// The same for a body that is there from the start, where the store needs no wait either.
    ///
    /// - Returns: `nil` if there is something to wait for.
    @inline(never)
    func receiveAtOnce(
        _ exchange: Exchange, fetch: Fetch, lookup: StoreLookup, attempts: inout LoadAttempts,
        receiver: any PieceReceiver
    ) throws -> FetchedResource? {
        guard let body = exchange.response.body.whole, configuration.store == nil || promptStore != nil,
            attempts.partial == nil, attempts.deposit == nil
        else { return nil }
        let reception = try begin(exchange, fetch, lookup, &attempts)
        do {
            if !body.isEmpty {
                attempts.receivedByteCount += Int64(body.count)
                _ = try reception.take(body)
                receiver.take(body, of: reception)
            }
            try Task.checkCancellation()
            try reception.checkEnd()
        } catch {
            throw breakOff(reception, error, fetch, lookup, &attempts)
        }
        let bodyEnd = Moment.now
        note(reception, for: fetch)
        var stored: StoredResponse.ID?
        if fetch.policy.writesStore, reception.arrival.mayStore, let promptStore, let key = fetch.keyDigest {
            stored =
                promptStore.addAtOnce(
                    body, for: key, partition: fetch.partitionDigest, resource: fetch.resourceDigest,
                    metadata: reception.metadata, replacing: lookup.selected?.id, since: fetch.epoch)
        }
        return try reception.resource(
            stored: stored, exchange, lookup, fetch.policy, receivedByteCount: attempts.receivedByteCount,
            bodyTime: bodyEnd - exchange.headTime)
    }

    /// The beginning of a body, or what there is of it already.
    @inline(never)
    private func begin(
        _ exchange: Exchange, _ fetch: Fetch, _ lookup: StoreLookup, _ attempts: inout LoadAttempts
    ) throws -> BodyReception {
        if exchange.response.status == 206, let partial = attempts.partial.take() {
            return try partial.reception(continuedBy: exchange)
        }
        // An error leaves what there is to the next attempt. A success is the whole body, and another one.
        let expectedByteCount = try checkHead(exchange.response)
        attempts.partial = nil
        return try BodyReception(
            exchange, method: fetch.method, lookup, expectedByteCount: expectedByteCount, validation)
    }

    /// The error that callers see for one that a transport throws.
    @inline(never)
    static func imageError(_ error: any Error) -> any Error {
        (error as? HTTPTransportError).map(ImageError.init) ?? error
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
        configuration.observer?.note(.cacheFault(operation: operation, error))
    }

    // MARK: Checks

    /// - Returns: The length of the body, if the head says so and nothing has been decoded from it.
    @inline(never)
    private func checkHead(_ response: HTTPResponse) throws -> Int64? {
        // A part is never used as a whole; that nothing was asked for in parts makes 206 an error.
        guard (200..<300).contains(response.status), response.status != 206 else {
            throw ImageError(.validation, .status(response.status))
        }
        if response.status == 204 || response.status == 205 { throw ImageError(.validation, .emptyBody) }
        if let type = response.fields["Content-Type"] { try checkContentType(type) }
        guard let text = response.fields["Content-Length"] else { return nil }
        let length =
            if let length = Int64(text), text.utf8.first.map({ $0 >= 0x30 }) == true { length } else {
                try Self.length(ofList: text)
            }
        return response.fields["Content-Encoding"] == nil ? length : nil
    }

    /// The length that several fields agree on, or one that no number holds.
    ///
    /// - Throws: ``ImageError`` for everything else: nobody knows where such a body ends, and a part could be taken for all.
    /// - Source: RFC 9112 section 6.3.
    @inline(never)
    private static func length(ofList text: String) throws -> Int64 {
        let lengths = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { [UInt8]($0.trimmingOptionalWhitespace) }
        guard let first = lengths.first, !first.isEmpty, first.allSatisfy({ 0x30...0x39 ~= $0 }),
            lengths.allSatisfy({ $0 == first })
        else { throw ImageError(.network, .malformedResponse) }
        return Int64(String(decoding: first, as: UTF8.self)) ?? .max
    }

    private func checkContentType(_ type: String) throws {
        // Most say so in so many letters; the others are looked at closely.
        if type.hasPrefixIgnoringASCIICase("image/") { return }
        let essence = String(Substring(type.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmingOptionalWhitespace))
            .lowercased()
        guard essence.hasPrefix("image/") || configuration.acceptedContentTypes.contains(essence) else {
            throw ImageError(.validation, .contentType(essence.excerpt))
        }
    }
}

extension HTTPRequest {
    fileprivate func isAllowed(on network: NetworkStatus) -> Bool {
        (allowsConstrainedNetwork || !network.isConstrained) && (allowsExpensiveNetwork || !network.isExpensive)
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
            case .networkRestricted: .networkRestricted
            case .secureConnectionFailed: .secureConnectionFailed
            case .malformedResponse: .malformedResponse
            case .truncated(let received, let expected): .truncated(received: received, expected: expected)
            case .unsupportedScheme: .unsupportedScheme("")
            case .invalidURL: .invalidRequest("the URL has no host, or isn't well-formed. Correct it")
            case .other: .transport
            }
        self.init(error.code == .invalidURL ? .request : .network, reason, underlying: error)
    }
}
