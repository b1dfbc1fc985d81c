import Calotype
public import Foundation
public import SwiftUI

extension CachedAsyncImage {
    /// Shows the image at a URL, and a plain ground until it is there.
    ///
    /// - Parameters:
    ///   - url: What to load; `nil` shows the ground.
    ///   - scale: Pixels of the file per point: 2 for an @2x file.
    public nonisolated init(url: URL?, scale: CGFloat = 1) where Content == Image {
        self.init(url.map { ImageRequest(url: $0) }, scale: scale, .plain)
    }

    /// Shows the image at a URL, and a placeholder until it is there, and if it can't be had.
    ///
    /// - Parameters:
    ///   - url: What to load; `nil` shows the placeholder.
    ///   - scale: Pixels of the file per point.
    ///   - content: Makes the view of an image, or of what stands in for it.
    ///   - placeholder: Makes what is shown where there is nothing of the image yet.
    public nonisolated init<I: View, P: View>(
        url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> I,
        @ViewBuilder placeholder: @escaping () -> P
    ) where Content == _ConditionalContent<I, P> {
        self.init(
            url.map { ImageRequest(url: $0) }, scale: scale,
            .content { Self.content(of: $0, $1, content, placeholder) })
    }

    /// Shows what a phase is turned into.
    ///
    /// What stands in for the image is shown as a success, which the image itself follows.
    ///
    /// - Parameters:
    ///   - url: What to load; `nil` stays empty.
    ///   - scale: Pixels of the file per point.
    ///   - transaction: Used when the phase changes, unless the image was at hand.
    ///   - content: Makes the view of a phase.
    public nonisolated init(
        url: URL?, scale: CGFloat = 1, transaction: Transaction = Transaction(),
        @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
    ) {
        self.init(
            url.map { ImageRequest(url: $0) }, scale: scale, transaction: transaction,
            .content { content(AsyncImagePhase($0, $1)) })
    }

    /// Shows the image at a URL, a placeholder until it is there, and something else if it can't be had.
    ///
    /// - Parameters:
    ///   - failure: Makes what is shown in place of an image that couldn't be had: gets the error, and an action that loads
    ///     it once more.
    public nonisolated init<I: View, P: View, F: View>(
        url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> I,
        @ViewBuilder placeholder: @escaping () -> P,
        @ViewBuilder failure: @escaping (_ error: any Error, _ retry: @escaping @MainActor () -> Void) -> F
    ) where Content == _ConditionalContent<_ConditionalContent<I, P>, F> {
        self.init(
            url.map { ImageRequest(url: $0) }, scale: scale,
            .content { Self.content(of: $0, $1, content, placeholder, failure) })
    }
}

// As with AsyncImage, the request's cache policy says what of the caches may be used. Its time-outs are the pipeline's.
extension CachedAsyncImage {
    /// Shows the image that an HTTP request brings, and a plain ground until it is there.
    public nonisolated init(request: URLRequest, scale: CGFloat = 1) where Content == Image {
        self.init(ImageRequest(of: request), scale: scale, .plain)
    }

    /// Shows the image that an HTTP request brings, and a placeholder until it is there, and if it can't be had.
    public nonisolated init<I: View, P: View>(
        request: URLRequest?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> I,
        @ViewBuilder placeholder: @escaping () -> P
    ) where Content == _ConditionalContent<I, P> {
        self.init(
            request.map { ImageRequest(of: $0) }, scale: scale,
            .content { Self.content(of: $0, $1, content, placeholder) })
    }

    /// Shows what a phase of an HTTP request is turned into.
    public nonisolated init(
        request: URLRequest?, scale: CGFloat = 1, transaction: Transaction = Transaction(),
        @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
    ) {
        self.init(
            request.map { ImageRequest(of: $0) }, scale: scale, transaction: transaction,
            .content { content(AsyncImagePhase($0, $1)) })
    }
}

extension CachedAsyncImage {
    @ViewBuilder private static nonisolated func content<I: View, P: View>(
        of phase: RemoteImagePhase, _ appearance: ImageAppearance, _ content: (Image) -> I, _ placeholder: () -> P
    ) -> _ConditionalContent<I, P> {
        if let image = phase.image { content(appearance.image(image)) } else { placeholder() }
    }

    @ViewBuilder private static nonisolated func content<I: View, P: View, F: View>(
        of phase: RemoteImagePhase, _ appearance: ImageAppearance, _ content: (Image) -> I, _ placeholder: () -> P,
        _ failure: (any Error, @escaping @MainActor () -> Void) -> F
    ) -> _ConditionalContent<_ConditionalContent<I, P>, F> {
        switch phase {
        case .success(let image, _), .loading(_, let image?): content(appearance.image(image))
        case .empty, .loading(_, nil): placeholder()
        case .failure(let error): failure(error, appearance.retry)
        }
    }
}

extension AsyncImagePhase {
    /// The same for SwiftUI. What stands in for the image is a success.
    nonisolated init(_ phase: RemoteImagePhase, _ appearance: ImageAppearance) {
        if let image = phase.image {
            self = .success(appearance.image(image))
        } else if case .failure(let error) = phase {
            self = .failure(error)
        } else {
            self = .empty
        }
    }
}

extension ImageRequest {
    /// An HTTP request, as AsyncImage understands it: its cache policy counts.
    fileprivate nonisolated init(of request: URLRequest) {
        let policy: CachePolicy =
            switch request.cachePolicy {
            case .useProtocolCachePolicy: .http
            case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: .reload
            case .returnCacheDataElseLoad: .storedElseLoad
            case .returnCacheDataDontLoad: .storedOnly
            case .reloadRevalidatingCacheData: .revalidate
            @unknown default: .http
            }
        self.init(urlRequest: request, cachePolicy: policy)
    }
}
