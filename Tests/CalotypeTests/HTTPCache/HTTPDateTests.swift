import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Dates of HTTP")
struct HTTPDateTests {
    struct Valid: RuleCase {
        let title: String
        let text: String
        let seconds: Double

        static let all = [
            Valid(title: "the example of RFC 9110, 5.6.7", text: "Sun, 06 Nov 1994 08:49:37 GMT", seconds: 784_111_777),
            Valid(title: "the epoch", text: "Thu, 01 Jan 1970 00:00:00 GMT", seconds: 0),
            Valid(title: "before the epoch", text: "Wed, 31 Dec 1969 23:59:59 GMT", seconds: -1),
            Valid(title: "a leap day", text: "Tue, 29 Feb 2000 12:00:00 GMT", seconds: 951_825_600),
            Valid(title: "the day after it", text: "Wed, 01 Mar 2000 12:00:00 GMT", seconds: 951_912_000),
            Valid(
                title: "after a February without one", text: "Thu, 01 Mar 1900 00:00:00 GMT", seconds: -2_203_891_200),
            Valid(title: "past 2^31 seconds", text: "Tue, 19 Jan 2038 03:14:08 GMT", seconds: 2_147_483_648),
            Valid(title: "as RFC 850 has it", text: "Sunday, 06-Nov-94 08:49:37 GMT", seconds: 784_111_777),
            Valid(title: "as asctime has it", text: "Sun Nov  6 08:49:37 1994", seconds: 784_111_777),
            Valid(title: "with two digits for the day", text: "Wed Nov 16 08:49:37 1994", seconds: 784_975_777),
            Valid(
                title: "letters in any case (RFC 9111, 4.2)", text: "SUN, 06 nOV 1994 08:49:37 gmt",
                seconds: 784_111_777),
            Valid(title: "in all three forms", text: "SUNDAY, 06-NOV-94 08:49:37 gMT", seconds: 784_111_777),
            Valid(
                title: "a year that isn't more than 50 ahead", text: "Thursday, 18-Aug-50 02:01:18 GMT",
                seconds: 2_544_400_878),
            Valid(title: "a leap second", text: "Sat, 31 Dec 2016 23:59:60 GMT", seconds: 1_483_228_800),
        ]
    }

    @Test("each of the three forms is read", arguments: Valid.all)
    func valid(_ row: Valid) {
        #expect(HTTPDate.parse(row.text, near: HTTPCacheTime.now)?.timeIntervalSince1970 == row.seconds)
    }

    @Test(
        "a year of two digits is at most 50 years ahead (RFC 9110, 5.6.7)",
        arguments: [
            (2026, 76, 2076), (2026, 77, 1977), (2026, 26, 2026), (2026, 0, 2000), (1999, 49, 2049), (1999, 50, 1950),
            (1999, 0, 2000),
            (2000, 50, 2050), (2000, 51, 1951), (2060, 10, 2110), (2060, 11, 2011),
        ])
    func shortYear(_ now: Int, _ short: Int, _ year: Int) throws {
        let moment = try #require(HTTPDate.parse("Mon, 15 Jun \(now) 00:00:00 GMT", near: HTTPCacheTime.now))
        let digits = (short < 10 ? "0" : "") + String(short)
        let date = HTTPDate.parse("Monday, 15-Jun-\(digits) 00:00:00 GMT", near: moment)
        #expect(date == HTTPDate.parse("Mon, 15 Jun \(year) 00:00:00 GMT", near: moment))
    }

    @Test("a clock that is out of its mind doesn't matter", arguments: [Double.nan, .infinity, -1e300, 1e300])
    func absurdClock(_ seconds: Double) {
        let moment = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", near: moment) != nil)
    }

    @Test("every day of four centuries comes back as it was written")
    func days() {
        // 7 hours and a bit more than a day: each time of day, and each day nearly, comes up.
        for step in stride(from: 0.0, to: 400 * 366 * 86_400, by: 7_654_321) {
            let date = Date(timeIntervalSince1970: -4_000_000_000 + step)
            #expect(HTTPDate.parse(LoopbackServer.httpDate(date), near: date) == date)
        }
    }

    @Test(
        "what breaks the grammar is no date (RFC 9110, 5.6.7)",
        arguments: [
            "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ",
            " Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun  06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08-49-37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49:3x GMT",
            "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sunday, 6-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday 06-Nov-94 08:49:37 GMT",
            "Sunda, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 UTC",
            "Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT",
            "Sun, Nov  6 08:49:37 1994", "Sun Nov  x 08:49:37 1994", "Sunday Nov 6 08:49:37 94",
            "Sun, 06 Nov 1994 08:49:37 AEST", "Sun 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
            "Xxx, 06 Nov 1994 08:49:37 GMT",
            "Mon, 31 Apr 2023 00:00:00 GMT", "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
        ])
    func invalid(_ text: String) {
        #expect(HTTPDate.parse(text, near: HTTPCacheTime.now) == nil)
    }
}
