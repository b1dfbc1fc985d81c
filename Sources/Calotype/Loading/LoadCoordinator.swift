import Foundation
import Synchronization

/// Runs each piece of work once for all who want it, for as long as anybody does.
///
///     ImageLoad ┐                 ┌ RenditionJob (one for each rendition and size) ┐
///     ImageLoad ┴─ waits for ──── ┤                                                ├─ waits for ─ FetchJob (one for each
///     ImageLoad ─  waits for ──── └ RenditionJob                                   ┘               FetchKey)
///     data(for:) ─ waits for ────────────────────────────────────────────────────────────────────  FetchJob
///
/// A waiter that leaves stops waiting at once. A job that nobody waits for is taken off the books in the same moment, so
/// that the next request begins anew, and its work is cancelled.
///
/// - Isolation: Any thread. One lock guards the books; no work or I/O runs under it, and of what others bring only the
///   store's epoch and the clock are asked. Locks are taken in the order coordinator, queue or memory cache.
final class LoadCoordinator: Sendable {
    let books = Mutex(LoadBooks())
    /// Loads whose updates are being read: nobody else hears of progress.
    let followerCount = Atomic<Int>(0)
    let fetchQueue: WorkQueue
    let decodeQueue: WorkQueue
    let loader: ResourceLoader
    let maker: RenditionMaker
    let memory: MemoryCache
    let impressions: ImpressionMaker?
    let clock: any ImageClock
    let observer: LoadObserver?

    init(
        loader: ResourceLoader, maker: RenditionMaker, memory: MemoryCache, impressions: ImpressionMaker?,
        fetchLimits: WorkQueue.Limits, decodeLimits: WorkQueue.Limits, clock: any ImageClock,
        observer: LoadObserver?
    ) {
        self.loader = loader
        self.maker = maker
        self.memory = memory
        self.impressions = impressions
        self.clock = clock
        self.observer = observer
        fetchQueue = WorkQueue(fetchLimits)
        decodeQueue = WorkQueue(decodeLimits)
    }

    // MARK: Waiters

    /// Makes `load` wait for its rendition, beginning what hasn't begun.
    ///
    /// - Parameters:
    ///   - request: What to load; the load's own, but for the policy.
    ///   - onThisThread: Whether a fetch may begin before this returns.
    ///   - larger: Pixels in memory that the rendition can be made of, without fetching anything. Asked only if the work
    ///     has to be begun, as are the loader and the caches.
    ///   - isAnswer: Whether a rendition that has come into memory meanwhile will do. Called under the lock.
    /// - Returns: That rendition, if there is one; then the load waits for nothing.
    func join(
        _ load: ImageLoad, for request: ImageRequest, query: RenditionQuery, onThisThread: Bool = false,
        larger: () -> FoundRendition?, isAnswer: (FoundRendition) -> Bool
    ) -> FoundRendition? {
        let thumbnail = loader.thumbnails == nil ? nil : thumbnail(of: request, query)
        let sharing = loader.sharing(of: thumbnail ?? request)
        // Those that go on to other URLs when this one fails have the download in common, and nothing else.
        let key = RenditionJob.Key(
            rendition: query.key, processors: query.processors,
            fetch: request.alternativesDigest.map(sharing.combined) ?? sharing, target: query.target)
        var found: FoundRendition?
        // The number of the load whose work it shares; 0 if it shares none.
        var joined: UInt64 = 0
        var changes = ShortList<LoadBooks.Change>()
        books.withLock { books in
            if let job = books.renditions[key] {
                let priority = job.loads.priority
                joined = job.number
                job.loads.join(load, job)
                if job.loads.priority > priority { books.update(job, &changes) }
                return
            }
            // A job takes itself off the books after its rendition has gone into memory: whoever comes in between finds
            // one or the other.
            let inMemory = memory.find(query, countsAsUse: true)
            if let inMemory, isAnswer(inMemory) {
                found = inMemory
                return
            }
            let job = RenditionJob(
                key: key, number: load.number, query: query, request: request, thumbnail: thumbnail,
                epoch: memory.epoch, impressionEpoch: impressions?.table.epoch ?? StoreEpoch(0), coordinator: self)
            books.add(job)
            job.loads.join(load, job)
            // Unprocessed pixels that aren't there in any size aren't there larger.
            if inMemory != nil || query.processors != .zero, let larger = larger() {
                job.material = .pixels(larger)
                if thumbnail != nil { job.alternatives = Alternatives(request) }
                changes.append(.enqueue(job))
            } else {
                let fetch = loader.fetch(for: thumbnail ?? request, sharing: sharing, number: load.number)
                joined = books.join(.rendition(job), priority: job.loads.priority, fetch, self, &changes)
            }
        }
        if joined != 0, let onEvent = observer?.onEvent { onEvent(.joined(load.label, work: joined)) }
        apply(changes, onThisThread: onThisThread)
        return found
    }

