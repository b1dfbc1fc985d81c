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

/// What a ``FetchJob`` is to fetch.
struct Fetch: Sendable {
    /// Fetches that are equal in this share a job: the key, the credentials and the policy.
    var sharing: Digest
    var source: ImageRequest.Source
    var resource: ResourceID
    var partition: Partition?
    var policy: ImageRequest.CachePolicy
    /// Where responses are stored; `nil` for what isn't HTTP.
    var key: FetchKey?
    /// From before the job began: see ``ResponseStore``.
    var epoch: StoreEpoch
    /// Bytes that turned out to be damaged: they are removed before anything else.
    var damaged: StoredResponse.ID?
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
