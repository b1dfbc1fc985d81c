public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// What is wanted: where an image comes from, what it depicts, and how large it will be shown.
///
/// A value, and cheap to make: the digests that caches look it up by are computed once, here.
public struct ImageRequest: Sendable {
    /// The parts of a request, with what is derived from them once.
    private struct Parts: Sendable {
        var source: Source
        let id: ResourceID
        var urlDigest: Digest
        var size: Size
        var processors: [any ImageProcessor] { didSet { deriveFromProcessors() } }
        var cachePolicy: CachePolicy
        var partition: Partition? { didSet { derivePartition() } }
        var priority: Priority
        var options: OptionsBox?
        var processorsDigest: Digest?
        var needsExactSize = false
        var cachePartition: Partition?

        mutating func deriveFromProcessors() {
            processorsDigest = ImageRequest.digest(of: processors)
            needsExactSize = processors.contains { $0.dependsOnPixelSize }
        }

        /// Whoever sends other credentials must not see this one's pictures: credentials make a partition.
        mutating func derivePartition() {
            cachePartition = partition
            if partition == nil, case .http(let message) = source {
                cachePartition = FetchKey.credentials(in: message.fields).map(Partition.init(credentials:))
            }
        }
    }

    /// What few requests set, and what is no part of their identity.
    private struct Options: Sendable {
        var retryPolicy: RetryPolicy?
        var fallbackURLs: [URL] = []
        var lowDataURL: URL?
        var progressivePreviews = true
        /// Whether the other URLs may be loaded. A constrained network is spared in any case.
        var usesAlternatives = true
        /// See ``ImageRequest/isForeign``.
        var isForeign = false
        /// What an image server is asked for in its place.
        var serverThumbnail: ServerThumbnail?
        /// See ``ImageRequest/standsInFor``.
        var standsInFor: HTTPCache.Failure?
    }

    /// Behind a pointer, so that requests without options don't carry them about.
    private final class OptionsBox: Sendable {
        let options: Options

        init(_ options: Options) { self.options = options }
    }

    /// One object, so that a request is copied by a single retain. Changing a request makes another.
    private final class Storage: Sendable {
        let parts: Parts

        init(_ parts: consuming Parts) { self.parts = parts }
    }

    private var storage: Storage

    private init(
        source: Source, id: ResourceID, urlDigest: Digest, size: Size, processors: [any ImageProcessor],
        cachePolicy: CachePolicy, partition: Partition?, priority: Priority
    ) {
        var parts = Parts(
            source: source, id: id, urlDigest: urlDigest, size: size, processors: processors, cachePolicy: cachePolicy,
            partition: partition, priority: priority)
        if !processors.isEmpty { parts.deriveFromProcessors() }
        parts.derivePartition()
        storage = Storage(parts)
    }

    private mutating func change(_ body: (inout Parts) -> Void) {
        var parts = storage.parts
        body(&parts)
        storage = Storage(parts)
    }

    private mutating func changeOptions(_ body: (inout Options) -> Void) {
        var options = storage.parts.options?.options ?? Options()
        body(&options)
        change { $0.options = OptionsBox(options) }
    }

    /// The same request, loaded from another URL: the same picture for the same partition, without the fields, the body
    /// and the credentials that were for the first one.
    func loaded(from url: URL) -> ImageRequest {
        let options = Options(
            retryPolicy: retryPolicy, isForeign: self.url.map { !RedirectPolicy.isSameOrigin($0, url) } ?? true)
        var copy = self
        copy.change { parts in
            parts.partition = parts.cachePartition
            parts.source = .url(url)
            parts.urlDigest = ResourceID(url: url).digest
            parts.options = OptionsBox(options)
        }
        return copy
    }

