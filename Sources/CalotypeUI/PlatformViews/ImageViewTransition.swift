import Calotype

/// How an image takes the place of what stood in for it in a platform's view. Nothing moves when it was at hand: it is there
/// when the call that set it returns.
public struct ImageViewTransition: Sendable, Hashable {
    /// How long the image takes to appear; `nil` if it is there at once.
    package let fadeDuration: Duration?

    /// At once.
    public static let none = ImageViewTransition(fadeDuration: nil)

    /// The image appears over what stood in for it, in a fifth of a second.
    public static let fade = fade(.milliseconds(200))

    /// The image appears over what stood in for it.
    ///
    /// - Parameter duration: How long that takes. Nothing appears gradually in no time.
    public static func fade(_ duration: Duration) -> ImageViewTransition {
        ImageViewTransition(fadeDuration: duration > .zero ? duration : nil)
    }
}

extension Duration {
    /// As the platforms' animations count.
    package var seconds: Double { self / .seconds(1) }
}
