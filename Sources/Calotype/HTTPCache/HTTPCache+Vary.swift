import Foundation

extension HTTPCache {
    /// The candidate that the request's fields select: of several, the one that its origin made last.
    ///
    /// - Source: RFC 9111 section 4.1.
    public static func selected(of candidates: [StoredHead], request: HTTPFields) -> Int? {
        guard let first = candidates.firstIndex(where: { matchesVary($0, request) }) else { return nil }
        var best = first
        for index in candidates.indices.dropFirst(first + 1)
        where matchesVary(candidates[index], request) && candidates[index].date > candidates[best].date {
            best = index
        }
        return best
    }

    private static func matchesVary(_ head: StoredHead, _ request: HTTPFields) -> Bool {
        guard let vary = head.fields["Vary"] else { return true }
        return list(vary).allSatisfy { name in
            name != "*" && head.varyingFields[name] == request[name].map { normalized($0, of: name) }
        }
    }

    /// The fields of a request that Vary names, in the form in which they are compared.
    static func varyingFields(_ vary: String, of request: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        for name in list(vary) where result[name] == nil {
            if let value = request[name] { result.append(name, normalized(value, of: name)) }
        }
        return result
    }

    /// A form of a field's value that all values have which mean the same.
    ///
    /// Little is known to mean the same: white space, order and case count in a field of which nothing is known. Its value is
    /// replaced by its digest, for the form is written into stores, and may be a credential whatever its name.
    ///
    /// What an app's `authorize` adds to a request isn't seen here at all. It says who asks, as credentials do, and those
    /// who ask are kept apart by partitions: within one, a new token for the same account selects the same responses.
    ///
    /// - Source: RFC 9111 section 4.1; RFC 9110 sections 12.5.1 to 12.5.4.
    private static func normalized(_ value: String, of name: String) -> String {
        switch name {
        case "accept-language", "accept-encoding", "accept-charset":
            return members(of: value.lowercased())
        case "accept" where !value.utf8.contains(UInt8(ascii: "\"")):
            return members(of: value)
        default:
            return "sha256 " + SHA256.hash(value).hexadecimal
        }
    }

    /// The members of a list in which neither order nor white space means anything, each with its parameters.
    private static func members(of list: String) -> String {
        list.split(separator: ",").map { member in
            member.split(separator: ";").map { part in
                String(Substring(part.utf8.trimmingOptionalWhitespace))
            }.joined(separator: ";")
        }.filter { !$0.isEmpty }.sorted().joined(separator: ",")
    }

    /// The members of a comma-separated list, in lower case.
    static func list(_ value: String) -> [String] {
        value.utf8.split(separator: UInt8(ascii: ",")).compactMap { member in
            let text = member.trimmingOptionalWhitespace
            return text.isEmpty ? nil : String(Substring(text)).lowercased()
        }
    }
}

extension HTTPCache.StoredHead {
    /// When its origin made it, as far as that is known.
    var date: Date {
        fields["Date"].flatMap { HTTPDate.parse($0, near: responseTime) } ?? responseTime
    }
}
