#if os(Linux)
import CCurl
import Glibc

/// The thread that runs libcurl: it carries out commands, lets libcurl work, tells callers what came, and sleeps.
///
/// - Isolation: the transport's thread alone, on which it is made; not `Sendable`, so the compiler sees to it.
/// - Owns: the multi handle with its connections, the easy handles, and the exchanges that run.
final class CurlLoop {
    /// libcurl's tables and the TLS library's, set up once for the process: not safe to repeat beside other threads.
    private static let globalSetUp = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    /// Handles kept for later transfers.
    private static let maximumIdleHandles = 32

    let configuration: CurlTransport.Configuration
    /// The time in nanoseconds, read once a turn.
    private(set) var now = CurlLoop.monotonicTime()

    private let mailbox: CurlMailbox
    private let multi: UnsafeMutableRawPointer?
    private let maximumRunning: Int
    private var queue: CurlQueue
    private var running: [ObjectIdentifier: CurlExchange] = [:]
    private var idleHandles: [CurlHandle] = []
    /// The exchanges whose callers have something to hear when the turn ends.
    private var news: [CurlExchange] = []
    private var commands: [CurlCommand] = []
    /// No exchange is late before then. Activity and ends move deadlines away without touching this.
    private var earliestDeadline = UInt64.max
    private var isStopping = false
    private var stopWaiters: [CheckedContinuation<Void, Never>] = []

