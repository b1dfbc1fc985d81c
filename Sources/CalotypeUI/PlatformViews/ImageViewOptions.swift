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
#endif
