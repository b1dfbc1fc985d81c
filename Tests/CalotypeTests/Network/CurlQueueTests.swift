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
        var queue = CurlQueue(limitPerOrigin: 1, limit: 32)
        let (first, full, other) = (
            try transfer("http://a/1", .high), try transfer("http://a/2", .high), try transfer("http://b/", .low)
        )
        queue.insert(full)
        queue.insert(first)
        queue.insert(other)
        let next = queue.next()
        let running = try #require(next)
        #expect(running.transfer === first)
        #expect(queue.next()?.transfer === other)
        #expect(queue.next() == nil)
        queue.finished(running)
        #expect(queue.next()?.transfer === full)
        #expect(queue.count == 0)
    }

    @Test("an origin with HTTP/2 takes as many as come")
    func multiplexed() throws {
        var queue = CurlQueue(limitPerOrigin: 1, limit: 32)
        for index in 0..<3 { queue.insert(try transfer("https://a/\(index)")) }
        let first = queue.next()
        #expect(queue.next() == nil)
        first?.origin.isMultiplexed = true
        #expect(queue.next() != nil)
        #expect(queue.next() != nil)
    }

    /// Limits, how many low transfers of each origin wait, and how many of them start.
    struct Share: Sendable, CustomTestStringConvertible {
        var perOrigin: Int
        var limit: Int
        var waiting: [Int]
        var starting: Int
        var testDescription: String { "\(waiting) with \(perOrigin) a host and \(limit) in all" }
    }

    @Test(
        "background transfers leave connections to others, of the host and in all",
        arguments: [
            Share(perOrigin: 6, limit: 32, waiting: [10], starting: 4),
            Share(perOrigin: 2, limit: 32, waiting: [10], starting: 1),
            Share(perOrigin: 1, limit: 32, waiting: [10], starting: 1),
            Share(perOrigin: 6, limit: 32, waiting: Array(repeating: 4, count: 9), starting: 24),
            Share(perOrigin: 6, limit: 1, waiting: [3, 3], starting: 1),
        ])
    func background(share: Share) throws {
        var queue = CurlQueue(limitPerOrigin: share.perOrigin, limit: share.limit)
        for (origin, count) in share.waiting.enumerated() {
            for index in 0..<count { queue.insert(try transfer("http://host\(origin)/\(index)", .low)) }
        }
        var running: [CurlQueue.Turn] = []
        while let turn = queue.next() { running.append(turn) }
        #expect(running.count == share.starting)
        guard share.perOrigin > 1, share.limit > 1 else { return }
        queue.insert(try transfer("http://host0/visible"))
        #expect(queue.next()?.isBackground == false)
        // Promoted, a transfer makes room for another in the background, where there are connections.
        queue.changed(&running[0], to: .high)
        #expect((queue.next() != nil) == (share.perOrigin > 2))
        // Demoted, it counts again.
        queue.changed(&running[0], to: .low)
        if running.count > 1 { queue.finished(running[1]) }
        #expect(queue.next() == nil)
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