    /// The request for the thumbnail that an image server is to make. Memory may tell the size of the original.
    @inline(never)
    func thumbnail(of request: ImageRequest, _ query: RenditionQuery) -> ImageRequest? {
        guard let thumbnails = loader.thumbnails else { return nil }
        let found = memory.find(query.unprocessed, countsAsUse: false)
        let original = found.flatMap { $0.source == query.source ? $0.image.originalPixelSize : nil }
        return thumbnails.thumbnail(of: request, original: original)
    }

    /// Makes a caller wait for the bytes alone.
    func join(_ load: DataLoad, fetch: Fetch) {
        var changes = ShortList<LoadBooks.Change>()
        books.withLock { books in
            _ = books.join(.data(load), priority: load.position.priority, fetch, self, &changes)
        }
        apply(changes)
    }

    /// Asks the server about pixels that are shown although they are stale. Nobody waits for the answer.
    func revalidate(_ request: ImageRequest, query: RenditionQuery) {
        var request = request.revalidating
        request.priority = .low
        let load = ImageLoad(request: request, coordinator: self)
        _ = join(load, for: request, query: query, larger: { nil }, isAnswer: { _ in false })
    }

    /// Makes `load` wait no longer. The last one out ends the job.
    func leave(_ load: ImageLoad) {
        var changes = ShortList<LoadBooks.Change>()
        let unwanted = books.withLock { books -> PreviewFeed? in
            guard let job = load.position.job else { return nil }
            job.loads.leave(load)
            books.update(job, &changes)
            return job.takeUnwantedPreviews()
        }
        unwanted?.end()
        apply(changes)
    }

    /// Makes a caller wait no longer.
    func leave(_ load: DataLoad) {
        var changes = ShortList<LoadBooks.Change>()
        books.withLock { books in
            guard let job = load.position.job else { return }
            job.waiters.leave(.data(load))
            books.update(job, &changes)
        }
        apply(changes)
    }

    /// Makes a caller wait no longer, and tells it so.
    func cancel(_ load: DataLoad) {
        leave(load)
        load.promise.fulfil(.failure(CancellationError()))
    }

    /// Notes that somebody has begun, or has ceased, to read a load's updates.
    func noteFollower(_ change: Int) {
        followerCount.add(change, ordering: .sequentiallyConsistent)
    }

    /// How much has arrived for a load whose updates are being read from now on.
    ///
    /// The reader has counted itself before it asks, and the fetch notes what it has before it looks for readers: one of
    /// the two sees the other.
    func progress(of load: ImageLoad) -> LoadProgress? {
        books.withLock { _ in load.position.job?.position.job }?.progress
    }

    func priority(of load: ImageLoad) -> ImageRequest.Priority {
        books.withLock { _ in load.position.priority }
    }

    func setPriority(_ priority: ImageRequest.Priority, of load: ImageLoad) {
        var changes = ShortList<LoadBooks.Change>()
        let isChanged = books.withLock { books in
            guard let job = load.position.job else {
                load.position.priority = priority
                return false
            }
            guard load.position.priority != priority else { return false }
            job.loads.change(load, to: priority)
            books.update(job, &changes)
            return true
        }
        guard isChanged else { return }
        observer?.onEvent?(.priorityChanged(load.label, to: priority))
        apply(changes)
    }

