#if canImport(UIKit) && !os(watchOS)
public import Calotype
public import Foundation
public import UIKit

extension UIButton {
    /// Shows the image at a URL as the button's, as image views do.
    ///
    /// The image is as large as its request says, an icon of 24 points, say:
    ///
    /// ```swift
    /// button.setImage(with: ImageRequest(url: url, size: .points(24, 24, .fit)))
    /// ```
    ///
    /// Without a size it fits into the button's bounds.
    ///
    /// - Parameters:
    ///   - url: Where the image is; `nil` shows the placeholder.
    ///   - state: The state of the button that the image is for. Each has its own.
    ///   - placeholder: Shown while there is nothing better.
    ///   - transition: How the image takes the place of the placeholder, if it wasn't at hand.
    ///   - options: The pipeline, the partition, and what else apps seldom change.
    ///   - onPhase: Is told each phase as it is shown, the first one before the call returns. Cancellation is no failure, and
    ///     after it nothing is told.
    public func setImage(
        with url: URL?, for state: UIControl.State = .normal, placeholder: UIImage? = nil,
        transition: ImageViewTransition = .none, options: ImageViewOptions = .init(),
        onPhase: (@MainActor (RemoteImagePhase) -> Void)? = nil
    ) {
        imageLoader(for: .buttonImage(state.rawValue))
            .show(url.map { ImageRequest(url: $0) }, placeholder: placeholder, transition, options, onPhase)
    }

    /// Shows the image that a request asks for as the button's: see
    /// ``setImage(with:for:placeholder:transition:options:onPhase:)-(URL?,_,_,_,_,_)``.
    public func setImage(
        with request: ImageRequest, for state: UIControl.State = .normal, placeholder: UIImage? = nil,
        transition: ImageViewTransition = .none, options: ImageViewOptions = .init(),
        onPhase: (@MainActor (RemoteImagePhase) -> Void)? = nil
    ) {
        imageLoader(for: .buttonImage(state.rawValue))
            .show(request, placeholder: placeholder, transition, options, onPhase)
    }

    /// Shows the image at a URL as the button's background, which covers its bounds.
    ///
    /// Parameters as those of ``setImage(with:for:placeholder:transition:options:onPhase:)-(URL?,_,_,_,_,_)``.
    public func setBackgroundImage(
        with url: URL?, for state: UIControl.State = .normal, placeholder: UIImage? = nil,
        transition: ImageViewTransition = .none, options: ImageViewOptions = .init(),
        onPhase: (@MainActor (RemoteImagePhase) -> Void)? = nil
    ) {
        imageLoader(for: .buttonBackground(state.rawValue))
            .show(url.map { ImageRequest(url: $0) }, placeholder: placeholder, transition, options, onPhase)
    }

    /// Shows the image that a request asks for as the button's background, which covers its bounds.
    ///
    /// Parameters as those of ``setImage(with:for:placeholder:transition:options:onPhase:)-(URL?,_,_,_,_,_)``.
    public func setBackgroundImage(
        with request: ImageRequest, for state: UIControl.State = .normal, placeholder: UIImage? = nil,
        transition: ImageViewTransition = .none, options: ImageViewOptions = .init(),
        onPhase: (@MainActor (RemoteImagePhase) -> Void)? = nil
    ) {
        imageLoader(for: .buttonBackground(state.rawValue))
            .show(request, placeholder: placeholder, transition, options, onPhase)
    }

    /// Ends the wait for the image of a state. What is shown stays; nothing more is told.
    public func cancelImageLoad(for state: UIControl.State = .normal) {
        heldImageLoaders?.existingLoader(for: .buttonImage(state.rawValue))?.cancel()
    }

    /// Ends the wait for the background of a state. What is shown stays; nothing more is told.
    public func cancelBackgroundImageLoad(for state: UIControl.State = .normal) {
        heldImageLoaders?.existingLoader(for: .buttonBackground(state.rawValue))?.cancel()
    }

    /// Loads the image of a state once more, after a failure.
    public func retryImageLoad(for state: UIControl.State = .normal) {
        heldImageLoaders?.existingLoader(for: .buttonImage(state.rawValue))?.retry()
    }

    /// Loads the background of a state once more, after a failure.
    public func retryBackgroundImageLoad(for state: UIControl.State = .normal) {
        heldImageLoaders?.existingLoader(for: .buttonBackground(state.rawValue))?.retry()
    }
}
#endif