    init(mailbox: CurlMailbox, configuration: CurlTransport.Configuration) {
        _ = Self.globalSetUp
        self.mailbox = mailbox
        self.configuration = configuration
        maximumRunning = max(1, configuration.maximumConnections)
        queue = CurlQueue(limitPerOrigin: max(1, configuration.maximumConnectionsPerHost), limit: maximumRunning)
        multi = curl_multi_init()
        let perHost = max(1, configuration.maximumConnectionsPerHost)
        calotype_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
        calotype_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumRunning)
        calotype_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maximumRunning)
        calotype_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    /// Runs until it is told to shut down.
    func run() {
        // Without memory for a multi handle the mailbox closes at once, and everything fails.
        while multi != nil {
            mailbox.take(into: &commands)
            for command in commands { carryOut(command) }
            // A command left here would keep its transfer, and so the transport, while the thread sleeps.
            commands.removeAll(keepingCapacity: true)
            if isStopping { break }
            startWaiting()
            var runningCount: Int32 = 0
            curl_multi_perform(multi, &runningCount)
            let hasFreed = finishCompleted()
            failLate()
            publishNews()
            // A transfer that has ended makes room for one that waits.
            if !(hasFreed && queue.count > 0) { sleep() }
            now = Self.monotonicTime()
        }
        close()
    }

    private static func monotonicTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    // MARK: Commands

    private func carryOut(_ command: CurlCommand) {
        switch command {
        case .start(let transfer):
            queue.insert(transfer)
        case .resume(let transfer):
            guard let exchange = running[ObjectIdentifier(transfer)] else { return }
            exchange.resume()
            noteDeadline(of: exchange)
        case .cancel(let transfer):
            if let exchange = running[ObjectIdentifier(transfer)] {
                stop(exchange)
                exchange.finish(.cancelled)
            } else {
                _ = queue.remove(ObjectIdentifier(transfer))
            }
        case .reprioritize(let id):
            if let transfer = queue.remove(id) {
                queue.insert(transfer)
            } else if let exchange = running[id] {
                let priority = exchange.transfer.request.priority.value
                queue.changed(&exchange.turn, to: priority)
                if exchange.transfer.request.isSecure { exchange.handle.setWeight(priority) }
            }
        case .count(let continuation):
            continuation.resume(
                returning: CurlCounts(
                    running: running.count, waiting: queue.count, idleHandles: idleHandles.count))
        case .shutDown(let continuation):
            isStopping = true
            if let continuation { stopWaiters.append(continuation) }
        }
    }

    // MARK: Exchanges

    private func startWaiting() {
        while let turn = queue.next() { start(turn) }
    }

    private func start(_ turn: CurlQueue.Turn) {
        let transfer = turn.transfer
        guard let handle = idleHandles.popLast() ?? CurlHandle(configuration) else {
            queue.finished(turn)
            transfer.publish(nil, end: .failed(HTTPTransportError(.other, detail: "No memory for a transfer.")))
            return
        }
        let exchange = CurlExchange(turn, handle: handle, loop: self)
        running[ObjectIdentifier(transfer)] = exchange
        let result = curl_multi_add_handle(multi, handle.easy)
        guard result == CURLM_OK else {
            stop(exchange)
            exchange.finish(
                .failed(HTTPTransportError(.other, detail: String(cString: curl_multi_strerror(result)))))
            return
        }
    }

    /// Takes the exchange out of libcurl. If it hasn't ended, its connection (or its HTTP/2 stream) closes.
    private func stop(_ exchange: CurlExchange) {
        curl_multi_remove_handle(multi, exchange.handle.easy)
        running[ObjectIdentifier(exchange.transfer)] = nil
        queue.finished(exchange.turn)
    }

    private func finishCompleted() -> Bool {
        var hasFinished = false
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let exchange = CurlExchange.of(easy)
            else { continue }
            // Removing the handle frees the message.
            let result = calotype_message_result(message)
            stop(exchange)
            exchange.finish(result)
            hasFinished = true
        }
        return hasFinished
    }

    // MARK: News

    /// Notes that the caller has something to hear when the turn ends.
    func noteNews(of exchange: CurlExchange) {
        guard !exchange.hasNews else { return }
        exchange.hasNews = true
        news.append(exchange)
    }

    private func publishNews() {
        for exchange in news {
            exchange.hasNews = false
            exchange.publish()
            if exchange.end != nil, idleHandles.count < Self.maximumIdleHandles { idleHandles.append(exchange.handle) }
        }
        news.removeAll(keepingCapacity: true)
    }

    // MARK: Time

    /// Notes that the exchange may become late.
    func noteDeadline(of exchange: CurlExchange) {
        if let deadline = exchange.deadline { earliestDeadline = min(earliestDeadline, deadline) }
    }

    private func failLate() {
        guard now >= earliestDeadline else { return }
        earliestDeadline = .max
        for exchange in Array(running.values) {
            guard let error = exchange.lateness(at: now) else {
                noteDeadline(of: exchange)
                continue
            }
            stop(exchange)
            exchange.finish(.failed(error))
        }
    }

    private func sleep() {
        guard mailbox.prepareToSleep() else { return }
        var waiting = curl_waitfd(fd: mailbox.descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        var readyCount: Int32 = 0
        // libcurl wakes earlier for its own timers.
        let milliseconds = (earliestDeadline - min(now, earliestDeadline)) / 1_000_000 + 1
        // Out of descriptors there is nothing to wake us: look for commands now and then.
        let limit: Int32 = mailbox.descriptor >= 0 ? .max : 10
        curl_multi_poll(multi, &waiting, 1, min(limit, Int32(clamping: milliseconds)), &readyCount)
        if waiting.revents != 0 { calotype_event_clear(mailbox.descriptor) }
    }

    // MARK: The end

    private func close() {
        for exchange in Array(running.values) {
            stop(exchange)
            exchange.finish(.failed(.shutDown))
        }
        publishNews()
        idleHandles = []
        curl_multi_cleanup(multi)
        for transfer in queue.removeAll() { transfer.publish(nil, end: .failed(.shutDown)) }
        for command in mailbox.close() {
            switch command {
            case .start(let transfer): transfer.publish(nil, end: .failed(.shutDown))
            case .count, .shutDown: carryOut(command)
            case .resume, .cancel, .reprioritize: break
            }
        }
        for waiter in stopWaiters { waiter.resume() }
    }
}
#endif
