import Foundation
import Testing

@testable import Calotype

@Suite("What is stored, and how a 304 freshens it")
struct StoringTests {
    struct Row: RuleCase {
        let title: String
        var method = "GET"
        var requestFields: HTTPFields = [:]
        var status = 200
        var fields: HTTPFields = [:]
        let mayStore: Bool

        static let all = [
            Row(title: "a 200 to GET may be stored (RFC 9111, 3)", mayStore: true),
            Row(title: "another success may (3)", status: 203, mayStore: true),
            Row(title: "a part may not (3.3)", status: 206, mayStore: false),
            Row(title: "so may a redirect (3)", status: 301, mayStore: true),
            Row(title: "and an error (3)", status: 404, mayStore: true),
            Row(title: "nor an answer to another method (3)", method: "POST", mayStore: false),
            Row(
                title: "no-store of the response forbids it (5.2.2.5)", fields: ["Cache-Control": "no-store"],
                mayStore: false),
            Row(
                title: "among others too (5.2.2.5)", fields: ["Cache-Control": "max-age=600, No-Store"],
                mayStore: false),
            Row(
                title: "also where Connection takes it away again (3.1)",
                fields: ["Cache-Control": "no-store", "Connection": "cache-control"], mayStore: false),
            Row(
                title: "no-store of the request forbids it (5.2.1.5)", requestFields: ["Cache-Control": "no-store"],
                mayStore: false),
            Row(
                title: "private doesn't: this is a private cache (5.2.2.7)", fields: ["Cache-Control": "private"],
                mayStore: true),
            Row(
                title: "no-cache doesn't: it is validated before use (5.2.2.4)", fields: ["Cache-Control": "no-cache"],
                mayStore: true),
            Row(
                title: "nor does Authorization: the cache isn't shared (3.5)", requestFields: ["Authorization": "x"],
                mayStore: true),
            Row(title: "Vary: * would never match (4.1)", fields: ["Vary": "*"], mayStore: false),
            Row(title: "nor among others (4.1)", fields: ["Vary": "Accept , *"], mayStore: false),
            Row(title: "an asterisk within a name is none", fields: ["Vary": "a*b"], mayStore: true),
        ]
    }

    @Test("what may be stored follows from both messages", arguments: Row.all)
    func mayStore(_ row: Row) {
        #expect(
            HTTPCache.mayStore(
                method: row.method, requestFields: row.requestFields, status: row.status, fields: row.fields)
                == row.mayStore)
        let arrival = HTTPCache.Arrival(
            method: row.method, requestFields: row.requestFields, status: row.status, fields: row.fields,
            requestTime: HTTPCacheTime.now, responseTime: HTTPCacheTime.now)
        #expect(arrival.mayStore == row.mayStore)
    }

    @Test("fields of one connection aren't stored (RFC 9111, 3.1)")
    func hopByHop() {
        let head = HTTPCache.StoredHead.response([
            "Content-Type": "image/png", "Connection": "close, X-Hop", "x-hop": "1", "Keep-Alive": "timeout=5",
            "Proxy-Authenticate": "a", "Proxy-Authentication-Info": "a", "Proxy-Authorization": "a",
            "Proxy-Connection": "close", "TE": "trailers", "Trailer": "a", "TRANSFER-ENCODING": "chunked",
            "Upgrade": "h2c", "ETag": "\"a\"",
        ])
        #expect(head.fields == ["Content-Type": "image/png", "ETag": "\"a\""])
    }

    @Test("of the request, what Vary names is kept (RFC 9111, 4.1)")
    func varyingFields() {
        let head = HTTPCache.StoredHead.response(
            ["Vary": "ACCEPT, Accept-Language"], to: ["Accept": "a", "User-Agent": "b", "accept-language": "c"])
        #expect(head.varyingFields == ["accept": "a", "accept-language": "c"])
    }

    @Test("a 304 replaces fields by name, but for those that describe the body (RFC 9111, 3.2 and 4.3.4)")
    func freshen() {
        var fields: HTTPFields = [
            "Content-Type": "image/png", "Content-Length": "100", "Content-Encoding": "gzip", "ETag": "\"a\"",
            "Cache-Control": "max-age=1",
        ]
        fields.append("X-Twice", "1")
        fields.append("x-twice", "2")
        let stored = HTTPCache.StoredHead.response(fields, age: 1_000, to: ["Accept": "a"])
        let fresh = HTTPCache.freshen(
            stored,
            with: [
                "cache-control": "max-age=600", "Content-Length": "0", "content-encoding": "br",
                "Content-Range": "bytes 0-1/2", "X-TWICE": "3", "Date": "d", "Connection": "close",
            ],
            requestTime: HTTPCacheTime.now.addingTimeInterval(-1), responseTime: HTTPCacheTime.now)
        #expect(
            fresh.fields == [
                "Content-Type": "image/png", "Content-Length": "100", "Content-Encoding": "gzip", "ETag": "\"a\"",
                "cache-control": "max-age=600", "X-TWICE": "3", "Date": "d",
            ])
        #expect(fresh.status == 200)
        #expect(fresh.varyingFields == stored.varyingFields)
        #expect(fresh.requestTime == HTTPCacheTime.now.addingTimeInterval(-1))
        #expect(fresh.responseTime == HTTPCacheTime.now)
    }

    @Test("a 304 that says nothing still makes the response young again (RFC 9111, 4.3.4)")
    func emptyFreshen() {
        let stored = HTTPCache.StoredHead.response(["Cache-Control": "max-age=600"], age: 1_000)
        let fresh = HTTPCache.freshen(
            stored, with: [:], requestTime: HTTPCacheTime.now, responseTime: HTTPCacheTime.now)
        #expect(fresh.fields == stored.fields)
        let decision = HTTPCache.decide(candidates: [fresh], request: [:], now: HTTPCacheTime.now)
        #expect(decision.outcome == .useStored(0))
    }
}
