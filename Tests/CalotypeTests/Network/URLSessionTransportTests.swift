#if os(Linux)
import Calotype
import Foundation
import FoundationNetworking
import Synchronization
import Testing

/// What `URLSessionTransport` does beyond the contract.
@Suite(.timeLimit(.minutes(5))) struct URLSessionTransportTests {
    @Test("Host and the framing are the session's, and fields of one name share a line")
    func requestFields() async throws {
        let seen = Mutex("")
        let server = try RawServer { connection in
            let head = connection.readHead() ?? ""
            seen.withLock { $0 = head }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitForClose()
        }
        let fields = HTTPFields([
            .init("Host", "elsewhere"), .init("Content-Length", "7"), .init("transfer-encoding", "chunked"),
            .init("X-Two", "a"), .init("X-Two", "b"),
        ])
        _ = try await URLSessionTransport().send(HTTPRequest(url: server.url(), fields: fields))
        let lines = seen.withLock { $0 }.components(separatedBy: "\r\n")
        #expect(lines.filter { $0.lowercased().hasPrefix("host:") } == ["Host: 127.0.0.1:\(server.port)"])
        #expect(!lines.contains { $0.lowercased().hasPrefix("content-length:") })
        #expect(!lines.contains { $0.lowercased().hasPrefix("transfer-encoding:") })
        #expect(lines.contains("X-Two: a,b"))
    }

    @Test("cookies are neither kept nor sent")
    func cookies() async throws {
        let heads = Mutex([String]())
        let server = try RawServer { connection in
            while let head = connection.readHead() {
                heads.withLock { $0.append(head) }
                connection.write("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let transport = URLSessionTransport()
        for _ in 0..<2 { #expect(try await transport.get(server.url()).response.fields["set-cookie"] == "a=b") }
        #expect(heads.withLock { $0.count } == 2)
        #expect(!heads.withLock { $0.contains { $0.lowercased().contains("\r\ncookie:") } })
    }

    @Test("the configuration's protocol classes answer")
    func protocolClasses() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubProtocol.self]
        let transport = URLSessionTransport(configuration: configuration)
        let (response, body) = try await transport.get(URL(string: "http://stub.invalid/")!)
        #expect(response.status == 203)
        #expect(body == Data("stub".utf8))
    }

    @Test("whenever a task is cancelled, it ends once")
    func cancellation() async throws {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")
        let transport = URLSessionTransport()
        let url = server.url()
        for round in 0..<50 {
            let tasks = (0..<20).map { index in
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
                if case .failure(let error) = await task.result { #expect(error is CancellationError) }
            }
        }
        // Foundation on Linux leaves some connections of cancelled tasks open even then, so they aren't waited for.
        await transport.shutDown()
    }
}

/// Where Foundation on Linux ends the process. When one of these fails, Foundation has been mended: then the contract's
/// rows that give way to it can be whole, and the transport's comment can say less.
@Suite(.timeLimit(.minutes(5))) struct FoundationTraps {
    private static let words = "Transfer completed, but there's no response."

    @Test("when the connection closes inside the head")
    func insideHead() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let server = try RawServer { connection in
                _ = connection.readHead()
                connection.write("HTTP/1.1 200 OK\r\nContent-Le")
            }
            _ = try? await URLSessionTransport().send(HTTPRequest(url: server.url()))
        }
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains(Self.words) } == true)
    }

    @Test("when a chunked body has trailers")
    func trailers() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let server = try RawServer(
                answering: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-A: trailer\r\n\r\n")
            let response = try await URLSessionTransport().send(HTTPRequest(url: server.url()))
            for try await _ in response.body {}
        }
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains(Self.words) } == true)
    }
}

/// Answers everything with a 203.
private final class StubProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        let response = HTTPURLResponse(url: request.url!, statusCode: 203, httpVersion: "HTTP/1.1", headerFields: [:])!
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("stub".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}
#endif
