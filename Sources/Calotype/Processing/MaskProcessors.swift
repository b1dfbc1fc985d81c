/// Cuts the largest centred circle out of an image, on a transparent square.
public struct CircleProcessor: ImageProcessor, Hashable {
    /// Makes the step.
    public init() {}

    /// "circle".
    public var identifier: String { "circle" }

    /// `true`: the edge is one pixel soft at the size that it is made at.
    public var dependsOnPixelSize: Bool { true }

    /// Cuts the circle.
    public func process(_ image: DecodedImage, cancellation: DecodeCancellation) throws -> DecodedImage {
        let side = min(image.pixelSize.width, image.pixelSize.height)
        let square = PixelSize(width: side, height: side)
        return try image.mapBitmaps { bitmap in
            try bitmap.cropped(to: square).withRoundedCorners(radius: Double(side) / 2, cancellation: cancellation)
        }
    }
}

/// Makes the corners of an image round and transparent.
public struct RoundedCornersProcessor: ImageProcessor, Hashable {
    /// The radius in pixels; at most half of the shorter side counts.
    public let radius: Double

    /// Makes the step.
    ///
    /// - Parameter radius: In pixels, not negative.
    public init(radius: Double) {
        precondition(radius >= 0, "A radius isn't negative; got \(radius).")
        self.radius = radius
    }

    /// "roundedCorners(12.0)", say.
    public var identifier: String { "roundedCorners(\(radius))" }

    /// `true`: the radius is in pixels.
    public var dependsOnPixelSize: Bool { true }

    /// Rounds the corners.
    public func process(_ image: DecodedImage, cancellation: DecodeCancellation) throws -> DecodedImage {
        let radius = radius
        return try image.mapBitmaps { try $0.withRoundedCorners(radius: radius, cancellation: cancellation) }
    }
}

extension ImageProcessor where Self == CircleProcessor {
    /// Cuts the largest centred circle out of an image, on a transparent square.
    public static var circle: Self { CircleProcessor() }
}

extension ImageProcessor where Self == RoundedCornersProcessor {
    /// Makes the corners of an image round and transparent.
    ///
    /// - Parameter radius: In pixels, not negative; at most half of the shorter side counts.
    public static func roundedCorners(radius: Double) -> Self { RoundedCornersProcessor(radius: radius) }
}
