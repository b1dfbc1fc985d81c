import Calotype
import CalotypeTesting
import Foundation
import Synchronization

/// Answers requests for another server, from a store where the HTTP cache allows it.
///
///     GET, HEAD -> look up -> decide -> stored response
///                                    -> conditional request -> 304: freshen, stored response
///                                                           -> pass on, and store what may be
///                                    -> request             -> pass on, and store what may be
///     others    -> request -> invalidate -> pass on
///
/// - Isolation: any task; each request has one of its own.
/// - Errors: a failure of the store is logged, and the request passes on without it.
final class CacheProxy: Sendable {
    /// A larger body is passed on and not stored.
    static let bodyByteLimit = 64 << 20

    let store: any ResponseStore
    private let origin: String
    private let transport: any HTTPTransport
    let log: (@Sendable (String) -> Void)?
    /// Keys that are being revalidated in the background.
    private let revalidating = Mutex<Set<FetchKey>>([])

    /// - Parameter origin: Scheme and authority, without a slash behind.
    init(origin: String, store: any ResponseStore, log: (@Sendable (String) -> Void)?) {
        self.origin = origin
        self.store = store
        self.log = log
        #if os(Linux)
        var configuration = CurlTransport.Configuration()
        configuration.maximumConnections = 256
        configuration.maximumConnectionsPerHost = 256
        configuration.decodesCodings = false
        transport = CurlTransport(configuration: configuration)
        #else
        transport = URLSessionTransport()
        #endif
    }

    /// Begins to answer a request.
    func answer(_ request: LoopbackServer.StreamedRequest) -> ResponseStream {
        let stream = ResponseStream()
        let task = Task { await answer(request, on: stream) }
        stream.onClose { task.cancel() }
        return stream
    }

    /// Answers one request. Never throws: what can't be answered is an error of the gateway, or a broken connection.
    private func answer(_ request: LoopbackServer.StreamedRequest, on stream: ResponseStream) async {
        let client = ProxyClient(request, stream)
        do {
            guard let url = url(of: request.request) else { return try await client.refuse(400) }
            try await answer(client, at: url)
        } catch is CancellationError {
            client.abort()
        } catch {
            note(client, "the server: \(error)")
            guard !client.hasBegun else { return client.abort() }
            let isLate = (error as? HTTPTransportError)?.code == .timedOut
            // It throws if the client has gone, whom nothing has to be told then.
            try? await client.refuse(isLate ? 504 : 502)
        }
    }

    private func url(of request: LoopbackServer.Request) -> URL? {
        guard request.path.hasPrefix("/") else { return nil }
        let query = request.query.map { "?\($0)" } ?? ""
        return URL(string: origin + request.path + query, encodingInvalidCharacters: false)
    }

    func note(_ client: ProxyClient?, _ reason: String) {
        guard let log else { return }
        let subject = client.map { "\($0.request)" } ?? "in the background"
        log("\(subject) \(client?.status.map(String.init) ?? "-") \(reason)")
    }

    // MARK: From the store

    private func answer(_ client: ProxyClient, at url: URL) async throws {
        let lookup = await lookUp(url)
        guard client.method == "GET" || client.method == "HEAD" else {
            return try await forward(client, lookup, nil)
        }
        let decision = HTTPCache.decide(candidates: lookup.heads, request: client.fields, now: Date())
        let selected = decision.selected.map { lookup.candidates[$0] }
        switch decision.outcome {
        case .useStored(let index):
            if try await client.answer(lookup.candidates[index], from: self) {
                return note(client, "\(decision.reason)")
            }
        case .useStaleWhileRevalidating(let index):
            if try await client.answer(lookup.candidates[index], from: self) {
                revalidate(lookup, lookup.candidates[index], client.fields)
                return note(client, "\(decision.reason)")
            }
        case .unsatisfiable:
            try await client.refuse(504)
            return note(client, "only-if-cached, but \(decision.reason) (RFC 9111, 5.2.1.7)")
        case .revalidate(_, let conditions):
            return try await forward(client, lookup, selected, conditions: conditions, because: "\(decision.reason)")
        case .fetch:
            return try await forward(client, lookup, selected, because: "\(decision.reason)")
        }
        try await forward(client, lookup, nil, because: "the stored body has gone")
    }

    /// Asks the server about a response that has been used stale. One question at a time for each URL.
    private func revalidate(_ lookup: Lookup, _ candidate: Lookup.Candidate, _ fields: HTTPFields) {
        guard revalidating.withLock({ $0.insert(lookup.key).inserted }) else { return }
        Task {
            defer { _ = revalidating.withLock { $0.remove(lookup.key) } }
            var request = fields
            for name in ["If-None-Match", "If-Modified-Since", "Range", "If-Range"] { request[name] = nil }
            do {
                try await exchange(
                    nil, lookup, candidate, fields: request,
                    conditions: HTTPCache.validators(of: candidate.head), because: "used stale")
            } catch {
                note(nil, "the server: \(error)")
            }
        }
    }

