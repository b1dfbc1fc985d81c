import CalotypeTesting
import Foundation
import Synchronization
import Testing

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

@Suite("Loopback server: many connections", .serialized)
struct LoopbackServerLoadTests {
    private static let count = 1_500
    /// Two for each connection, since both ends are here, and what else the tests have open.
    private static let mayOpenMany = allowOpenFiles(count * 2 + 500)

    @Test(
        "1,500 connections are held at a time and all are answered",
        .enabled(if: mayOpenMany, "This process may not have 3,500 files open."))
    func manyConnections() async throws {
        let count = Self.count
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.respond(to: "/", with: .ok(Data("x".utf8)).gated(gate))
        let clients = try (0..<count).map { _ in try RawClient(port: server.port) }
        for client in clients { client.request("GET", "/") }
        try await gate.waitUntilHeld(count: count)
        #expect(server.openConnectionCount == count)
        gate.open()
        for client in clients { #expect(try client.response().text == "x") }
        for client in clients { client.close() }
        try await server.waitForOpenConnections(count: 0)
        #expect(server.connectionCount == count)
    }

    @Test("small keep-alive requests: the rate is printed, not judged")
    func throughput() async throws { try await measure(idleConnections: 0) }

    @Test(
        "small keep-alive requests among 1,500 idle connections: the rate is printed, not judged",
        .enabled(if: mayOpenMany, "This process may not have 3,500 files open."))
    func throughputAmongMany() async throws { try await measure(idleConnections: Self.count) }

    private func measure(idleConnections: Int) async throws {
        #if DEBUG
        let rounds = 100
        #else
        let rounds = 4000
        #endif
        let server = try LoopbackServer(logLimit: 1000)
        let idle = try (0..<idleConnections).map { _ in try RawClient(port: server.port) }
        try await server.waitForOpenConnections(count: idle.count)
        // Scripts run on the server's thread, so they can tell what it has spent.
        let spent = Mutex((first: Duration?.none, last: Duration.zero))
        server.route("/") { _ in
            let time = threadTime()
            spent.withLock { $0 = ($0.first ?? time, time) }
            return .ok(Data("0123456789".utf8), type: "text/plain")
        }
        let clients = try (0..<16).map { _ in try RawClient(port: server.port) }
        let start = ContinuousClock.now
        for _ in 0..<rounds {
            for client in clients {
                client.request("GET", "/", lines: ["Accept: image/*", "User-Agent: test", "Accept-Encoding: identity"])
            }
            for client in clients { _ = try client.readSmallResponse() }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let count = rounds * clients.count
        #expect(server.requestCount == count)
        let nanoseconds = Int(spent.withLock { $0.last - ($0.first ?? .zero) } / .nanoseconds(count))
        print(
            "Loopback server, \(idle.count) idle connections: \(Int(Double(count) / seconds)) requests/s with this client;",
            "\(nanoseconds) ns of its thread's CPU each, so \(1_000_000_000 / max(nanoseconds, 1))/s on one core")
        for client in idle { client.close() }
    }

    /// Raises the process's limit on open files where that is needed and allowed.
    private static func allowOpenFiles(_ count: Int) -> Bool {
        #if canImport(Darwin)
        let resource = RLIMIT_NOFILE
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return false }
        if limit.rlim_cur >= rlim_t(count) { return true }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
        return setrlimit(resource, &limit) == 0 && limit.rlim_cur >= rlim_t(count)
    }
}

extension RawClient {
    /// Reads by length alone: parsing would cost the client more than the server spends.
    fileprivate func readSmallResponse() throws -> [UInt8] {
        try read("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n0123456789".utf8.count)
    }
}
