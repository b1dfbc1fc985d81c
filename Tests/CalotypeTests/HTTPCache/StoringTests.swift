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
            Row(title: "a status that has no heuristic may not (3)", status: 201, mayStore: false),
            Row(
                title: "unless it says how long it is fresh (3)", status: 201,
                fields: ["Cache-Control": "max-age=600"], mayStore: true),
            Row(title: "or until when (3)", status: 503, fields: ["Expires": "0"], mayStore: true),
            Row(title: "or that anybody may (3)", status: 599, fields: ["Cache-Control": "public"], mayStore: true),
            Row(title: "or that one may (3)", status: 599, fields: ["Cache-Control": "private"], mayStore: true),
            Row(
                title: "s-maxage isn't said to us (3)", status: 599, fields: ["Cache-Control": "s-maxage=600"],
                mayStore: false),
            Row(
                title: "an interim response never may (3)", status: 103, fields: ["Cache-Control": "max-age=600"],
                mayStore: false),
            Row(
                title: "a part may not, however fresh (3.3)", status: 206, fields: ["Cache-Control": "max-age=600"],
                mayStore: false),
            Row(title: "a 304 isn't a response of its own", status: 304, fields: ["Expires": "0"], mayStore: false),
            Row(title: "a 412 speaks of the request", status: 412, fields: ["Expires": "0"], mayStore: false),
            Row(title: "so does a 416", status: 416, fields: ["Expires": "0"], mayStore: false),
            Row(
                title: "must-understand: a status that is understood, in spite of no-store (5.2.2.3)",
                fields: ["Cache-Control": "must-understand, no-store"], mayStore: true),
            Row(
                title: "one that isn't, not even without no-store (5.2.2.3)", status: 599,
                fields: ["Cache-Control": "must-understand, max-age=600"], mayStore: false),
            Row(
                title: "private for some fields is for shared caches too (5.2.2.7)",
                fields: ["Cache-Control": "private=\"set-cookie\""], mayStore: true),
            Row(title: "an answer to HEAD has no body (3)", method: "HEAD", mayStore: false),
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

    struct Posted: RuleCase {
        let title: String
        var status = 200
        var control = "max-age=600"
        let location: String?
        let mayStore: Bool

        static let all = [
            Posted(
                title: "it says that it is what GET would bring (RFC 9110, 9.3.3)", location: "/a?b", mayStore: true),
            Posted(title: "in full (9.3.3)", location: "http://h/a?b", mayStore: true),
            Posted(title: "of another URL (9.3.3)", location: "/c", mayStore: false),
            Posted(title: "it doesn't say (9.3.3)", location: nil, mayStore: false),
            Posted(title: "without explicit freshness (9.3.3)", control: "public", location: "/a?b", mayStore: false),
            Posted(title: "with another status (9.3.3)", status: 201, location: "/a?b", mayStore: false),
        ]
    }

    @Test("an answer to POST may be stored for GET where it says so", arguments: Posted.all)
    func posted(_ row: Posted) {
        var fields: HTTPFields = ["Cache-Control": row.control]
        if let location = row.location { fields.append("Content-Location", location) }
        #expect(
            HTTPCache.mayStore(
                method: "POST", url: URL(string: "http://h/a?b"), requestFields: [:], status: row.status,
                fields: fields) == row.mayStore)
    }

    struct Field: RuleCase {
        let title: String
        let name: String
        var value = "x"
        var others: HTTPFields = [:]
        let isStored: Bool
        let isForwarded: Bool

        static let all =
            ["Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade"].map {
                Field(
                    title: "\($0) is of one connection (RFC 9110, 7.6.1)", name: $0, isStored: false, isForwarded: false
                )
            }
            + ["Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info"].map {
                Field(title: "\($0) is for a proxy (RFC 9111, 3.1)", name: $0, isStored: false, isForwarded: true)
            }
            + [
                Field(
                    title: "what Connection names is of one connection (3.1)", name: "X-Hop",
                    others: ["Connection": "close, x-HOP"], isStored: false, isForwarded: false),
                Field(
                    title: "on several lines (RFC 9110, 5.3)", name: "X-Hop",
                    others: ["Connection": "close", "connection": "X-Hop"], isStored: false, isForwarded: false),
                Field(
                    title: "what no-cache names isn't used again without validation (5.2.2.4)", name: "Set-Cookie",
                    others: ["Cache-Control": "max-age=1, no-cache=\"set-cookie\""], isStored: false,
                    isForwarded: true),
                Field(
                    title: "what private names is kept from shared caches (5.2.2.7)", name: "Set-Cookie",
                    others: ["Cache-Control": "private=\"set-cookie\""], isStored: true, isForwarded: true),
                Field(
                    title: "a length beside a transfer coding means nothing (RFC 9112, 6.3)", name: "Content-Length",
                    others: ["Transfer-Encoding": "chunked"], isStored: false, isForwarded: true),
            ]
            + [
                "Set-Cookie", "Content-Length", "Content-Encoding", "Content-Range", "ETag", "Age", "Public",
                "X-Transfer-Encoding", "Connections", "Keep-Alives", "TF", "Upgrades",
            ].map {
                Field(title: "\($0) is stored (3.1)", name: $0, isStored: true, isForwarded: true)
            }
    }

    @Test("fields that may be stored are, and no others", arguments: Field.all)
    func field(_ row: Field) {
        var fields = HTTPFields(row.others.map { $0 } + [.init("A", "1"), .init(row.name, row.value), .init("B", "2")])
        #expect((HTTPCache.StoredHead.response(fields).fields[row.name] != nil) == row.isStored)
        #expect((HTTPCache.forwarded(fields)[row.name] != nil) == row.isForwarded)
        // Nor does a 304 bring them in.
        let freshened = HTTPCache.freshen(
            .response(["A": "0"]), with: fields, requestTime: HTTPCacheTime.now, responseTime: HTTPCacheTime.now)
        let describesBody = row.name.hasPrefix("Content-")
        #expect((freshened.fields[row.name] != nil) == (row.isStored && !describesBody))
        #expect(freshened.fields["A"] == "1" && freshened.fields["B"] == "2")
        fields[row.name] = nil
        #expect(HTTPCache.StoredHead.response(fields).fields["B"] == "2")
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
