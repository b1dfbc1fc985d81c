import CalotypeTesting
import Foundation
import Testing

@Suite("Responses that are made while they are sent", .timeLimit(.minutes(5)))
struct ResponseStreamTests {
    private static let head = Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)

    @Test("bytes go out as they come, and the connection takes the next request")
    func pieces() async throws {
        let server = try LoopbackServer()
        server.stream { request in
            let stream = ResponseStream()
            Task {
                try await stream.send(Self.head)
                try await stream.send(Data(request.request.path.utf8.prefix(2)))
                try await stream.send(Data("cd".utf8))
                stream.finish(.kept)
            }
            return stream
        }
        let texts = try await onThread {
            let client = try RawClient(port: server.port)
            return [try client.exchange("GET", "/a").text, try client.exchange("GET", "/b").text]
        }
        #expect(texts == ["/acd", "/bcd"])
        #expect(server.requests.count == 2)
    }

    @Test("a response that is broken off ends the connection", arguments: [true, false])
    func aborted(isAborted: Bool) async throws {
        let server = try LoopbackServer()
        server.stream { _ in
            let stream = ResponseStream()
            stream.post(Self.head + Data("ab".utf8))
            stream.finish(isAborted ? .aborted : .closing)
            // What comes after the end is nobody's.
            stream.post(Data("cd".utf8))
            stream.finish(.kept)
            return stream
        }
        let client = try RawClient(port: server.port)
        client.request("GET", "/a")
        #expect(String(decoding: try client.readToEnd(), as: UTF8.self).hasSuffix("\r\n\r\nab"))
    }

    @Test("who makes faster than the client takes waits, and hears that the client has gone")
    func backPressure() async throws {
        let server = try LoopbackServer()
        let (failures, failure) = AsyncStream.makeStream(of: Int.self)
        let (closings, closing) = AsyncStream.makeStream(of: Void.self)
        server.stream { _ in
            let stream = ResponseStream()
            stream.onClose { closing.yield() }
            Task {
                var count = 0
                do {
                    // Without an end to it: that it waits is what lets the client see that it has gone.
                    while true {
                        try await stream.send(Data(count: 64 * 1024))
                        count += 1
                    }
                } catch {
                    failure.yield(count)
                }
            }
            return stream
        }
        try await onThread {
            let client = try RawClient(port: server.port)
            client.request("GET", "/a")
            _ = try client.read(1_000_000)
            client.close()
        }
        var closes = closings.makeAsyncIterator()
        await closes.next()
        var counts = failures.makeAsyncIterator()
        let count = try #require(await counts.next())
        // The client's megabyte, what fits into sockets, and the stream's own.
        #expect(count * 64 * 1024 < 64 << 20)
    }

    @Test("a handler that is set once the client has gone is called at once")
    func lateHandler() async throws {
        let server = try LoopbackServer()
        let (streams, made) = AsyncStream.makeStream(of: ResponseStream.self)
        server.stream { _ in
            let stream = ResponseStream()
            made.yield(stream)
            return stream
        }
        let client = try RawClient(port: server.port)
        client.request("GET", "/a")
        var iterator = streams.makeAsyncIterator()
        let stream = try #require(await iterator.next())
        client.close()
        try await server.waitForOpenConnections(count: 0)
        await withCheckedContinuation { continuation in stream.onClose { continuation.resume() } }
        await #expect(throws: CancellationError.self) { try await stream.send(Data(count: 1)) }
    }
}
