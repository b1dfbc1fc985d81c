import Foundation
import Testing

@testable import Calotype

@Suite("May a stored response answer?")
struct DecisionTests {
    struct Row: RuleCase {
        let title: String
        var candidates: [HTTPCache.StoredHead] = []
        var request: HTTPFields = [:]
        let outcome: HTTPCache.Outcome
        let reason: HTTPCache.Reason

        /// A response of 600 s with a validator.
        private static func tagged(
            _ control: String = "max-age=600", age: Double, more: HTTPFields = [:]
        ) -> HTTPCache.StoredHead {
            var fields: HTTPFields = ["Cache-Control": control, "ETag": "\"a\""]
            for field in more { fields.append(field.name, field.value) }
            return .response(fields, age: age)
        }

        private static let ifTagged: HTTPFields = ["If-None-Match": "\"a\""]
        private static let modified = HTTPCacheTime.httpDate(-100_000)

        static let all = [
            Row(title: "nothing is stored (RFC 9111, 4)", outcome: .fetch, reason: .nothingStored),
            Row(
                title: "fresh: used (4.2)", candidates: [tagged(age: 100)], outcome: .useStored(0),
                reason: .fresh(age: 100, lifetime: .maxAge(600))),
            Row(
                title: "as old as its lifetime: no longer fresh (4.2)", candidates: [tagged(age: 600)],
                outcome: .revalidate(0, with: ifTagged), reason: .stale(age: 600, lifetime: .maxAge(600))),
            Row(
                title: "stale, with an entity tag: If-None-Match (4.3.1)", candidates: [tagged(age: 700)],
                outcome: .revalidate(0, with: ifTagged), reason: .stale(age: 700, lifetime: .maxAge(600))),
            Row(
                title: "stale, with a date: If-Modified-Since (4.3.1)",
                candidates: [.response(["Cache-Control": "max-age=600", "Last-Modified": modified], age: 700)],
                outcome: .revalidate(0, with: ["If-Modified-Since": modified]),
                reason: .stale(age: 700, lifetime: .maxAge(600))),
            Row(
                title: "stale, with both: both (4.3.1)",
                candidates: [tagged(age: 700, more: ["Last-Modified": modified])],
                outcome: .revalidate(0, with: ["If-None-Match": "\"a\"", "If-Modified-Since": modified]),
                reason: .stale(age: 700, lifetime: .maxAge(600))),
            Row(
                title: "stale, without a validator: fetched (4.3.1)",
                candidates: [.response(["Cache-Control": "max-age=600"], age: 700)], outcome: .fetch,
                reason: .stale(age: 700, lifetime: .maxAge(600))),
            Row(
                title: "no-cache: validated, however fresh (5.2.2.4)",
                candidates: [tagged("no-cache, max-age=600", age: 1)], outcome: .revalidate(0, with: ifTagged),
                reason: .noCache),
            Row(
                title: "no-cache of the request: validated (5.2.1.4)", candidates: [tagged(age: 1)],
                request: ["Cache-Control": "no-cache"], outcome: .revalidate(0, with: ifTagged), reason: .requestNoCache
            ),
            Row(
                title: "older than the request's max-age: validated (5.2.1.1)", candidates: [tagged(age: 100)],
                request: ["Cache-Control": "max-age=99"], outcome: .revalidate(0, with: ifTagged),
                reason: .requestMaxAge(age: 100, limit: 99)),
            Row(
                title: "as old as the request's max-age: used (5.2.1.1)", candidates: [tagged(age: 100)],
                request: ["Cache-Control": "max-age=100"], outcome: .useStored(0),
                reason: .fresh(age: 100, lifetime: .maxAge(600))),
            Row(
                title: "a max-age of the request that is no number asks for nothing", candidates: [tagged(age: 100)],
                request: ["Cache-Control": "max-age=now"], outcome: .useStored(0),
                reason: .fresh(age: 100, lifetime: .maxAge(600))),
            Row(
                title: "fresh for less than min-fresh: validated (5.2.1.3)", candidates: [tagged(age: 100)],
                request: ["Cache-Control": "min-fresh=501"], outcome: .revalidate(0, with: ifTagged),
                reason: .requestMinFresh(remaining: 500, margin: 501)),
            Row(
                title: "fresh for as long as min-fresh: used (5.2.1.3)", candidates: [tagged(age: 100)],
                request: ["Cache-Control": "min-fresh=500"], outcome: .useStored(0),
                reason: .fresh(age: 100, lifetime: .maxAge(600))),
            Row(
                title: "immutable, fresh: a reload's max-age=0 asks for nothing (RFC 8246, 2)",
                candidates: [tagged("max-age=600, immutable", age: 100)], request: ["Cache-Control": "max-age=0"],
                outcome: .useStored(0), reason: .fresh(age: 100, lifetime: .maxAge(600))),
            Row(
                title: "immutable, stale: validated (RFC 8246, 2)",
                candidates: [tagged("max-age=600, immutable", age: 700)], request: ["Cache-Control": "max-age=0"],
                outcome: .revalidate(0, with: ifTagged), reason: .requestMaxAge(age: 700, limit: 0)),
            Row(
                title: "no-cache of the request is heeded by immutable too (5.2.1.4)",
                candidates: [tagged("max-age=600, immutable", age: 100)], request: ["Cache-Control": "no-cache"],
                outcome: .revalidate(0, with: ifTagged), reason: .requestNoCache),
            Row(
                title: "no-cache in the old way (5.4)", candidates: [tagged(age: 1)], request: ["Pragma": "no-cache"],
                outcome: .revalidate(0, with: ifTagged), reason: .requestNoCache),
            Row(
                title: "no-cache for some fields: the rest is used (5.2.2.4)",
                candidates: [tagged("max-age=600, no-cache=\"x\"", age: 1)], outcome: .useStored(0),
                reason: .fresh(age: 1, lifetime: .maxAge(600))),
            Row(
                title: "no-store of the request says nothing of what is stored (5.2.1.5)",
                candidates: [tagged(age: 1)], request: ["Cache-Control": "no-store"], outcome: .useStored(0),
                reason: .fresh(age: 1, lifetime: .maxAge(600))),
            Row(
                title: "a bound on the age rules out stale ones (5.2.1.1)",
                candidates: [tagged("max-age=600, stale-while-revalidate=300", age: 700)],
                request: ["Cache-Control": "max-age=1000"], outcome: .revalidate(0, with: ifTagged),
                reason: .stale(age: 700, lifetime: .maxAge(600))),
            Row(
                title: "none of what is stored matches (4.1)",
                candidates: [
                    .response(["Vary": "Accept", "Cache-Control": "max-age=600"], to: ["Accept": "a"])
                ], request: ["Accept": "b"], outcome: .fetch, reason: .noVariant(count: 1)),
            Row(
                title: "within stale-while-revalidate: used meanwhile (RFC 5861, 3)",
                candidates: [tagged("max-age=600, stale-while-revalidate=300", age: 700)],
                outcome: .useStaleWhileRevalidating(0),
                reason: .staleWhileRevalidate(age: 700, lifetime: .maxAge(600), window: 200)),
            Row(
                title: "past it: validated (RFC 5861, 3)",
                candidates: [tagged("max-age=600, stale-while-revalidate=300", age: 900)],
                outcome: .revalidate(0, with: ifTagged), reason: .stale(age: 900, lifetime: .maxAge(600))),
            Row(
                title: "must-revalidate forbids it (5.2.2.2)",
                candidates: [tagged("max-age=600, stale-while-revalidate=300, must-revalidate", age: 700)],
                outcome: .revalidate(0, with: ifTagged), reason: .stale(age: 700, lifetime: .maxAge(600))),
            Row(
                title: "must-revalidate says nothing while fresh (5.2.2.2)",
                candidates: [tagged("max-age=600, must-revalidate", age: 100)], outcome: .useStored(0),
                reason: .fresh(age: 100, lifetime: .maxAge(600))),
            Row(
                title: "only-if-cached, fresh: used (5.2.1.7)", candidates: [tagged(age: 100)],
                request: ["Cache-Control": "only-if-cached"], outcome: .useStored(0),
                reason: .fresh(age: 100, lifetime: .maxAge(600))),
            Row(
                title: "only-if-cached, stale: unsatisfiable (5.2.1.7)", candidates: [tagged(age: 700)],
                request: ["Cache-Control": "only-if-cached"], outcome: .unsatisfiable,
                reason: .stale(age: 700, lifetime: .maxAge(600))),
            Row(
                title: "only-if-cached, nothing stored: unsatisfiable (5.2.1.7)",
                request: ["Cache-Control": "only-if-cached"], outcome: .unsatisfiable, reason: .nothingStored),
        ]
    }

