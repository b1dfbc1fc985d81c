import Foundation

/// The server's thread: accepts, reads, runs the scripts and keeps the time, for all connections.
///
/// - Isolation: `@unchecked Sendable`. The properties under "the thread's own" are touched by the thread that ``run()``
///   is called on, and by `init` before that. The others are immutable and guard themselves.
/// - Owns: the listener and the connections, from `init` until ``run()`` returns.
final class ServerLoop: @unchecked Sendable {
    // Any thread.
    let port: UInt16
    let router: Router
    let record: Monitor<ServerRecord>
    let mailbox: ServerMailbox

    // The thread's own.
    private var poller = Poller()
    private let listener: Int32
    private var connections: [Int: ServerConnection] = [:]
    private var timers = TimerQueue()
    private var nextConnectionID = 1
    private var nextTicket = 1
    private let input: UnsafeMutableRawBufferPointer

    private static let listenerToken = -1
    private static let mailToken = -2

    init(port: UInt16, router: Router, record: Monitor<ServerRecord>) throws(LoopbackServer.StartError) {
        mailbox = try ServerMailbox()
        (listener, self.port) = try Socket.listen(port: port)
        // After what may fail: a class that isn't complete has no deinit.
        input = .allocate(byteCount: 64 << 10, alignment: 16)
        self.router = router
        self.record = record
        poller.add(listener, token: Self.listenerToken)
        poller.add(mailbox.descriptor, token: Self.mailToken)
    }

    deinit { input.deallocate() }

    /// Serves until the mailbox says stop, then closes everything.
    func run() {
        var ready: [Poller.Readiness] = []
        while true {
            var hasMail = false
            poller.wait(milliseconds: millisecondsToNextTimer(), into: &ready)
            for event in ready {
                switch event.token {
                case Self.listenerToken:
                    acceptAll()
                case Self.mailToken:
                    hasMail = true
                default:
                    // One earlier in this batch may have closed it.
                    if event.isReadable, let connection = connections[event.token] { receive(connection) }
                    if event.isWritable, let connection = connections[event.token] { writable(connection) }
                }
            }
            if hasMail, runCommands() { break }
            runTimers()
        }
        finish()
    }

    private func finish() {
        for connection in connections.values.sorted(by: { $0.id < $1.id }) {
            end(connection, event: .closedByServer(connection.id))
        }
        poller.remove(listener)
        poller.remove(mailbox.descriptor)
        close(listener)
    }

    /// Rounded up: a timer that is looked at too early would spin.
    private func millisecondsToNextTimer() -> Int32 {
        guard let next = timers.next else { return -1 }
        let milliseconds = ContinuousClock.now.duration(to: next) / .milliseconds(1)
        return Int32(min(max(milliseconds.rounded(.up), 0), 60_000))
    }

    /// - Returns: Whether the server is to stop.
    private func runCommands() -> Bool {
        for command in mailbox.take() {
            switch command {
            case .stop:
                return true
            case .resume(let connectionID, let ticket):
                resume(connectionID, ticket)
            case .closeConnections(let resets):
                for connection in connections.values.sorted(by: { $0.id < $1.id }) {
                    end(connection, event: .closedByServer(connection.id), resets: resets)
                }
            }
        }
        return false
    }

    private func runTimers() {
        guard timers.next != nil else { return }
        let now = ContinuousClock.now
        while let timer = timers.takeDue(at: now) {
            if timer.connectionID == Self.listenerToken {
                poller.add(listener, token: Self.listenerToken)
            } else {
                resume(timer.connectionID, timer.ticket)
            }
        }
    }

    /// Goes on after a pause, unless the connection has gone on or closed for another reason.
    private func resume(_ connectionID: Int, _ ticket: Int) {
        guard let connection = connections[connectionID], case .ticket(ticket) = connection.wait else { return }
        connection.wait = .nothing
        connection.heldAt = nil
        if connection.isLingering {
            end(connection, event: nil)
        } else {
            advance(connection)
        }
    }

    private func addTimer(_ duration: Duration, connectionID: Int) -> Int {
        nextTicket += 1
        timers.add(.init(deadline: .now + duration, connectionID: connectionID, ticket: nextTicket))
        return nextTicket
    }

    private func acceptAll() {
        while true {
            switch Socket.accept(listener) {
            case .connection(let descriptor):
                let connection = ServerConnection(id: nextConnectionID, descriptor: descriptor)
                nextConnectionID += 1
                connections[connection.id] = connection
                poller.add(descriptor, token: connection.id)
                record.withLock { $0.add(.opened(connection.id)) }
            case .nothing:
                return
            case .exhausted:
                // The connection stays in the backlog, where it would wake this thread again and again.
                poller.remove(listener)
                _ = addTimer(.milliseconds(10), connectionID: Self.listenerToken)
                return
            }
        }
    }

    private func receive(_ connection: ServerConnection) {
        switch Socket.receive(connection.descriptor, into: input) {
        case .wouldBlock:
            return
        case .ended:
            // A client that closes only its sending side looks the same; noticing a close at once matters more here.
            end(connection, event: connection.isLingering ? nil : .closedByClient(connection.id))
        case .bytes(let count):
            if connection.isLingering { return }
            connection.parser.append(UnsafeRawBufferPointer(rebasing: input[..<count]))
            if !connection.isBusy {
                advance(connection)
            } else if connection.parser.unreadByteCount > RequestParser.bodyByteLimit {
                end(connection, event: .closedByServer(connection.id), resets: true)
            }
        }
    }

