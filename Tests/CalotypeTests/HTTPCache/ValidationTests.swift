import Foundation
import Testing

@testable import Calotype

@Suite("Validation: what the server is asked, and what the client has")
struct ValidationTests {
    struct Confirmation: RuleCase {
        let title: String
        let stored: HTTPFields
        let fields: HTTPFields
        let isConfirmed: Bool

        static let all = [
            Confirmation(
                title: "the same strong tag (RFC 9111, 4.3.4)", stored: ["ETag": "\"a\""], fields: ["ETag": "\"a\""],
                isConfirmed: true),
            Confirmation(
                title: "another strong tag speaks of another response (4.3.4)", stored: ["ETag": "\"a\""],
                fields: ["ETag": "\"b\""], isConfirmed: false),
            Confirmation(
                title: "a strong tag doesn't confirm a weak one (4.3.4)", stored: ["ETag": "W/\"a\""],
                fields: ["ETag": "\"a\""], isConfirmed: false),
            Confirmation(
                title: "a weak tag compares weakly (4.3.4)", stored: ["ETag": "\"a\""], fields: ["ETag": "W/\"a\""],
                isConfirmed: true),
            Confirmation(
                title: "a tag where there was none (4.3.4)", stored: ["Last-Modified": "x"],
                fields: ["ETag": "\"a\""], isConfirmed: false),
            Confirmation(
                title: "the same date (4.3.4)", stored: ["Last-Modified": "x"], fields: ["Last-Modified": "x"],
                isConfirmed: true),
            Confirmation(
                title: "another date (4.3.4)", stored: ["Last-Modified": "x"], fields: ["Last-Modified": "y"],
                isConfirmed: false),
            Confirmation(
                title: "the tag decides where there are both (4.3.4)", stored: ["ETag": "\"a\"", "Last-Modified": "x"],
                fields: ["ETag": "\"a\"", "Last-Modified": "y"], isConfirmed: true),
            Confirmation(
                title: "no validator at all (4.3.4)", stored: ["ETag": "\"a\""], fields: [:], isConfirmed: true),
        ]
    }

    @Test("a 304 confirms the response that it speaks of", arguments: Confirmation.all)
    func confirmation(_ row: Confirmation) {
        #expect(HTTPCache.confirms(row.fields, .response(row.stored)) == row.isConfirmed)
    }