    /// The same request, loaded as a thumbnail that an image server makes: the same picture for the same partition.
    ///
    /// - Parameter isForeign: Whether the server may not see what the request says to its own.
    func loaded(as thumbnail: ServerThumbnail, isForeign: Bool) -> ImageRequest {
        var options = storage.parts.options?.options ?? Options()
        options.fallbackURLs = []
        options.isForeign = isForeign
        options.serverThumbnail = thumbnail
        var copy = self
        copy.change { parts in
            parts.partition = parts.cachePartition
            if !isForeign, case .http(var message) = parts.source {
                message.url = thumbnail.url
                parts.source = .http(message)
                parts.urlDigest = ResourceID(message).digest
            } else {
                parts.source = .url(thumbnail.url)
                parts.urlDigest = ResourceID(url: thumbnail.url).digest
            }
            parts.options = OptionsBox(options)
        }
        return copy
    }

    /// What an image server is asked for; `nil` for a request of its own URL.
    var serverThumbnail: ServerThumbnail? { storage.parts.options?.options.serverThumbnail }

    /// Whether the configuration's `authorize` isn't asked: it knows nothing of the image server.
    var isUnsigned: Bool { serverThumbnail != nil && isForeign }

    /// The same request, to be answered by what is stored alone, in place of a thumbnail that couldn't be had.
    func standingIn(for failure: HTTPCache.Failure) -> ImageRequest {
        var copy = self
        copy.changeOptions { $0.standsInFor = failure }
        return copy
    }

    /// Why the thumbnail couldn't be had that a stored original is to take the place of; `nil` for a request of its own.
    var standsInFor: HTTPCache.Failure? { storage.parts.options?.options.standsInFor }

    /// Whether it stands in for a request to another origin: then the configuration's fields, which may hold credentials
    /// for that one, aren't sent.
    var isForeign: Bool { storage.parts.options?.options.isForeign ?? false }

    /// The same request, to be validated with its server. Other URLs stay out of it: what is stale is still better than
    /// another picture.
    var revalidating: ImageRequest {
        var copy = self
        copy.cachePolicy = .revalidate
        if storage.parts.options != nil { copy.changeOptions { $0.usesAlternatives = false } }
        return copy
    }

    /// Whether there are other URLs to load it from.
    var hasAlternatives: Bool {
        guard let options = storage.parts.options?.options, options.usesAlternatives else { return false }
        return options.lowDataURL != nil || !options.fallbackURLs.isEmpty
    }

    /// Tells requests apart that differ in their other URLs alone; `nil` if there are none.
    var alternativesDigest: Digest? {
        guard hasAlternatives else { return nil }
        var hash = DigestBuilder()
        hash.append(lowDataURL?.absoluteString ?? "")
        for url in fallbackURLs { hash.append(url.absoluteString) }
        return hash.finish()
    }

    /// Where the bytes come from.
    public var source: Source { storage.parts.source }

    /// What the image depicts.
    public var id: ResourceID { storage.parts.id }

    /// How large the image will be shown.
    public var size: Size {
        get { storage.parts.size }
        set { change { $0.size = newValue } }
    }

    /// The steps from the decoded pixels to the ones that are shown, in order.
    public var processors: [any ImageProcessor] {
        get { storage.parts.processors }
        set { change { $0.processors = newValue } }
    }

    /// Where the request may be answered from.
    public var cachePolicy: CachePolicy {
        get { storage.parts.cachePolicy }
        set { change { $0.cachePolicy = newValue } }
    }

    /// The part of the caches that it uses. `nil` is the part that everybody shares; a request with credentials of its
    /// own that names none gets one for those credentials.
    public var partition: Partition? {
        get { storage.parts.partition }
        set { change { $0.partition = newValue } }
    }

    /// How urgent it is. Not part of its identity.
    public var priority: Priority {
        get { storage.parts.priority }
        set { change { $0.priority = newValue } }
    }

    /// How often a failure is attempted again; `nil` leaves it to the configuration. Not part of its identity: of requests
    /// that share a download, the policy of the first one counts.
    public var retryPolicy: RetryPolicy? {
        get { storage.parts.options?.options.retryPolicy }
        set { changeOptions { $0.retryPolicy = newValue } }
    }

