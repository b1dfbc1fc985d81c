#if os(Linux)
import Calotype
import Foundation
import Testing

extension TransportContract {
    /// What passes once in vain. A head that comes at once has come by then, however busy the machine is.
    private static let limit = Duration.seconds(3)

    @Test(
        "a server that drips runs out of time, although it never idles", arguments: TransportUnderTest.all,
        ["HTTP/1.1 200 OK\r\nX-Drip: ", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"])
    func drip(_ transport: TransportUnderTest, beginning: String) async throws {
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write(beginning)
            while connection.write("x") { usleep(10_000) }
        }
        let transport = transport()
        let start = ContinuousClock.now
        let error = await #expect(throws: HTTPTransportError.self) {
            _ = try await transport.get(server.url(), timeouts: HTTPTimeouts(total: Self.limit))
        }
        #expect(error?.code == .timedOut)
        #expect(error?.detail.contains("total timeout") == true)
        #expect(ContinuousClock.now - start >= Self.limit)
        await server.waitUntilAllClosed()
    }

    @Test("the time of a reader that has paused counts", arguments: TransportUnderTest.all)
    func totalWhilePaused(_ transport: TransportUnderTest) async throws {
        // More than a transport and two sockets hold, so that one that can pause does.
        let bytes = [UInt8](repeating: 0x78, count: 16 << 20)
        let isClosed = TestEvent()
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count + 1)\r\n\r\n")
            connection.write(bytes)
            connection.waitForClose()
            isClosed.fire()
        }
        let request = HTTPRequest(url: server.url(), timeouts: HTTPTimeouts(total: Self.limit))
        let response = try await transport().send(request)
        await isClosed.wait()
        var pieces = response.body.makeAsyncIterator()
        #expect(try await pieces.next()?.first == 0x78, "bytes before the failure are given out")
        let error = await #expect(throws: HTTPTransportError.self) { while try await pieces.next() != nil {} }
        #expect(error?.code == .timedOut)
        #expect(error?.detail.contains("total timeout") == true)
    }

    @Test("an exchange that has time left goes on when another has none", arguments: TransportUnderTest.all)
    func totalOfAnother(_ transport: TransportUnderTest) async throws {
        let isOver = TestEvent()
        let server = try RawServer { connection in
            guard let head = connection.readHead() else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
            guard head.hasPrefix("GET /long ") else { return connection.waitForClose() }
            isOver.waitBlocking()
            connection.write("def")
            connection.waitForClose()
        }
        let transport = transport()
        let long = try await transport.send(HTTPRequest(url: server.url("/long")))
        let code = await transportErrorCode {
            _ = try await transport.get(server.url("/short"), timeouts: HTTPTimeouts(total: Self.limit))
        }
        #expect(code == .timedOut)
        isOver.fire()
        #expect(try await long.body.gathered() == Data("abcdef".utf8))
    }

    @Test(
        "a limit may be any length of time", arguments: TransportUnderTest.all,
        [Duration.seconds(Int64.min), .seconds(-1), .zero, .seconds(Int64.max)])
    func extremeTotal(_ transport: TransportUnderTest, limit: Duration) async throws {
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
            if limit > .zero { connection.write("abc") }
            connection.waitForClose()
        }
        let transport = transport()
        do {
            let body = try await transport.get(server.url(), timeouts: HTTPTimeouts(total: limit)).body
            #expect(limit > .zero && body == Data("abc".utf8))
        } catch let error as HTTPTransportError {
            #expect(limit <= .zero && error.code == .timedOut)
        }
    }
}
#endif
