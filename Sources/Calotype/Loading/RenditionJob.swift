import Foundation
import Synchronization

/// Makes one rendition for everybody who wants it: waits for the bytes, unless there are pixels that it can be made of,
/// then for its turn to decode.
///
/// - Owns: its place among the waiters of a ``FetchJob`` until the bytes are there; then its place in the decode queue.
/// - Priority: the highest among its loads.
///
/// `@unchecked Sendable`: the properties under "Guarded" are guarded by the coordinator's lock; `material` and the times are
/// set before the job enters the decode queue, and read by the decode that the queue starts.
final class RenditionJob: WorkItem, JobWaiter, @unchecked Sendable {
    /// Requests that are equal in all of this share a job.
    struct Key: Hashable {
        var rendition: Digest
        var processors: Digest
        var fetch: Digest
        var target: PixelTarget

        private var bits: UInt64 { rendition.low ^ processors.low ^ fetch.high }

        func hash(into hasher: inout Hasher) { hasher.combine(bits) }

        /// See ``Digest``.
        func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: bits) ^ seed }
    }

    /// What a rendition is made of.
    enum Material: Sendable {
        case bytes(FetchedResource)
        /// Larger pixels of the same image. Kept apart, so that the rule carries no room for the exception.
        indirect case pixels(FoundRendition)

        var version: Digest {
            switch self {
            case .bytes(let resource): resource.version
            case .pixels(let larger): larger.version
            }
        }

        /// The bytes, if it is made of such.
        var resource: FetchedResource? {
            if case .bytes(let resource) = self { resource } else { nil }
        }

        /// When the server said so last: see ``FetchedResource/responseTime``.
        var responseTime: Double {
            switch self {
            case .bytes(let resource): resource.responseTime
            case .pixels(let larger): larger.responseTime
            }
        }

        var freshness: Freshness {
            switch self {
            case .bytes(let resource): resource.freshness
            case .pixels(let larger): larger.freshness
            }
        }
    }

    let key: Key
    /// That of the load that began it.
    let number: UInt64
    let query: RenditionQuery
    let request: ImageRequest
    /// From before the job began: see ``RemovalLog``.
    let epoch: StoreEpoch
    /// The same for impressions.
    let impressionEpoch: StoreEpoch
    let cancellation = DecodeCancellation()
    let hasAlternatives: Bool
    private let coordinator: LoadCoordinator
    @exclusivity(unchecked) var material: Material?
    var fetchQueueTime: Duration?
    var decodeQueueTime: Moment?

    // Guarded. So no two accesses meet, and the check for that, 80 instructions each time, is left out.
    @exclusivity(unchecked) var listing = LoadBooks.Listing.none
    @exclusivity(unchecked) var position = WaiterPosition<FetchJob>()
    @exclusivity(unchecked) var loads = WaiterList<ImageLoad>()
    @exclusivity(unchecked) var isCancelled = false
    /// How often its priority has changed. ``position`` has what it was last.
    @exclusivity(unchecked) var priorityChangeCount = 0
    /// Whether damaged bytes from the store have been fetched anew already.
    var isSecondAttempt = false
    /// Where bytes go for previews, once somebody wants some. Nobody changes it while the job waits for no bytes: what is done
    /// with them then reads it without the lock.
    @exclusivity(unchecked) var previews: PreviewFeed?
    /// Where else the bytes may come from. Whether there is anything is settled from the start.
    @exclusivity(unchecked) var alternatives: Alternatives?

    init(
        key: Key, number: UInt64, query: RenditionQuery, request: ImageRequest, thumbnail: ImageRequest?,
        epoch: StoreEpoch, impressionEpoch: StoreEpoch, coordinator: LoadCoordinator
    ) {
        self.key = key
        self.number = number
        self.query = query
        self.request = request
        hasAlternatives = thumbnail != nil || request.hasAlternatives
        if hasAlternatives { alternatives = Alternatives(request, thumbnail: thumbnail) }
        self.epoch = epoch
        self.impressionEpoch = impressionEpoch
        self.coordinator = coordinator
        position.priority = request.priority
    }

    /// As logs name it.
    var label: LoadLabel { LoadLabel(number, request.url) }

    /// Takes out the previews if they are being made and nobody wants them any more. To be called with the lock.
    func takeUnwantedPreviews() -> PreviewFeed? {
        guard previews != nil, position.job != nil, !loads.waiters.contains(where: { $0.wantsPreview(of: nil) }) else {
            return nil
        }
        return previews.take()
    }

    /// Decodes on a thread that may block.
    override func start() {
        DecodeThreads.run(self)
    }

    fileprivate func decode() {
        coordinator.decode(self)
    }
}

/// Threads that may block.
///
/// One closure is run for all jobs, each time for the next of them: a closure of its own for each would be copied to the
/// heap and freed again, at 600 instructions.
private enum DecodeThreads {
    private static let queue = DispatchQueue.global(qos: .userInitiated)
    /// Those that a thread is on its way for.
    private static let jobs = Mutex(Ring<RenditionJob>())
    private static let decodeNext: @Sendable @convention(block) () -> Void = {
        jobs.withLock { $0.removeFirst() }?.decode()
    }

    static func run(_ job: RenditionJob) {
        jobs.withLock { $0.append(job) }
        queue.async(execute: decodeNext)
    }
}
