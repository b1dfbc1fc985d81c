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
            Valid(title: "a leap second", text: "Sat, 31 Dec 2016 23:59:60 GMT", seconds: 1_483_228_800),
        ]
    }

    @Test("the preferred form is read", arguments: Valid.all)
    func valid(_ row: Valid) {
        #expect(HTTPDate.parse(row.text, near: HTTPCacheTime.now)?.timeIntervalSince1970 == row.seconds)
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
            "Xxx, 06 Nov 1994 08:49:37 GMT",
            "Mon, 31 Apr 2023 00:00:00 GMT", "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
        ])
    func invalid(_ text: String) {
        #expect(HTTPDate.parse(text, near: HTTPCacheTime.now) == nil)
    }
}
