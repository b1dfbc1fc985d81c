/// An image, and how it came.
public struct ImageResult: Sendable {
    /// The image.
    public var image: DecodedImage
    /// Which layer served it, why, and how long it took.
    public var report: LoadReport

    /// The layer that served it.
    public var layer: LoadReport.Layer { report.layer }

    /// Makes a result.
    public init(image: DecodedImage, report: LoadReport) {
        self.image = image
        self.report = report
    }
}

extension ImageResult: CustomStringConvertible, CustomReflectable {
    /// One line, safe to log: what the image is, and how it came.
    public var description: String { "\(image); \(report)" }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

/// How much of a body has arrived.
public struct LoadProgress: Sendable, Hashable {
    /// Bytes so far.
    public var receivedByteCount: Int64
    /// Bytes in all, if the server says so.
    public var expectedByteCount: Int64?

    /// Between 0 and 1; `nil` while the length isn't known.
    public var fraction: Double? {
        expectedByteCount.map { $0 > 0 ? min(1, Double(receivedByteCount) / Double($0)) : 0 }
    }

    /// Makes progress.
    public init(receivedByteCount: Int64, expectedByteCount: Int64?) {
        self.receivedByteCount = receivedByteCount
        self.expectedByteCount = expectedByteCount
    }
}
