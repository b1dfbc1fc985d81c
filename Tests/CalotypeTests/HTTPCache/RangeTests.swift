import Foundation
import Testing

@testable import Calotype

@Suite("Ranges of a stored response")
struct RangeTests {
    struct Row: RuleCase {
        let title: String
        let range: String?
        var condition: String?
        var status = 200
        var byteCount: Int64 = 10
        let answer: HTTPCache.RangeAnswer

        private static let modified = HTTPCacheTime.httpDate(-1_000)
        static let all = [
            Row(title: "no range", range: nil, answer: .whole),
            Row(title: "from and to (RFC 9110, 14.1.2)", range: "bytes=2-4", answer: .part(2..<5)),
            Row(title: "one byte", range: "bytes=0-0", answer: .part(0..<1)),
            Row(title: "from (14.1.2)", range: "bytes=2-", answer: .part(2..<10)),
            Row(title: "the last ones (14.1.2)", range: "bytes=-3", answer: .part(7..<10)),
            Row(title: "more than there are (14.1.2)", range: "bytes=-30", answer: .part(0..<10)),
            Row(title: "beyond the end (14.1.2)", range: "bytes=8-99", answer: .part(8..<10)),
            Row(
                title: "beyond every number", range: "bytes=8-99999999999999999999", answer: .part(8..<10)),
            Row(title: "the unit in any case (14.1)", range: "Bytes=2-4", answer: .part(2..<5)),
            Row(title: "none of the bytes that there are (14.1.2)", range: "bytes=10-", answer: .unsatisfiable),
            Row(title: "from beyond every number", range: "bytes=99999999999999999999-", answer: .unsatisfiable),
            Row(title: "the last none (14.1.2)", range: "bytes=-0", answer: .unsatisfiable),
            Row(title: "of an empty body", range: "bytes=0-", byteCount: 0, answer: .unsatisfiable),
            Row(title: "the last of an empty body", range: "bytes=-1", byteCount: 0, answer: .unsatisfiable),
            Row(title: "backwards: no range (14.1.1)", range: "bytes=4-2", answer: .whole),
            Row(title: "nothing: no range", range: "bytes=-", answer: .whole),
            Row(title: "no number: no range", range: "bytes=a-b", answer: .whole),
            Row(title: "a sign: no range", range: "bytes=+1-2", answer: .whole),
            Row(title: "several: the whole will do (14.2)", range: "bytes=0-1,4-5", answer: .whole),
            Row(title: "another unit (14.2)", range: "lines=0-1", answer: .whole),
            Row(title: "of an error (14.2)", range: "bytes=0-1", status: 404, answer: .whole),
            Row(
                title: "If-Range with the tag (13.1.5)", range: "bytes=0-1", condition: "\"a\"", answer: .part(0..<2)),
            Row(title: "with another (13.1.5)", range: "bytes=0-1", condition: "\"b\"", answer: .whole),
            Row(title: "with a weak one (13.1.5)", range: "bytes=0-1", condition: "W/\"a\"", answer: .whole),
            Row(
                title: "with the date (13.1.5)", range: "bytes=0-1", condition: modified, answer: .part(0..<2)),
            Row(
                title: "with a later date (13.1.5)", range: "bytes=0-1", condition: HTTPCacheTime.httpDate(0),
                answer: .whole),
            Row(title: "with what is neither", range: "bytes=0-1", condition: "a", answer: .whole),
        ]
    }

    @Test("a complete response answers a range, if it is the one that is meant", arguments: Row.all)
    func range(_ row: Row) {
        let stored = HTTPCache.StoredHead.response(
            ["ETag": "\"a\"", "Last-Modified": HTTPCacheTime.httpDate(-1_000)], status: row.status)
        var request = HTTPFields()
        if let range = row.range { request.append("Range", range) }
        if let condition = row.condition { request.append("If-Range", condition) }
        #expect(HTTPCache.range(of: request, in: stored, byteCount: row.byteCount) == row.answer)
    }

    @Test("a date within a minute of the response is a weak validator (RFC 9110, 8.8.2.2)", arguments: [59.0, 60])
    func weakDate(_ seconds: Double) {
        let date = HTTPCacheTime.httpDate(-seconds)
        let stored = HTTPCache.StoredHead.response(["Last-Modified": date, "Date": HTTPCacheTime.httpDate(0)])
        let answer = HTTPCache.range(
            of: ["Range": "bytes=0-1", "If-Range": date], in: stored, byteCount: 10)
        #expect(answer == (seconds < 60 ? .whole : .part(0..<2)))
    }
}
