#if os(Linux)
import CCurl
import Foundation

/// An easy handle with what belongs to it. It is used for one exchange after another.
///
/// - Isolation: the transport's thread alone; not `Sendable`, so the compiler sees to it.
/// - Owns: the easy handle, its error buffer, and the list of request fields, until it goes.
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    private let configuration: CurlTransport.Configuration
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private var lines: UnsafeMutablePointer<curl_slist>?
    /// Whether the last request left options that the next one doesn't set.
    private var needsReset = false

    /// - Returns: `nil` if there is no memory.
    init?(_ configuration: CurlTransport.Configuration) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.configuration = configuration
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        setUp()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(lines)
        errorBuffer.deallocate()
    }

    /// libcurl's own words on the last failure.
    var detail: String { String(cString: errorBuffer) }

    /// Sets what is the same for every request.
    private func setUp() {
        calotype_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer)
        calotype_easy_set_long(easy, CURLOPT_NOSIGNAL, 1)
        calotype_easy_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        calotype_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        calotype_easy_set_long(easy, CURLOPT_HTTP09_ALLOWED, 0)
        calotype_easy_set_long(easy, CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        calotype_easy_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // The URL is sent as it was given, "/../" included.
        calotype_easy_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        // Otherwise a cancelled exchange whose name is being looked up blocks the thread until the resolver answers.
        calotype_easy_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        // Room for a head and an image of usual size, so that both come in one call.
        calotype_easy_set_long(easy, CURLOPT_BUFFERSIZE, 64 * 1024)
        // It is libcurl's one switch for both kinds of coding. Content codings it leaves alone either way, as it isn't told to
        // ask for any: see `DecodedBody`.
        if !configuration.decodesCodings { calotype_easy_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0) }
        if !configuration.usesEnvironmentProxies { calotype_easy_set_string(easy, CURLOPT_PROXY, "") }
        if let path = configuration.certificateBundlePath { calotype_easy_set_string(easy, CURLOPT_CAINFO, path) }
        calotype_easy_close_on_exec(easy)
        calotype_easy_set_data_function(easy, CURLOPT_HEADERFUNCTION, CurlExchange.onHeader)
        calotype_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION, CurlExchange.onBody)
        calotype_easy_set_prereq_function(easy, CurlExchange.onConnected)
    }

    /// Sets what `request` asks for. The callbacks get `context`.
    func prepare(_ request: CurlRequest, context: UnsafeMutableRawPointer) {
        if needsReset {
            curl_easy_reset(easy)
            setUp()
        }
        errorBuffer[0] = 0
        calotype_easy_set_string(easy, CURLOPT_URL, request.url)
        setFields(request.lines)
        setMethod(request)
        let connect = request.timeouts.connect.wholeMilliseconds
        calotype_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, connect)
        // Over plain TCP curl would wait for the first connection of a host to say that it can't multiplex.
        let version = request.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        calotype_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(version))
        calotype_easy_set_long(easy, CURLOPT_PIPEWAIT, request.isSecure ? 1 : 0)
        if request.isSecure { setWeight(request.priority.value) }
        calotype_easy_set_pointer(easy, CURLOPT_PRIVATE, context)
        calotype_easy_set_pointer(easy, CURLOPT_HEADERDATA, context)
        calotype_easy_set_pointer(easy, CURLOPT_WRITEDATA, context)
        calotype_easy_set_pointer(easy, CURLOPT_PREREQDATA, context)
    }

    private func setFields(_ newLines: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in newLines { list = curl_slist_append(list, line) ?? list }
        calotype_easy_set_fields(easy, list)
        curl_slist_free_all(lines)
        lines = list
    }

    private func setMethod(_ request: CurlRequest) {
        needsReset = request.body != nil || request.method != "GET" && request.method != "HEAD"
        calotype_easy_set_long(easy, CURLOPT_HTTPGET, 1)
        if let body = request.body {
            calotype_easy_set_long(easy, CURLOPT_POST, 1)
            calotype_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
            body.withUnsafeBytes { bytes in
                // Bytes, not a string: the size before says how many.
                let address = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                address.map { _ = calotype_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, $0) }
            }
            if body.isEmpty { calotype_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, "") }
            calotype_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method)
        } else if request.method == "HEAD" {
            calotype_easy_set_long(easy, CURLOPT_NOBODY, 1)
        } else if request.method != "GET" {
            calotype_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    /// Tells an HTTP/2 server how much of a shared connection the exchange is to get.
    func setWeight(_ priority: ImageRequest.Priority) {
        let weight =
            switch priority {
            case .veryLow: 1
            case .low: 8
            case .normal: 32
            case .high: 128
            case .veryHigh: 256
            }
        calotype_easy_set_long(easy, CURLOPT_STREAM_WEIGHT, weight)
    }
}
#endif
