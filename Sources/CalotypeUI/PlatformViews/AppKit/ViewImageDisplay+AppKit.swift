#if canImport(AppKit) && !canImport(UIKit)
import Accessibility
import AppKit
import Calotype
import ObjectiveC
import QuartzCore

/// A place for an image in a view of AppKit's.
final class ViewImageDisplay: ImageDisplaying {
    private weak var view: NSImageView?

    init(_ view: NSImageView) { self.view = view }

    var room: ImageViewRoom {
        let size = view?.bounds.size ?? .zero
        let scale = view?.window?.backingScaleFactor ?? NSScreen.main?.backingScaleFactor ?? 2
        return ImageViewRoom(width: size.width, height: size.height, mode: mode, displayScale: scale)
    }

    private var mode: ImageViewRoom.Mode {
        switch view?.imageScaling {
        case .scaleProportionallyDown, .scaleProportionallyUpOrDown, nil: .fit
        case .scaleAxesIndependently: .fill
        case .scaleNone: .own
        @unknown default: .fill
        }
    }

    var sizesImagesAsRequested: Bool { false }

    var isInWindow: Bool { view?.window != nil }

    var isInSight: Bool {
        guard let view, let window = view.window else { return false }
        return window.occlusionState.contains(.visible) && !view.isHiddenOrHasHiddenAncestor
            && !view.visibleRect.isEmpty
    }

    var allowsMotion: Bool {
        !NSWorkspace.shared.accessibilityDisplayShouldReduceMotion && AccessibilitySettings.animatedImagesEnabled
    }

    func show(_ content: ImageViewContent<NSImage>, _ transition: ImageViewTransition) {
        guard let view else { return }
        if let duration = transition.fadeDuration {
            let fade = CATransition()
            fade.type = .fade
            fade.duration = duration.seconds
            view.wantsLayer = true
            view.layer?.add(fade, forKey: "calotype.fade")
        }
        view.image =
            switch content {
            case .nothing: nil
            case .platformImage(let image): image
            case .pixels(let image, let size): NSImage(cgImage: image.cgImage, size: size)
            }
    }
}

/// Lies in a view that shows remote images, as large as that and unseen, and hears of its layouts and of its window: a view
/// of the system's tells that only to its subviews. Clicks and accessibility pass it by.
private final class ImageViewProbe: NSView {
    private weak var loaders: HeldImageLoaders<ImageSlot, ViewImageDisplay>?

    init(_ loaders: HeldImageLoaders<ImageSlot, ViewImageDisplay>, in view: NSView) {
        self.loaders = loaders
        super.init(frame: view.bounds)
        autoresizingMask = [.width, .height]
        view.addSubview(self)
    }

    /// Views from an archive have no loaders.
    required init?(coder: NSCoder) { nil }

    override func hitTest(_ point: NSPoint) -> NSView? { nil }

    override func setFrameSize(_ newSize: NSSize) {
        super.setFrameSize(newSize)
        loaders?.layoutChanged()
    }

    override func viewDidMoveToWindow() {
        super.viewDidMoveToWindow()
        loaders?.windowChanged()
    }

    override func viewDidChangeBackingProperties() {
        super.viewDidChangeBackingProperties()
        loaders?.layoutChanged()
    }
}

/// Which of a view's images a loader fills.
enum ImageSlot: Hashable {
    case image
}

extension NSImageView {
    /// The loaders of this view, if there are any.
    var heldImageLoaders: HeldImageLoaders<ImageSlot, ViewImageDisplay>? {
        objc_getAssociatedObject(self, heldImageLoadersKey) as? HeldImageLoaders<ImageSlot, ViewImageDisplay>
    }

    /// The loader for this view's image.
    func imageLoader() -> ImageViewLoader<ViewImageDisplay> {
        let loaders = heldImageLoaders ?? makeHeldImageLoaders()
        return loaders.loader(for: .image) { ViewImageDisplay(self) }
    }

    private func makeHeldImageLoaders() -> HeldImageLoaders<ImageSlot, ViewImageDisplay> {
        let loaders = HeldImageLoaders<ImageSlot, ViewImageDisplay>()
        objc_setAssociatedObject(self, heldImageLoadersKey, loaders, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        _ = ImageViewProbe(loaders, in: self)
        loaders.observations = [
            NotificationObservation([AccessibilitySettings.animatedImagesEnabledDidChangeNotification]) {
                [weak loaders] in loaders?.motionPreferenceChanged()
            },
            NotificationObservation(
                [NSWorkspace.accessibilityDisplayOptionsDidChangeNotification],
                in: NSWorkspace.shared.notificationCenter
            ) { [weak loaders] in loaders?.motionPreferenceChanged() },
        ]
        return loaders
    }
}
#endif
