import Foundation

/// What a ``FetchJob`` is to fetch. An object, since it goes through many hands.
final class Fetch: Sendable {
    /// Fetches that are equal in this share a job: the key, the credentials and the policy.
    let sharing: Digest
    /// One of those that share the job.
    private let request: ImageRequest
    /// The request's own, as a rule.
    let policy: ImageRequest.CachePolicy
    /// How often it is attempted again, if the request says so.
    let retry: RetryPolicy?
    /// Whether a constrained network is left alone, since there is another URL for that.
    let sparesData: Bool
    /// Where responses are stored; `nil` for what isn't HTTP.
    let key: FetchKey?
    /// Whether it changes nothing on the server.
    let isSafe: Bool
    /// From before the job began: see ``ResponseStore``.
    let epoch: StoreEpoch
    /// Bytes that turned out to be damaged: they are removed before anything else.
    let damaged: StoredResponse.ID?
    /// That of the load that began it.
    let number: UInt64

    init(
        sharing: Digest, request: ImageRequest, policy: ImageRequest.CachePolicy, key: FetchKey?, epoch: StoreEpoch,
        number: UInt64, damaged: StoredResponse.ID? = nil
    ) {
        self.sharing = sharing
        self.request = request
        self.policy = policy
        retry = request.retryPolicy
        sparesData = request.lowDataURL != nil
        self.key = key
        isSafe = key.map { HTTPCache.isSafe($0.method) } ?? true
        self.epoch = epoch
        self.number = number
        self.damaged = damaged
    }

    var source: ImageRequest.Source { request.source }
    /// Those of ``key``, ``partition`` and ``resource``, none of which is copied for it.
    var keyDigest: Digest? { key?.digest }
    var partitionDigest: Digest? { request.partitionDigest }
    var resourceDigest: Digest { request.idDigest }
    /// The method, upper case.
    var method: String { key?.method ?? "GET" }
    var label: LoadLabel { LoadLabel(number, request.url) }
    var resource: ResourceID { request.id }
    var partition: Partition? { request.cachePartition }
    /// See ``ImageRequest/serverThumbnail``.
    var serverThumbnail: ServerThumbnail? { request.serverThumbnail }
    /// See ``ImageRequest/standsInFor``.
    var standsInFor: HTTPCache.Failure? { request.standsInFor }
    /// See ``ImageRequest/isForeign``.
    var isForeign: Bool { request.isForeign }
    /// See ``ImageRequest/isUnsigned``.
    var isUnsigned: Bool { request.isUnsigned }
}

extension ImageRequest {
    /// What requests must have in common to share a download: source, partition, credentials and policy.
    func sharing(_ signatures: SignatureRule) -> Digest {
        var digest = fetchDigest(signatures)
        if case .http(let message) = source, let credentials = FetchKey.credentials(in: message.fields) {
            digest = digest.combined(with: credentials)
        }
        // One with a URL for constrained networks isn't sent over them; another one may be.
        if lowDataURL != nil { digest = digest.combined(with: Self.sparing) }
        return digest.combined(with: cachePolicy.digest)
    }

    private static let sparing = Digest("spares data")

    private func fetchDigest(_ signatures: SignatureRule) -> Digest {
        switch source {
        case .url where signatures.isKnown:
            // What `FetchKey` comes to for a plain GET, without making one.
            cachePartition.map { urlDigest.combined(with: $0.digest) } ?? urlDigest
        case .url, .http:
            fetchKey(signatures)?.digest ?? urlDigest
        case .data, .closure:
            cachePartition.map { urlDigest.combined(with: $0.digest) } ?? urlDigest
        }
    }

    /// The key of the stored response; `nil` for what isn't HTTP.
    func fetchKey(_ signatures: SignatureRule) -> FetchKey? {
        switch source {
        case .url(let url) where signatures.isKnown && cachePartition == nil: FetchKey(plain: url, urlDigest)
        case .url(let url):
            FetchKey(
                url: url, urlDigest: signatures.isKnown ? urlDigest : nil, partition: cachePartition,
                signatures: signatures)
        case .http(let message):
            FetchKey(
                method: message.method, url: message.url, partition: cachePartition,
                fields: FetchKey.fieldsThatMatter(of: message.fields), body: message.body, signatures: signatures)
        case .data, .closure: nil
        }
    }
}
