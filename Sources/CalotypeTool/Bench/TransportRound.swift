import Calotype
import CalotypeTesting
import Foundation

#if os(Linux)
import CCurl
#endif

/// One client's requests, in a process of their own.
struct TransportRound: Sendable {
    enum Client: String, Sendable {
        case easy = "easy-requests"
        case transport = "transport-requests"
    }

    static let bodyByteCount = 20_480
    /// What is asked for: nothing that could be compressed.
    static var body: Data {
        var random = SeededGenerator(seed: 20)
        return Data((0..<bodyByteCount).map { _ in random.byte() })
    }

    let client: Client
    /// Threads with a handle each, or tasks.
    let concurrency: Int
    let requestCount: Int
    let url: URL

    init(client: Client, concurrency: Int, requestCount: Int, url: URL) {
        self.client = client
        self.concurrency = concurrency
        self.requestCount = requestCount
        self.url = url
    }

    /// Reads what ``arguments`` gives; `nil` if it is something else.
    init?(_ arguments: [String]) {
        guard arguments.count == 4, let client = Client(rawValue: arguments[0]), let concurrency = Int(arguments[1]),
            let requestCount = Int(arguments[2]), let url = URL(string: arguments[3]),
            concurrency > 0, requestCount >= concurrency
        else { return nil }
        self.init(client: client, concurrency: concurrency, requestCount: requestCount, url: url)
    }

    var arguments: [String] { [client.rawValue, "\(concurrency)", "\(requestCount)", url.absoluteString] }

    private var perClient: Int { requestCount / concurrency }

    /// User and system time of this process, for one request.
    func cpuMicroseconds() async throws -> Double {
        #if os(Linux)
        let before = ProcessTime.nanoseconds()
        switch client {
        case .easy: try runEasy()
        case .transport: try await runTransport()
        }
        return Double(ProcessTime.nanoseconds() - before) / 1_000 / Double(perClient * concurrency)
        #else
        throw BenchError("CurlTransport is for Linux.")
        #endif
    }

    #if os(Linux)
    private func runTransport() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.usesEnvironmentProxies = false
        let transport = CurlTransport(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<concurrency { group.addTask { try await request(transport) } }
            try await group.waitForAll()
        }
        await transport.shutDown()
    }

    /// `@concurrent`: the clients share the pool's threads, as the pipeline's loads do.
    @concurrent private func request(_ transport: CurlTransport) async throws {
        for _ in 0..<perClient {
            let response = try await transport.send(HTTPRequest(url: url))
            var count = 0
            for try await piece in response.body { count += piece.count }
            guard response.status == 200, count == Self.bodyByteCount else {
                throw BenchError("Status \(response.status), \(count) bytes.")
            }
        }
    }

    /// What libcurl itself takes: a thread for each client, and nothing between it and its handle.
    private func runEasy() throws {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        let clients = EasyClients(count: concurrency)
        // As many threads as clients: Dispatch would have as many as cores.
        let threads = (0..<concurrency).map { _ in
            Thread { clients.finish(easyByteCount()) }
        }
        for thread in threads { thread.start() }
        let received = clients.wait()
        guard received == perClient * concurrency * Self.bodyByteCount else {
            throw BenchError("The easy interface got \(received) bytes.")
        }
    }

    private func easyByteCount() -> Int {
        guard let easy = curl_easy_init() else { return 0 }
        defer { curl_easy_cleanup(easy) }
        var byteCount = 0
        withUnsafeMutablePointer(to: &byteCount) { context in
            _ = calotype_easy_set_long(easy, CURLOPT_NOSIGNAL, 1)
            _ = calotype_easy_set_string(easy, CURLOPT_PROXY, "")
            _ = calotype_easy_set_pointer(easy, CURLOPT_WRITEDATA, context)
            _ = calotype_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION) { _, size, count, context in
                context?.assumingMemoryBound(to: Int.self).pointee += size * count
                return size * count
            }
            for _ in 0..<perClient {
                // Again for each request, as it would be for different ones.
                _ = calotype_easy_set_string(easy, CURLOPT_URL, url.absoluteString)
                if curl_easy_perform(easy) != CURLE_OK { return }
            }
        }
        return byteCount
    }
    #endif
}

#if os(Linux)
/// Threads that have to end, and what they received.
///
/// `@unchecked Sendable`: `byteCount` and `running` are guarded by `condition`.
private final class EasyClients: @unchecked Sendable {
    private let condition = NSCondition()
    private var byteCount = 0
    private var running: Int

    init(count: Int) { running = count }

    func finish(_ received: Int) {
        condition.withLock {
            byteCount += received
            running -= 1
            condition.signal()
        }
    }

    /// The bytes of all of them, once all have ended.
    func wait() -> Int {
        condition.withLock {
            while running > 0 { condition.wait() }
            return byteCount
        }
    }
}
#endif
