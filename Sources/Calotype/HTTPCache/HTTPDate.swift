package import Foundation

/// Dates as HTTP writes them, in any of its three forms:
///
///     Sun, 06 Nov 1994 08:49:37 GMT     IMF-fixdate, the one that is sent
///     Sunday, 06-Nov-94 08:49:37 GMT    RFC 850
///     Sun Nov  6 08:49:37 1994          asctime
///
/// Letters compare without case, as caches are asked to. Apart from that, what breaks the grammar by a single character is
/// no date; the name of the day has to be one, but isn't checked against the date.
///
/// - Source: RFC 9110 section 5.6.7; RFC 9111 section 4.2.
package enum HTTPDate {
    private static let months: [StaticString] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static let weekdays: [StaticString] = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// The date, or `nil` where the text is none.
    ///
    /// - Parameter moment: About when it was written. A year of two digits is the one that isn't more than 50 years after it.
    package static func parse(_ text: String, near moment: Date) -> Date? {
        var text = text
        return text.withUTF8 { bytes in
            switch bytes.count {
            case 29: fixdate(bytes)
            case 24: asctime(bytes)
            default: rfc850(bytes, near: moment)
            }
        }
    }

    // "Sun, 06 Nov 1994 08:49:37 GMT"
    private static func fixdate(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        guard isWeekday(bytes, 3), matches(bytes, 3, ", "), bytes[7] == 0x20, bytes[11] == 0x20, bytes[16] == 0x20,
            matches(bytes, 25, " gmt"), let day = number(bytes, 5..<7), let month = month(bytes, at: 8),
            let year = number(bytes, 12..<16)
        else { return nil }
        return date(year, month, day, time: bytes, at: 17)
    }

    // "Sunday, 06-Nov-94 08:49:37 GMT"
    private static func rfc850(_ bytes: UnsafeBufferPointer<UInt8>, near moment: Date) -> Date? {
        let start = bytes.count - 24
        guard start >= 6, isWeekday(bytes, start), matches(bytes, start, ", "), bytes[start + 4] == 0x2D,
            bytes[start + 8] == 0x2D, bytes[start + 11] == 0x20, matches(bytes, start + 20, " gmt"),
            let day = number(bytes, start + 2..<start + 4), let month = month(bytes, at: start + 5),
            let short = number(bytes, start + 9..<start + 11)
        else { return nil }
        let current = year(of: moment)
        var year = current - current % 100 + short
        // Not the nearest: what seems to lie more than 50 years ahead lies in the past, and nothing else does.
        if year > current + 50 { year -= 100 }
        if year + 100 <= current + 50 { year += 100 }
        return date(year, month, day, time: bytes, at: start + 12)
    }

    // "Sun Nov  6 08:49:37 1994"
    private static func asctime(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        guard isWeekday(bytes, 3), bytes[3] == 0x20, bytes[7] == 0x20, bytes[10] == 0x20, bytes[19] == 0x20,
            let month = month(bytes, at: 4), let year = number(bytes, 20..<24),
            let day = number(bytes, bytes[8] == 0x20 ? 9..<10 : 8..<10)
        else { return nil }
        return date(year, month, day, time: bytes, at: 11)
    }

    /// Whether the first `count` bytes are the name of a day, in full or its first three letters.
    private static func isWeekday(_ bytes: UnsafeBufferPointer<UInt8>, _ count: Int) -> Bool {
        weekdays.contains { name in
            (count == 3 || count == name.utf8CodeUnitCount)
                && (0..<count).allSatisfy { bytes[$0].asciiLowercased == name.utf8Start[$0] }
        }
    }

    /// The month, counted from 1.
    private static func month(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        months.firstIndex { matches(bytes, start, $0) }.map { $0 + 1 }
    }

    private static func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ text: StaticString) -> Bool {
        (0..<text.utf8CodeUnitCount).allSatisfy { bytes[start + $0].asciiLowercased == text.utf8Start[$0] }
    }

    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
        var value = 0
        for byte in bytes[range] {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }

    /// A date, and a time as "08:49:37" from `start` on.
    private static func date(
        _ year: Int, _ month: Int, _ day: Int, time bytes: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> Date? {
        guard bytes[start + 2] == 0x3A, bytes[start + 5] == 0x3A, let hour = number(bytes, start..<start + 2),
            let minute = number(bytes, start + 3..<start + 5), let second = number(bytes, start + 6..<start + 8),
            day >= 1, day <= dayCount(year: year, month: month), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month, day: day)
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1 January 1970 in the Gregorian calendar. The year is counted from March, so that the leap day is its
    /// last.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The year of a moment. A clock that says anything else than a time of our era counts as 1970.
    private static func year(of moment: Date) -> Int {
        let days = (moment.timeIntervalSince1970 / 86_400).rounded(.down)
        guard days >= 0, days < 3_000_000 else { return 1970 }
        var year = 1970 + Int(days / 365.2425)
        while daysSinceEpoch(year: year + 1, month: 1, day: 1) <= Int(days) { year += 1 }
        while daysSinceEpoch(year: year, month: 1, day: 1) > Int(days) { year -= 1 }
        return year
    }
}
