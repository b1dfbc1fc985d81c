#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
public import Calotype
public import Foundation

#if canImport(UIKit)
public import UIKit
#else
public import AppKit
#endif

/// How a platform's view loads and shows remote images. A value that an app may share among its views.
public struct ImageViewOptions {
    #if canImport(UIKit)
    /// The platform's images.
    public typealias PlatformImage = UIImage
    #else
    /// The platform's images.
    public typealias PlatformImage = NSImage
    #endif

    /// Shown where the image couldn't be had; `nil` leaves the placeholder.
    public var failureImage: PlatformImage?
    /// Pixels of the file per point, where the view goes by the size of its image; 1 unless changed. An image view's own
    /// size doesn't depend on how many pixels have been decoded. An image of a button is as large as its request says.
    public var scale: CGFloat
    /// Whether animated images play. They stand still all the same while their view is out of its window or out of sight,
    /// and where the user wants less motion, or no animated images that play by themselves.
    public var playsAnimations: Bool
    /// The partition of requests that name none.
    public var partition: Partition?
    /// What loads the images.
    public var pipeline: ImagePipeline

    /// Makes options, each of which may be changed.
    public init(
        failureImage: PlatformImage? = nil, scale: CGFloat = 1, playsAnimations: Bool = true,
        partition: Partition? = nil, pipeline: ImagePipeline = .shared
    ) {
        self.failureImage = failureImage
        self.scale = scale
        self.playsAnimations = playsAnimations
        self.partition = partition
        self.pipeline = pipeline
    }
}

extension ImageViewLoader where Display.PlatformImage == ImageViewOptions.PlatformImage {
    func show(
        _ request: ImageRequest?, placeholder: ImageViewOptions.PlatformImage?, _ transition: ImageViewTransition,
        _ options: ImageViewOptions, _ onPhase: (@MainActor (RemoteImagePhase) -> Void)?
    ) {
        var appearance = Appearance()
        appearance.placeholder = placeholder
        appearance.failureImage = options.failureImage
        appearance.transition = transition
        appearance.scale = options.scale
        appearance.playsAnimations = options.playsAnimations
        appearance.onPhase = onPhase
        show(request, appearance, partition: options.partition, in: options.pipeline)
    }
}

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
#endif
