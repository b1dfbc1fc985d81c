public import Foundation

/// Which bytes are wanted: the key of stored responses and of shared downloads.
///
/// Method, normalised URL (``ResourceID`` says how), partition, and the request fields that can change what a server
/// sends. Credentials are no part of it: they belong to the partition.
public struct FetchKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// What few keys have: an object, and none for what is no more than a GET of a URL.
    private final class Details: Sendable {
        let method: String
        let partition: Partition?
        let fields: HTTPFields
        let body: Data?
        let signatures: SignatureRule

        init(method: String, partition: Partition?, fields: HTTPFields, body: Data?, signatures: SignatureRule) {
            self.method = method
            self.partition = partition
            self.fields = fields
            self.body = body
            self.signatures = signatures
        }
    }

    private let details: Details?

    /// The method, upper case.
    public var method: String { details?.method ?? "GET" }
    /// The URL as it is requested.
    public let url: URL
    /// The partition, if the request has one.
    public var partition: Partition? { details?.partition }
    /// The fields that matter, sorted by name in lower case.
    public var fields: HTTPFields { details?.fields ?? HTTPFields() }
    /// The bytes that are sent.
    package var body: Data? { details?.body }
    /// Which query items are no part of the key.
    package var signatures: SignatureRule { details?.signatures ?? .known }

    /// Stands for all of the above.
    package let digest: Digest

    /// The key of a GET of a URL, and no more.
    init(plain url: URL, _ urlDigest: Digest) {
        self.url = url
        details = nil
        digest = urlDigest
    }

    package init(
        method: String = "GET", url: URL, urlDigest: Digest? = nil, partition: Partition? = nil,
        fields: HTTPFields = .init(), body: Data? = nil, signatures: SignatureRule = .known
    ) {
        self.url = url
        let isPlain = method == "GET" && partition == nil && fields.isEmpty && body == nil && signatures.isKnown
        details =
            isPlain
            ? nil
            : Details(method: method, partition: partition, fields: fields, body: body, signatures: signatures)
        var digest = urlDigest ?? URLNormalization(signatures).digest(of: url)
        if let partition { digest = digest.combined(with: partition.digest) }
        if let variant = Self.variant(method: method, fields: fields, body: body) {
            digest = digest.combined(with: variant)
        }
        self.digest = digest
    }

    /// What sets a request apart from a plain GET of its URL; `nil` if nothing does.
    ///
    /// - Parameter fields: Those that matter alone.
    package static func variant(method: String, fields: HTTPFields, body: Data?) -> Digest? {
        guard method != "GET" || !fields.isEmpty || body != nil else { return nil }
        var hash = DigestBuilder()
        append(method: method, fields: fields, body: body, to: &hash)
        return hash.finish()
    }

    package static func append(method: String, fields: HTTPFields, body: Data?, to hash: inout DigestBuilder) {
        hash.append(method)
        for field in fields {
            hash.append(field.name.lowercased())
            hash.append(field.value)
        }
        body?.withUnsafeBytes { hash.append($0) }
    }

    /// Two keys are equal if all their parts are.
    public static func == (lhs: FetchKey, rhs: FetchKey) -> Bool { lhs.digest == rhs.digest }

    /// Hashes all the parts.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Redacted: method, scheme and host.
    public var description: String { "\(method) \(RedactedURL(url))" }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }

    /// Fields that say who asks. Their values separate partitions and are dropped on the way to another origin.
    package static func isCredential(_ name: String) -> Bool {
        ["authorization", "cookie", "proxy-authorization"].contains { name.equalsIgnoringASCIICase($0) }
    }

    /// The digest of the credentials among `fields`; `nil` if there are none.
    package static func credentials(in fields: HTTPFields) -> Digest? {
        var hash = DigestBuilder()
        var isEmpty = true
        for field in fields where isCredential(field.name) {
            hash.append(field.name.lowercased())
            hash.append(field.value)
            isEmpty = false
        }
        return isEmpty ? nil : hash.finish()
    }

    /// Fields that steer the exchange or a cache and don't select another picture.
    ///
    /// - Source: RFC 9110 sections 7.6, 10.1 and 13.1; RFC 9111 section 5.
    private static let steering = [
        "cache-control", "pragma", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range",
        "connection", "keep-alive", "te", "user-agent", "referer", "content-length", "host", "priority",
    ]

    /// The lines of `fields` that belong in a key.
    package static func fieldsThatMatter(of fields: HTTPFields) -> HTTPFields {
        let lines = fields.filter { field in
            !isCredential(field.name) && !steering.contains { field.name.equalsIgnoringASCIICase($0) }
        }
        return HTTPFields(lines.sorted { $0.name.lowercased() < $1.name.lowercased() })
    }
}
