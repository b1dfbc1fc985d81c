public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// What is wanted: where an image comes from, what it depicts, and how large it will be shown.
///
/// A value, and cheap to make: the digests that caches look it up by are computed once, here.
public struct ImageRequest: Sendable {
    /// Where the bytes come from.
    public enum Source: Sendable {
        /// A URL with the scheme http, https, file or data.
        case url(URL)
        /// An HTTP request with a method, fields or a body of its own.
        case http(HTTPMessage)
        /// Bytes in memory.
        case data(Data)
        /// The app's own code. It runs off the main actor, and again whenever the bytes are needed and nobody has them.
        case closure(@Sendable () async throws -> Data)
    }

    /// The parts of a `URLRequest` that make an HTTP request.
    public struct HTTPMessage: Sendable, Hashable {
        /// The method, upper case.
        public var method: String
        /// The URL.
        public var url: URL
        /// The fields.
        public var fields: HTTPFields
        /// The bytes to send.
        public var body: Data?
    }

    /// Where the bytes come from.
    public let source: Source
    /// What the image depicts.
    public let id: ResourceID
    /// How large the image will be shown.
    public var size: Size
    /// The steps from the decoded pixels to the ones that are shown, in order.
    public var processors: [any ImageProcessor] {
        didSet {
            processorsDigest = Self.digest(of: processors)
            needsExactSize = processors.contains { $0.dependsOnPixelSize }
        }
    }
    /// Where the request may be answered from.
    public var cachePolicy: CachePolicy
    /// The part of the caches that it uses. `nil` is the part that everybody shares; a request with credentials of its
    /// own that names none gets one for those credentials.
    public var partition: Partition? {
        didSet { cachePartition = partition ?? Self.credentialPartition(of: source) }
    }
    /// How urgent it is. Not part of its identity.
    public var priority: Priority

    /// The digest of the normalised URL: ``id``'s own unless the app named it.
    package let urlDigest: Digest
    package private(set) var processorsDigest: Digest?
    package private(set) var needsExactSize: Bool
    package private(set) var cachePartition: Partition?

    private init(
        source: Source, id: ResourceID, urlDigest: Digest, size: Size, processors: [any ImageProcessor],
        cachePolicy: CachePolicy, partition: Partition?, priority: Priority
    ) {
        self.source = source
        self.id = id
        self.urlDigest = urlDigest
        self.size = size
        self.processors = processors
        self.cachePolicy = cachePolicy
        self.partition = partition
        self.priority = priority
        processorsDigest = Self.digest(of: processors)
        needsExactSize = processors.contains { $0.dependsOnPixelSize }
        cachePartition = partition ?? Self.credentialPartition(of: source)
    }

    /// A request for the image at a URL.
    ///
    /// - Parameters:
    ///   - url: http, https, file or data. Another scheme fails when the request is loaded.
    ///   - id: What it depicts, if not what the URL says: name it when several URLs show one picture.
    public init(
        url: URL, id: ResourceID? = nil, size: Size = .automatic, processors: [any ImageProcessor] = [],
        cachePolicy: CachePolicy = .http, partition: Partition? = nil, priority: Priority = .normal
    ) {
        let urlID = ResourceID(url: url)
        self.init(
            source: .url(url), id: id ?? urlID, urlDigest: urlID.digest, size: size, processors: processors,
            cachePolicy: cachePolicy, partition: partition, priority: priority)
    }

    /// A request for the image that an HTTP request brings.
    ///
    /// Its method, URL, fields and body are used; its cache policy and time-outs aren't: the configuration has those.
    public init(
        urlRequest: URLRequest, id: ResourceID? = nil, size: Size = .automatic, processors: [any ImageProcessor] = [],
        cachePolicy: CachePolicy = .http, partition: Partition? = nil, priority: Priority = .normal
    ) {
        let message = HTTPMessage(urlRequest)
        let urlID = ResourceID(url: message.url)
        self.init(
            source: .http(message), id: id ?? urlID, urlDigest: urlID.digest, size: size, processors: processors,
            cachePolicy: cachePolicy, partition: partition, priority: priority)
    }

    /// A request for an image whose bytes are at hand.
    public init(
        data: Data, id: ResourceID? = nil, size: Size = .automatic, processors: [any ImageProcessor] = [],
        partition: Partition? = nil, priority: Priority = .normal
    ) {
        let contentID = ResourceID(content: data)
        self.init(
            source: .data(data), id: id ?? contentID, urlDigest: contentID.digest, size: size, processors: processors,
            cachePolicy: .immutable, partition: partition, priority: priority)
    }

    /// A request for an image whose bytes the app brings itself.
    ///
    /// - Parameters:
    ///   - id: What the image depicts. Requests with one ID share a call.
    ///   - data: Brings the whole file. What it throws becomes the `underlyingError` of an ``ImageError``.
    public init(
        id: ResourceID, size: Size = .automatic, processors: [any ImageProcessor] = [],
        cachePolicy: CachePolicy = .http, partition: Partition? = nil, priority: Priority = .normal,
        data: @escaping @Sendable () async throws -> Data
    ) {
        self.init(
            source: .closure(data), id: id, urlDigest: id.digest, size: size, processors: processors,
            cachePolicy: cachePolicy, partition: partition, priority: priority)
    }

    /// The URL, if the source has one. It may hold credentials.
    public var url: URL? {
        switch source {
        case .url(let url): url
        case .http(let message): message.url
        case .data, .closure: nil
        }
    }

    private static func digest(of processors: [any ImageProcessor]) -> Digest? {
        guard !processors.isEmpty else { return nil }
        var hash = DigestBuilder()
        for processor in processors { hash.append(processor.identifier) }
        return hash.finish()
    }

    /// Whoever sends other credentials must not see this one's pictures: credentials make a partition.
    private static func credentialPartition(of source: Source) -> Partition? {
        guard case .http(let message) = source else { return nil }
        return FetchKey.credentials(in: message.fields).map(Partition.init(credentials:))
    }
}

extension ImageRequest: CustomStringConvertible {
    /// Redacted: scheme and host, size and policy.
    public var description: String {
        let from = url.map { RedactedURL($0).description } ?? (id.description)
        return "image from \(from), size \(size.value), \(cachePolicy)"
    }
}

extension ImageRequest.HTTPMessage {
    /// The message that `request` makes. A request without a URL is refused when it is loaded.
    init(_ request: URLRequest) {
        method = request.httpMethod?.uppercased() ?? "GET"
        url = request.url ?? URL(filePath: "/")
        fields = HTTPFields((request.allHTTPHeaderFields ?? [:]).map { HTTPFields.Field($0.key, $0.value) })
        body = request.httpBody
    }
}
