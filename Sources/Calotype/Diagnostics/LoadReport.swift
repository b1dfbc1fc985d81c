package import Foundation

/// What one load did: which layer served it, why, and how long each stage took.
public struct LoadReport: Sendable {
    /// The layer that an image came from.
    public enum Layer: String, Sendable, Hashable, CaseIterable {
        /// Pixels were in memory.
        case memory
        /// Bytes were stored, and good without asking.
        case storage
        /// Bytes were stored, and the server confirmed them.
        case revalidation
        /// Bytes came from the server.
        case network
        /// Bytes came from a file, a `data:` URL, memory or a closure.
        case source
    }

    /// The time that each stage took; `nil` where there was no such stage.
    public struct StageTimes: Sendable, Hashable {
        /// Waiting for the turn to fetch.
        public var queue: Duration?
        /// Looking at what is stored.
        public var lookup: Duration?
        /// From the request to the head of the response, the last one if there were redirects.
        public var firstByte: Duration?
        /// From there to the end of the body.
        public var body: Duration?
        /// Waiting for the turn to decode.
        public var decodeQueue: Duration?
        /// Decoding.
        public var decode: Duration?
        /// Processing.
        public var process: Duration?

        /// Makes times of no stage.
        public init() {}
    }

    /// Numbers the loads of a process. Logs name a load by it, since they don't name the URL.
    public var number: UInt64
    /// The layer that the image came from.
    public var layer: Layer
    /// What the HTTP cache decided, where it was asked.
    public var cacheReason: HTTPCache.Reason?
    /// Bytes of bodies that came over the network for this image.
    public var receivedByteCount: Int64 = 0
    /// The length of the file.
    public var bodyByteCount: Int64 = 0
    /// The format of the file.
    public var format: ImageFormat?
    /// The size before downsampling.
    public var originalPixelSize: PixelSize?
    /// The size of the pixels that came out.
    public var pixelSize: PixelSize?
    /// How many callers the rendition had when it was ready.
    public var waiterCount = 1
    /// Redirects followed.
    public var redirectCount = 0
    /// Times that a request was sent again, after a 401 or a failure.
    public var retryCount = 0
    /// What the transport knows of the exchange.
    public var exchange: HTTPExchangeMetrics?
    /// The time that each stage took.
    public var times = StageTimes()
    /// From the request to the result.
    public var duration: Duration = .zero

    /// The URL's scheme and host.
    public var source: RedactedURL? { url.map(RedactedURL.init) }
    package var url: URL?

    /// Makes a report.
    public init(number: UInt64, layer: Layer) {
        self.number = number
        self.layer = layer
    }
}

extension LoadReport: CustomStringConvertible {
    /// One line, safe to log.
    public var description: String {
        var parts = ["#\(number)", source?.description ?? "image", layer.rawValue]
        if let cacheReason { parts.append("(\(cacheReason))") }
        if let originalPixelSize, let pixelSize { parts.append("\(originalPixelSize) -> \(pixelSize)") }
        return parts.joined(separator: " ")
    }
}