    @Test("a decision follows from the candidates, the request and the time", arguments: Row.all)
    func decision(_ row: Row) {
        let decision = HTTPCache.decide(candidates: row.candidates, request: row.request, now: HTTPCacheTime.now)
        #expect(decision.outcome == row.outcome)
        #expect(decision.reason == row.reason)
        #expect(!decision.reason.description.isEmpty)
    }

    struct Vary: RuleCase {
        let title: String
        /// The value of Vary, and the request that each response came for; newest first.
        let stored: [(vary: String, request: HTTPFields)]
        let request: HTTPFields
        let selected: Int?

        static let all = [
            Vary(
                title: "the same value selects (RFC 9111, 4.1)", stored: [("Accept", ["Accept": "image/webp"])],
                request: ["accept": "image/webp"], selected: 0),
            Vary(
                title: "another value doesn't (4.1)", stored: [("Accept", ["Accept": "image/webp"])],
                request: ["Accept": "image/png"], selected: nil),
            Vary(
                title: "absent from both selects (4.1)", stored: [("Accept-Language", [:])], request: [:], selected: 0),
            Vary(
                title: "absent from one doesn't (4.1)", stored: [("Accept-Language", [:])],
                request: ["Accept-Language": "de"], selected: nil),
            Vary(
                title: "nor from the other (4.1)", stored: [("Accept", ["Accept": "*/*"])], request: [:],
                selected: nil),
            Vary(
                title: "fields that Vary doesn't name don't matter (4.1)", stored: [("Accept", ["Accept": "a"])],
                request: ["Accept": "a", "User-Agent": "b"], selected: 0),
            Vary(
                title: "all that it names must match (4.1)",
                stored: [("Accept, Accept-Language", ["Accept": "a", "Accept-Language": "de"])],
                request: ["Accept": "a", "Accept-Language": "en"], selected: nil),
            Vary(title: "* matches nothing (4.1)", stored: [("*", [:])], request: [:], selected: nil),
            Vary(
                title: "* among others matches nothing (4.1)", stored: [("Accept, *", ["Accept": "a"])],
                request: ["Accept": "a"], selected: nil),
            Vary(
                title: "languages in another order (4.1; RFC 9110, 12.5.4)",
                stored: [("Accept-Language", ["Accept-Language": "en, de"])],
                request: ["Accept-Language": "DE ,en"], selected: 0),
            Vary(
                title: "with other weights (RFC 9110, 12.4.2)",
                stored: [("Accept-Language", ["Accept-Language": "en, de;q=0.5"])],
                request: ["Accept-Language": "en;q=0.5, de"], selected: nil),
            Vary(
                title: "codings in another order (4.1; RFC 9110, 12.5.3)",
                stored: [("Accept-Encoding", ["Accept-Encoding": "gzip,br;q=0.5"])],
                request: ["Accept-Encoding": "BR ; q=0.5, gzip"], selected: 0),
            Vary(
                title: "types in another order (4.1; RFC 9110, 12.5.1)",
                stored: [("Accept", ["Accept": "image/webp, */*;q=0.8"])],
                request: ["Accept": "*/*;q=0.8,image/webp"], selected: 0),
            Vary(
                title: "types with quoted parameters are left alone", stored: [("Accept", ["Accept": "a/b;c=\"d,e\""])],
                request: ["Accept": "a/b; c=\"d,e\""], selected: nil),
            Vary(
                title: "white space may mean something in a field that isn't known (4.1)",
                stored: [("Foo", ["Foo": "1,2"])], request: ["Foo": "1, 2"], selected: nil),
            Vary(
                title: "several lines are one (4.1)", stored: [("Foo", ["Foo": "1, 2"])],
                request: ["Foo": "1", "foo": "2"], selected: 0),
            Vary(
                title: "the same credentials (4.1)", stored: [("Authorization", ["Authorization": "Bearer a"])],
                request: ["Authorization": "Bearer a"], selected: 0),
            Vary(
                title: "others (4.1)", stored: [("Authorization", ["Authorization": "Bearer a"])],
                request: ["Authorization": "Bearer b"], selected: nil),
            Vary(
                title: "of several that match the newest counts (4.1)", stored: [("Accept", [:]), ("Accept", [:])],
                request: [:], selected: 0),
            Vary(
                title: "an older one, if the newest doesn't match (4.1)",
                stored: [("Accept", ["Accept": "a"]), ("Accept", ["Accept": "b"])], request: ["Accept": "b"],
                selected: 1),
        ]
    }

