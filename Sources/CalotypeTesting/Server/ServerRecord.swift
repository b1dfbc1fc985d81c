/// What the server has seen.
struct ServerRecord: Sendable {
    private(set) var requests: BoundedLog<LoopbackServer.Request>
    private(set) var events: BoundedLog<LoopbackServer.ConnectionEvent>
    private(set) var openConnectionCount = 0
    private(set) var connectionCount = 0
    /// `nextRequest` has handed out every request up to this number,
    private var claimedPrefix = 0
    /// and those of these numbers.
    private var claimed: Set<Int> = []

    init(limit: Int) {
        requests = BoundedLog(limit: limit)
        events = BoundedLog(limit: limit)
    }

    /// Gives the request its number, and keeps it.
    mutating func add(_ request: LoopbackServer.Request) -> LoopbackServer.Request {
        var request = request
        request.number = requests.count + 1
        requests.append(request)
        return request
    }

    /// Hands out the first request that hasn't been handed out and for which `condition` holds.
    mutating func claimFirst(
        from cursor: inout Int, where condition: (LoopbackServer.Request) -> Bool
    ) -> LoopbackServer.Request? {
        cursor = max(cursor, claimedPrefix)
        let found = requests.first(from: &cursor) { !claimed.contains($0.number) && condition($0) }
        if let found {
            claimed.insert(found.number)
            while claimed.remove(claimedPrefix + 1) != nil { claimedPrefix += 1 }
        }
        return found
    }

    mutating func add(_ event: LoopbackServer.ConnectionEvent) {
        switch event {
        case .opened:
            openConnectionCount += 1
            connectionCount += 1
        case .closedByClient, .closedByServer:
            openConnectionCount -= 1
        }
        events.append(event)
    }

    /// The number of requests and the last few of them, for messages.
    var recentRequests: String {
        let recent = requests.elements.suffix(8).map(\.description).joined(separator: ", ")
        return recent.isEmpty ? "\(requests.count)" : "\(requests.count): \(recent)"
    }
}

/// The last elements of a sequence that may be longer than one wants to keep.
struct BoundedLog<Element: Sendable>: Sendable {
    /// The number of elements so far, whether kept or not.
    private(set) var count = 0
    private var kept: [Element] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    mutating func append(_ element: Element) {
        // In lots, so that each element is moved once on average.
        if kept.count >= max(limit, 16), kept.count - limit >= limit { kept.removeFirst(kept.count - limit) }
        if limit > 0 { kept.append(element) }
        count += 1
    }

    /// What is kept, oldest first.
    var elements: ArraySlice<Element> { kept.suffix(limit) }

    /// The first element at or after the cursor for which `condition` holds. Moves the cursor past what was looked at.
    func first(from cursor: inout Int, where condition: (Element) -> Bool) -> Element? {
        let dropped = count - kept.count
        while cursor < count {
            defer { cursor += 1 }
            if cursor >= dropped, condition(kept[cursor - dropped]) { return kept[cursor - dropped] }
        }
        return nil
    }
}
