#if canImport(UIKit) && !os(watchOS)
import Accessibility
import Calotype
import ObjectiveC
import UIKit

/// Which of a view's images a loader fills.
enum ImageSlot: Hashable {
    case image
    case buttonImage(UIControl.State.RawValue)
    case buttonBackground(UIControl.State.RawValue)
}

/// A place for an image in a view of UIKit's.
final class ViewImageDisplay: ImageDisplaying {
    private weak var view: UIView?
    private let slot: ImageSlot

    init(_ view: UIView, _ slot: ImageSlot) {
        self.view = view
        self.slot = slot
    }

    var room: ImageViewRoom {
        let size = view?.bounds.size ?? .zero
        return ImageViewRoom(width: size.width, height: size.height, mode: mode, displayScale: displayScale)
    }

    private var mode: ImageViewRoom.Mode {
        switch slot {
        case .buttonImage: .fit
        case .buttonBackground: .fill
        case .image:
            switch view?.contentMode {
            case .scaleAspectFit: .fit
            case .scaleToFill, .scaleAspectFill, .redraw, nil: .fill
            case .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight: .own
            @unknown default: .fill
            }
        }
    }

    /// A view that isn't in a window yet may not know; most displays have two pixels per point, or three.
    private var displayScale: CGFloat {
        let own = view?.traitCollection.displayScale ?? 0
        if own > 0 { return own }
        let current = UITraitCollection.current.displayScale
        return current > 0 ? current : 2
    }

    var sizesImagesAsRequested: Bool {
        if case .buttonImage = slot { true } else { false }
    }

    var isInWindow: Bool { view?.window != nil }

    var isInSight: Bool {
        guard let view, let window = view.window else { return false }
        var ancestor: UIView? = view
        while let present = ancestor {
            if present.isHidden || present.alpha < 0.01 { return false }
            ancestor = present.superview
        }
        return view.convert(view.bounds, to: window).intersects(window.bounds)
    }

    var allowsMotion: Bool {
        !UIAccessibility.isReduceMotionEnabled && AccessibilitySettings.animatedImagesEnabled
    }

    func show(_ content: ImageViewContent<UIImage>, _ transition: ImageViewTransition) {
        guard let view else { return }
        let image: UIImage? =
            switch content {
            case .nothing: nil
            case .platformImage(let image): image
            case .pixels(let image, let size):
                UIImage(
                    cgImage: image.cgImage, scale: CGFloat(image.pixelSize.width) / size.width, orientation: .up)
            }
        guard let duration = transition.fadeDuration else { return set(image, in: view) }
        UIView.transition(
            with: view, duration: duration.seconds, options: [.transitionCrossDissolve, .allowUserInteraction],
            animations: { self.set(image, in: view) })
    }

    private func set(_ image: UIImage?, in view: UIView) {
        switch slot {
        case .image: (view as? UIImageView)?.image = image
        case .buttonImage(let state): (view as? UIButton)?.setImage(image, for: .init(rawValue: state))
        case .buttonBackground(let state): (view as? UIButton)?.setBackgroundImage(image, for: .init(rawValue: state))
        }
    }
}

/// Lies in a view that shows remote images, as large as that and unseen, and hears of its layouts and of its window: a view
/// of the system's tells that only to its subviews. Touches and accessibility pass it by.
private final class ImageViewProbe: UIView {
    private weak var loaders: HeldImageLoaders<ImageSlot, ViewImageDisplay>?

    init(_ loaders: HeldImageLoaders<ImageSlot, ViewImageDisplay>, in view: UIView) {
        self.loaders = loaders
        super.init(frame: view.bounds)
        autoresizingMask = [.flexibleWidth, .flexibleHeight]
        isUserInteractionEnabled = false
        isAccessibilityElement = false
        view.insertSubview(self, at: 0)
    }

    /// Views from an archive have no loaders.
    required init?(coder: NSCoder) { nil }

    override func layoutSubviews() {
        super.layoutSubviews()
        // Read here, the scale is among what brings about the next layout when it changes.
        if traitCollection.displayScale >= 0 { loaders?.layoutChanged() }
    }

    override func didMoveToWindow() {
        super.didMoveToWindow()
        loaders?.windowChanged()
    }
}

extension UIView {
    /// The loaders of this view, if there are any.
    var heldImageLoaders: HeldImageLoaders<ImageSlot, ViewImageDisplay>? {
        objc_getAssociatedObject(self, heldImageLoadersKey) as? HeldImageLoaders<ImageSlot, ViewImageDisplay>
    }

    /// The loader for one of this view's images.
    func imageLoader(for slot: ImageSlot) -> ImageViewLoader<ViewImageDisplay> {
        let loaders = heldImageLoaders ?? makeHeldImageLoaders()
        return loaders.loader(for: slot) { ViewImageDisplay(self, slot) }
    }

    private func makeHeldImageLoaders() -> HeldImageLoaders<ImageSlot, ViewImageDisplay> {
        let loaders = HeldImageLoaders<ImageSlot, ViewImageDisplay>()
        objc_setAssociatedObject(self, heldImageLoadersKey, loaders, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        _ = ImageViewProbe(loaders, in: self)
        loaders.observations = [
            NotificationObservation([
                UIAccessibility.reduceMotionStatusDidChangeNotification,
                AccessibilitySettings.animatedImagesEnabledDidChangeNotification,
            ]) { [weak loaders] in loaders?.motionPreferenceChanged() }
        ]
        return loaders
    }
}
#endif
