import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Loopback server: conditional requests and ranges")
struct LoopbackResourceTests {
    private static let changed = Date(timeIntervalSince1970: 784_111_777.5)
    private let resource = LoopbackServer.Resource(
        Data("0123456789".utf8), type: "text/plain", etag: "\"v1\"", lastModified: changed,
        fields: ["Cache-Control": "max-age=60"])

    struct Conditional: CustomTestStringConvertible, Sendable {
        var fields: HTTPFields
        var isNotModified: Bool
        var testDescription: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }

        static let all: [Conditional] = [
            .init(fields: ["If-None-Match": "\"v1\""], isNotModified: true),
            .init(fields: ["If-None-Match": "W/\"v1\""], isNotModified: true),
            .init(fields: ["If-None-Match": "\"v0\", \"v1\""], isNotModified: true),
            .init(fields: ["If-None-Match": "*"], isNotModified: true),
            .init(fields: ["If-None-Match": "\"v\""], isNotModified: false),
            .init(fields: ["If-None-Match": "\"a, \"v1"], isNotModified: false),
            .init(fields: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], isNotModified: true),
            .init(fields: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:38 GMT"], isNotModified: true),
            .init(fields: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], isNotModified: false),
            .init(fields: ["If-Modified-Since": "yesterday"], isNotModified: false),
            // RFC 9110 section 13.1.3: the date doesn't count beside a tag.
            .init(
                fields: ["If-None-Match": "\"v2\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:38 GMT"],
                isNotModified: false),
        ]
    }

    @Test("a validator that still matches gets 304 with the resource's fields", arguments: Conditional.all)
    func conditional(_ example: Conditional) {
        let response = resource.response(to: .init(path: "/", fields: example.fields))
        #expect(response.status == (example.isNotModified ? 304 : 200))
        #expect(response.body.isEmpty == example.isNotModified)
        #expect(response.fields["ETag"] == "\"v1\"")
        #expect(response.fields["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(response.fields["Cache-Control"] == "max-age=60")
        #expect(resource.response(to: .init(method: "PUT", path: "/", fields: example.fields)).status == 200)
    }

    struct Ranged: CustomTestStringConvertible, Sendable {
        var range: String
        var status: Int
        var body: String
        var contentRange: String?
        var testDescription: String { range }

        static let all: [Ranged] = [
            .init(range: "bytes=0-3", status: 206, body: "0123", contentRange: "bytes 0-3/10"),
            .init(range: "bytes=4-", status: 206, body: "456789", contentRange: "bytes 4-9/10"),
            .init(range: "bytes=4-99", status: 206, body: "456789", contentRange: "bytes 4-9/10"),
            .init(range: "bytes=-3", status: 206, body: "789", contentRange: "bytes 7-9/10"),
            .init(range: "bytes=-99", status: 206, body: "0123456789", contentRange: "bytes 0-9/10"),
            .init(range: "bytes=10-", status: 416, body: "", contentRange: "bytes */10"),
            .init(range: "bytes=-0", status: 416, body: "", contentRange: "bytes */10"),
            .init(range: "bytes=3-2", status: 200, body: "0123456789"),
            .init(range: "bytes=0-1,3-4", status: 200, body: "0123456789"),
            .init(range: "bytes=-", status: 200, body: "0123456789"),
            .init(range: "bytes=a-b", status: 200, body: "0123456789"),
            .init(range: "bytes=0-99999999999999999999", status: 200, body: "0123456789"),
            .init(range: "lines=0-1", status: 200, body: "0123456789"),
        ]
    }

    @Test(
        "a range gets 206 with its Content-Range, or 416; what isn't understood gets everything", arguments: Ranged.all)
    func ranges(_ example: Ranged) {
        let response = resource.response(to: .init(path: "/", fields: ["Range": example.range]))
        #expect(response.status == example.status)
        #expect(String(decoding: response.body, as: UTF8.self) == example.body)
        #expect(response.fields["Content-Range"] == example.contentRange)
    }

    @Test(
        "If-Range gives the part only for the same strong tag or date",
        arguments: [
            ("\"v1\"", 206), ("\"v2\"", 200), ("W/\"v1\"", 200), ("Sun, 06 Nov 1994 08:49:37 GMT", 206),
            ("Sun, 06 Nov 1994 08:49:38 GMT", 200),
        ])
    func ifRange(condition: String, status: Int) {
        let fields: HTTPFields = ["Range": "bytes=5-", "If-Range": condition]
        #expect(resource.response(to: .init(path: "/", fields: fields)).status == status)
    }

    @Test("a resource may refuse ranges")
    func refused() {
        var resource = resource
        resource.acceptsRanges = false
        let response = resource.response(to: .init(path: "/", fields: ["Range": "bytes=5-"]))
        #expect(response.status == 200)
        #expect(response.fields["Accept-Ranges"] == nil)
    }

    @Test("over the wire: 200, 304, 206, HEAD")
    func wire() throws {
        let server = try LoopbackServer()
        server.serve(resource, at: "/a")
        let client = try RawClient(port: server.port)
        let full = try client.exchange("GET", "/a")
        #expect(full.text == "0123456789")
        #expect(full.field("Accept-Ranges") == "bytes")
        let tag = try #require(full.field("ETag"))
        #expect(try client.exchange("GET", "/a", lines: ["If-None-Match: \(tag)"]).status == 304)
        #expect(try client.exchange("GET", "/a", lines: ["Range: bytes=8-", "If-Range: \(tag)"]).text == "89")
        #expect(try client.exchange("HEAD", "/a").field("Content-Length") == "10")
    }
}
