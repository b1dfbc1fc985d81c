#if os(Linux)
import Calotype
import Foundation
import Testing

extension TransportContract {
    @Test("shutting down fails what runs and what waits, and what comes later", arguments: TransportUnderTest.all)
    func shutDown(_ transport: TransportUnderTest) async throws {
        let gotRequest = TestEvent()
        let server = try RawServer { connection in
            _ = connection.readHead()
            gotRequest.fire()
            connection.waitForClose()
        }
        let transport = transport(connectionsPerHost: 1)
        let url = server.url()
        let tasks = (0..<3).map { _ in Task { await transportErrorCode { _ = try await transport.get(url) } } }
        await gotRequest.wait()
        await transport.shutDown()
        for task in tasks { #expect(await task.value == .other) }
        await server.waitUntilAllClosed()
        #expect(await transportErrorCode { _ = try await transport.get(url) } == .other)
        await transport.shutDown()
    }

    @Test("a body keeps the transport, and the last reference ends its connections", arguments: TransportUnderTest.all)
    func lifetime(_ transport: TransportUnderTest) async throws {
        let gotHead = TestEvent()
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
            gotHead.waitBlocking()
            connection.write("abc")
            connection.waitForClose()
        }
        var owner: (any ClosableTransport)? = transport()
        weak let observed = owner
        var response = try await owner?.send(HTTPRequest(url: server.url()))
        owner = nil
        #expect(observed != nil)
        gotHead.fire()
        #expect(try await response?.body.gathered() == Data("abc".utf8))
        response = nil
        await server.waitUntilAllClosed()
    }
}
#endif
