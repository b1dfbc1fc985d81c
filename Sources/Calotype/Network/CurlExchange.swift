#if os(Linux)
import CCurl
import Foundation

/// One exchange that libcurl works on: the loop's side of a ``CurlTransfer``.
///
/// What arrives in one turn of the loop is gathered here and in the transfer, and is told to the caller when the turn
/// ends: a small response costs one resumption, and nobody is resumed from within libcurl.
///
/// - Isolation: the transport's thread alone; not `Sendable`, so the compiler sees to it.
final class CurlExchange {
    /// As the queue counts it.
    var turn: CurlQueue.Turn
    let handle: CurlHandle
    /// When the server was last heard, or the request began to be sent; `nil` until then. The idle time starts there.
    private(set) var lastActivity: UInt64?
    /// When the exchange fails, whatever comes until then. Its time starts with the idle time.
    private var totalDeadline = UInt64.max
    /// Set while the reader is slow: then the server's silence is our doing.
    private(set) var isPaused = false
    /// Whether the loop has it in its list of exchanges with news.
    var hasNews = false
    private(set) var end: CurlTransfer.End?

    /// The loop lets go of every exchange before it ends, so there is no cycle that stays.
    private let loop: CurlLoop
    private var head = CurlHead()
    private var isHeadPublished = false
    private var receivedByteCount: Int64 = 0
    private var expectedByteCount: Int64?
    /// Why a callback stopped libcurl.
    private var failure: HTTPTransportError?

    init(_ turn: CurlQueue.Turn, handle: CurlHandle, loop: CurlLoop) {
        self.turn = turn
        self.handle = handle
        self.loop = loop
        // libcurl gives the address back to the callbacks and with its messages. The loop keeps the exchange until it
        // has removed the handle from the multi handle, after which neither comes any more.
        handle.prepare(transfer.request, context: Unmanaged.passUnretained(self).toOpaque())
    }

    var transfer: CurlTransfer { turn.transfer }
    private var origin: CurlOrigin { turn.origin }

    /// The exchange that the handle works for.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlExchange? {
        // The address that `init` has set; the handle is still in the multi handle, so the loop keeps the exchange.
        calotype_easy_get_context(easy).map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: What libcurl calls

    // In each, the address is the exchange's, which the loop keeps as long as libcurl has the handle: see `init`.

