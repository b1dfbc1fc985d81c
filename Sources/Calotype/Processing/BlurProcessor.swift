/// Blurs an image nearly as by a Gaussian.
///
/// Beyond the image's edges, their pixels go on for ever: the size stays, and an opaque image stays opaque.
public struct BlurProcessor: ImageProcessor, Hashable {
    /// The standard deviation in pixels, as of CSS's and SwiftUI's blur; at most half of the longer side counts.
    public let radius: Double

    /// Makes the step.
    ///
    /// - Parameter radius: The standard deviation in pixels, not negative; 0 changes nothing.
    public init(radius: Double) {
        precondition(radius >= 0, "A radius isn't negative; got \(radius).")
        self.radius = radius
    }

    /// "blur(8.0)", say.
    public var identifier: String { "blur(\(radius))" }

    /// `true`: the radius is in pixels.
    public var dependsOnPixelSize: Bool { true }

    /// Blurs the image. The time doesn't depend on the radius.
    public func process(_ image: DecodedImage, cancellation: DecodeCancellation) throws -> DecodedImage {
        guard radius > 0 else { return image }
        let radius = radius
        return try image.mapBitmaps { try $0.blurred(radius: radius, cancellation: cancellation) }
    }
}

extension ImageProcessor where Self == BlurProcessor {
    /// Blurs an image nearly as by a Gaussian.
    ///
    /// - Parameter radius: The standard deviation in pixels, not negative; at most half of the longer side counts.
    public static func blur(radius: Double) -> Self { BlurProcessor(radius: radius) }
}
