extension LoopbackServer {
    /// The requests so far, in the order in which they were complete.
    public var requests: [Request] { record.withLock { Array($0.requests.elements) } }

    /// The requests for a path so far.
    public func requests(to path: String) -> [Request] { requests.filter { $0.path == path } }

    /// The number of requests so far, whether they are still kept or not.
    public var requestCount: Int { record.withLock { $0.requests.count } }

    /// What happened to connections so far.
    public var connectionEvents: [ConnectionEvent] { record.withLock { Array($0.events.elements) } }

    /// The number of connections that are open now.
    public var openConnectionCount: Int { record.withLock { $0.openConnectionCount } }

    /// The number of connections so far, open or not.
    public var connectionCount: Int { record.withLock { $0.connectionCount } }

    /// Suspends until there have been at least `count` requests in all.
    ///
    /// - Parameter timeout: `nil` waits for ever. So it is for each method here.
    /// - Returns: All requests so far.
    /// - Throws: ``WaitError``, or `CancellationError` if the task is cancelled.
    @discardableResult
    public func waitForRequests(count: Int, timeout: Duration? = .seconds(60)) async throws -> [Request] {
        try await record.wait(
            timeout: timeout,
            explain: { "waited for \(count) requests; have \($0.recentRequests)" },
            until: { record, _ in record.requests.count >= count ? Array(record.requests.elements) : nil })
    }

    /// Suspends until there is a request that matches and that this method hasn't returned before.
    ///
    /// Requests that came before the call count as well, so nothing is missed between two calls. Each is returned once.
    ///
    /// - Parameters:
    ///   - timeout: `nil` waits for ever.
    ///   - condition: Looks at the request alone: it is called under the server's lock, so it mustn't use the server.
    /// - Throws: ``WaitError``, or `CancellationError` if the task is cancelled.
    @discardableResult
    public func nextRequest(
        timeout: Duration? = .seconds(60), matching condition: @escaping @Sendable (Request) -> Bool = { _ in true }
    ) async throws -> Request {
        try await record.wait(
            timeout: timeout,
            explain: { "waited for another request that matches; have \($0.recentRequests)" },
            until: { record, cursor in record.claimFirst(from: &cursor, where: condition) })
    }

    /// Suspends until there is another request for that path.
    ///
    /// - Throws: ``WaitError``, or `CancellationError` if the task is cancelled.
    @discardableResult
    public func nextRequest(to path: String, timeout: Duration? = .seconds(60)) async throws -> Request {
        try await nextRequest(timeout: timeout) { $0.path == path }
    }

    /// Suspends until that has happened to a connection; it may have happened before the call.
    ///
    /// - Parameters:
    ///   - timeout: `nil` waits for ever.
    ///   - condition: Looks at the event alone: it is called under the server's lock, so it mustn't use the server.
    /// - Returns: The first event for which `condition` holds.
    /// - Throws: ``WaitError``, or `CancellationError` if the task is cancelled.
    @discardableResult
    public func waitForConnectionEvent(
        timeout: Duration? = .seconds(60), where condition: @escaping @Sendable (ConnectionEvent) -> Bool
    ) async throws -> ConnectionEvent {
        try await record.wait(
            timeout: timeout,
            explain: { "waited for a connection event; have \(Array($0.events.elements.suffix(8)))" },
            until: { record, cursor in record.events.first(from: &cursor, where: condition) })
    }

    /// Suspends until that has happened to a connection; it may have happened before the call.
    ///
    /// - Throws: ``WaitError``, or `CancellationError` if the task is cancelled.
    public func waitForConnectionEvent(_ event: ConnectionEvent, timeout: Duration? = .seconds(60)) async throws {
        try await waitForConnectionEvent(timeout: timeout) { $0 == event }
    }

    /// Suspends until exactly `count` connections are open.
    ///
    /// - Throws: ``WaitError``, or `CancellationError` if the task is cancelled.
    public func waitForOpenConnections(count: Int, timeout: Duration? = .seconds(60)) async throws {
        try await record.wait(
            timeout: timeout,
            explain: { "waited for \(count) open connections; have \($0.openConnectionCount)" },
            until: { record, _ in record.openConnectionCount == count ? () : nil })
    }
}
