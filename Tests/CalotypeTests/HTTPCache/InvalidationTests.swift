import Foundation
import Testing

@testable import Calotype

@Suite("Invalidation by unsafe methods")
struct InvalidationTests {
    struct Row: RuleCase {
        let title: String
        var method = "POST"
        var status = 200
        var fields: HTTPFields = [:]
        let paths: [String]

        static let all = [
            Row(title: "POST (RFC 9111, 4.4)", paths: ["http://h/a/b?c"]),
            Row(title: "PUT (4.4)", method: "PUT", paths: ["http://h/a/b?c"]),
            Row(title: "DELETE (4.4)", method: "DELETE", status: 204, paths: ["http://h/a/b?c"]),
            Row(title: "a method that nobody knows (4.4)", method: "M-SEARCH", paths: ["http://h/a/b?c"]),
            Row(title: "names of methods have a case (RFC 9110, 9.1)", method: "get", paths: ["http://h/a/b?c"]),
            Row(title: "a redirect is no error (4.4)", status: 303, paths: ["http://h/a/b?c"]),
            Row(title: "an error changes nothing (4.4)", status: 404, paths: []),
            Row(title: "nor does one of the server (4.4)", status: 500, paths: []),
            Row(title: "GET is safe (RFC 9110, 9.2.1)", method: "GET", paths: []),
            Row(title: "HEAD is", method: "HEAD", paths: []),
            Row(title: "OPTIONS is", method: "OPTIONS", paths: []),
            Row(title: "TRACE is", method: "TRACE", paths: []),
            Row(
                title: "Location and Content-Location, in one origin (4.4)",
                fields: ["Location": "x", "Content-Location": "http://H:80/y"],
                paths: ["http://h/a/b?c", "http://h/a/x", "http://H:80/y"]),
            Row(
                title: "not in another (4.4)",
                fields: ["Location": "http://other/x", "Content-Location": "https://h/y"], paths: ["http://h/a/b?c"]),
        ]
    }

    @Test("a success makes stale what it may have changed", arguments: Row.all)
    func invalidated(_ row: Row) throws {
        let urls = HTTPCache.invalidated(
            method: row.method, url: try #require(URL(string: "http://h/a/b?c")), status: row.status,
            fields: row.fields)
        #expect(urls.map(\.absoluteString) == row.paths)
    }
}