    // MARK: From the server

    private func forward(
        _ client: ProxyClient, _ lookup: Lookup, _ selected: Lookup.Candidate?, conditions: HTTPFields = [:],
        because reason: String = "not a method that is cached"
    ) async throws {
        do {
            try await exchange(client, lookup, selected, fields: client.fields, conditions: conditions, because: reason)
        } catch let error as HTTPTransportError where !client.hasBegun {
            guard let selected else { throw error }
            if try await standIn(selected, for: .disconnected, client) { return }
            // Only the server could have said that it is still good.
            try await client.refuse(504)
            note(client, "the server: \(error)")
        }
    }

    /// Answers with a stale response in place of one that can't be had, if that is allowed.
    private func standIn(
        _ candidate: Lookup.Candidate, for failure: HTTPCache.Failure, _ client: ProxyClient
    ) async throws -> Bool {
        let reason = HTTPCache.staleAnswer(candidate.head, request: client.fields, to: failure, now: Date())
        guard let reason, try await client.answer(candidate, from: self) else { return false }
        note(client, "\(reason)")
        return true
    }

    /// Sends a request, and does about the response what the cache says.
    ///
    /// - Parameters:
    ///   - client: Gets the response; `nil` if nobody does.
    ///   - fields: Of the client's request.
    ///   - conditions: What asks whether `selected` is still good, in place of what the client has asked.
    private func exchange(
        _ client: ProxyClient?, _ lookup: Lookup, _ selected: Lookup.Candidate?, fields: HTTPFields,
        conditions: HTTPFields, because reason: String
    ) async throws {
        let method = client?.method ?? "GET"
        var request = HTTPRequest(
            method: method, url: lookup.key.url, fields: HTTPCache.forwarded(fields), body: client?.body,
            // What passes through may be of any length, and its client as slow as it likes.
            timeouts: HTTPTimeouts(total: .seconds(86_400)))
        request.fields["Host"] = nil
        request.fields["Expect"] = nil
        if !conditions.isEmpty {
            for name in ["If-None-Match", "If-Modified-Since"] { request.fields[name] = conditions[name] }
        }
        if let client { request.onInterimResponse = { client.pass($0, $1) } }
        var epoch = store.epoch()
        let requestTime = Date()
        let response = try await transport.send(request)
        let responseTime = Date()

        if response.status == 304, !conditions.isEmpty, let selected {
            if HTTPCache.confirms(response.fields, selected.head) {
                let head = HTTPCache.freshen(
                    selected.head, with: response.fields, requestTime: requestTime, responseTime: responseTime,
                    requestFields: fields)
                await update(selected, to: head)
                let freshened = Lookup.Candidate(response: selected.response, head: head)
                guard let client else { return }
                if try await client.answer(freshened, from: self) { return note(client, "\(reason); confirmed") }
            }
            // It speaks of another response, or the body has gone meanwhile: ask again, for all of it.
            return try await exchange(
                client, lookup, nil, fields: fields, conditions: [:], because: "\(reason); not confirmed")
        }
        if let client, let selected, try await standIn(selected, for: .status(response.status), client) { return }

        if !HTTPCache.isSafe(method) {
            await invalidate(method, lookup.key.url, response)
            epoch = store.epoch()
        }
        if method == "HEAD", let selected {
            await note(head: response, on: selected, requestTime: requestTime, responseTime: responseTime)
        }
        let arrival = HTTPCache.Arrival(
            method: method, url: lookup.key.url, requestFields: fields, status: response.status,
            fields: response.fields.dated(responseTime), requestTime: requestTime, responseTime: responseTime)
        let deposit =
            arrival.mayStore
            ? await deposit(arrival.head, lookup, selected ?? lookup.selected(by: fields), since: epoch) : nil
        let relay = ProxyRelay(response, arrival.head, client, deposit, wasConditional: !conditions.isEmpty)
        let fault = try await relay.run()
        if let fault { note(client, "not stored: \(fault)") }
        note(client, "\(reason); \(deposit == nil ? "passed on" : "passed on and stored")")
    }
}

extension HTTPFields {
    /// With a Date, if there is none.
    ///
    /// - Source: RFC 9110 section 6.6.1.
    fileprivate func dated(_ time: Date) -> HTTPFields {
        guard self["Date"] == nil else { return self }
        var fields = self
        fields.append("Date", LoopbackServer.httpDate(time))
        return fields
    }
}
