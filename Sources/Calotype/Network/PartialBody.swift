import Foundation

/// The beginning of a body that broke off, and how the rest is asked for.
///
/// Two parts are joined only if they are sure to belong together: the first response had a strong validator and said how
/// long the body is, and the second is exactly the part that was asked for, of a body of that length. Redirects must have
/// led both times to the same resource: a validator says nothing of another one's bytes.
///
/// - Source: RFC 9110 sections 13.1.5, 14.2 and 15.3.7. The head of the joined response is that of the first, as 15.3.7.3
///   says.
final class PartialBody: Sendable {
    private let reception: BodyReception
    private let validator: Validator

    private enum Validator {
        case tag(String)
        case date(String)

        var text: String {
            switch self {
            case .tag(let text), .date(let text): text
            }
        }
    }

    /// - Returns: `nil` if the rest can't be asked for.
    init?(_ reception: BodyReception) {
        let head = reception.arrival.head
        guard head.status == 200, !reception.data.isEmpty, let length = reception.expectedByteCount,
            Int64(reception.data.count) < length, head.fields["Content-Encoding"] == nil,
            head.fields["Accept-Ranges"]?.lowercased() != "none",
            let validator = Self.validator(in: head.fields, near: head.responseTime)
        else { return nil }
        self.reception = reception
        self.validator = validator
    }

    /// The bytes so far.
    var byteCount: Int { reception.data.count }
    /// The head of the response that they are of.
    var head: HTTPCache.StoredHead { reception.arrival.head }
    /// Whether a cache may keep the response.
    var mayStore: Bool { reception.arrival.mayStore }

    /// What asks for the rest.
    var conditions: HTTPLoader.Conditions {
        HTTPLoader.Conditions(
            ["Range": "bytes=\(byteCount)-", "If-Range": validator.text], of: head)
    }

    /// The body, to go on with what `exchange`, whose response is a 206, brings.
    ///
    /// - Throws: ``ImageError`` with the reason `unexpectedPart` if it isn't what was asked for.
    func reception(continuedBy exchange: HTTPLoader.Exchange) throws -> BodyReception {
        let response = exchange.response
        func check(_ isRight: Bool, _ fault: @autoclosure () -> String) throws {
            if !isRight { throw ImageError(.network, .unexpectedPart(fault())) }
        }
        try check(head.redirection?.target == exchange.redirection?.target, "it comes from another place")
        guard let field = response.fields["Content-Range"], let range = ContentRange(field) else {
            throw ImageError(.network, .unexpectedPart("it doesn't say which part it is"))
        }
        try check(range.first == Int64(byteCount), "it begins at byte \(range.first) instead of \(byteCount)")
        // The length is known: without one there would be no partial body.
        let length = reception.expectedByteCount ?? 0
        try check(
            range.complete == nil || range.complete == length,
            "it is of a body of \(range.complete ?? 0) bytes instead of \(length)")
        try check(range.last < length, "it ends beyond the body's \(length) bytes")
        try check(response.fields["Content-Encoding"] == nil, "it is encoded")
        if let announced = response.fields["Content-Length"].flatMap(Int64.init) {
            try check(announced == range.last - range.first + 1, "its length contradicts its range")
        }
        switch validator {
        case .tag(let tag): try check((response.fields["ETag"] ?? tag) == tag, "it is of another version")
        case .date(let date):
            try check((response.fields["Last-Modified"] ?? date) == date, "it is of another version")
        }
        reception.resume(end: Int(range.last) + 1)
        return reception
    }

    /// A validator that changes whenever the bytes do.
    ///
    /// - Source: RFC 9110 sections 8.8.1, 8.8.2.2 and 13.1.5. A date is one only if it lies before the response by so much
    ///   that neither the clocks' precision nor their difference matters: a minute. Beside a tag it isn't used at all.
    private static func validator(in fields: HTTPFields, near now: Date) -> Validator? {
        if let tag = fields["ETag"] {
            let isStrong = tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            return isStrong && HTTPCache.maySendBack(tag) ? .tag(tag) : nil
        }
        guard let text = fields["Last-Modified"], let modified = HTTPDate.parse(text, near: now),
            let date = fields["Date"].flatMap({ HTTPDate.parse($0, near: now) }), date.timeIntervalSince(modified) >= 60
        else { return nil }
        return .date(text)
    }
}
