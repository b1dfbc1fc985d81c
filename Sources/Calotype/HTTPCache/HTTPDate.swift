package import Foundation

/// Dates as HTTP writes them.
///
/// - Source: RFC 9110 section 5.6.7. The preferred form alone is read here: "Sun, 06 Nov 1994 08:49:37 GMT".
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The date, or `nil` where the text breaks the grammar by a single character.
    package static func parse(_ text: String) -> Date? {
        var text = text
        return text.withUTF8(parse)
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        guard bytes.count == 29, bytes[3...4].elementsEqual(", ".utf8), bytes[25...].elementsEqual(" GMT".utf8),
            bytes[7] == 0x20, bytes[11] == 0x20, bytes[16] == 0x20, bytes[19] == 0x3a, bytes[22] == 0x3a,
            let month = months.firstIndex(where: { bytes[8...10].elementsEqual($0.utf8) })
        else { return nil }
        func number(_ range: ClosedRange<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        guard let day = number(5...6), let year = number(12...15), let hour = number(17...18),
            let minute = number(20...21), let second = number(23...24),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month + 1, day: day)
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
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
}
