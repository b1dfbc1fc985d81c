#if os(Linux)
import Foundation
import Testing

@testable import Calotype

@Suite struct CurlQueueTests {
    private let transport = CurlTransport()

    private func transfer(_ url: String, _ priority: ImageRequest.Priority = .normal) throws -> CurlTransfer {
        let request = HTTPRequest(url: try #require(URL(string: url)), priority: .init(priority))
        return CurlTransfer(try CurlRequest(request), transport: transport)
    }

    @Test("an origin that is full doesn't hold up another")
    func origins() throws {
        var queue = CurlQueue(limitPerOrigin: 1)
        let (first, full, other) = (
            try transfer("http://a/1", .high), try transfer("http://a/2", .high), try transfer("http://b/", .low)
        )
        queue.insert(full)
        queue.insert(first)
        queue.insert(other)
        let next = queue.next()
        let running = try #require(next)
        #expect(running.0 === first)
        #expect(queue.next()?.0 === other)
        #expect(queue.next() == nil)
        queue.finished(running.1)
        #expect(queue.next()?.0 === full)
        #expect(queue.count == 0)
    }

    @Test("an origin with HTTP/2 takes as many as come")
    func multiplexed() throws {
        var queue = CurlQueue(limitPerOrigin: 1)
        for index in 0..<3 { queue.insert(try transfer("https://a/\(index)")) }
        let first = queue.next()
        #expect(queue.next() == nil)
        first?.1.isMultiplexed = true
        #expect(queue.next() != nil)
        #expect(queue.next() != nil)
    }

    @Test("origins go by scheme, name and port")
    func originNames() throws {
        for (url, origin) in [
            ("http://a", "http://a"), ("http://a:80/x", "http://a:80"), ("https://a?q", "https://a"),
            ("HTTP://b#f", "HTTP://b"),
        ] {
            #expect(try transfer(url).request.origin == origin)
        }
    }

    @Test("milliseconds round up and stay within what libcurl takes")
    func milliseconds() {
        #expect(Duration.zero.wholeMilliseconds == 1)
        #expect(Duration.seconds(-5).wholeMilliseconds == 1)
        #expect(Duration.microseconds(1500).wholeMilliseconds == 2)
        #expect(Duration.seconds(60).wholeMilliseconds == 60_000)
        #expect(Duration.seconds(Int64.max / 2).wholeMilliseconds == Int(Int32.max))
    }
}
#endif
