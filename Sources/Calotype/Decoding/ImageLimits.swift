/// What hostile or careless input may cost at most. Each limit is checked before the memory is taken.
public struct ImageLimits: Sendable, Hashable {
    /// The largest body, in bytes. 64 MiB unless changed.
    public var bodyByteCount: Int
    /// The most pixels that an image may have, before downsampling. 100 megapixels unless changed.
    public var pixelCount: Int
    /// The most frames of an animation.
    public var frameCount: Int
    /// The longest time one decode may take. 30 seconds unless changed.
    public var decodeTime: Duration

    /// The defaults, each of which may be changed.
    public init(
        bodyByteCount: Int = 64 << 20,
        pixelCount: Int = 100_000_000,
        frameCount: Int = 10_000,
        decodeTime: Duration = .seconds(30)
    ) {
        self.bodyByteCount = bodyByteCount
        self.pixelCount = pixelCount
        self.frameCount = frameCount
        self.decodeTime = decodeTime
    }
}
