public import Foundation

extension HTTPCache {
    /// Whether a response may be stored, to answer a later GET or HEAD of its URL.
    ///
    /// Neither a part of a body (206) nor what speaks of another message (304, 412, 416) is stored. 1xx responses are never
    /// seen here: transports keep them apart.
    ///
    /// - Parameter url: The request's. Without it, answers to GET alone may be stored.
    /// - Source: RFC 9111 section 3, as it applies to a private cache; RFC 9110 section 9.3.3 for POST.
    public static func mayStore(
        method: String, url: URL? = nil, requestFields: HTTPFields, status: Int, fields: HTTPFields
    ) -> Bool {
        mayStore(
            method: method, url: url, status: status, fields: fields, CacheControl(of: fields),
            asked: CacheControl(of: requestFields))
    }

    private static func mayStore(
        method: String, url: URL?, status: Int, fields: HTTPFields, _ control: CacheControl, asked: CacheControl
    ) -> Bool {
        guard 200...599 ~= status, ![206, 304, 412, 416].contains(status), !asked.has(.noStore),
            !forbidsStoring(status, control)
        else { return false }
        if let vary = fields["Vary"], vary.utf8.contains(UInt8(ascii: "*")), list(vary).contains("*") { return false }
        let isExplicit = control.has(.maxAge) || fields["Expires"] != nil
        switch method {
        case "GET":
            return isExplicit || heuristicallyCacheable.contains(status) || control.has(.public)
                || control.has(.private)
        case "POST":
            guard let url, status == 200, isExplicit, let location = fields["Content-Location"] else { return false }
            return URL(string: location, relativeTo: url)?.absoluteString == url.absoluteString
        default:
            return false
        }
    }

    /// - Source: RFC 9111 sections 5.2.2.3 and 5.2.2.5: where the cache must understand the status and does, `no-store` is
    ///   for those that don't.
    static func forbidsStoring(_ status: Int, _ control: CacheControl) -> Bool {
        control.has(.mustUnderstand) ? !isUnderstood(status) : control.has(.noStore)
    }

    /// Whether what caches have to know of a status is done here.
    private static func isUnderstood(_ status: Int) -> Bool {
        heuristicallyCacheable.contains(status) && status != 206 || [302, 303, 307].contains(status)
    }

    /// What a cache makes of a response that has just come: each of the functions above, with the fields read once.
    package struct Arrival: Sendable {
        /// The head, as it is stored if it may be.
        package let head: StoredHead
        /// Whether the response may be stored.
        package let mayStore: Bool
        /// When pixels made of it go stale.
        let freshness: Freshness

        /// - Parameter asked: What the request's fields ask of caches, if they have been read already.
        package init(
            method: String, url: URL? = nil, requestFields: HTTPFields, asked: CacheControl? = nil, status: Int,
            fields: HTTPFields, requestTime: Date, responseTime: Date, redirection: Redirection? = nil
        ) {
            let asked = asked ?? CacheControl(of: requestFields)
            let control = CacheControl(of: fields)
            let head = StoredHead(
                status: status, fields: fields, control, requestTime: requestTime, responseTime: responseTime,
                requestFields: requestFields, redirection: redirection)
            mayStore =
                HTTPCache.mayStore(method: method, url: url, status: status, fields: fields, control, asked: asked)
                && redirection?.forbidsStoring != true
            // Connection may name Cache-Control itself, so that it isn't stored.
            let stored = head.fields.count == fields.count ? control : CacheControl(of: head.fields)
            freshness = HTTPCache.freshness(of: head, stored, asked: asked)
            self.head = head
        }
    }

    // MARK: Fields

    /// The fields without those that are never stored: those of one connection, those for a proxy, and those that may not
    /// be used again without validation.
    ///
    /// - Source: RFC 9111 sections 3.1 and 5.2.2.4; RFC 9112 section 6.3 for Content-Length.
    static func storable(_ fields: HTTPFields, _ control: CacheControl) -> HTTPFields {
        let connection = fields["Connection"]
        // As a rule nothing is dropped, and removing nothing would still copy.
        if connection == nil, !control.hasUncachedFields,
            !fields.containsName(where: { isOfConnection($0) || isForProxy($0) })
        {
            return fields
        }
        let named =
            (connection.map(list) ?? [])
            + (control.hasUncachedFields ? CacheControl.uncachedFields(in: fields["Cache-Control"] ?? "") : [])
        var result = fields
        result.removeAll { field in
            isOfConnection(field.name) || isForProxy(field.name)
                || named.contains { field.name.equalsIgnoringASCIICase($0) }
        }
        // A length beside a transfer coding means nothing.
        if fields["Transfer-Encoding"] != nil { result["Content-Length"] = nil }
        return result
    }

    /// The fields that an intermediary passes on.
    ///
    /// - Source: RFC 9110 section 7.6.1.
    package static func forwarded(_ fields: HTTPFields) -> HTTPFields {
        let named = fields["Connection"].map(list) ?? []
        var result = fields
        result.removeAll { field in
            isOfConnection(field.name) || named.contains { field.name.equalsIgnoringASCIICase($0) }
        }
        return result
    }

    /// Whether the name is that of a field for one connection. Told by its length first: every field is asked.
    private static func isOfConnection(_ name: String) -> Bool {
        func isName(_ other: String) -> Bool { name.equalsIgnoringASCIICase(other) }
        return switch name.utf8.count {
        case 2: isName("te")
        case 7: isName("trailer") || isName("upgrade")
        case 10: isName("connection") || isName("keep-alive")
        case 16: isName("proxy-connection")
        case 17: isName("transfer-encoding")
        default: false
        }
    }

    private static func isForProxy(_ name: String) -> Bool {
        func isName(_ other: String) -> Bool { name.equalsIgnoringASCIICase(other) }
        return switch name.utf8.count {
        case 18: isName("proxy-authenticate")
        case 19: isName("proxy-authorization")
        case 25: isName("proxy-authentication-info")
        default: false
        }
    }
}
