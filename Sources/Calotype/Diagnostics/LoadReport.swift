import Foundation

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
        /// When the turn to fetch had come.
        var start: Moment?
        /// When the request was sent that brought the response.
        var exchangeStart: Moment?

        package init(layer: Layer) {
            self.layer = layer
        }
    }

    /// What making a rendition took, for all of its loads.
    package struct RenditionWork: Sendable {
        /// See ``StageTimes``.
        package var queue: Duration?
        package var decodeQueue: Duration?
        package var decode: Duration?
        package var process: Duration?
        /// When the turn to decode had come.
        var decodeStart: Moment?
        package var alternative: Alternative?
        package var previews: Previews?

        package init() {}
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

    /// Who waited for a rendition, and how urgently.
    package struct Following: Sendable {
        var waiterCount = 1
        var priority = ImageRequest.Priority.normal
        var priorityChangeCount = 0
    }

    /// One object for all the loads of a job.
    final class Rendition: Sendable {
        let source: Work
        let work: RenditionWork
        let originalPixelSize: PixelSize
        let pixelSize: PixelSize
        let following: Following
        /// When the result was there.
        let end: Moment

        /// - Parameters:
        ///   - pixelSize: What came out.
        ///   - originalPixelSize: What it was made of.
        ///   - source: What bringing the bytes took.
        ///   - work: What making the image of them took.
        ///   - end: When the result was there.
        init(
            _ pixelSize: PixelSize, of originalPixelSize: PixelSize, _ source: Work, _ work: RenditionWork = .init(),
            endedAt end: Moment, following: Following = .init()
        ) {
            self.source = source
            self.work = work
            self.originalPixelSize = originalPixelSize
            self.pixelSize = pixelSize
            self.following = following
            self.end = end
        }
    }

    /// Numbers the loads of a process. Logs name a load by it, since they don't name the URL.
    public let number: UInt64
    /// From the request to the result.
    public let duration: Duration
    /// `nil` in what is kept for long: a request may hold anything.
    private let request: ImageRequest?
    let rendition: Rendition

    init(number: UInt64, request: ImageRequest?, duration: Duration, _ rendition: Rendition) {
        self.number = number
        self.request = request
        self.duration = duration
        self.rendition = rendition
    }

    /// Stands where a report would, for a load that nobody can ask for one: see ``ImageLoad/wantsReport``.
    static let untold: LoadReport = {
        let size = PixelSize(width: 0, height: 0)
        return LoadReport(
            number: 0, request: nil, duration: .zero, Rendition(size, of: size, Work(layer: .memory), endedAt: .now))
    }()

    var brought: Work { rendition.source }

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
    /// How many unfinished images were shown while the bytes arrived, to whoever wanted them: see
    /// ``ImageRequest/progressivePreviews``.
    public var previewCount: Int { rendition.work.previews?.count ?? 0 }
    /// How many callers the rendition had when it was ready.
    public var waiterCount: Int { rendition.following.waiterCount }
    /// How urgent the work was in the end: as the most urgent of its callers.
    public var priority: ImageRequest.Priority { rendition.following.priority }
    /// How often that changed on the way, since somebody joined or left, or changed a load's priority.
    public var priorityChangeCount: Int { rendition.following.priorityChangeCount }
    /// Which of the request's other URLs the image came from; `nil` for its own.
    public var alternative: Alternative? { rendition.work.alternative }
    /// The scheme and host of the request's own URL.
    public var source: RedactedURL? { request?.url.map(RedactedURL.init) }
    /// What the request was for, in full: for those alone who have been asked to show it.
    var url: URL? { request?.url }
}

extension LoadReport: CustomStringConvertible, CustomReflectable {
    /// One line, safe to log.
    public var description: String {
        let from = source?.description ?? "image"
        let reason = cacheReason.map { " (\($0))" } ?? ""
        return "#\(number) \(from) \(layer.rawValue)\(reason) \(originalPixelSize) -> \(pixelSize)"
    }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
}
