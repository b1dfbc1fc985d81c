import Foundation
import Testing

@testable import Calotype

@Suite("Freshness: lifetime and age")
struct FreshnessTests {
    struct Lifetime: RuleCase {
        let title: String
        let fields: HTTPFields
        var status = 200
        let lifetime: HTTPCache.Lifetime

        private static let date = HTTPCacheTime.httpDate
        static let all = [
            Lifetime(title: "nothing said, nothing fresh (RFC 9111, 4.2.1)", fields: [:], lifetime: .unknown),
            Lifetime(title: "max-age (5.2.2.1)", fields: ["Cache-Control": "max-age=600"], lifetime: .maxAge(600)),
            Lifetime(
                title: "max-age beats Expires (5.3)", fields: ["Cache-Control": "max-age=600", "Expires": date(60)],
                lifetime: .maxAge(600)),
            Lifetime(
                title: "a max-age that is no number is stale, whatever Expires says (4.2.1)",
                fields: ["Cache-Control": "max-age=x", "Expires": date(60)], lifetime: .unreadable),
            Lifetime(
                title: "s-maxage is for shared caches (5.2.2.10)", fields: ["Cache-Control": "s-maxage=600"],
                lifetime: .unknown
            ),
            Lifetime(
                title: "Expires counts from Date (4.2.1)", fields: ["Date": date(-100), "Expires": date(200)],
                lifetime: .expires(300)),
            Lifetime(
                title: "without Date, from the response's time (4.2.1)", fields: ["Expires": date(200)],
                lifetime: .expires(200)),
            Lifetime(
                title: "a Date that can't be read is none", fields: ["Date": "today", "Expires": date(200)],
                lifetime: .expires(200)),
            Lifetime(
                title: "Expires as RFC 850 had it (RFC 9110, 5.6.7)",
                fields: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sunday, 06-Nov-94 08:49:47 GMT"],
                lifetime: .expires(10)),
            Lifetime(
                title: "Expires as asctime has it (RFC 9110, 5.6.7)",
                fields: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sun Nov  6 08:49:47 1994"],
                lifetime: .expires(10)),
            Lifetime(
                title: "two lines of Expires are no date (4.2.1)", fields: ["Expires": date(60), "expires": date(60)],
                lifetime: .unreadable),
            Lifetime(
                title: "CDN-Cache-Control is for CDNs (RFC 9213)", fields: ["CDN-Cache-Control": "max-age=600"],
                lifetime: .unknown),
            Lifetime(title: "Expires in the past (5.3)", fields: ["Expires": date(-200)], lifetime: .expires(0)),
            Lifetime(
                title: "an Expires that is no date is in the past (5.3)", fields: ["Expires": "0"],
                lifetime: .unreadable),
            Lifetime(
                title: "which ends the matter: no heuristic (4.2.2)",
                fields: ["Expires": "0", "Last-Modified": date(-1_000)], lifetime: .unreadable),
            Lifetime(
                title: "a tenth of the time since Last-Modified (4.2.2)",
                fields: ["Date": date(0), "Last-Modified": date(-1_000)], lifetime: .heuristic(100)),
            Lifetime(
                title: "without Date, until the response's time (4.2.2)", fields: ["Last-Modified": date(-1_000)],
                lifetime: .heuristic(100)),
            Lifetime(
                title: "modified after it was sent (4.2.2)", fields: ["Last-Modified": date(1_000)],
                lifetime: .heuristic(0)),
            Lifetime(
                title: "404 has a heuristic (RFC 9110, 15.1)", fields: ["Last-Modified": date(-1_000)], status: 404,
                lifetime: .heuristic(100)),
            Lifetime(
                title: "302 has none (RFC 9110, 15.1)", fields: ["Last-Modified": date(-1_000)], status: 302,
                lifetime: .unknown
            ),
        ]
    }

    struct Heuristic: RuleCase {
        let title: String
        let status: Int
        var control = ""
        let hasHeuristic: Bool

        static let all =
            [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].map {
                Heuristic(title: "\($0) has one (RFC 9110, 15.1)", status: $0, hasHeuristic: true)
            }
            + [201, 202, 302, 303, 307, 400, 403, 500, 502, 503, 504, 599].map {
                Heuristic(title: "\($0) has none (RFC 9110, 15.1)", status: $0, hasHeuristic: false)
            }
            + [
                Heuristic(
                    title: "public allows one (RFC 9111, 5.2.2.9)", status: 599, control: "public",
                    hasHeuristic: true),
                Heuristic(
                    title: "private doesn't (RFC 9111, 5.2.2.7)", status: 599, control: "private",
                    hasHeuristic: false),
            ]
    }

    @Test("some statuses are fresh for a time that is guessed", arguments: Heuristic.all)
    func heuristic(_ row: Heuristic) {
        let head = HTTPCache.StoredHead.response(
            ["Last-Modified": HTTPCacheTime.httpDate(-1_000), "Cache-Control": row.control], status: row.status)
        let lifetime = HTTPCache.freshnessLifetime(of: head, CacheControl(of: head.fields))
        #expect(lifetime == (row.hasHeuristic ? .heuristic(100) : .unknown))
    }

    @Test("lifetimes say by which rule, and absurd ones are described all the same")
    func descriptions() {
        #expect(HTTPCache.Lifetime.maxAge(600).description == "600 s by max-age (RFC 9111, 5.2.2.1)")
        for lifetime in [.expires(.nan), .heuristic(.infinity), .redirect(-1), .unreadable, HTTPCache.Lifetime.unknown]
        {
            #expect(lifetime.description.contains("RFC 9111"))
        }
    }

