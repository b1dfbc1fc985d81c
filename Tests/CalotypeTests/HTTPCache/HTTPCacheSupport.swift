import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

/// A moment and what lies around it, for rules that speak of ages.
enum HTTPCacheTime {
    /// A whole second, as the dates of HTTP are.
    static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

    /// The moment that many seconds from now, as HTTP writes it.
    static func httpDate(_ seconds: Double) -> String { LoopbackServer.httpDate(now.addingTimeInterval(seconds)) }
}

extension HTTPCache.StoredHead {
    /// The head of a response that came that many seconds before now, without delay.
    static func response(
        _ fields: HTTPFields, status: Int = 200, age: Double = 0, delay: Double = 0, to requestFields: HTTPFields = [:]
    ) -> Self {
        let time = HTTPCacheTime.now.addingTimeInterval(-age)
        return Self(
            status: status, fields: fields, requestTime: time.addingTimeInterval(-delay), responseTime: time,
            requestFields: requestFields)
    }
}

/// A row of a table: the title says the rule and names its section.
protocol RuleCase: Sendable, CustomTestStringConvertible {
    var title: String { get }
}

extension RuleCase {
    var testDescription: String { title }
}
