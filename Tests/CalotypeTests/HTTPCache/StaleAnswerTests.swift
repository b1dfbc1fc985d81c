import Foundation
import Testing

@testable import Calotype

@Suite("What is stale and used all the same")
struct StaleAnswerTests {
    struct Row: RuleCase {
        let title: String
        var control = "max-age=600"
        var age = 700.0
        var request: HTTPFields = [:]
        var failure = HTTPCache.Failure.disconnected
        /// `nil` if it may not be used.
        let reason: HTTPCache.Reason?

        private static let lifetime = HTTPCache.Lifetime.maxAge(600)
        private static func sie(_ window: Double) -> HTTPCache.Reason {
            .staleIfError(age: 700, lifetime: lifetime, window: window)
        }
        private static let cutOff = HTTPCache.Reason.disconnected(age: 700, lifetime: lifetime)

        static let all = [
            Row(title: "cut off from the server: used (RFC 9111, 4.2.4)", reason: cutOff),
            Row(
                title: "an error of the server alone isn't enough (4.2.4)", failure: .status(503), reason: nil),
            Row(
                title: "stale-if-error, and the server fails: used (RFC 5861, 4)",
                control: "max-age=600, stale-if-error=300", failure: .status(503), reason: sie(200)),
            Row(
                title: "500 is such an error (RFC 5861, 4)", control: "max-age=600, stale-if-error=300",
                failure: .status(500), reason: sie(200)),
            Row(
                title: "502 is (RFC 5861, 4)", control: "max-age=600, stale-if-error=300", failure: .status(502),
                reason: sie(200)),
            Row(
                title: "504 is (RFC 5861, 4)", control: "max-age=600, stale-if-error=300", failure: .status(504),
                reason: sie(200)),
            Row(
                title: "501 isn't (RFC 5861, 4)", control: "max-age=600, stale-if-error=300", failure: .status(501),
                reason: nil),
            Row(
                title: "404 isn't (RFC 5861, 4)", control: "max-age=600, stale-if-error=300", failure: .status(404),
                reason: nil),
            Row(
                title: "stale-if-error, and cut off: used (RFC 5861, 4)", control: "max-age=600, stale-if-error=300",
                reason: sie(200)),
            Row(
                title: "as stale as the window is long: used (RFC 5861, 4)",
                control: "max-age=600, stale-if-error=100", reason: sie(0)),
            Row(
                title: "past the window it isn't used, cut off or not (RFC 5861, 4)",
                control: "max-age=600, stale-if-error=99", reason: nil),
            Row(
                title: "a window that can't be read is none (4.2.4)", control: "max-age=600, stale-if-error=x",
                reason: cutOff),
            Row(
                title: "the request may give a window (RFC 5861, 4)", request: ["Cache-Control": "stale-if-error=200"],
                failure: .status(503), reason: sie(100)),
            Row(
                title: "never past must-revalidate (5.2.2.2)",
                control: "max-age=600, stale-if-error=300, must-revalidate", reason: nil),
            Row(
                title: "nor past no-cache (5.2.2.4)", control: "max-age=600, stale-if-error=300, no-cache",
                reason: nil),
            Row(
                title: "no-cache for some fields says nothing of the rest (5.2.2.4)",
                control: "max-age=600, no-cache=\"set-cookie\"", reason: cutOff),
            Row(
                title: "proxy-revalidate is for shared caches (5.2.2.8)", control: "max-age=600, proxy-revalidate",
                reason: cutOff),
            Row(title: "s-maxage is too (5.2.2.10)", control: "max-age=600, s-maxage=600", reason: cutOff),
            Row(
                title: "not if the request asks for validation (5.2.1.4)", request: ["Cache-Control": "no-cache"],
                reason: nil),
            Row(title: "in the old way, too (5.4)", request: ["Pragma": "no-cache"], reason: nil),
            Row(
                title: "nor if it bounds the age (5.2.1.1)", request: ["Cache-Control": "max-age=10000"], reason: nil),
            Row(
                title: "nor if it asks for fresh ones (5.2.1.3)", request: ["Cache-Control": "min-fresh=1"],
                reason: nil),
            Row(
                title: "nor if it has a condition for the server alone (RFC 9110, 13.1.1)",
                request: ["If-Match": "\"a\""], reason: nil),
        ]
    }

    @Test("a stale response stands in for one that can't be had, where that is allowed", arguments: Row.all)
    func standIn(_ row: Row) {
        let head = HTTPCache.StoredHead.response(["Cache-Control": row.control], age: row.age)
        let reason = HTTPCache.staleAnswer(head, request: row.request, to: row.failure, now: HTTPCacheTime.now)
        #expect(reason == row.reason)
        #expect(reason?.description.isEmpty != true)
    }

    struct MaxStale: RuleCase {
        let title: String
        var control = "max-age=600"
        let request: String
        let isUsed: Bool

        static let all = [
            MaxStale(title: "max-stale takes any age (RFC 9111, 5.2.1.2)", request: "max-stale", isUsed: true),
            MaxStale(title: "as much as it says (5.2.1.2)", request: "max-stale=100", isUsed: true),
            MaxStale(title: "and no more (5.2.1.2)", request: "max-stale=99", isUsed: false),
            MaxStale(title: "one that can't be read takes none", request: "max-stale=x", isUsed: false),
            MaxStale(
                title: "never past must-revalidate (5.2.2.2)", control: "max-age=600, must-revalidate",
                request: "max-stale", isUsed: false),
            MaxStale(
                title: "nor past no-cache (5.2.2.4)", control: "max-age=600, no-cache", request: "max-stale",
                isUsed: false),
            MaxStale(
                title: "nor beyond the request's max-age (5.2.1.1)", request: "max-age=10, max-stale", isUsed: false),
        ]
    }

    @Test("a request may take stale responses", arguments: MaxStale.all)
    func maxStale(_ row: MaxStale) {
        let head = HTTPCache.StoredHead.response(["Cache-Control": row.control], age: 700)
        let decision = HTTPCache.decide(
            candidates: [head], request: ["Cache-Control": row.request], now: HTTPCacheTime.now)
        #expect((decision.outcome == .useStored(0)) == row.isUsed)
        #expect(decision.selected == 0)
        #expect(!decision.reason.description.isEmpty)
    }
}
