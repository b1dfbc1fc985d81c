import Foundation

/// Fetches one resource for everybody who wants its bytes, in whatever size.
///
/// - Owns: a place in the fetch queue, then a task that ends with the last byte or when the last waiter has left.
/// - Priority: the highest among its waiters, passed on to the transfer.
///
/// `@unchecked Sendable`: the properties under "Guarded" are guarded by the coordinator's lock.
final class FetchJob: WorkItem, @unchecked Sendable {
    let fetch: Fetch
    let transferPriority: TransferPriority
    let addTime = ContinuousClock.now
    /// How long it waited for its turn. Set and read by the job's task.
    var queueTime: Duration?
    private let coordinator: LoadCoordinator

    // Guarded
    var waiters = WaiterList<FetchWaiter>()
    var isCancelled = false
    var task: Task<Void, Never>?

    init(_ fetch: Fetch, priority: ImageRequest.Priority, coordinator: LoadCoordinator) {
        self.fetch = fetch
        self.coordinator = coordinator
        transferPriority = TransferPriority(priority)
    }

    override func start() {
        coordinator.run(self)
    }
}

/// What a ``FetchJob`` is to fetch. An object, since it goes through many hands.
final class Fetch: Sendable {
    /// Fetches that are equal in this share a job: the key, the credentials and the policy.
    let sharing: Digest
    let source: ImageRequest.Source
    let resource: ResourceID
    let partition: Partition?
    let policy: ImageRequest.CachePolicy
    /// Where responses are stored; `nil` for what isn't HTTP.
    let key: FetchKey?
    /// From before the job began: see ``ResponseStore``.
    let epoch: StoreEpoch
    /// Bytes that turned out to be damaged: they are removed before anything else.
    let damaged: StoredResponse.ID?

    init(
        sharing: Digest, request: ImageRequest, policy: ImageRequest.CachePolicy, key: FetchKey?, epoch: StoreEpoch,
        damaged: StoredResponse.ID? = nil
    ) {
        self.sharing = sharing
        source = request.source
        resource = request.id
        partition = request.cachePartition
        self.policy = policy
        self.key = key
        self.epoch = epoch
        self.damaged = damaged
    }
}

/// Somebody who waits for the bytes of a resource.
enum FetchWaiter: JobWaiter {
    case rendition(RenditionJob)
    case data(DataLoad)

    var position: WaiterPosition<FetchJob> {
        switch self {
        case .rendition(let job): job.position
        case .data(let load): load.position
        }
    }
}

/// A caller who wants the bytes themselves.
final class DataLoad: Sendable {
    let position = WaiterPosition<FetchJob>()
    let promise = Promise<FetchedResource>()

    init(priority: ImageRequest.Priority) {
        position.priority = priority
    }
}
