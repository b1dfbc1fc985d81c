import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Stored heads as bytes")
struct StoredHeadCodingTests {
    private static let heads: [HTTPCache.StoredHead] = [
        .response([:]),
        .response(["Content-Type": "image/png", "Cache-Control": "max-age=600"], age: 12.25, delay: 0.5),
        .response(
            ["Vary": "Accept", "": "", "X-Ümlaut": "😀", "x-long": String(repeating: "long ", count: 1_000)],
            status: 599,
            to: ["Accept": "image/webp"]),
    ]

    /// The head of a response that redirects have led to.
    private static func redirected(_ control: String) -> HTTPCache.StoredHead {
        let now = HTTPCacheTime.now
        let redirection = HTTPCache.Redirection(
            after: nil, status: 302, fields: ["Cache-Control": control], requestTime: now, responseTime: now,
            to: SHA256.short("https://example.com/"))
        return HTTPCache.Arrival(
            method: "GET", requestFields: [:], status: 200, fields: ["ETag": "\"a\""], requestTime: now,
            responseTime: now, redirection: redirection
        ).head
    }

    @Test("redirects are written and read", arguments: ["max-age=60", "no-cache", "must-revalidate, max-age=1"])
    func redirection(_ control: String) throws {
        let head = Self.redirected(control)
        let read = try #require(HTTPCache.StoredHead(encoded: head.encoded()))
        #expect(read == head && read.redirection != nil)
        #expect(read != HTTPCache.StoredHead.response(["ETag": "\"a\""]))
        let data = head.encoded()
        for count in 0..<data.count { #expect(HTTPCache.StoredHead(encoded: data.prefix(count)) == nil) }
        var flagged = data
        for flags: UInt8 in [0, 2, 6, 8, 255] {
            flagged[data.count - 25] = flags
            #expect(HTTPCache.StoredHead(encoded: flagged) == nil)
        }
    }

    @Test("what is written is read")
    func roundTrip() {
        for head in Self.heads {
            #expect(HTTPCache.StoredHead(encoded: head.encoded()) == head)
        }
    }

    @Test("the format is what its documentation says")
    func format() {
        let zero = Date(timeIntervalSinceReferenceDate: 0)
        let head = HTTPCache.StoredHead(
            status: 200, fields: ["A": "bc"], requestTime: zero, responseTime: zero, requestFields: [:])
        let times = [UInt8](repeating: 0, count: 16)
        let expected: [UInt8] =
            [2, 200, 0] + times + [1, 0, 0, 0, 1, 0, 0, 0, 0x41, 2, 0, 0, 0, 0x62, 0x63] + [0, 0, 0, 0] + [0]
        #expect(Array(head.encoded()) == expected)
    }

    @Test("a part of other bytes is read as well as bytes of its own")
    func slice() {
        let head = Self.heads[1]
        #expect(HTTPCache.StoredHead(encoded: (Data([1, 2, 3]) + head.encoded()).dropFirst(3)) == head)
    }

    @Test("no prefix is a head, nor is anything longer")
    func prefixes() {
        for head in Self.heads {
            let data = head.encoded()
            for count in 0..<data.count { #expect(HTTPCache.StoredHead(encoded: data.prefix(count)) == nil) }
            #expect(HTTPCache.StoredHead(encoded: data + [0]) == nil)
        }
    }

    @Test("another version of the format is no head")
    func version() {
        var data = Self.heads[1].encoded()
        data[0] = 3
        #expect(HTTPCache.StoredHead(encoded: data) == nil)
    }

    @Test("damaged bytes are no head, or a head that can be judged: nothing traps")
    func mutations() {
        var random = SeededGenerator(seed: 20_261_130)
        for round in 0..<20_000 {
            let heads = [Self.heads[0], Self.heads[1], Self.redirected("max-age=60")]
            var data = heads[round % 3].encoded()
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let index = Int.random(in: 0..<data.count, using: &random)
                data[index] = [0, 0x7F, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)!
            }
            guard let head = HTTPCache.StoredHead(encoded: data) else { continue }
            let decision = HTTPCache.decide(candidates: [head], request: [:], now: HTTPCacheTime.now)
            #expect(!decision.reason.description.isEmpty)
            _ = HTTPCache.freshness(of: head, requestFields: [:])
            #expect(head.encoded().count >= 28)
        }
    }

    @Test("random bytes are no head, or one: nothing traps")
    func garbage() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            var data = Data(
                (0..<Int.random(in: 0..<80, using: &random)).map { _ in .random(in: 0...255, using: &random) })
            if !data.isEmpty { data[0] = 2 }
            _ = HTTPCache.StoredHead(encoded: data)
        }
    }
}
