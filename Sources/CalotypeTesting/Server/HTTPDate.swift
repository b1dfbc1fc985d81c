public import Foundation

/// Dates as HTTP writes them.
///
/// - Source: RFC 9110 section 5.6.7, IMF-fixdate. The obsolete forms aren't read here.
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }

    /// "Sun, 06 Nov 1994 08:49:37 GMT". Fractions of a second are dropped.
    static func string(_ date: Date) -> String {
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        let digits = { (value: Int?, count: Int) in
            let text = String(value ?? 0)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return """
            \(days[(parts.weekday ?? 1) - 1]), \(digits(parts.day, 2)) \(months[(parts.month ?? 1) - 1]) \
            \(digits(parts.year, 4)) \(digits(parts.hour, 2)):\(digits(parts.minute, 2)):\(digits(parts.second, 2)) GMT
            """
    }

    static func date(_ text: String) -> Date? {
        let parts = text.split { $0 == " " || $0 == ":" }
        guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: String(parts[2])),
            let day = Int(parts[1]), let year = Int(parts[3]),
            let hour = Int(parts[4]), let minute = Int(parts[5]), let second = Int(parts[6])
        else { return nil }
        return calendar.date(
            from: DateComponents(
                year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second))
    }
}

extension LoopbackServer {
    /// A date as HTTP writes it, for Date, Expires and Last-Modified: "Sun, 06 Nov 1994 08:49:37 GMT".
    public static func httpDate(_ date: Date) -> String { HTTPDate.string(date) }
}
