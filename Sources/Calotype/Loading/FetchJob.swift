import Foundation
import Synchronization

/// Fetches one resource for everybody who wants its bytes, in whatever size.
///
/// - Owns: a place in the fetch queue, then a task that ends with the last byte or when the last waiter has left.
/// - Priority: the highest among its waiters, passed on to the transfer.
///
/// `@unchecked Sendable`: the properties under "Guarded" are guarded by the coordinator's lock.
final class FetchJob: WorkItem, PieceReceiver, @unchecked Sendable {
    let fetch: Fetch
    let transferPriority: TransferPriority
    let addTime = Moment.now
    /// How long it waited for its turn. Set and read by the job's task.
    var queueTime: Duration?
    /// The bytes so far, and in all: see ``LoadCoordinator/progress(of:)``.
    private let receivedByteCount = Atomic<Int64>(0)
    private let expectedByteCount = Atomic<Int64>(-1)
    let coordinator: LoadCoordinator

    // Guarded. So no two accesses meet, and the check for that, 80 instructions each time, is left out.
    @exclusivity(unchecked) var listing = LoadBooks.Listing.none
    @exclusivity(unchecked) var waiters = WaiterList<FetchWaiter>()
    @exclusivity(unchecked) var isCancelled = false
    /// It throws nothing: see ``LoadCoordinator/run(_:at:)``.
    @exclusivity(unchecked) var task: Task<Void, any Error>?

    init(_ fetch: Fetch, priority: ImageRequest.Priority, coordinator: LoadCoordinator) {
        self.fetch = fetch
        self.coordinator = coordinator
        transferPriority = TransferPriority(priority)
    }

    override func start() {
        coordinator.run(self)
    }

    /// Called by the job's task.
    func take(_ piece: Data, of reception: BodyReception) {
        coordinator.report(reception, piece, of: self)
    }

    /// What has arrived; `nil` while nothing has.
    var progress: LoadProgress? {
        let received = receivedByteCount.load(ordering: .sequentiallyConsistent)
        guard received > 0 else { return nil }
        let expected = expectedByteCount.load(ordering: .relaxed)
        return LoadProgress(receivedByteCount: received, expectedByteCount: expected < 0 ? nil : expected)
    }

    /// Called by the job's task.
    func note(_ progress: LoadProgress) {
        expectedByteCount.store(progress.expectedByteCount ?? -1, ordering: .relaxed)
        receivedByteCount.store(progress.receivedByteCount, ordering: .sequentiallyConsistent)
    }
}

/// Somebody who waits for the bytes of a resource.
enum FetchWaiter: JobWaiter {
    case rendition(RenditionJob)
    case data(DataLoad)

    var position: WaiterPosition<FetchJob> {
        get {
            switch self {
            case .rendition(let job): job.position
            case .data(let load): load.position
            }
        }
        nonmutating set {
            switch self {
            case .rendition(let job): job.position = newValue
            case .data(let load): load.position = newValue
            }
        }
    }
}

/// A caller who wants the bytes themselves.
final class DataLoad: Sendable {
    /// `nonisolated(unsafe)` and unchecked: guarded by the coordinator's lock.
    @exclusivity(unchecked) nonisolated(unsafe) var position = WaiterPosition<FetchJob>()
    let promise = Promise<FetchedResource>()

    init(priority: ImageRequest.Priority) {
        position.priority = priority
    }
}

extension ImageRequest.Priority {
    /// The priority of the task that works for a request.
    ///
    /// Where a running task can't be made more urgent, the least urgent is as urgent as the others: somebody may join it.
    var taskPriority: TaskPriority {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return max(.medium, exact) }
        return exact
    }

    private var exact: TaskPriority {
        switch self {
        case .veryLow: .background
        case .low: .utility
        case .normal: .medium
        case .high, .veryHigh: .userInitiated
        }
    }
}
