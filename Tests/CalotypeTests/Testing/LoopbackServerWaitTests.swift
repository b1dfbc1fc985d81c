import CalotypeTesting
import Foundation
import Testing

@Suite("Loopback server: waiting for what reaches it")
struct LoopbackServerWaitTests {
    private let server: LoopbackServer
    private let client: RawClient

    init() throws {
        server = try LoopbackServer()
        client = try RawClient(port: server.port)
    }

    @Test("a wait ends with the request that it waits for, whether that has come already or not")
    func waitForRequests() async throws {
        let server = server
        async let later = server.waitForRequests(count: 2)
        client.request("GET", "/1")
        #expect(try await server.waitForRequests(count: 1).first?.path == "/1")
        client.request("GET", "/2")
        #expect(try await later.map(\.path) == ["/1", "/2"])
    }

    @Test("nextRequest hands out each request once, in order")
    func nextRequest() async throws {
        let server = server
        for path in ["/1", "/2", "/3", "/2"] { _ = try client.exchange("GET", path) }
        #expect(try await server.nextRequest(to: "/2").number == 2)
        #expect(try await server.nextRequest().number == 1)
        #expect(try await server.nextRequest { $0.path == "/2" }.number == 4)
        #expect(try await server.nextRequest().number == 3)
        async let fifth = server.nextRequest()
        client.request("GET", "/5")
        #expect(try await fifth.number == 5)
    }

    @Test("two waits get two requests")
    func competingWaits() async throws {
        let server = server
        async let first = server.nextRequest().number
        async let second = server.nextRequest().number
        client.request("GET", "/1")
        client.request("GET", "/2")
        #expect(Set(try await [first, second]) == [1, 2])
    }

    @Test("a timeout says what was awaited and what there was")
    func timeout() async throws {
        _ = try client.exchange("GET", "/cat.png?w=1")
        let error = await #expect(throws: WaitError.self) {
            try await server.waitForRequests(count: 2, timeout: .milliseconds(1))
        }
        #expect(error?.reason == .timedOut(.milliseconds(1)))
        #expect(
            error?.description
                == "Timed out after 0.001 seconds: waited for 2 requests; have 1: GET /cat.png?w=1")
        await #expect(throws: WaitError.self) {
            try await server.waitForConnectionEvent(.closedByClient(1), timeout: .zero)
        }
        await #expect(throws: WaitError.self) { try await LoopbackServer.Gate().waitUntilHeld(timeout: .zero) }
    }

    @Test("cancelling the task ends its wait")
    func cancellation() async throws {
        let task = Task { [server] in try await server.nextRequest(timeout: nil) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // A wait that has ended takes no request from the others.
        client.request("GET", "/1")
        #expect(try await server.nextRequest().number == 1)
    }

    @Test("stopping the server ends the waits on it")
    func stop() async throws {
        let task = Task { [server] in try await server.nextRequest(timeout: nil) }
        server.stop()
        let error = await #expect(throws: WaitError.self) { try await task.value }
        #expect(error?.reason == .stopped)
        #expect(try await server.waitForRequests(count: 0).isEmpty, "what has happened can still be asked for")
    }

    @Test("a log with a limit keeps the last requests and counts them all")
    func logLimit() async throws {
        let server = try LoopbackServer(logLimit: 10)
        let client = try RawClient(port: server.port)
        for index in 1...45 { _ = try client.exchange("GET", "/\(index)") }
        #expect(server.requestCount == 45)
        #expect(server.requests.map(\.number) == Array(36...45))
        #expect(try await server.waitForRequests(count: 45).count == 10)
    }
}