    @Test("a response stays fresh as long as it says", arguments: Lifetime.all)
    func lifetime(_ row: Lifetime) {
        let head = HTTPCache.StoredHead.response(row.fields, status: row.status)
        #expect(HTTPCache.freshnessLifetime(of: head, CacheControl(of: head.fields)) == row.lifetime)
    }

    struct Age: RuleCase {
        let title: String
        var fields: HTTPFields = [:]
        /// From the request to the response.
        var delay = 0.0
        /// From the response to now.
        var resident = 50.0
        let seconds: Double

        private static let date = HTTPCacheTime.httpDate
        static let all = [
            Age(title: "nothing said: the time it has been here (RFC 9111, 4.2.3)", seconds: 50),
            Age(title: "Date gives the apparent age (4.2.3)", fields: ["Date": date(-150)], seconds: 150),
            Age(title: "a Date ahead of our clock counts as none (4.2.3)", fields: ["Date": date(500)], seconds: 50),
            Age(title: "a Date that can't be read counts as none", fields: ["Date": "yesterday"], seconds: 50),
            Age(title: "Age and the delay are added (4.2.3)", fields: ["Age": "30"], delay: 2, seconds: 82),
            Age(title: "the delay counts without an Age (4.2.3)", delay: 2, seconds: 52),
            Age(
                title: "the larger of the two counts: Date (4.2.3)", fields: ["Age": "30", "Date": date(-150)],
                seconds: 150),
            Age(title: "or Age (4.2.3)", fields: ["Age": "300", "Date": date(-150)], seconds: 350),
            Age(title: "a negative Age is none (5.1)", fields: ["Age": "-30"], seconds: 50),
            Age(title: "nor is a fraction one (5.1)", fields: ["Age": "1.5"], seconds: 50),
            Age(title: "of several members the first counts (5.1)", fields: ["Age": "5 , 900"], seconds: 55),
            Age(title: "a parameter makes it none (5.1)", fields: ["Age": "30;a=b"], seconds: 50),
            Age(title: "of several lines the first counts (5.1)", fields: ["Age": "5", "age": "900"], seconds: 55),
            Age(
                title: "an Age too large counts as 2^31 (1.2.2)", fields: ["Age": "99999999999999999999"],
                seconds: 2_147_483_698),
            Age(title: "a clock that was put back makes nothing younger", resident: -70, seconds: 0),
            Age(title: "nor does one that was put back during the request", delay: -70, seconds: 50),
        ]
    }

    @Test("a response is as old as its fields and our clock say", arguments: Age.all)
    func age(_ row: Age) {
        let head = HTTPCache.StoredHead.response(row.fields, age: row.resident, delay: row.delay)
        #expect(HTTPCache.currentAge(of: head, now: HTTPCacheTime.now) == row.seconds)
    }

    struct Pixels: RuleCase {
        let title: String
        let fields: HTTPFields
        var requestFields: HTTPFields = [:]
        /// Seconds from the response.
        let staleAfter: Double
        var validatesFirst = false
        var isTransient = false

        static let all = [
            Pixels(title: "fresh for its lifetime", fields: ["Cache-Control": "max-age=600"], staleAfter: 600),
            Pixels(
                title: "less the age it came with", fields: ["Cache-Control": "max-age=600", "Age": "100"],
                staleAfter: 500),
            Pixels(
                title: "no-cache: stale at once, validated first (5.2.2.4)",
                fields: ["Cache-Control": "no-cache, max-age=600"], staleAfter: 0, validatesFirst: true),
            Pixels(
                title: "must-revalidate: validated first once stale (5.2.2.2)",
                fields: ["Cache-Control": "must-revalidate, max-age=600"], staleAfter: 600, validatesFirst: true),
            Pixels(
                title: "no-store: as long as they are shown (5.2.2.5)",
                fields: ["Cache-Control": "no-store, max-age=600"], staleAfter: 600, validatesFirst: true,
                isTransient: true),
            Pixels(
                title: "unless it is for those that don't understand the status (5.2.2.3)",
                fields: ["Cache-Control": "no-store, must-understand, max-age=600"], staleAfter: 600),
            Pixels(
                title: "the same if the request says so (5.2.1.5)", fields: ["Cache-Control": "max-age=600"],
                requestFields: ["Cache-Control": "no-store"], staleAfter: 600, validatesFirst: true, isTransient: true),
            Pixels(
                title: "a Cache-Control that Connection names isn't stored (3.1)",
                fields: ["Cache-Control": "max-age=600", "Connection": "cache-control"], staleAfter: 0),
        ]
    }

    @Test("pixels go stale with the response they were made of", arguments: Pixels.all)
    func pixels(_ row: Pixels) {
        let head = HTTPCache.StoredHead.response(row.fields, to: row.requestFields)
        let freshness = HTTPCache.freshness(of: head, requestFields: row.requestFields)
        #expect(freshness.staleAt == HTTPCacheTime.now.timeIntervalSinceReferenceDate + row.staleAfter)
        #expect(freshness.validatesFirst == row.validatesFirst)
        #expect(freshness.isTransient == row.isTransient)
        let arrival = HTTPCache.Arrival(
            method: "GET", requestFields: row.requestFields, status: 200, fields: row.fields,
            requestTime: head.requestTime, responseTime: head.responseTime)
        #expect(arrival.freshness == freshness)
        #expect(arrival.head == head)
    }
}
