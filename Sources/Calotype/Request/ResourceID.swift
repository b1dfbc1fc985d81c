public import Foundation

/// What an image depicts, whatever its size, its processing and the bytes it came from.
///
/// Unless the app names it, that is the URL: scheme and host in lower case, without default port and fragment, and less
/// the query items of a complete, known signature (``SignatureRule``), so that a picture keeps its identity when its URL
/// is signed anew.
///
/// Two IDs are equal if their names are. The digest that stands for the name is computed once, when the ID is made.
public struct ResourceID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible,
    CustomReflectable
{
    package enum Name: Sendable {
        case url(URL)
        /// An HTTP request that is more than its URL.
        indirect case message(ImageRequest.HTTPMessage)
        case text(String)
        case bytes
    }

    package let digest: Digest
    package let name: Name

    /// An ID of the app's own.
    public init(_ name: String) {
        self.name = .text(name)
        digest = Digest(name)
    }

    /// An ID of the app's own.
    public init(stringLiteral name: String) {
        self.init(name)
    }

    /// The ID of a URL.
    public init(url: URL) {
        self.init(url: url, digest: URLNormalization.known.digest(of: url))
    }

    /// The same, the digest at hand.
    init(url: URL, digest: Digest) {
        name = .url(url)
        self.digest = digest
    }

    /// The ID of what an HTTP request brings: the URL's, unless the method, the body or a field that matters may make it
    /// another picture.
    package init(_ message: ImageRequest.HTTPMessage) {
        let url = URLNormalization.known.digest(of: message.url)
        let fields = FetchKey.fieldsThatMatter(of: message.fields)
        let variant = FetchKey.variant(method: message.method, fields: fields, body: message.body)
        if variant == nil {
            name = .url(message.url)
        } else {
            var message = message
            // Without the credentials, which an ID has no use for.
            message.fields = fields
            name = .message(message)
        }
        digest = variant.map(url.combined) ?? url
    }

    /// The ID of bytes: equal for equal bytes.
    package init(content: Data) {
        name = .bytes
        digest = content.withUnsafeBytes { Digest(bytes: $0) }
    }

    /// Two IDs are equal if their names are.
    public static func == (lhs: ResourceID, rhs: ResourceID) -> Bool { lhs.digest == rhs.digest }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Redacted: the URL's scheme and host where there is one, and a tag that means something in this process alone.
    public var description: String {
        let tag = "#" + String(digest.low & 0xffff_ffff, radix: 16)
        switch name {
        case .url(let url): return "\(RedactedURL(url)) \(tag)"
        case .message(let message): return "\(RedactedURL(message.url)) \(tag)"
        case .text, .bytes: return tag
        }
    }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }

    /// The digest of the name by another key, which may outlast the process.
    ///
    /// - Returns: `nil` for what has no name to keep: bytes, and HTTP requests that are more than a URL.
    package func digest(by key: DigestKey) -> Digest? {
        switch name {
        case .url(let url): return URLNormalization.known.digest(of: url, DigestBuilder(by: key))
        case .text(let name):
            var hash = DigestBuilder(by: key)
            hash.append(name)
            return hash.finish()
        case .message, .bytes: return nil
        }
    }
}
