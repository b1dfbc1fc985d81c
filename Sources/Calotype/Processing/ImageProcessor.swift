/// A step from pixels to pixels, applied after the image has been decoded to its size.
///
/// - Isolation: Called on a thread of the decode queue; calls may run at the same time.
public protocol ImageProcessor: Sendable {
    /// Names the step and its parameters: two processors with one identifier must give the same pixels.
    var identifier: String { get }

    /// Whether the result's look depends on the size in pixels that it is applied at, as a corner's radius does. Such a
    /// rendition is used at its own size alone, never scaled from a larger one.
    var dependsOnPixelSize: Bool { get }

    /// Makes the new image.
    ///
    /// - Parameter cancellation: To be looked at between rows.
    func process(_ image: DecodedImage, cancellation: DecodeCancellation) throws -> DecodedImage
}
