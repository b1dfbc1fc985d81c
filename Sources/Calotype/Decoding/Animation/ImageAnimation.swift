/// The frames of an animated image: how long each is shown, and its pixels on demand.
///
/// Frames are decoded as they are asked for, never all at once.
public final class ImageAnimation: Sendable {
    /// How long each frame is shown.
    public let durations: [Duration]
    /// How often the animation plays; 0 means for ever.
    public let loopCount: Int
    private let makeFrame: @Sendable (Int) throws -> DecodedImage

    /// The number of frames.
    public var frameCount: Int { durations.count }

    /// Makes an animation.
    ///
    /// - Parameter frame: Decodes the frame of that index. It may block, and may be called from any thread.
    public init(durations: [Duration], loopCount: Int, frame: @escaping @Sendable (Int) throws -> DecodedImage) {
        self.durations = durations
        self.loopCount = loopCount
        self.makeFrame = frame
    }

    /// Decodes the frame at `index`, composed with what it covers.
    ///
    /// - Throws: ``ImageError`` of stage `decoding`.
    public func frame(at index: Int) throws -> DecodedImage {
        precondition(durations.indices.contains(index), "Frame \(index) of \(frameCount) doesn't exist.")
        return try makeFrame(index)
    }
}