    @Test(
        "what can't be sent back isn't asked with (RFC 9110, 5.5 and 8.8.3)",
        arguments: [
            ("\"a\"", true), ("W/\"a\"", true), ("\"é\"", true), ("no quotes", true), ("\"a\rb\"", false),
            ("\"a\nb\"", false), ("\"\0\"", false), ("\"\u{1B}\"", false), ("\"\u{7F}\"", false),
            ("\"\(String(repeating: "a", count: 4_094))\"", true),
            ("\"\(String(repeating: "a", count: 4_095))\"", false),
        ])
    func sending(_ text: String, _ isSent: Bool) {
        #expect(HTTPCache.validators(of: .response(["ETag": text])) == (isSent ? ["If-None-Match": text] : [:]))
        #expect(
            HTTPCache.validators(of: .response(["Last-Modified": text])) == (isSent ? ["If-Modified-Since": text] : [:])
        )
    }

    @Test(
        "only successes are asked about: an error's date says nothing of what takes its place",
        arguments: [200, 203, 404, 301])
    func validators(_ status: Int) {
        let head = HTTPCache.StoredHead.response(
            ["ETag": "W/\"a\"", "Last-Modified": "x", "Cache-Control": "max-age=1"], status: status, age: 5)
        let decision = HTTPCache.decide(candidates: [head], request: [:], now: HTTPCacheTime.now)
        #expect(
            decision.outcome
                == (status < 300
                    ? .revalidate(0, with: ["If-None-Match": "W/\"a\"", "If-Modified-Since": "x"]) : .fetch))
    }

    struct Condition: RuleCase {
        let title: String
        var status = 200
        var stored: HTTPFields = [:]
        let request: HTTPFields
        let isNotModified: Bool

        private static let date = HTTPCacheTime.httpDate
        static let all = [
            Condition(
                title: "no condition (RFC 9110, 13.2)", stored: ["ETag": "\"a\""], request: [:], isNotModified: false),
            Condition(
                title: "the tag (RFC 9110, 13.1.2)", stored: ["ETag": "\"a\""], request: ["If-None-Match": "\"a\""],
                isNotModified: true),
            Condition(
                title: "another tag (13.1.2)", stored: ["ETag": "\"a\""], request: ["If-None-Match": "\"b\""],
                isNotModified: false),
            Condition(
                title: "compared weakly (13.1.2)", stored: ["ETag": "W/\"a\""], request: ["If-None-Match": "\"a\""],
                isNotModified: true),
            Condition(
                title: "one of several (13.1.2)", stored: ["ETag": "\"c\""],
                request: ["If-None-Match": "\"a,b\", W/\"c\" , \"d\""], isNotModified: true),
            Condition(
                title: "a comma within a tag separates nothing (8.8.3)", stored: ["ETag": "\"b\""],
                request: ["If-None-Match": "\"a,\"b\",c\""], isNotModified: false),
            Condition(
                title: "any tag (13.1.2)", stored: ["ETag": "\"a\""], request: ["If-None-Match": "*"],
                isNotModified: true),
            Condition(
                title: "any, even where there is no tag (13.1.2)", request: ["If-None-Match": "*"],
                isNotModified: true),
            Condition(
                title: "a tag where there is none (13.1.2)", request: ["If-None-Match": "\"a\""], isNotModified: false),
            Condition(
                title: "tags go before dates (13.2.2)", stored: ["ETag": "\"a\"", "Last-Modified": date(-500)],
                request: ["If-None-Match": "\"b\"", "If-Modified-Since": date(-500)], isNotModified: false),
            Condition(
                title: "not modified since (13.1.3)", stored: ["Last-Modified": date(-500)],
                request: ["If-Modified-Since": date(-500)], isNotModified: true),
            Condition(
                title: "modified since (13.1.3)", stored: ["Last-Modified": date(-500)],
                request: ["If-Modified-Since": date(-501)], isNotModified: false),
            Condition(
                title: "a date that can't be read is no condition (13.1.3)", stored: ["Last-Modified": date(-500)],
                request: ["If-Modified-Since": "now"], isNotModified: false),
            Condition(
                title: "without Last-Modified, Date counts (RFC 9111, 4.3.2)", stored: ["Date": date(-100)],
                request: ["If-Modified-Since": date(-100)], isNotModified: true),
            Condition(
                title: "which is later as a rule (RFC 9111, 4.3.2)", stored: ["Date": date(-100)],
                request: ["If-Modified-Since": date(-3_000)], isNotModified: false),
            Condition(
                title: "without either, when it came (RFC 9111, 4.3.2)", request: ["If-Modified-Since": date(0)],
                isNotModified: true),
            Condition(
                title: "conditions are about successes (RFC 9110, 13.2.1)", status: 404, stored: ["ETag": "\"a\""],
                request: ["If-None-Match": "\"a\""], isNotModified: false),
        ]
    }

    @Test("a client that has what is stored is told so", arguments: Condition.all)
    func condition(_ row: Condition) {
        let head = HTTPCache.StoredHead.response(row.stored, status: row.status)
        #expect(HTTPCache.isNotModified(head, for: row.request) == row.isNotModified)
    }

    @Test(
        "conditions that only the server can judge are left to it (RFC 9110, 13.1.1 and 13.1.4)",
        arguments: ["If-Match", "If-Unmodified-Since"])
    func preconditions(_ name: String) {
        let head = HTTPCache.StoredHead.response(["Cache-Control": "max-age=600"], age: 1)
        let decision = HTTPCache.decide(candidates: [head], request: [name: "x"], now: HTTPCacheTime.now)
        #expect(decision.outcome == .fetch)
        #expect(decision.reason == .precondition)
        let only = HTTPCache.decide(
            candidates: [head], request: [name: "x", "Cache-Control": "only-if-cached"], now: HTTPCacheTime.now)
        #expect(only.outcome == .unsatisfiable)
    }

    struct Head: RuleCase {
        let title: String
        var status = 200
        var storedStatus = 200
        let fields: HTTPFields
        /// Whether the stored response is fresh again, or outdated; `nil` if nothing is said of it.
        let isFreshened: Bool?

        static let all = [
            Head(title: "nothing contradicts (RFC 9111, 4.3.5)", fields: ["X": "1"], isFreshened: true),
            Head(
                title: "the same validators and length (4.3.5)",
                fields: ["ETag": "\"a\"", "Last-Modified": "x", "Content-Length": "10"], isFreshened: true),
            Head(title: "another tag (4.3.5)", fields: ["ETag": "\"b\""], isFreshened: false),
            Head(title: "another date (4.3.5)", fields: ["Last-Modified": "y"], isFreshened: false),
            Head(title: "another length (4.3.5)", fields: ["Content-Length": "11"], isFreshened: false),
            Head(title: "an error says nothing (4.3.5)", status: 410, fields: ["ETag": "\"b\""], isFreshened: nil),
            Head(
                title: "nor is anything said of a stored error (4.3.5)", storedStatus: 404, fields: ["ETag": "\"b\""],
                isFreshened: nil),
        ]
    }

    @Test("a response to HEAD freshens what is stored for GET, or shows that it is outdated", arguments: Head.all)
    func head(_ row: Head) {
        let stored = HTTPCache.StoredHead.response(
            ["ETag": "\"a\"", "Last-Modified": "x", "Content-Length": "10"], status: row.storedStatus, age: 100)
        let effect = HTTPCache.effect(
            ofHEAD: row.status, row.fields, on: stored, byteCount: 10, requestTime: HTTPCacheTime.now,
            responseTime: HTTPCacheTime.now)
        switch (effect, row.isFreshened) {
        case (.nothing, nil), (.outdated, false): break
        case (.freshened(let head), true):
            #expect(head.responseTime == HTTPCacheTime.now)
            #expect(head.fields["Content-Length"] == "10")
            #expect(head.fields["X"] == row.fields["X"])
        default: Issue.record("\(effect)")
        }
    }

    @Test("an age that a 304 doesn't repeat has been that of another response")
    func age() {
        let stored = HTTPCache.StoredHead.response(["Age": "500", "Cache-Control": "max-age=600"], age: 200)
        func age(_ fields: HTTPFields) -> Double {
            let head = HTTPCache.freshen(
                stored, with: fields, requestTime: HTTPCacheTime.now, responseTime: HTTPCacheTime.now)
            return HTTPCache.currentAge(of: head, now: HTTPCacheTime.now)
        }
        #expect(age([:]) == 0)
        #expect(age(["Age": "7"]) == 7)
    }

    @Test("a 304 that brings another Vary is stored for the request that it answered (RFC 9111, 4.3.4)")
    func newVariance() {
        let stored = HTTPCache.StoredHead.response([:], age: 10)
        let fresh = HTTPCache.freshen(
            stored, with: ["Vary": "Accept"], requestTime: HTTPCacheTime.now, responseTime: HTTPCacheTime.now,
            requestFields: ["Accept": "a"])
        #expect(HTTPCache.selected(of: [fresh], request: ["Accept": "a"]) == 0)
        #expect(HTTPCache.selected(of: [fresh], request: [:]) == nil)
    }
}
