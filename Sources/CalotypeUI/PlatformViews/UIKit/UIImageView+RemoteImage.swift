#if canImport(UIKit) && !os(watchOS)
public import Calotype
public import Foundation
public import UIKit

extension UIImageView {
    /// Shows the image at a URL, from caches that remember it.
    ///
    /// ```swift
    /// func configure(with item: Item) {
    ///     imageView.setImage(with: item.thumbnailURL, placeholder: .photo, transition: .fade)
    /// }
    /// ```
    ///
    /// An image in memory is there when the call returns, and doesn't move. Otherwise what stands in for it is: the same
    /// picture in another size, the blurred colours that are remembered of it, or the placeholder. Of a former image nothing
    /// is left, so that a cell that is reused never shows it. The same image, set again, stays.
    ///
    /// The image is decoded for the view's bounds, its content mode and the scale of its display. A view that hasn't been
    /// laid out yet waits for that, for a twentieth of a second at most. Once the view becomes larger, more pixels are
    /// loaded; until they are there, those that are shown stay.
    ///
    /// What is loaded ends with the view, with the next call, and with ``cancelImageLoad()``. A view that leaves its window
    /// stops waiting, and goes on when it comes back.
    ///
    /// - Parameters:
    ///   - url: Where the image is; `nil` shows the placeholder.
    ///   - placeholder: Shown while there is nothing better.
    ///   - transition: How the image takes the place of the placeholder, if it wasn't at hand.
    ///   - options: The pipeline, the partition, and what else apps seldom change.
    ///   - onPhase: Is told each phase as it is shown, the first one before the call returns. Success and failure are among
    ///     them; a failure may be followed by a success, once the connection is back or after ``retryImageLoad()``.
    ///     Cancellation is no failure, and after it nothing is told.
    public func setImage(
        with url: URL?, placeholder: UIImage? = nil, transition: ImageViewTransition = .none,
        options: ImageViewOptions = .init(), onPhase: (@MainActor (RemoteImagePhase) -> Void)? = nil
    ) {
        imageLoader(for: .image)
            .show(url.map { ImageRequest(url: $0) }, placeholder: placeholder, transition, options, onPhase)
    }

    /// Shows the image that a request asks for: see ``setImage(with:placeholder:transition:options:onPhase:)-(URL?,_,_,_,_)``.
    ///
    /// A request that names a size is decoded for that; its points are the view's.
    public func setImage(
        with request: ImageRequest, placeholder: UIImage? = nil, transition: ImageViewTransition = .none,
        options: ImageViewOptions = .init(), onPhase: (@MainActor (RemoteImagePhase) -> Void)? = nil
    ) {
        imageLoader(for: .image).show(request, placeholder: placeholder, transition, options, onPhase)
    }

    /// Ends the wait for the image. What is shown stays; nothing more is told.
    public func cancelImageLoad() { heldImageLoaders?.existingLoader(for: .image)?.cancel() }

    /// Loads the image once more, after a failure.
    public func retryImageLoad() { heldImageLoaders?.existingLoader(for: .image)?.retry() }
}
#endif
