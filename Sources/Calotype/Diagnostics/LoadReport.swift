/// What one load did: which layer served it, why, and how long each stage took.
///
/// Loads that shared a job share what the job did; the rest is the load's own.
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

    /// Which of a request's other URLs an image came from.
    public enum Alternative: Sendable, Hashable {
        /// ``ImageRequest/lowDataURL``.
        case lowData
        /// That of ``ImageRequest/fallbackURLs`` with this index.
        case fallback(Int)
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

    /// What a job did, for all of its loads.
    package struct Work: Sendable {
        package var layer: Layer
        package var cacheReason: HTTPCache.Reason?
        package var receivedByteCount: Int64 = 0
        package var bodyByteCount: Int64 = 0
        package var format: ImageFormat?
        package var redirectCount = 0
        package var retryCount = 0
        package var exchange: HTTPExchangeMetrics?
        package var times = StageTimes()
        package var waiterCount = 1
        package var alternative: Alternative?

        package init(layer: Layer) {
            self.layer = layer
        }
    }

    /// One object for all the loads of a job.
    private final class SharedWork: Sendable {
        let work: Work

        init(_ work: Work) { self.work = work }
    }

    /// Numbers the loads of a process. Logs name a load by it, since they don't name the URL.
    public let number: UInt64
    /// From the request to the result.
    public let duration: Duration
    /// The size before downsampling.
    public let originalPixelSize: PixelSize
    /// The size of the pixels that came out.
    public let pixelSize: PixelSize
    private let request: ImageRequest
    private let shared: SharedWork

    package init(number: UInt64, request: ImageRequest, duration: Duration, image: DecodedImage, work: Work) {
        self.number = number
        self.request = request
        self.duration = duration
        originalPixelSize = image.originalPixelSize
        pixelSize = image.pixelSize
        shared = SharedWork(work)
    }

    /// The report of another load that had a part in the same job.
    package init(_ other: LoadReport, number: UInt64, request: ImageRequest, duration: Duration) {
        self.number = number
        self.request = request
        self.duration = duration
        originalPixelSize = other.originalPixelSize
        pixelSize = other.pixelSize
        shared = other.shared
    }

    /// The layer that the image came from.
    public var layer: Layer { shared.work.layer }
    /// What the HTTP cache decided, where it was asked.
    public var cacheReason: HTTPCache.Reason? { shared.work.cacheReason }
    /// Bytes of bodies that came over the network for this image, those of attempts that failed included.
    public var receivedByteCount: Int64 { shared.work.receivedByteCount }
    /// The length of the file.
    public var bodyByteCount: Int64 { shared.work.bodyByteCount }
    /// The format of the file; `nil` where no file was looked at.
    public var format: ImageFormat? { shared.work.format }
    /// Redirects followed.
    public var redirectCount: Int { shared.work.redirectCount }
    /// Attempts that failed before the one that went well, refusals for want of authorization (401) included.
    public var retryCount: Int { shared.work.retryCount }
    /// What the transport knows of the exchange.
    public var exchange: HTTPExchangeMetrics? { shared.work.exchange }
    /// The time that each stage took.
    public var times: StageTimes { shared.work.times }
    /// How many callers the rendition had when it was ready.
    public var waiterCount: Int { shared.work.waiterCount }
    /// Which of the request's other URLs the image came from; `nil` for its own.
    public var alternative: Alternative? { shared.work.alternative }
    /// The scheme and host of the request's own URL.
    public var source: RedactedURL? { request.url.map(RedactedURL.init) }
}

extension LoadReport: CustomStringConvertible {
    /// One line, safe to log.
    public var description: String {
        let from = source?.description ?? "image"
        let reason = cacheReason.map { " (\($0))" } ?? ""
        return "#\(number) \(from) \(layer.rawValue)\(reason) \(originalPixelSize) -> \(pixelSize)"
    }
}
