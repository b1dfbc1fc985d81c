import Foundation

/// The URLs that a request may be loaded from, one after the other: that of a server-made thumbnail, its own, that for
/// constrained networks, and those to fall back to. Its own isn't loaded from where the image server can't be reached or
/// fails: then what is stored of it may stand in, and comes before the others.
///
/// Each is loaded, shared and stored as what it is. The pixels go by the request's ID, and the memory cache knows which URL
/// they came from.
struct Alternatives: Sendable {
    private let original: ImageRequest
    /// The request itself, or what stands in for it.
    private(set) var loading: ImageRequest
    /// Which of the other URLs that is.
    private(set) var current: LoadReport.Alternative?
    private var firstError: (any Error)?
    /// How the thumbnail failed that a stored original was to stand in for.
    private(set) var outage: ImageError?

    /// - Parameter thumbnail: The request for a server-made thumbnail, which is used first.
    /// - Returns: `nil` if the request has one URL.
    init?(_ request: ImageRequest, thumbnail: ImageRequest? = nil) {
        guard thumbnail != nil || request.hasAlternatives else { return nil }
        original = request
        loading = thumbnail ?? request
        current = thumbnail == nil ? nil : .serverThumbnail
    }

    /// Goes on to the next URL.
    ///
    /// - Returns: Whether there is one.
    mutating func advance(after error: any Error) -> Bool {
        guard var failure = error as? ImageError else { return false }
        if current == .serverThumbnail {
            if failure.isThumbnailRefusal {
                use(original)
                return true
            }
            if let reason = failure.thumbnailOutage, original.cachePolicy.allowsStandIn {
                outage = failure
                use(original.standingIn(for: reason))
                return true
            }
        }
        // Whatever is the matter with what should have stood in: it goes on from what that was for.
        if isStandIn, let outage { failure = outage }
        guard original.hasAlternatives, failure.allowsAlternative else { return false }
        if current == nil || current == .serverThumbnail, failure.reason == .networkRestricted,
            let url = original.lowDataURL
        {
            use(url, as: .lowData)
            return true
        }
        if firstError == nil { firstError = failure }
        var index = 0
        if case .fallback(let previous) = current { index = previous + 1 }
        guard index < original.fallbackURLs.count else { return false }
        use(original.fallbackURLs[index], as: .fallback(index))
        return true
    }

    private mutating func use(_ own: ImageRequest) {
        current = nil
        loading = own
    }

    /// Whether what is stored of the original is to stand in for its thumbnail.
    var isStandIn: Bool { loading.standsInFor != nil }

    private mutating func use(_ url: URL, as alternative: LoadReport.Alternative) {
        current = alternative
        loading = original.loaded(from: url)
    }

    /// The error that callers see when the last URL fails with `error`: that of the first which was to be used, since it
    /// says more of what is wrong than how its stand-ins failed.
    func reported(_ error: any Error) -> any Error {
        if error is CancellationError { return error }
        return firstError ?? (isStandIn ? outage : nil) ?? error
    }
}

extension ImageRequest.CachePolicy {
    /// Whether a stored response may take the place of what couldn't be had.
    fileprivate var allowsStandIn: Bool {
        switch self {
        case .http, .storedElseLoad, .immutable: true
        case .storedOnly, .revalidate, .reload, .noStore: false
        }
    }
}

extension ImageError {
    /// Whether another URL may do better: not where the caches alone were asked, nor where the app's own steps failed.
    fileprivate var allowsAlternative: Bool { stage != .cache && stage != .processing }
}