    @Test("the request selects among variants", arguments: Vary.all)
    func vary(_ row: Vary) {
        let heads = row.stored.map { stored in
            HTTPCache.StoredHead.response(
                ["Vary": stored.vary, "Cache-Control": "max-age=600"], age: 1, to: stored.request)
        }
        #expect(HTTPCache.selected(of: heads, request: row.request) == row.selected)
        let decision = HTTPCache.decide(candidates: heads, request: row.request, now: HTTPCacheTime.now)
        #expect(decision.outcome == (row.selected.map { .useStored($0) } ?? .fetch))
    }

    @Test("of several that match, the one that its origin made last counts (RFC 9111, 4.1)")
    func newestDate() {
        let heads = [-300.0, -100, -200].map { seconds in
            HTTPCache.StoredHead.response(["Date": HTTPCacheTime.httpDate(seconds), "Cache-Control": "max-age=600"])
        }
        #expect(HTTPCache.selected(of: heads, request: [:]) == 1)
    }

    @Test("what is kept of a credential doesn't tell what it is")
    func credentials() {
        for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
            let head = HTTPCache.StoredHead.response(["Vary": name], to: [name: "secret"])
            #expect(head.varyingFields.count == 1)
            #expect(!String(decoding: head.encoded(), as: UTF8.self).contains("secret"))
        }
    }

    @Test("a reason of absurd times is described all the same")
    func absurdTimes() {
        for time in [Double.nan, .infinity, -.infinity, 1e300] {
            #expect(!HTTPCache.Reason.fresh(age: time, lifetime: .maxAge(time)).description.isEmpty)
            #expect(
                !HTTPCache.Reason.staleWhileRevalidate(age: time, lifetime: .unknown, window: time).description.isEmpty)
        }
    }
}
