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
        /// The thumbnail that an image server has made: see ``ServerThumbnails``.
        case serverThumbnail
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
        /// From when the bytes were asked for to the first unfinished image that was shown.
        public var firstPreview: Duration?
        /// Waiting for the turn to decode.
        public var decodeQueue: Duration?
        /// Decoding.
        public var decode: Duration?
        /// Processing.
        public var process: Duration?

        /// Makes times of no stage.
        public init() {}
    }

    /// What bringing the bytes took, for all renditions that are made of them.
    package struct Work: Sendable {
        /// See ``StageTimes``.
        package struct Times: Sendable {
            package var lookup: Duration?
            package var firstByte: Duration?
            package var body: Duration?
        }

        package var layer: Layer
        package var cacheReason: HTTPCache.Reason?
        package var receivedByteCount: Int64 = 0
        package var bodyByteCount: Int64 = 0
        package var format: ImageFormat?
        package var redirectCount = 0
        package var retryCount = 0
        package var exchange: HTTPExchangeMetrics?
        package var times = Times()

        package init(layer: Layer) {
            self.layer = layer
        }
    }

    /// One object for all that is made of the bytes.
    package final class SharedWork: Sendable {
        /// For what is made of pixels in memory: nothing was brought.
        package static let memory = SharedWork(Work(layer: .memory))

        fileprivate let work: Work

        package init(_ work: consuming Work) { self.work = work }

        var layer: Layer { work.layer }
    }

    /// What making a rendition took, for all of its loads.
    package struct RenditionWork: Sendable {
        fileprivate let source: SharedWork
        /// See ``StageTimes``.
        package var queue: Duration?
        package var decodeQueue: Duration?
        package var decode: Duration?
        package var process: Duration?
        package var alternative: Alternative?
        package var previews: Previews?

        package init(_ source: SharedWork) { self.source = source }
    }

    /// What was shown before the image was there. An object, since as a rule there was nothing.
    package final class Previews: Sendable {
        let count: Int
        let firstTime: Duration

        init(count: Int, firstTime: Duration) {
            self.count = count
            self.firstTime = firstTime
        }
    }

    /// One object for all the loads of a job.
    private final class Rendition: Sendable {
        let work: RenditionWork
        let originalPixelSize: PixelSize
        let pixelSize: PixelSize
        let waiterCount: Int

        init(_ image: DecodedImage, _ work: RenditionWork, waiterCount: Int) {
            self.work = work
            originalPixelSize = image.originalPixelSize
            pixelSize = image.pixelSize
            self.waiterCount = waiterCount
        }
    }

    /// Numbers the loads of a process. Logs name a load by it, since they don't name the URL.
    public let number: UInt64
    /// From the request to the result.
    public let duration: Duration
    private let request: ImageRequest
    private let rendition: Rendition

    package init(
        number: UInt64, request: ImageRequest, duration: Duration, image: DecodedImage, work: RenditionWork,
        waiterCount: Int = 1
    ) {
        self.number = number
        self.request = request
        self.duration = duration
        rendition = Rendition(image, work, waiterCount: waiterCount)
    }

    /// The report of another load that had a part in the same job.
    package init(_ other: LoadReport, number: UInt64, request: ImageRequest, duration: Duration) {
        self.number = number
        self.request = request
        self.duration = duration
        rendition = other.rendition
    }

    private var brought: Work { rendition.work.source.work }

    /// The size before downsampling.
    public var originalPixelSize: PixelSize { rendition.originalPixelSize }
    /// The size of the pixels that came out.
    public var pixelSize: PixelSize { rendition.pixelSize }
    /// The layer that the image came from.
    public var layer: Layer { brought.layer }
    /// What the HTTP cache decided, where it was asked.
    public var cacheReason: HTTPCache.Reason? { brought.cacheReason }
    /// Whether the image stands in for a newer one that couldn't be had.
    var isStandIn: Bool {
        switch cacheReason {
        case .disconnected?, .staleIfError?: true
        default: false
        }
    }
    /// Bytes of bodies that came over the network for this image, those of attempts that failed included.
    public var receivedByteCount: Int64 { brought.receivedByteCount }
    /// The length of the file.
    public var bodyByteCount: Int64 { brought.bodyByteCount }
    /// The format of the file; `nil` where no file was looked at.
    public var format: ImageFormat? { brought.format }
    /// Redirects followed.
    public var redirectCount: Int { brought.redirectCount }
    /// Attempts that failed before the one that went well, refusals for want of authorization (401) included.
    public var retryCount: Int { brought.retryCount }
    /// What the transport knows of the exchange.
    public var exchange: HTTPExchangeMetrics? { brought.exchange }
    /// The time that each stage took.
    public var times: StageTimes {
        var times = StageTimes()
        times.queue = rendition.work.queue
        times.lookup = brought.times.lookup
        times.firstByte = brought.times.firstByte
        times.body = brought.times.body
        times.firstPreview = rendition.work.previews?.firstTime
        times.decodeQueue = rendition.work.decodeQueue
        times.decode = rendition.work.decode
        times.process = rendition.work.process
        return times
    }
    /// How many unfinished images were shown while the bytes arrived, to whoever wanted them: see
    /// ``ImageRequest/progressivePreviews``.
    public var previewCount: Int { rendition.work.previews?.count ?? 0 }
    /// How many callers the rendition had when it was ready.
    public var waiterCount: Int { rendition.waiterCount }
    /// Which of the request's other URLs the image came from; `nil` for its own.
    public var alternative: Alternative? { rendition.work.alternative }
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
