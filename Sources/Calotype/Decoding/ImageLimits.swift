/// What hostile or careless input may cost at most. Each limit is checked before the memory is taken.
public struct ImageLimits: Sendable, Hashable {
    /// The largest body, in bytes. 64 MiB unless changed.
    public var bodyByteCount: Int
    /// The most pixels that an image may have, before downsampling. 100 megapixels unless changed.
    public var pixelCount: Int
    /// The most frames of an animation.
    public var frameCount: Int
    /// The most scans of a progressive file. 100 unless changed: encoders write about 10, and each costs a pass over the
    /// whole image, however short it is.
    public var scanCount: Int
    /// The largest colour profile that is applied, in bytes. 4 MiB unless changed: those of printers take 2. Of a larger
    /// one nothing is read, as if it weren't there.
    public var profileByteCount: Int
    /// The most that other metadata may take once it is unpacked, in bytes. 8 MiB unless changed.
    public var metadataByteCount: Int
    /// The longest time one decode may take. 30 seconds unless changed.
    public var decodeTime: Duration

    /// The defaults, each of which may be changed.
    public init(
        bodyByteCount: Int = 64 << 20,
        pixelCount: Int = 100_000_000,
        frameCount: Int = 10_000,
        scanCount: Int = 100,
        profileByteCount: Int = 4 << 20,
        metadataByteCount: Int = 8 << 20,
        decodeTime: Duration = .seconds(30)
    ) {
        self.bodyByteCount = bodyByteCount
        self.pixelCount = pixelCount
        self.frameCount = frameCount
        self.scanCount = scanCount
        self.profileByteCount = profileByteCount
        self.metadataByteCount = metadataByteCount
        self.decodeTime = decodeTime
    }
}
