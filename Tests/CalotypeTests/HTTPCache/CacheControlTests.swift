import Calotype
import Testing

@Suite("Cache-Control: the grammar")
struct CacheControlTests {
    struct Grammar: RuleCase {
        let title: String
        let value: String?
        var present: Set<CacheControl.Directive> = []
        var maxAge: Double?
        var staleWhileRevalidate: Double?

        static let all = [
            Grammar(title: "no field, no directive", value: nil),
            Grammar(title: "an empty field is none (RFC 9110, 5.6.1)", value: ""),
            Grammar(title: "one directive (RFC 9111, 5.2)", value: "no-store", present: [.noStore]),
            Grammar(
                title: "names compare without case (5.2)", value: "No-Cache, MAX-AGE=5", present: [.noCache, .maxAge],
                maxAge: 5),
            Grammar(
                title: "white space around commas means nothing (RFC 9110, 5.6.1)",
                value: " \t no-cache\t, ,,  max-age=7 ,", present: [.noCache, .maxAge], maxAge: 7),
            Grammar(
                title: "white space around the equals sign is forgiven", value: "max-age = 8", present: [.maxAge],
                maxAge: 8),
            Grammar(title: "an argument may be quoted (5.2)", value: "max-age=\"9\"", present: [.maxAge], maxAge: 9),
            Grammar(
                title: "a comma within quotes separates nothing (RFC 9110, 5.6.4)",
                value: "private=\"a, no-store, b\", max-age=10", present: [.private, .maxAge], maxAge: 10),
            Grammar(
                title: "an escaped quote doesn't end the string (RFC 9110, 5.6.4)",
                value: "ext=\"a\\\", no-store\", no-cache", present: [.noCache]),
            Grammar(title: "a string that never ends takes the rest", value: "ext=\"a, no-store", present: []),
            Grammar(title: "a backslash at the end ends the field", value: "no-cache, ext=\"a\\", present: [.noCache]),
            Grammar(
                title: "no-cache with field names is about those alone (5.2.2.4)", value: "no-cache=\"set-cookie\"",
                present: []),
            Grammar(
                title: "of duplicates the first counts (4.2.1)", value: "max-age=1, max-age=2", present: [.maxAge],
                maxAge: 1),
            Grammar(
                title: "even if it has no number (4.2.1)", value: "max-age=x, max-age=2", present: [.maxAge]),
            Grammar(title: "a negative number is none (1.2.2)", value: "max-age=-1", present: [.maxAge]),
            Grammar(title: "nor a fraction", value: "max-age=1.5", present: [.maxAge]),
            Grammar(title: "nor one with a sign", value: "max-age=+1", present: [.maxAge]),
            Grammar(title: "nor one with text behind it", value: "max-age=60 s", present: [.maxAge]),
            Grammar(title: "nor nothing", value: "max-age=", present: [.maxAge]),
            Grammar(title: "nor an argument that isn't there", value: "max-age", present: [.maxAge]),
            Grammar(title: "zero is a number", value: "max-age=000", present: [.maxAge], maxAge: 0),
            Grammar(
                title: "the largest number that is kept (1.2.2)", value: "max-age=2147483648", present: [.maxAge],
                maxAge: 2_147_483_648),
            Grammar(
                title: "larger ones count as it (1.2.2)", value: "max-age=99999999999999999999999999",
                present: [.maxAge], maxAge: 2_147_483_648),
            Grammar(
                title: "part of a name is no name", value: "no-stor, no-storex, xno-store, max-ag=1, max-agf=1",
                present: []),
            Grammar(
                title: "unknown directives are passed over (5.2.3)",
                value: "s-maxage=5, proxy-revalidate, community=\"UCI\"",
                present: []),
            Grammar(
                title: "every directive by its name (5.2, RFC 5861, RFC 8246)",
                value: """
                    immutable, max-age=1, max-stale=2, min-fresh=3, must-revalidate, must-understand, no-cache, \
                    no-store, only-if-cached, private, public, stale-if-error=4, stale-while-revalidate=5
                    """,
                present: Set(CacheControl.Directive.allCases), maxAge: 1, staleWhileRevalidate: 5),
        ]
    }

    @Test("a field's value is read as its grammar says", arguments: Grammar.all)
    func grammar(_ row: Grammar) {
        let control = CacheControl(row.value)
        #expect(Set(CacheControl.Directive.allCases.filter(control.has)) == row.present)
        #expect(control.maxAge == row.maxAge)
        #expect(control.staleWhileRevalidate == row.staleWhileRevalidate)
    }

    @Test("no-cache may name fields, in quotes or not, and is general if any of its kind is (RFC 9111, 5.2.2.4)")
    func uncachedFields() {
        #expect(CacheControl("no-cache=\"Set-Cookie, X-A\"").hasUncachedFields)
        #expect(CacheControl("no-cache=Set-Cookie").hasUncachedFields)
        #expect(!CacheControl("no-cache").hasUncachedFields && !CacheControl("private=\"a\"").hasUncachedFields)
        #expect(CacheControl("no-cache=\"\"").has(.noCache) && CacheControl("no-cache=").has(.noCache))
        #expect(CacheControl("no-cache=\"a\", no-cache").has(.noCache))
        #expect(
            CacheControl.uncachedFields(in: "No-Cache=\" Set-Cookie ,, X-A\", max-age=1, no-cache=b, private=\"c\"")
                == ["set-cookie", "x-a", "b"])
    }

    @Test("a request without Cache-Control may say no-cache by Pragma (RFC 9111, 5.4)")
    func pragma() {
        #expect(CacheControl(ofRequest: ["Pragma": "foo, No-Cache"]).has(.noCache))
        #expect(!CacheControl(ofRequest: ["Pragma": "foo"]).has(.noCache))
        #expect(!CacheControl(ofRequest: ["Pragma": "no-cache", "Cache-Control": "nothing"]).has(.noCache))
        #expect(!CacheControl(of: ["Pragma": "no-cache"]).has(.noCache))
    }

    @Test("max-stale without a number takes any age, and with nonsense none (RFC 9111, 5.2.1.2)")
    func maxStale() {
        #expect(CacheControl("max-stale").maxStale == .infinity)
        #expect(CacheControl("max-stale=x").maxStale == nil)
        #expect(CacheControl("max-stale=").maxStale == nil)
    }

    @Test("each number goes to its directive")
    func numbers() {
        let control = CacheControl("max-stale=2, min-fresh=3, stale-if-error=4")
        #expect(control.maxStale == 2)
        #expect(control.minFresh == 3)
        #expect(control.staleIfError == 4)
    }

    @Test("several lines count as one (RFC 9110, 5.3)")
    func lines() {
        var fields: HTTPFields = ["cache-control": "no-cache"]
        fields.append("Cache-Control", "max-age=5")
        let control = CacheControl(of: fields)
        #expect(control.has(.noCache))
        #expect(control.maxAge == 5)
    }
}
