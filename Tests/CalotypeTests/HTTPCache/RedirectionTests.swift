import Foundation
import Testing

@testable import Calotype

@Suite("Redirects: a chain is as fresh as its weakest part")
struct RedirectionTests {
    private static let now = HTTPCacheTime.now
    private static let target = SHA256.short("https://example.com/b")

    private static func step(
        _ fields: HTTPFields, status: Int = 302, after previous: HTTPCache.Redirection? = nil
    ) -> HTTPCache.Redirection {
        HTTPCache.Redirection(
            after: previous, status: status, fields: fields, requestTime: now, responseTime: now, to: target)
    }

    private static func arrival(
        _ redirection: HTTPCache.Redirection?,
        _ fields: HTTPFields = ["Cache-Control": "max-age=600", "ETag": "\"a\""],
        to request: HTTPFields = [:]
    ) -> HTTPCache.Arrival {
        HTTPCache.Arrival(
            method: "GET", requestFields: request, status: 200, fields: fields, requestTime: now, responseTime: now,
            redirection: redirection)
    }

    struct Row: RuleCase {
        let title: String
        var status = 302
        let fields: HTTPFields
        /// How long the response is fresh that says 600 s of itself.
        let lifetime: Double
        var mayStore = true
        var validatesFirst = false
        var isTransient = false

        static let all = [
            Row(title: "a redirect that says nothing is stale at once (RFC 9111, 4.2.2)", fields: [:], lifetime: 0),
            Row(title: "a shorter lifetime counts (4.2.1)", fields: ["Cache-Control": "max-age=60"], lifetime: 60),
            Row(
                title: "less the age it came with (4.2.3)", fields: ["Cache-Control": "max-age=60", "Age": "20"],
                lifetime: 40),
            Row(title: "a longer one doesn't (4.2.1)", fields: ["Cache-Control": "max-age=6000"], lifetime: 600),
            Row(title: "a permanent one lasts as long as its target (4.2.2)", status: 301, fields: [:], lifetime: 600),
            Row(
                title: "unless it says how long (4.2.1)", status: 308, fields: ["Cache-Control": "max-age=60"],
                lifetime: 60),
            Row(
                title: "no-store: nothing is stored (5.2.2.5)", fields: ["Cache-Control": "no-store, max-age=600"],
                lifetime: 600, mayStore: false, validatesFirst: true, isTransient: true),
            Row(
                title: "no-cache: asked before every use (5.2.2.4)", fields: ["Cache-Control": "no-cache, max-age=600"],
                lifetime: 0, validatesFirst: true),
            Row(
                title: "must-revalidate: not used stale (5.2.2.2)",
                fields: ["Cache-Control": "must-revalidate, max-age=60"], lifetime: 60, validatesFirst: true),
            Row(
                title: "Vary: * matches nothing (4.1)", fields: ["Cache-Control": "max-age=600", "Vary": "*"],
                lifetime: 600, mayStore: false, validatesFirst: true, isTransient: true),
        ]
    }

    @Test("what a redirect says bounds the response it leads to", arguments: Row.all)
    func bound(_ row: Row) {
        let arrival = Self.arrival(Self.step(row.fields, status: row.status))
        #expect(arrival.mayStore == row.mayStore)
        #expect(arrival.freshness.staleAt == Self.now.timeIntervalSinceReferenceDate + row.lifetime)
        #expect(arrival.freshness.validatesFirst == row.validatesFirst)
        #expect(arrival.freshness.isTransient == row.isTransient)
        guard row.mayStore else { return }
        func outcome(after seconds: Double) -> HTTPCache.Outcome {
            HTTPCache.decide(
                candidates: [arrival.head], request: [:], now: Self.now.addingTimeInterval(seconds)
            ).outcome
        }
        if row.lifetime > 0 { #expect(outcome(after: row.lifetime - 1) == .useStored(0)) }
        #expect(outcome(after: row.lifetime) == .revalidate(0, with: ["If-None-Match": "\"a\""]))
    }

    @Test("of several redirects the shortest counts, in whatever order they come", arguments: [true, false])
    func chain(isShortFirst: Bool) {
        let lifetimes = isShortFirst ? [60, 300] : [300, 60]
        let first = Self.step(["Cache-Control": "max-age=\(lifetimes[0])"])
        let chain = Self.step(["Cache-Control": "max-age=\(lifetimes[1])"], after: first)
        #expect(chain.staleAt == Self.now.timeIntervalSinceReferenceDate + 60)
        let forbidding = Self.step(["Cache-Control": "no-store"])
        #expect(Self.step(["Cache-Control": "max-age=1"], after: forbidding).forbidsStoring)
    }

    @Test("the reason names the redirect, and stale-while-revalidate isn't the redirect's")
    func reason() {
        let head = Self.arrival(
            Self.step(["Cache-Control": "max-age=60"]),
            ["Cache-Control": "max-age=600, stale-while-revalidate=600", "ETag": "\"a\""]
        ).head
        let decision = HTTPCache.decide(candidates: [head], request: [:], now: Self.now.addingTimeInterval(70))
        #expect(decision.reason == .stale(age: 70, lifetime: .redirect(60)))
        #expect(decision.outcome == .revalidate(0, with: ["If-None-Match": "\"a\""]))
        #expect(decision.reason.description.contains("redirect"))
    }

    @Test(
        "cut off, a stale chain is used unless one of its parts forbids that",
        arguments: ["max-age=0", "must-revalidate"])
    func disconnected(_ control: String) {
        let head = Self.arrival(Self.step(["Cache-Control": control])).head
        let reason = HTTPCache.staleAnswer(
            head, request: [:], to: .disconnected, now: Self.now.addingTimeInterval(10))
        #expect((reason == nil) == (control == "must-revalidate"))
    }

    @Test("the response varies by what the redirect varies by, also after a 304 (RFC 9111, 4.1)")
    func vary() {
        let redirection = Self.step(["Cache-Control": "max-age=60", "Vary": "Accept"])
        let head = Self.arrival(redirection, ["Vary": "Accept-Language"], to: ["Accept": "a"]).head
        #expect(HTTPCache.selected(of: [head], request: ["Accept": "a"]) == 0)
        #expect(HTTPCache.selected(of: [head], request: ["Accept": "b"]) == nil)
        #expect(HTTPCache.selected(of: [head], request: ["Accept": "a", "Accept-Language": "de"]) == nil)
        var fresh = head
        for _ in 0..<2 {
            fresh = HTTPCache.freshen(
                fresh, with: [:], requestTime: Self.now, responseTime: Self.now, requestFields: ["Accept": "b"],
                redirection: redirection)
        }
        #expect(fresh.fields.values("Vary") == ["Accept-Language", "Accept"])
        #expect(HTTPCache.selected(of: [fresh], request: ["Accept": "b"]) == 0)
    }
}
