#if os(Linux)
import Calotype
import Foundation
import Testing

/// What is left after many exchanges. Each runs in a process of its own, so that descriptors and threads are only theirs.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CurlLeakTests {
    @Test("10,000 sends cancelled at any moment leave nothing")
    func cancelledAtAnyMoment() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let server = try RawServer { connection in
                var count = 0
                while connection.readHead() != nil {
                    count += 1
                    // Some bodies come late, some never.
                    let body = count % 7 == 0 ? "" : "abcdefgh"
                    guard connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n\(body)") else { return }
                    if body.isEmpty { return connection.waitForClose() }
                }
            }
            let url = server.url()
            let before = try await OpenResources.afterWarmingUp()
            do {
                var configuration = CurlTransport.Configuration()
                configuration.usesEnvironmentProxies = false
                let transport = CurlTransport(configuration: configuration)
                var outcomes = (completed: 0, cancelled: 0)
                for round in 0..<100 {
                    // Each continuation is resumed exactly once: a task that is never resumed is waited for below,
                    // and a checked continuation traps when it is resumed twice.
                    let tasks = (0..<100).map { index in
                        Task {
                            let response = try await transport.send(HTTPRequest(url: url))
                            if index % 3 > 0 { _ = try await response.body.gathered() }
                        }
                    }
                    for task in tasks.shuffled() {
                        for _ in 0..<(round % 10) { await Task.yield() }
                        task.cancel()
                    }
                    for task in tasks {
                        switch await task.result {
                        case .success: outcomes.completed += 1
                        case .failure(is CancellationError): outcomes.cancelled += 1
                        case .failure(let error): throw error
                        }
                    }
                }
                try await waitUntil { await transport.counts().isIdle }
                precondition(outcomes.cancelled > 0 && outcomes.completed + outcomes.cancelled == 10_000, "\(outcomes)")
                await transport.shutDown()
            }
            await server.waitUntilAllClosed()
            try await before.waitUntilAgain()
        }
        // A continuation that is never resumed says so there.
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "")
    }

    @Test("transports that go leave no thread and no descriptor")
    func transportsThatGo() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            let before = try await OpenResources.afterWarmingUp()
            for index in 0..<50 {
                let transport = CurlTransport()
                if index % 2 == 0 { _ = try await transport.send(HTTPRequest(url: server.url())) }
            }
            await server.waitUntilAllClosed()
            try await before.waitUntilAgain()
        }
        // A continuation that is never resumed says so there.
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "")
    }
}

/// The descriptors and transport threads of the process.
struct OpenResources {
    let sockets: Int
    let threads: Int

    /// What there is once Foundation, Dispatch and libcurl have made what they make once.
    static func afterWarmingUp() async throws -> OpenResources {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let transport = CurlTransport()
        _ = try await transport.send(HTTPRequest(url: server.url()))
        await transport.shutDown()
        await server.waitUntilAllClosed()
        return OpenResources()
    }

    init() {
        let files = FileManager.default
        let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        sockets =
            descriptors.filter { descriptor in
                let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
                return target.map { $0.hasPrefix("socket:") || $0.hasPrefix("anon_inode:[eventfd]") } ?? false
            }.count
        let tasks = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        threads =
            tasks.filter { task in
                (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "calotype.curl\n"
            }.count
    }

    /// Returns once the process has no more than it had: a thread's last steps come after those that can be awaited.
    func waitUntilAgain() async throws {
        try await waitUntil {
            let now = OpenResources()
            return now.sockets <= sockets && now.threads <= threads
        }
    }
}

extension CurlCounts {
    fileprivate var isIdle: Bool { running == 0 && waiting == 0 }
}
#endif
