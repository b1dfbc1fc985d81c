#if os(Linux)
import Calotype
import Foundation
import Synchronization
import Testing

extension TransportContract {
    @Test("any status from 200 to 599 passes", arguments: TransportUnderTest.all, [200, 206, 299, 404, 451, 500, 599])
    func status(_ transport: TransportUnderTest, status: Int) async throws {
        let server = try RawServer(answering: "HTTP/1.1 \(status) Some Words\r\nContent-Length: 2\r\n\r\nok")
        let (response, body) = try await transport().get(server.url())
        #expect(response.status == status)
        #expect(body == Data("ok".utf8))
    }

    @Test("redirects are returned, not followed", arguments: TransportUnderTest.all, [301, 302, 303, 307, 308])
    func redirects(_ transport: TransportUnderTest, status: Int) async throws {
        let server = try RawServer(answering: "HTTP/1.1 \(status) \r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
        let (response, _) = try await transport().get(server.url("/here"))
        #expect(response.status == status)
        #expect(response.fields["location"] == "/there")
        #expect(server.acceptedCount == 1)
    }

    @Test("fields come with all their values", arguments: TransportUnderTest.all)
    func fields(_ transport: TransportUnderTest) async throws {
        // Foundation fails with a field line that has no space after the colon.
        let space = transport.isFoundation ? " " : ""
        let server = try RawServer(
            answering: "HTTP/1.1 200 OK\r\nETag:  \"a\" \r\nVary: Accept\r\nX-Empty:\r\nVary:\(space)Origin\r\n"
                + "Content-Length: 3\r\n\r\nabc")
        let (response, body) = try await transport().get(server.url())
        #expect(response.fields["etag"] == "\"a\"")
        #expect(response.fields["vary"] == "Accept, Origin")
        #expect(response.fields["x-empty"] == "")
        #expect(response.fields["content-length"] == "3")
        #expect(body == Data("abc".utf8))
    }

    @Test("an unknown content coding is left as it is", arguments: TransportUnderTest.all)
    func unknownCoding(_ transport: TransportUnderTest) async throws {
        let server = try RawServer(
            answering: "HTTP/1.1 200 OK\r\nContent-Encoding: zebra\r\nContent-Length: 3\r\n\r\nabc")
        // Foundation has libcurl decode, and libcurl then refuses what it can't.
        if transport.isFoundation {
            #expect(await transportErrorCode { _ = try await transport().get(server.url()) } == .malformedResponse)
            return
        }
        let (response, body) = try await transport().get(server.url())
        #expect(response.fields["content-encoding"] == "zebra")
        #expect(body == Data("abc".utf8))
    }

    @Test("interim responses are hidden", arguments: TransportUnderTest.all)
    func interim(_ transport: TransportUnderTest) async throws {
        let server = try RawServer(
            answering: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let (response, body) = try await transport().get(server.url())
        #expect(response.status == 200)
        #expect(response.fields["link"] == nil)
        #expect(body == Data("ok".utf8))
    }

    @Test(
        "responses without a body end at once, and the connection is used again", arguments: TransportUnderTest.all,
        [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func withoutBody(_ transport: TransportUnderTest, _ exchange: (method: String, status: Int)) async throws {
        let length = exchange.status == 204 ? "" : "Content-Length: 1000\r\n"
        let server = try RawServer(answering: "HTTP/1.1 \(exchange.status) \r\n\(length)ETag: \"x\"\r\n\r\n")
        let isFoundation = transport.isFoundation
        let transport = transport()
        for isReused in [false, true] {
            let response = try await transport.send(HTTPRequest(method: exchange.method, url: server.url()))
            #expect(response.status == exchange.status)
            #expect(response.fields["etag"] == "\"x\"")
            #expect(try await response.body.gathered().isEmpty)
            // URLSession's metrics come after the body, so what the response has of them is empty.
            #expect(response.metrics.reusedConnection == (isReused && !isFoundation))
        }
        #expect(server.acceptedCount == 1)
    }

    @Test("chunks are joined, and trailers aren't fields", arguments: TransportUnderTest.all)
    func chunked(_ transport: TransportUnderTest) async throws {
        // Foundation ends the process when there are trailers: `FoundationTraps` shows that it does.
        let trailers = transport.isFoundation ? "" : "X-A: trailer\r\nX-B: trailer\r\n"
        let server = try RawServer(
            answering: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: head\r\n\r\n"
                + "5;name=value\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\(trailers)\r\n")
        let (response, body) = try await transport().get(server.url())
        #expect(body == Data("hello world".utf8))
        #expect(response.fields["x-a"] == "head")
        #expect(response.fields["x-b"] == nil)
    }

    @Test("a body without a length ends with the connection", arguments: TransportUnderTest.all)
    func untilClose(_ transport: TransportUnderTest) async throws {
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.0 200 OK\r\n\r\nall there is")
        }
        let (_, body) = try await transport().get(server.url())
        #expect(body == Data("all there is".utf8))
    }

    @Test("the head comes before the body, and pieces as they are sent", arguments: TransportUnderTest.all)
    func streaming(_ transport: TransportUnderTest) async throws {
        let (gotHead, gotFirst) = (TestEvent(), TestEvent())
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
            gotHead.waitBlocking()
            connection.write("abc")
            gotFirst.waitBlocking()
            connection.write("def")
            connection.waitForClose()
        }
        let response = try await transport().send(HTTPRequest(url: server.url()))
        gotHead.fire()
        var pieces = response.body.makeAsyncIterator()
        #expect(try await pieces.next() == Data("abc".utf8))
        gotFirst.fire()
        #expect(try await pieces.next() == Data("def".utf8))
        #expect(try await pieces.next() == nil)
        #expect(try await pieces.next() == nil, "the end stays")
    }

    @Test("a reader that pauses stops the server, without running out of time", arguments: TransportUnderTest.all)
    func backPressure(_ transport: TransportUnderTest) async throws {
        // Blocks of a prime number of bytes: what is lost or comes twice shifts the rest.
        let block = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let bytes = Array(repeatElement(block, count: 512).joined())
        // Longer than a busy machine keeps silent by itself, and shorter than the reader's pause.
        let idle = Duration.seconds(3)
        let (stalled, sentAll) = (TestEvent(), TestEvent())
        let sentCount = Mutex(0)
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            connection.write(bytes, stall: idle + .seconds(1)) { sent in
                sentCount.withLock { $0 = sent }
                stalled.fire()
            }
            sentAll.fire()
            connection.waitForClose()
        }
        let request = HTTPRequest(url: server.url(), timeouts: HTTPTimeouts(idle: idle))
        let response = try await transport().send(request)
        if transport.isFoundation {
            // A suspended task of Foundation's closes its connection and starts over, so it isn't suspended and the
            // server isn't stopped. Then all must be there in the end, though nobody has read until the server was done.
            await sentAll.wait()
            #expect(try await response.body.gathered() == Data(bytes))
            return
        }
        await stalled.wait()
        // What the transport and the two sockets hold; the kernel gives a receiver on loopback up to 6 MiB.
        #expect(sentCount.withLock { $0 } < 12 << 20)
        #expect(try await response.body.gathered() == Data(bytes))
    }

    @Test("method, fields and body arrive as given", arguments: TransportUnderTest.all)
    func requestArrives(_ transport: TransportUnderTest) async throws {
        let seen = Mutex((head: "", body: [UInt8]()))
        let server = try RawServer { connection in
            let head = connection.readHead() ?? ""
            let body = connection.readBody(5)
            seen.withLock { $0 = (head, body) }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitForClose()
        }
        let fields = HTTPFields([.init("X-One", "1"), .init("X-Empty", ""), .init("If-None-Match", "\"a\", W/\"b\"")])
        let request = HTTPRequest(
            method: "PUT", url: server.url("/p/a%20th?q=1&r"), fields: fields, body: Data([0, 13, 10, 0, 255]))
        _ = try await transport().send(request)
        let (head, body) = seen.withLock { $0 }
        let lines = head.components(separatedBy: "\r\n")
        #expect(lines.first == "PUT /p/a%20th?q=1&r HTTP/1.1")
        #expect(lines.contains("Host: 127.0.0.1:\(server.port)"))
        #expect(lines.contains("X-One: 1"))
        #expect(lines.contains { $0.hasPrefix("X-Empty:") })
        #expect(lines.contains("If-None-Match: \"a\", W/\"b\""))
        #expect(lines.contains("Content-Length: 5"))
        #expect(body == [0, 13, 10, 0, 255])
    }

    @Test("64 exchanges at once share the connections of a host", arguments: TransportUnderTest.all)
    func connectionLimit(_ transport: TransportUnderTest) async throws {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")
        let transport = transport(connectionsPerHost: 3)
        let url = server.url()
        try await withThrowingTaskGroup { group in
            for _ in 0..<64 { group.addTask { try await transport.get(url).body } }
            for try await body in group { #expect(body == Data("body".utf8)) }
        }
        #expect(server.acceptedCount <= 3)
    }
}
#endif
