public import Foundation

extension HTTPCache {
    /// What asks the server whether a stored response is still good: nothing, if it has no validator.
    ///
    /// An error's date says nothing of when there will be something in its place, so only successes are asked about.
    ///
    /// - Source: RFC 9111 section 4.3.1; RFC 9110 section 13.2.1.
    package static func validators(of head: StoredHead) -> HTTPFields {
        var fields = HTTPFields()
        guard 200..<300 ~= head.status else { return fields }
        if let tag = head.fields["ETag"], maySendBack(tag) { fields.append("If-None-Match", tag) }
        if let date = head.fields["Last-Modified"], maySendBack(date) { fields.append("If-Modified-Since", date) }
        return fields
    }

    /// Whether a validator may be sent back as it came: a request with a control character, or with more than servers take,
    /// would fail each time, and what is stored would never be replaced.
    ///
    /// - Source: RFC 9110 sections 5.5 and 8.8.3.
    static func maySendBack(_ validator: String) -> Bool {
        validator.utf8.count <= 4_096 && validator.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Whether a 304 speaks of the stored response.
    ///
    /// - Parameter fields: Of the 304.
    /// - Source: RFC 9111 section 4.3.4. The tag decides where there is one; without any validator it is the one that was
    ///   asked about.
    public static func confirms(_ fields: HTTPFields, _ stored: StoredHead) -> Bool {
        if let tag = fields["ETag"] {
            guard let own = stored.fields["ETag"] else { return false }
            return isWeak(tag) ? opaque(tag) == opaque(own) : tag == own
        }
        guard let date = fields["Last-Modified"] else { return true }
        return stored.fields["Last-Modified"].map { $0 == date } ?? (stored.fields["ETag"] != nil)
    }

    /// The stored head after a 304 has confirmed it.
    ///
    /// - Parameter requestFields: Of the request that it answers; `nil` if what Vary names can't have changed.
    /// - Source: RFC 9111 sections 3.2 and 4.3.4: every field of the 304 replaces the stored ones of its name, but for
    ///   those that are never stored and those that describe the body as it is stored.
    public static func freshen(
        _ stored: StoredHead, with fields: HTTPFields, requestTime: Date, responseTime: Date,
        requestFields: HTTPFields? = nil
    ) -> StoredHead {
        freshen(
            stored, with: fields, requestTime: requestTime, responseTime: responseTime, requestFields: requestFields,
            redirection: nil)
    }

    static func freshen(
        _ stored: StoredHead, with fields: HTTPFields, requestTime: Date, responseTime: Date,
        requestFields: HTTPFields?, redirection: Redirection?
    ) -> StoredHead {
        var result = stored
        let new = storable(fields, CacheControl(of: fields)).filter { field in
            !["content-length", "content-encoding", "content-range"].contains {
                field.name.equalsIgnoringASCIICase($0)
            }
        }
        result.fields.removeAll { old in new.contains { $0.name.equalsIgnoringASCIICase(old.name) } }
        for field in new { result.fields.append(field.name, field.value) }
        // An age that the 304 doesn't repeat is that of the response that came before.
        if fields["Age"] == nil { result.fields["Age"] = nil }
        result.requestTime = requestTime
        result.responseTime = responseTime
        result.redirection = redirection
        redirection?.vary(&result.fields)
        if let requestFields { result.recordVariance(of: requestFields) }
        return result
    }

    /// What a response to HEAD means to the response that is stored for GET.
    public enum HeadEffect: Sendable, Hashable {
        /// It says nothing of it.
        case nothing
        /// It is still the same; this is its head from now on.
        case freshened(StoredHead)
        /// It is another one by now.
        case outdated
    }

    /// What a response to HEAD means to the response that is stored for GET.
    ///
    /// - Parameters:
    ///   - stored: The head that the request has selected.
    ///   - byteCount: The length of the stored body.
    /// - Source: RFC 9111 section 4.3.5.
    public static func effect(
        ofHEAD status: Int, _ fields: HTTPFields, on stored: StoredHead, byteCount: Int64, requestTime: Date,
        responseTime: Date
    ) -> HeadEffect {
        guard status == 200, stored.status == 200 else { return .nothing }
        for name in ["ETag", "Last-Modified"] {
            if let value = fields[name], value != stored.fields[name] { return .outdated }
        }
        if let length = fields["Content-Length"], Int64(length) != byteCount { return .outdated }
        return .freshened(freshen(stored, with: fields, requestTime: requestTime, responseTime: responseTime))
    }

    /// Whether the client has what is stored, so that a 304 will do.
    ///
    /// - Parameter request: The fields of a GET or HEAD request that the stored response answers.
    /// - Source: RFC 9111 section 4.3.2; RFC 9110 sections 13.1.2, 13.1.3 and 13.2.
    public static func isNotModified(_ stored: StoredHead, for request: HTTPFields) -> Bool {
        guard stored.status == 200 else { return false }
        if let tags = request["If-None-Match"] {
            let tag = stored.fields["ETag"].map(opaque)
            return entityTags(in: tags).contains { $0 == "*" || opaque($0) == tag }
        }
        guard let text = request["If-Modified-Since"], let date = HTTPDate.parse(text, near: stored.responseTime)
        else { return false }
        let modified = stored.fields["Last-Modified"].flatMap { HTTPDate.parse($0, near: stored.responseTime) }
        return modified ?? stored.date <= date
    }

    /// - Source: RFC 9110 section 8.8.3.
    static func isWeak(_ tag: String) -> Bool { tag.hasPrefix("W/") }

    private static func opaque(_ tag: String) -> Substring { isWeak(tag) ? tag.dropFirst(2) : tag[...] }

    /// The tags of If-None-Match. A comma within quotes separates nothing, and a backslash escapes nothing.
    private static func entityTags(in value: String) -> [String] {
        var tags: [String] = []
        var isQuoted = false
        var start = value.utf8.startIndex
        func add(_ end: String.Index) {
            let tag = value[start..<end].utf8.trimmingOptionalWhitespace
            if !tag.isEmpty { tags.append(String(Substring(tag))) }
        }
        for index in value.utf8.indices {
            switch value.utf8[index] {
            case UInt8(ascii: "\""):
                isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                add(index)
                start = value.utf8.index(after: index)
            default: break
            }
        }
        add(value.endIndex)
        return tags
    }
}