    static let onHeader: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
        bytes, size, count, context in
        let exchange = Unmanaged<CurlExchange>.fromOpaque(context!).takeUnretainedValue()
        return exchange.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
    }

    static let onBody: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
        bytes, size, count, context in
        let exchange = Unmanaged<CurlExchange>.fromOpaque(context!).takeUnretainedValue()
        return switch exchange.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) {
        case .taken: size * count
        case .paused: Int(CURL_WRITEFUNC_PAUSE)
        case .refused: 0
        }
    }

    static let onConnected:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32
        ) -> Int32 = { context, _, _, _, _ in
            let exchange = Unmanaged<CurlExchange>.fromOpaque(context!).takeUnretainedValue()
            exchange.noteActivity()
            return CURL_PREREQFUNC_OK
        }

    private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        noteActivity()
        let isTrailer = head.isComplete
        do {
            try head.receive(line)
        } catch {
            failure = error
            return false
        }
        guard !isTrailer else { return true }
        if let interim = head.interim.take() { transfer.request.onInterimResponse?(interim.status, interim.fields) }
        if head.isComplete {
            if head.fields["Transfer-Encoding"] == nil {
                let length = calotype_easy_get_size(handle.easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
                expectedByteCount = length >= 0 ? length : nil
            } else {
                head.removeLength()
            }
            loop.noteNews(of: self)
        }
        return true
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> CurlTransfer.Receipt {
        noteActivity()
        guard head.isComplete else {
            failure = HTTPTransportError(.malformedResponse, detail: "A body without the head of a final response.")
            return .refused
        }
        let expected = expectedByteCount.flatMap { Int(exactly: $0 - receivedByteCount) }
        let receipt = transfer.receive(bytes, expected: expected, limit: loop.configuration.bodyBufferByteCount)
        switch receipt {
        case .taken:
            receivedByteCount += Int64(bytes.count)
            loop.noteNews(of: self)
        case .paused: isPaused = true
        case .refused: break
        }
        return receipt
    }

    private func noteActivity() {
        let isFirst = lastActivity == nil
        lastActivity = loop.now
        guard isFirst else { return }
        totalDeadline = loop.now + transfer.request.timeouts.total.timeoutNanoseconds
        loop.noteDeadline(of: self)
    }

    // MARK: What the loop calls

    /// Lets more bytes come.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        noteActivity()
        // It may call `onBody`, which may pause again.
        curl_easy_pause(handle.easy, CURLPAUSE_CONT)
    }

    /// When the exchange fails unless it is complete, or the server is heard; `nil` before the request is sent.
    var deadline: UInt64? {
        guard let lastActivity else { return nil }
        guard !isPaused else { return totalDeadline }
        return min(totalDeadline, lastActivity + transfer.request.timeouts.idle.timeoutNanoseconds)
    }

    /// The limit that the exchange has reached; `nil` if it may go on.
    func lateness(at now: UInt64) -> HTTPTransportError? {
        guard let deadline, deadline <= now else { return nil }
        let timeouts = transfer.request.timeouts
        return totalDeadline <= now ? .exceeded(total: timeouts.total) : .exceeded(idle: timeouts.idle)
    }

    /// Notes how the exchange ended. The handle is out of the multi handle, or about to be.
    func finish(_ result: CURLcode) {
        if result == CURLE_OK {
            // libcurl is content with a head that ends where the connection does.
            let lost = HTTPTransportError(.connectionLost, detail: "The connection closed inside the head.")
            finish(head.isComplete ? .complete : .failed(lost))
            return
        }
        let error =
            failure
            ?? HTTPTransportError(
                result, received: receivedByteCount, expected: expectedByteCount, hasHead: head.isComplete,
                systemError: Int32(calotype_easy_get_long(handle.easy, CURLINFO_OS_ERRNO)), detail: handle.detail)
        finish(.failed(error))
    }

    /// Notes how the exchange ended.
    func finish(_ end: CurlTransfer.End) {
        self.end = end
        loop.noteNews(of: self)
    }

    /// Tells the caller what the turn has brought.
    func publish() {
        var response: HTTPResponse?
        if head.isComplete, !isHeadPublished {
            isHeadPublished = true
            let metrics = metrics
            if metrics.networkProtocol == "h2" { origin.isMultiplexed = true }
            response = HTTPResponse(status: head.status, fields: head.fields, metrics: metrics)
        }
        transfer.publish(response, end: end)
    }

    private var metrics: HTTPExchangeMetrics {
        let isReused = calotype_easy_get_long(handle.easy, CURLINFO_NUM_CONNECTS) == 0
        let version = calotype_easy_get_long(handle.easy, CURLINFO_HTTP_VERSION)
        let name: String? =
            switch version {
            case Int(CURL_HTTP_VERSION_1_0): "http/1.0"
            case Int(CURL_HTTP_VERSION_1_1): "http/1.1"
            case Int(CURL_HTTP_VERSION_2_0): "h2"
            default: nil
            }
        let port = Int(calotype_easy_get_long(handle.easy, CURLINFO_LOCAL_PORT))
        guard !isReused else {
            return HTTPExchangeMetrics(
                networkProtocol: name, reusedConnection: true, connectTime: .zero, connectionID: port)
        }
        let info = transfer.request.isSecure ? CURLINFO_APPCONNECT_TIME_T : CURLINFO_CONNECT_TIME_T
        let time = Duration.microseconds(calotype_easy_get_size(handle.easy, info))
        return HTTPExchangeMetrics(
            networkProtocol: name, reusedConnection: false, connectTime: time, connectionID: port)
    }
}
#endif
