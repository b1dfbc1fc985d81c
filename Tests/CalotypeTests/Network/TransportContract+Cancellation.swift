#if os(Linux)
import Calotype
import Foundation
import Testing

extension TransportContract {
    @Test("a task that is cancelled already sends nothing", arguments: TransportUnderTest.all)
    func cancelledAlready(_ transport: TransportUnderTest) async throws {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let transport = transport()
        let url = server.url()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await transport.send(HTTPRequest(url: url))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.acceptedCount == 0)
    }

    @Test("cancelling before the head closes the connection", arguments: TransportUnderTest.all)
    func cancelBeforeHead(_ transport: TransportUnderTest) async throws {
        let (gotRequest, isClosed) = (TestEvent(), TestEvent())
        let server = try RawServer { connection in
            _ = connection.readHead()
            gotRequest.fire()
            connection.waitForClose()
            isClosed.fire()
        }
        let transport = transport()
        let url = server.url()
        let task = Task { _ = try await transport.send(HTTPRequest(url: url)) }
        await gotRequest.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await isClosed.wait()
    }

    @Test("cancelling between pieces closes the connection", arguments: TransportUnderTest.all)
    func cancelBetweenPieces(_ transport: TransportUnderTest) async throws {
        let (gotPiece, isClosed) = (TestEvent(), TestEvent())
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForClose()
            isClosed.fire()
        }
        let transport = transport()
        let url = server.url()
        let task = Task {
            let response = try await transport.send(HTTPRequest(url: url))
            for try await _ in response.body { gotPiece.fire() }
        }
        await gotPiece.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await isClosed.wait()
    }

    @Test("a body that is let go unread closes the connection", arguments: TransportUnderTest.all)
    func droppedBody(_ transport: TransportUnderTest) async throws {
        let isClosed = TestEvent()
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForClose()
            isClosed.fire()
        }
        let transport = transport()
        #expect(try await transport.send(HTTPRequest(url: server.url())).status == 200)
        await isClosed.wait()
        withExtendedLifetime(transport) {}
    }

    @Test(
        "exchanges that wait for their turn can be cancelled, and never reach the server",
        arguments: TransportUnderTest.all)
    func cancelWaiting(_ transport: TransportUnderTest) async throws {
        let (gotRequest, mayAnswer) = (TestEvent(), TestEvent())
        let server = try RawServer { connection in
            while let head = connection.readHead() {
                #expect(head.hasPrefix("GET /first "))
                gotRequest.fire()
                mayAnswer.waitBlocking()
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let transport = transport(connectionsPerHost: 1)
        let (first, others) = (server.url("/first"), server.url("/other"))
        let running = Task { try await transport.send(HTTPRequest(url: first)).status }
        await gotRequest.wait()
        let waiting = (0..<50).map { _ in Task { _ = try await transport.send(HTTPRequest(url: others)) } }
        for task in waiting { task.cancel() }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        mayAnswer.fire()
        #expect(try await running.value == 200)
        #expect(server.acceptedCount == 1)
    }
}
#endif
