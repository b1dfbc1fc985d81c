import Foundation
import Synchronization

/// Decides which requests an image server answers, and remembers what it has refused.
///
/// - Isolation: Any thread. One lock guards what was refused.
final class ThumbnailRewriter: Sendable {
    private struct Refusal {
        /// Until when the server isn't asked.
        let end: Date
        let resource: ResourceID
        let partition: Partition?
    }

    private let thumbnails: ServerThumbnails
    private let hosts: [(name: String, isParent: Bool)]
    private let style: ServerThumbnails.Style
    private let signatures: SignatureRule
    private let clock: any ImageClock
    /// By URL and partition.
    private let refusals = Mutex<[Digest: Refusal]>([:])

    /// More are forgotten: that costs a request each.
    private static let refusalCapacity = 1_024

    /// - Returns: `nil` if the configuration has no image server.
    init?(_ configuration: ImagePipeline.Configuration) {
        guard let thumbnails = configuration.serverThumbnails else { return nil }
        self.thumbnails = thumbnails
        hosts = thumbnails.hosts.map { name in
            let isParent = name.hasPrefix("*.")
            let host = isParent ? String(name.dropFirst()) : name
            // As URLs have it: what isn't ASCII is written otherwise there.
            let prefix = isParent ? "x" : ""
            let known = URL(string: "http://\(prefix)\(host)/").flatMap(Self.host)
            return (known.map { String($0.dropFirst(prefix.count)) } ?? host.lowercased(), isParent)
        }
        signatures = configuration.signatures
        clock = configuration.clock
        style = ServerThumbnails.Style(
            format: thumbnails.formats.first {
                ServerThumbnails.Style(format: $0).formatName != nil && configuration.decoders.decoder(for: $0) != nil
            },
            quality: thumbnails.quality.map { min(max($0, 1), 100) })
    }

    /// The request for the thumbnail that answers `request`; `nil` if its own URL does.
    ///
    /// - Parameter original: The size of the original, if it is known.
    func thumbnail(of request: ImageRequest, original: PixelSize?) -> ImageRequest? {
        guard request.serverThumbnail == nil, let url = plainURL(of: request), isServed(url),
            let wanted = ServerThumbnails.Size(request.size.target()), !isRefused(request)
        else { return nil }
        let size = thumbnails.server.coversWithoutCropping ? wanted : wanted.boxToFit
        if let original, size.target.pixelSize(for: original) == original { return nil }
        guard let thumbnail = thumbnails.server.url(url, size, style), thumbnail != url, thumbnail.isHTTP else {
            return nil
        }
        let isPrivate = !thumbnails.sendsCredentials && !RedirectPolicy.isSameOrigin(thumbnail, url)
        if isPrivate, holdsCredentials(url) { return nil }
        return request.loaded(as: ServerThumbnail(url: thumbnail, size: size, of: request), isForeign: isPrivate)
    }

    /// The URL of a GET for nothing but the resource.
    private func plainURL(of request: ImageRequest) -> URL? {
        switch request.source {
        case .url(let url): url.isHTTP ? url : nil
        case .http(let message):
            message.method == "GET" && message.body == nil && message.fields["Range"] == nil && message.url.isHTTP
                ? message.url : nil
        case .data, .closure: nil
        }
    }

    private func isServed(_ url: URL) -> Bool {
        guard let host = Self.host(of: url) else { return false }
        return hosts.contains { $0.isParent ? host.hasSuffix($0.name) : host == $0.name }
    }

    private static func host(of url: URL) -> String? { url.host(percentEncoded: false)?.lowercased() }

    private func holdsCredentials(_ url: URL) -> Bool {
        if url.user() != nil || url.password() != nil { return true }
        guard url.query() != nil else { return false }
        return URLNormalization(signatures).digest(of: url) != URLNormalization(.none).digest(of: url)
    }

    // MARK: Refusals

    private func isRefused(_ request: ImageRequest) -> Bool {
        let key = Self.key(of: request)
        let now = clock.now()
        return refusals.withLock { refusals in
            guard let refusal = refusals[key] else { return false }
            if now < refusal.end { return true }
            refusals[key] = nil
            return false
        }
    }

    /// Notes that the server makes no thumbnail of a request's URL.
    func noteRefusal(of request: ImageRequest) {
        let key = Self.key(of: request)
        let now = clock.now()
        let (seconds, attoseconds) = thumbnails.refusalDuration.components
        let refusal = Refusal(
            end: now.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18), resource: request.id,
            partition: request.cachePartition)
        refusals.withLock { refusals in
            if refusals.count >= Self.refusalCapacity {
                refusals = refusals.filter { $0.value.end > now }
                if refusals.count >= Self.refusalCapacity { refusals = [:] }
            }
            refusals[key] = refusal
        }
    }

    /// Forgets what was refused of the pictures that a removal is about: the server is asked for them again.
    func forget(_ removal: Removal) {
        refusals.withLock { refusals in
            switch removal {
            case .resource(let resource): refusals = refusals.filter { $0.value.resource != resource }
            case .partition(let partition): refusals = refusals.filter { $0.value.partition != partition }
            case .everything: refusals = [:]
            }
        }
    }

    private static func key(of request: ImageRequest) -> Digest {
        request.cachePartition.map { request.urlDigest.combined(with: $0.digest) } ?? request.urlDigest
    }
}
