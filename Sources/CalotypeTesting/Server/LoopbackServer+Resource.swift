public import Calotype
public import Foundation

extension LoopbackServer {
    /// A file as a well-behaved server gives it: 304 to a conditional request whose validator still matches, 206 or 416
    /// to a range, 200 otherwise.
    ///
    /// ```swift
    /// let resource = LoopbackServer.Resource(
    ///     png, type: "image/png", etag: "\"v1\"", fields: ["Cache-Control": "max-age=0"])
    /// server.serve(resource, at: "/cat.png")
    /// ```
    ///
    /// - Source: RFC 9110 sections 13 and 14. Of several ranges in one request, none is honoured (section 14.2 allows it).
    public struct Resource: Sendable {
        /// The bytes.
        public var body: Data
        /// The Content-Type, if any.
        public var type: String?
        /// The entity tag with its quotes, `W/` in front if it is weak.
        public var etag: String?
        /// The time of the last change; fractions of a second don't count.
        public var lastModified: Date?
        /// Further fields, sent with 200, 206 and 304 alike.
        public var fields: HTTPFields
        /// Whether ranges are honoured.
        public var acceptsRanges: Bool

        /// Makes a resource.
        public init(
            _ body: Data, type: String? = nil, etag: String? = nil, lastModified: Date? = nil,
            fields: HTTPFields = .init(), acceptsRanges: Bool = true
        ) {
            self.body = body
            self.type = type
            self.etag = etag
            self.lastModified = lastModified
            self.fields = fields
            self.acceptsRanges = acceptsRanges
        }

        /// The answer to a request, to which a script may add its own.
        public func response(to request: Request) -> Response {
            var common = fields
            if let etag { common.append("ETag", etag) }
            if let lastModified { common.append("Last-Modified", HTTPDate.string(lastModified)) }
            if isNotModified(for: request) { return .status(304, fields: common) }

            if acceptsRanges { common.append("Accept-Ranges", "bytes") }
            if acceptsRanges, request.method == "GET", let field = request.fields["Range"], rangeApplies(to: request) {
                switch Self.range(field, bodyByteCount: body.count) {
                case .ignored:
                    break
                case .unsatisfiable:
                    return .status(416, fields: ["Content-Range": "bytes */\(body.count)"])
                case .bytes(let range):
                    if let type { common.append("Content-Type", type) }
                    common.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)")
                    let part = body[body.startIndex + range.lowerBound..<body.startIndex + range.upperBound]
                    return .status(206, fields: common, body: Data(part))
                }
            }
            return .ok(body, type: type, fields: common)
        }

        /// - Source: RFC 9110 sections 13.1.2, 13.1.3 and 13.2.2. Tags compare weakly here.
        private func isNotModified(for request: Request) -> Bool {
            guard request.method == "GET" || request.method == "HEAD" else { return false }
            if let field = request.fields["If-None-Match"] {
                if field == "*" { return true }
                guard let etag else { return false }
                return Self.tags(field).contains { Self.opaque($0) == Self.opaque(etag) }
            }
            guard let lastModified, let since = request.fields["If-Modified-Since"].flatMap(HTTPDate.date) else {
                return false
            }
            return lastModified.timeIntervalSince1970.rounded(.down) <= since.timeIntervalSince1970
        }

        /// - Source: RFC 9110 section 13.1.5. Only a strong validator lets two parts be joined.
        private func rangeApplies(to request: Request) -> Bool {
            guard let condition = request.fields["If-Range"] else { return true }
            if condition.hasSuffix("\"") { return condition == etag && !condition.hasPrefix("W/") }
            return lastModified.map { HTTPDate.string($0) == condition } ?? false
        }

        /// The tags of a list. A tag may hold a comma, so quotes decide.
        private static func tags(_ list: String) -> [Substring] {
            var tags: [Substring] = []
            var rest = list[...]
            while let open = rest.firstIndex(of: "\""),
                let close = rest[rest.index(after: open)...].firstIndex(of: "\"")
            {
                tags.append(rest[open...close])
                rest = rest[rest.index(after: close)...]
            }
            return tags
        }

        private static func opaque(_ tag: some StringProtocol) -> String {
            String(tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...])
        }

        private enum RangeOutcome {
            case ignored
            case unsatisfiable
            case bytes(Range<Int>)
        }

        /// - Source: RFC 9110 sections 14.1.2 and 14.2. What isn't understood is ignored.
        private static func range(_ field: String, bodyByteCount: Int) -> RangeOutcome {
            guard field.hasPrefix("bytes=") else { return .ignored }
            let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }) else { return .ignored }
            switch (Int(ends[0]), Int(ends[1])) {
            case (let first?, let last?) where last < first:
                return .ignored
            case (let first?, let last):
                if !ends[1].isEmpty, last == nil { return .ignored }
                guard first < bodyByteCount else { return .unsatisfiable }
                return .bytes(first..<min(last ?? .max, bodyByteCount - 1) + 1)
            case (nil, let suffix?) where ends[0].isEmpty:
                guard suffix > 0, bodyByteCount > 0 else { return .unsatisfiable }
                return .bytes(max(0, bodyByteCount - suffix)..<bodyByteCount)
            default:
                return .ignored
            }
        }
    }

    /// Gives that resource to every request for a path.
    public func serve(_ resource: Resource, at path: String) {
        route(path) { resource.response(to: $0) }
    }
}
