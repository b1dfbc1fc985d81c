import Foundation

/// The URLs that a request may be loaded from, one after the other: that of a server-made thumbnail, its own, that for
/// constrained networks, and those to fall back to.
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
        guard let failure = error as? ImageError else { return false }
        if current == .serverThumbnail, failure.isThumbnailRefusal {
            current = nil
            loading = original
            return true
        }
        guard original.hasAlternatives, failure.allowsAlternative else { return false }
        if current == nil || current == .serverThumbnail, failure.reason == .networkRestricted,
            let url = original.lowDataURL
        {
            use(url, as: .lowData)
            return true
        }
        if firstError == nil { firstError = error }
        var index = 0
        if case .fallback(let previous) = current { index = previous + 1 }
        guard index < original.fallbackURLs.count else { return false }
        use(original.fallbackURLs[index], as: .fallback(index))
        return true
    }

    private mutating func use(_ url: URL, as alternative: LoadReport.Alternative) {
        current = alternative
        loading = original.loaded(from: url)
    }

    /// The error that callers see when the last URL fails with `error`: that of the first which was to be used, since it
    /// says more of what is wrong than how its stand-ins failed.
    func reported(_ error: any Error) -> any Error {
        error is CancellationError ? error : firstError ?? error
    }
}

extension ImageError {
    /// Whether another URL may do better: not where the caches alone were asked, nor where the app's own steps failed.
    fileprivate var allowsAlternative: Bool { stage != .cache && stage != .processing }
}