    /// Lets the work for a resource go on for those who wait for it already, and nobody else join it: what it brings is of
    /// the past.
    func detachAll(for resource: ResourceID) {
        books.withLock { $0.detach(resource) }
    }

    /// Ends all work for a partition. Its callers see a cancellation.
    func cancelAll(in partition: Partition) {
        cancelAll { $0 == partition }
    }

    /// Ends all work.
    func cancelAll() {
        cancelAll { _ in true }
    }

    private func cancelAll(where condition: (Partition?) -> Bool) {
        var changes = ShortList<LoadBooks.Change>()
        var loads: [ImageLoad] = []
        var dataLoads: [DataLoad] = []
        books.withLock { books in
            for job in books.allRenditions where condition(job.request.cachePartition) {
                loads += job.loads.takeAll()
                books.update(job, &changes)
            }
            for job in books.allFetches where condition(job.fetch.partition) {
                for case .data(let load) in job.waiters.takeAll() { dataLoads.append(load) }
                books.update(job, &changes)
            }
        }
        apply(changes)
        for load in loads { load.stop() }
        for load in dataLoads { load.promise.fulfil(.failure(CancellationError())) }
    }

    /// What is on the books: for tests, and for whoever wonders what is going on.
    var counts: (renditions: Int, fetches: Int, running: Int) {
        let jobs = books.withLock { ($0.allRenditions.count, $0.allFetches.count) }
        let decodes = decodeQueue.counts
        return (jobs.0, jobs.1, fetchQueue.counts.running + decodes.running + decodes.spare)
    }

    /// Returns once nothing runs any more, cancelled work included.
    func waitUntilIdle() async {
        // A fetch ends in a decode, and a decode may begin another fetch. What is in no queue in between is on the books.
        repeat {
            await Task.yield()
            await fetchQueue.waitUntilIdle()
            await decodeQueue.waitUntilIdle()
        } while counts.running > 0 || counts.fetches > 0 || counts.renditions > 0
    }

    // MARK: Changes

    /// Does what has been decided under the lock.
    ///
    /// - Parameter onThisThread: Whether a fetch may begin before this returns.
    func apply(_ changes: ShortList<LoadBooks.Change>, onThisThread: Bool = false) {
        for change in changes { apply(change, onThisThread) }
    }

    private func apply(_ change: LoadBooks.Change, _ onThisThread: Bool) {
        switch change {
        case .begin(let job, let priority):
            run(job, at: priority, onThisThread: onThisThread)
        case .enqueue(let job):
            enqueue(job)
        case .cancelFetch(let job):
            if !fetchQueue.remove(job) { books.withLock { _ in job.task }?.cancel() }
        case .cancelRendition(let job):
            job.cancellation.cancel()
            books.withLock { _ in job.previews }?.end()
            _ = decodeQueue.remove(job)
        case .moveFetch(let job): passOnPriority(of: job)
        case .moveRendition(let job): passOnPriority(of: job)
        }
    }

    /// Tells the queue and the transfer how urgent a job is; and once more if that has changed since, so that the last
    /// change stays, whichever thread it comes from.
    ///
    /// - Parameter known: What they have been told already.
    func passOnPriority(of job: FetchJob, after known: ImageRequest.Priority? = nil) {
        var known = known
        while true {
            // One that nobody waits for any more has ended meanwhile, or is about to.
            let priority = books.withLock { _ in job.waiters.isEmpty ? known : job.waiters.priority }
            guard let priority, priority != known else { return }
            fetchQueue.move(job, to: priority)
            job.transferPriority.change(to: priority)
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                books.withLock { _ in job.task }?.escalatePriority(to: priority.taskPriority)
            }
            known = priority
        }
    }

    /// The same for the queue of decodes.
    func passOnPriority(of job: RenditionJob) {
        var known: ImageRequest.Priority?
        while true {
            let priority = books.withLock { _ in job.loads.isEmpty ? known : job.loads.priority }
            guard let priority, priority != known else { return }
            decodeQueue.move(job, to: priority)
            known = priority
        }
    }
}
