/// A step of the app's own.
public struct CustomProcessor: ImageProcessor {
    /// Names the step and its parameters.
    public let identifier: String
    /// Whether the result is used at its own size alone.
    public let dependsOnPixelSize: Bool
    private let body: @Sendable (DecodedImage) throws -> DecodedImage

    /// Makes the step.
    ///
    /// - Parameters:
    ///   - identifier: Names the step and its parameters: two steps of one identifier must give the same pixels.
    ///   - dependsOnPixelSize: Whether the look depends on the size that the step is applied at. `true` is always right;
    ///     `false` lets larger renditions serve smaller ones, as for a change of colours.
    ///   - body: Makes the new image, on a thread of the decode queue.
    public init(
        identifier: String, dependsOnPixelSize: Bool = true,
        _ body: @escaping @Sendable (DecodedImage) throws -> DecodedImage
    ) {
        self.identifier = identifier
        self.dependsOnPixelSize = dependsOnPixelSize
        self.body = body
    }

    /// Runs the body, and throws what it throws: the pipeline says which step it was.
    public func process(_ image: DecodedImage, cancellation: DecodeCancellation) throws -> DecodedImage {
        try cancellation.check()
        return try body(image)
    }
}

extension ImageProcessor where Self == CustomProcessor {
    /// A step of the app's own; see ``CustomProcessor/init(identifier:dependsOnPixelSize:_:)``.
    public static func custom(
        identifier: String, dependsOnPixelSize: Bool = true,
        _ body: @escaping @Sendable (DecodedImage) throws -> DecodedImage
    ) -> Self {
        CustomProcessor(identifier: identifier, dependsOnPixelSize: dependsOnPixelSize, body)
    }
}
