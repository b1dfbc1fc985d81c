import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension ImagePipeline {
    /// What a pipeline is made of. A value: changing it after the pipeline has been made changes nothing.
    public struct Configuration: Sendable {
        /// Speaks HTTP.
        public var transport: any HTTPTransport
        /// Holds decoded images. Pipelines may share one.
        public var memory: MemoryCache
        /// Keeps responses; `nil` keeps none. Unless changed, that is a ``SQLiteStore`` in the user's caches, which all
        /// pipelines of the program share: see ``ImagePipeline/defaultStore``. ``URLCacheStore`` keeps them in an app's own
        /// `URLCache`, ``MemoryStore`` as long as the process lasts.
        public var store: (any ResponseStore)?
        /// Remembers what decoded images looked like, for as long as the real ones aren't there; `nil` remembers nothing.
        /// 20,000 images unless changed. If the store keeps impressions, they outlast the process.
        public var impressions: ImpressionTable?
        /// Turn bytes into pixels.
        public var decoders: ImageDecoders
        /// The widest colour space that decoded images may have; sRGB unless changed. Where a screen shows Display P3, that
        /// keeps the colours of photos that have it. On Apple platforms it is asked of the app's own decoders alone: Image
        /// I/O's images keep their file's colours, which the system converts as it draws.
        ///
        /// Pipelines that differ in this shouldn't share a memory cache: they would find each other's images there, of
        /// which ``DecodedImage/colorSpace`` tells the truth all the same.
        public var colorSpace: DecodedImage.ColorSpace
        /// What input may cost at most.
        public var limits: ImageLimits
        /// How long to wait for a server.
        public var timeouts: HTTPTimeouts
        /// Whether images may be loaded over a network that the user has asked to spare (Low Data Mode). If not, a load that
        /// needs it fails with ``ImageError/Reason/networkRestricted``; what is in the caches is still an answer.
        public var allowsConstrainedNetwork: Bool
        /// The same for a network that may cost the user: cellular, a personal hotspot.
        public var allowsExpensiveNetwork: Bool
        /// Says whether there is a network. Asked only once something has failed, or where a request makes a difference.
        public var network: any NetworkMonitor
        /// Says how much the device can spare: while it is hot, or saves power, fewer images are decoded at once, and what
        /// nobody waits for yet isn't begun. See ``PowerStatus``.
        public var power: any PowerMonitor
        /// How often a failed exchange is attempted again, unless a request says otherwise.
        public var retry: RetryPolicy
        /// Fields that every HTTP request has unless it says otherwise; of those to another origin than the request's own,
        /// after a redirect or for want of a picture there, only what any server may see. With credentials among them, requests that name no
        /// partition share one with pipelines of the same credentials alone.
        public var fields: HTTPFields
        /// Content types that may be images, besides `image/*` and none: the bytes decide.
        public var acceptedContentTypes: Set<String>
        /// Which query items are a signature, and no part of what a URL names.
        public var signatures: SignatureRule
        /// Has an image server make thumbnails of the size that is shown; `nil` loads originals.
        public var serverThumbnails: ServerThumbnails?
        /// How many resources are fetched at once; more wait for their turn.
        public var fetchLimit: Int
        /// How many of those may be fetched for nobody who is in a hurry: loads of priority `low` and below, as an
        /// ``ImagePrefetcher``'s are. A visible request then finds a place free, and a connection: transports open six to
        /// a host.
        public var prefetchLimit: Int
        /// How many images are decoded at once; more wait for their turn. Loads of priority `low` and below take half of
        /// them at most, if there are more than one. Fewer while the device can't spare so much: see ``power``.
        public var decodeLimit: Int
        /// About how many bytes decodes may take at once, results included; more wait for their turn, unless nothing else
        /// runs. 256 MiB unless changed: five 12-megapixel photos held whole, beside which thumbnails hardly count.
        public var decodeByteBudget: Int
        /// How carefully images are made smaller. It is no part of what a request names: pipelines that share a
        /// ``MemoryCache`` should agree.
        public var resizeQuality: ResizeQuality
        /// The time.
        public var clock: any ImageClock
        /// Gives a number between 0 and 1: the share of the longest wait that a retry waits. Tests bring their own.
        public var random: @Sendable () -> Double
        /// Signs a request before it is sent. After a 401 it is called once more, with the request that was refused: it
        /// refreshes what it signs with.
        ///
        /// It sees every request to any host, those to ``ImageRequest/fallbackURLs`` and ``ImageRequest/lowDataURL``
        /// included, with the method, the body and all fields that are to be sent: it looks at the URL before it gives
        /// credentials away. What redirects lead to isn't shown to it, and to another origin its fields aren't sent. Nor is
        /// what goes to an image server on another origin than the original's: see ``serverThumbnails``.
        ///
        /// It may use the pipeline, but for waiting there for what it is asked to sign: that waits for it. Nor should it wait for
        /// other images there: with all places for fetches taken by requests like this one, none would go on.
        ///
        /// Requests of a pipeline that signs don't share its caches with other pipelines: a request without a partition
        /// is given the pipeline's own.
        public var authorize: (@Sendable (URLRequest) async throws -> URLRequest)?
        /// Is told of every load's steps and of its end, and of faults that no caller sees. Called on any thread; must not
        /// block. Where it is `nil`, no event is made.
        ///
        /// ``ImageEvent/log(from:_:)`` writes a log, and on Apple platforms ``PipelineSignposts`` draws intervals in
        /// Instruments. As a stream:
        ///
        /// ```swift
        /// let (events, continuation) = AsyncStream.makeStream(
        ///     of: ImageEvent.self, bufferingPolicy: .bufferingNewest(256))
        /// configuration.onEvent = { continuation.yield($0) }
        /// ```
        public var onEvent: (@Sendable (ImageEvent) -> Void)?
        /// Keeps what the last loads did, for a page or a trace; `nil` keeps nothing, and costs nothing. Pipelines may share
        /// one.
        public var recorder: PipelineRecorder?
        /// The two listeners above, for the layers below. Set when a pipeline is made.
        var observer: LoadObserver?

        /// The defaults, each of which may be changed.
        public init(
            transport: any HTTPTransport = ImagePipeline.defaultTransport,
            memory: MemoryCache = MemoryCache(),
            store: (any ResponseStore)? = ImagePipeline.defaultStore,
            authorize: (@Sendable (URLRequest) async throws -> URLRequest)? = nil
        ) {
            self.transport = transport
            self.memory = memory
            self.store = store
            self.authorize = authorize
            impressions = ImpressionTable()
            decoders = .system
            colorSpace = .sRGB
            limits = ImageLimits()
            timeouts = HTTPTimeouts()
            allowsConstrainedNetwork = true
            allowsExpensiveNetwork = true
            network = SystemNetworkMonitor.shared
            power = SystemPowerMonitor.shared
            retry = .standard
            fields = ["Accept": "image/*,*/*;q=0.5"]
            acceptedContentTypes = ["application/octet-stream", "binary/octet-stream"]
            signatures = .known
            fetchLimit = 64
            prefetchLimit = 4
            decodeLimit = max(1, ProcessInfo.processInfo.activeProcessorCount)
            decodeByteBudget = 256 << 20
            resizeQuality = .balanced
            clock = SystemClock()
            random = { Double.random(in: 0...1) }
        }
    }

    /// The transport that pipelines share unless they are given another: connections are reused across them.
    public static var defaultTransport: any HTTPTransport { sharedTransport }

    /// The store that pipelines share unless they are given another: on disk, at ``SQLiteStore/defaultDirectory``, with the
    /// limits that ``SQLiteStore/Options`` has. Nothing is read or made before it is first used. Where it can't be used,
    /// loads go on without it, and ``Configuration/onEvent`` is told why.
    public static var defaultStore: any ResponseStore {
        sharedStore.withLock { shared in
            let store = shared ?? SQLiteStore(directory: SQLiteStore.defaultDirectory)
            shared = store
            return store
        }
    }

    /// `nil` until somebody wants it: a pipeline with a store of its own doesn't.
    private static let sharedStore = Mutex<SQLiteStore?>(nil)

    static func observer(ofDefaultStoreIn configuration: Configuration) -> StoreObserver? {
        guard let shared = sharedStore.withLock({ $0 }), configuration.store === shared,
            let observer = configuration.observer
        else { return nil }
        return shared.observe { observer.note($0) }
    }

    #if os(Linux)
    private static let sharedTransport: any HTTPTransport = CurlTransport()
    #else
    private static let sharedTransport: any HTTPTransport = URLSessionTransport()
    #endif
}
