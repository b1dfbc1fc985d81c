package import Calotype
package import Foundation

/// A place where a platform's view shows an image: what an ``ImageViewLoader`` knows of it.
///
/// - Isolation: main actor.
/// - Ownership: The loader owns it, and the view the loader: it must not keep the view.
@MainActor
package protocol ImageDisplaying: AnyObject {
    /// The platform's images, as apps give them.
    associatedtype PlatformImage

    /// The room for an image, as far as the layout has got.
    var room: ImageViewRoom { get }
    /// Whether an image is as large in points as its decoded pixels make it on this display, as the icon of a button is:
    /// its size is what was asked for. If not, it is as large as if it had all pixels of its file, so that a layout that
    /// goes by it doesn't depend on how many have been decoded.
    var sizesImagesAsRequested: Bool { get }
    /// Whether the view is in a window.
    var isInWindow: Bool { get }
    /// Whether anything of it can be seen there, as far as that can be told cheaply.
    var isInSight: Bool { get }
    /// Whether animated images may play: the user hasn't asked for less motion.
    var allowsMotion: Bool { get }

    /// Shows something in place of what is there.
    func show(_ content: ImageViewContent<PlatformImage>, _ transition: ImageViewTransition)
}

/// What a platform's view shows.
package enum ImageViewContent<PlatformImage> {
    case nothing
    /// An image of the app's.
    case platformImage(PlatformImage)
    /// Decoded pixels, and how large they are, in points.
    case pixels(DecodedImage, size: CGSize)
}