    private func writable(_ connection: ServerConnection) {
        guard case .writable = connection.wait else { return }
        poller.watchWriting(connection.descriptor, false)
        connection.wait = .nothing
        advance(connection)
    }

    /// Runs steps and takes requests until one has to wait.
    private func advance(_ connection: ServerConnection) {
        while true {
            guard let step = connection.step else {
                guard let steps = nextSteps(connection) else { return }
                connection.begin(steps)
                continue
            }
            switch step {
            case .send(let data):
                guard send(data, on: connection) else { return }
            case .pause(let duration):
                connection.wait = .ticket(addTimer(duration, connectionID: connection.id))
                connection.stepIndex += 1
                return
            case .gate(let gate):
                connection.stepIndex += 1
                if hold(connection, at: gate) { return }
                continue
            case .stream(let stream):
                guard pass(stream, to: connection) else { return }
            case .hang:
                connection.wait = .forever
                return
            case .close(let resets):
                end(connection, event: .closedByServer(connection.id), resets: resets)
                return
            case .linger:
                linger(connection)
                return
            }
            connection.stepIndex += 1
        }
    }

    /// What to do about the bytes that have been read; `nil` if they aren't enough.
    private func nextSteps(_ connection: ServerConnection) -> [ResponseStep]? {
        switch connection.parser.next() {
        case .incomplete:
            return nil
        case .expectsContinue:
            return [.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))]
        case .malformed(let status):
            var steps = LoopbackServer.Response.status(status).closing().steps(method: "GET", keepsAlive: false)
            steps[steps.count - 1] = .linger
            return steps
        case .request(let head, let body):
            let request = record.withLock { record in
                record.add(
                    LoopbackServer.Request(
                        method: head.method, path: head.path, query: head.query, fields: head.fields, body: body,
                        connectionID: connection.id))
            }
            if let handler = router.streaming {
                let streamed = LoopbackServer.StreamedRequest(
                    request: request, keepsAlive: head.keepsAlive, isHTTP11: head.isHTTP11)
                return [.stream(handler(streamed))]
            }
            return router.response(to: request).steps(method: head.method, keepsAlive: head.keepsAlive)
        }
    }

    /// - Returns: Whether all has been sent; if not, the connection waits or is closed.
    private func send(_ data: Data, on connection: ServerConnection) -> Bool {
        while connection.sentByteCount < data.count {
            let outcome = data.withUnsafeBytes { bytes in
                Socket.send(connection.descriptor, UnsafeRawBufferPointer(rebasing: bytes[connection.sentByteCount...]))
            }
            switch outcome {
            case .bytes(let count):
                connection.sentByteCount += count
            case .wouldBlock:
                connection.wait = .writable
                poller.watchWriting(connection.descriptor, true)
                return false
            case .ended:
                end(connection, event: .closedByClient(connection.id))
                return false
            }
        }
        connection.sentByteCount = 0
        return true
    }

    /// - Returns: Whether the stream has ended, and the connection goes on.
    private func pass(_ stream: ResponseStream, to connection: ServerConnection) -> Bool {
        while true {
            if let bytes = connection.streamed {
                guard send(bytes, on: connection) else { return false }
                connection.streamed = nil
            }
            nextTicket += 1
            let taken = stream.take { [mailbox, id = connection.id, ticket = nextTicket] in
                mailbox.post(.resume(connectionID: id, ticket: ticket))
            }
            switch taken {
            case .bytes(let bytes):
                connection.streamed = bytes
            case .end(.kept):
                return true
            case .end(.closing), .end(.aborted):
                end(connection, event: .closedByServer(connection.id))
                return false
            case .nothingYet:
                connection.wait = .ticket(nextTicket)
                return false
            }
        }
    }

    /// - Returns: Whether the connection waits; an open gate holds nobody.
    private func hold(_ connection: ServerConnection, at gate: LoopbackServer.Gate) -> Bool {
        nextTicket += 1
        let ticket = nextTicket
        let place = gate.hold { [mailbox, id = connection.id] in
            mailbox.post(.resume(connectionID: id, ticket: ticket))
        }
        guard let place else { return false }
        connection.wait = .ticket(ticket)
        connection.heldAt = (gate, place)
        return true
    }

    private func linger(_ connection: ServerConnection) {
        Socket.finishSending(connection.descriptor)
        connection.isLingering = true
        connection.wait = .ticket(addTimer(.seconds(1), connectionID: connection.id))
        record.withLock { $0.add(.closedByServer(connection.id)) }
    }

    /// - Parameter event: What is recorded; `nil` if it has been already.
    private func end(
        _ connection: ServerConnection, event: LoopbackServer.ConnectionEvent?, resets: Bool = false
    ) {
        connections[connection.id] = nil
        poller.remove(connection.descriptor)
        if resets {
            Socket.reset(connection.descriptor)
        } else {
            close(connection.descriptor)
        }
        if let held = connection.heldAt { held.gate.leave(held.place) }
        if case .stream(let stream) = connection.step { stream.close() }
        if let event, !connection.isLingering { record.withLock { $0.add(event) } }
    }
}
