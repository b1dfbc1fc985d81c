#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
import Foundation

/// The loaders of one view, which the view keeps as an associated object: a class of the system's has no room for a property,
/// and what is loaded for a view ends with it.
@MainActor
final class HeldImageLoaders<Slot: Hashable, Display: ImageDisplaying> {
    private var loaders: [Slot: ImageViewLoader<Display>] = [:]
    /// What hears of notifications for them.
    var observations: [NotificationObservation] = []

    /// - Parameter display: Makes the place that a new loader fills.
    func loader(for slot: Slot, _ display: () -> Display) -> ImageViewLoader<Display> {
        if let loader = loaders[slot] { return loader }
        let loader = ImageViewLoader(display())
        loaders[slot] = loader
        return loader
    }

    func existingLoader(for slot: Slot) -> ImageViewLoader<Display>? { loaders[slot] }

    func layoutChanged() {
        for loader in loaders.values { loader.layoutChanged() }
    }

    func windowChanged() {
        for loader in loaders.values { loader.windowChanged() }
    }

    func motionPreferenceChanged() {
        for loader in loaders.values { loader.motionPreferenceChanged() }
    }
}

/// The key under which a view keeps its loaders: a byte that nothing else has the address of.
@MainActor let heldImageLoadersKey = UnsafeRawPointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

/// Hears of notifications, on the main actor, until it is let go.
///
/// `@unchecked Sendable`: both properties are set once, in `init`; centres may be used on any thread.
final class NotificationObservation: @unchecked Sendable {
    private let center: NotificationCenter
    private let tokens: [any NSObjectProtocol]

    init(
        _ names: [Notification.Name], in center: NotificationCenter = .default,
        _ handler: @escaping @MainActor @Sendable () -> Void
    ) {
        self.center = center
        tokens = names.map { name in
            center.addObserver(forName: name, object: nil, queue: .main) { _ in
                // The main queue is the main actor's.
                MainActor.assumeIsolated(handler)
            }
        }
    }

    deinit {
        for token in tokens { center.removeObserver(token) }
    }
}
#endif