    /// Where else the picture is, to be tried in this order when it can't be loaded from where it should be: because the
    /// network or the server fails, or because what comes is no image or a damaged one. Not part of its identity.
    ///
    /// What comes from there is stored under its own URL, and shown as the picture that the request names. A later request
    /// tries its own URL first again, unless what is in memory has as many pixels as it asks for. If all URLs fail, the
    /// error is that of the request's own.
    ///
    /// Neither the request's fields nor its body are sent there. To another origin than the request's own go, of the
    /// configuration's fields, those alone that any server may see (`Accept`, `User-Agent`): what a redirect to it would
    /// take along. The configuration's `authorize` is asked to sign each of them.
    public var fallbackURLs: [URL] {
        get { storage.parts.options?.options.fallbackURLs ?? [] }
        set { changeOptions { $0.fallbackURLs = newValue } }
    }

    /// A smaller file of the same picture, for when the user has asked to spare the network (Low Data Mode). It takes the
    /// place of a download alone: what the caches have of the request's own URL is used first. Not part of its identity. What
    /// is sent there is what is sent to ``fallbackURLs``.
    public var lowDataURL: URL? {
        get { storage.parts.options?.options.lowDataURL }
        set { changeOptions { $0.lowDataURL = newValue } }
    }

    /// Whether a load shows the image unfinished while it arrives, to those who read ``ImageLoad/updates``: views do, prefetches
    /// don't. `true` unless changed. Not part of its identity.
    ///
    /// There is a preview if the format has such, the download takes longer than a quarter of a second, and a decoder is
    /// idle: at most four a second, each after the request's processors, of whatever has come by then. None is kept.
    public var progressivePreviews: Bool {
        get { storage.parts.options?.options.progressivePreviews ?? true }
        set { changeOptions { $0.progressivePreviews = newValue } }
    }

    /// The digest of the normalised URL and of what else selects the picture: ``id``'s own unless the app named it.
    package var urlDigest: Digest { storage.parts.urlDigest }
    package var processorsDigest: Digest? { storage.parts.processorsDigest }
    package var needsExactSize: Bool { storage.parts.needsExactSize }
    package var cachePartition: Partition? { storage.parts.cachePartition }
    /// Those of ``id`` and of ``cachePartition``, which aren't copied for it.
    var idDigest: Digest { storage.parts.id.digest }
    var partitionDigest: Digest? { storage.parts.cachePartition?.digest }

    /// A request for the image at a URL.
    ///
    /// - Parameters:
    ///   - url: http, https, file or data. Another scheme fails when the request is loaded.
    ///   - id: What it depicts, if not what the URL says: name it when several URLs show one picture.
    public init(
        url: URL, id: ResourceID? = nil, size: Size = .automatic, processors: [any ImageProcessor] = [],
        cachePolicy: CachePolicy = .http, partition: Partition? = nil, priority: Priority = .normal
    ) {
        // Not by way of the URL's own ID, which would be copied.
        let urlDigest = URLNormalization.known.digest(of: url)
        guard let id else {
            self.init(
                source: .url(url), id: ResourceID(url: url, digest: urlDigest), urlDigest: urlDigest, size: size,
                processors: processors, cachePolicy: cachePolicy, partition: partition, priority: priority)
            return
        }
        self.init(
            source: .url(url), id: id, urlDigest: urlDigest, size: size, processors: processors,
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
        let urlID = ResourceID(message)
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
    public var url: URL? { source.url }

    private static func digest(of processors: [any ImageProcessor]) -> Digest? {
        guard !processors.isEmpty else { return nil }
        var hash = DigestBuilder()
        for processor in processors { hash.append(processor.identifier) }
        return hash.finish()
    }
}

extension ImageRequest: CustomStringConvertible, CustomReflectable {
    /// Redacted: scheme and host, size and policy.
    public var description: String {
        let from = url.map { RedactedURL($0).description } ?? (id.description)
        return "image from \(from), size \(size.value), \(cachePolicy)"
    }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}
