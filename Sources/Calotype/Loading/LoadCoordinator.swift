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
    private let books = Mutex(LoadBooks())
    /// Loads whose updates are being read: nobody else hears of progress.
    private let followerCount = Atomic<Int>(0)
    private let fetchQueue: WorkQueue
    private let decodeQueue: WorkQueue
    private let loader: ResourceLoader
    private let maker: RenditionMaker
    private let memory: MemoryCache
    private let impressions: ImpressionMaker?
    private let onEvent: (@Sendable (ImageEvent) -> Void)?

    init(
        loader: ResourceLoader, maker: RenditionMaker, memory: MemoryCache, impressions: ImpressionMaker?,
        fetchLimits: WorkQueue.Limits, decodeLimits: WorkQueue.Limits, onEvent: (@Sendable (ImageEvent) -> Void)?
    ) {
        self.loader = loader
        self.maker = maker
        self.memory = memory
        self.impressions = impressions
        self.onEvent = onEvent
        fetchQueue = WorkQueue(fetchLimits)
        decodeQueue = WorkQueue(decodeLimits)
    }

    // MARK: Waiters

    /// Makes `load` wait for its rendition, beginning what hasn't begun.
    ///
    /// - Parameters:
    ///   - request: What to load; the load's own, but for the policy.
    ///   - larger: Pixels in memory that the rendition can be made of, without fetching anything. Asked only if the work
    ///     has to be begun, as are the loader and the caches.
    ///   - isAnswer: Whether a rendition that has come into memory meanwhile will do. Called under the lock.
    /// - Returns: That rendition, if there is one; then the load waits for nothing.
    func join(
        _ load: ImageLoad, for request: ImageRequest, query: RenditionQuery, larger: () -> FoundRendition?,
        isAnswer: (FoundRendition) -> Bool
    ) -> FoundRendition? {
        let sharing = loader.sharing(of: request)
        // Those that go on to other URLs when this one fails have the download in common, and nothing else.
        let key = RenditionJob.Key(
            rendition: query.key, processors: query.processors,
            fetch: request.alternativesDigest.map(sharing.combined) ?? sharing, target: query.target)
        var found: FoundRendition?
        var changes = ShortList<LoadBooks.Change>()
        books.withLock { books in
            if let job = books.renditions[key] {
                let priority = job.loads.priority
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
                key: key, query: query, request: request, epoch: memory.epoch,
                impressionEpoch: impressions?.table.epoch ?? StoreEpoch(0), coordinator: self)
            books.add(job)
            job.loads.join(load, job)
            // Unprocessed pixels that aren't there in any size aren't there larger.
            if inMemory != nil || query.processors != .zero, let larger = larger() {
                job.material = .pixels(larger)
                changes.append(.enqueue(job))
            } else {
                let fetch = loader.fetch(for: request, sharing: sharing)
                books.join(.rendition(job), priority: job.loads.priority, fetch, self, &changes)
            }
        }
        apply(changes)
        return found
    }

    /// Makes a caller wait for the bytes alone.
    func join(_ load: DataLoad, fetch: Fetch) {
        var changes = ShortList<LoadBooks.Change>()
        books.withLock { books in
            books.join(.data(load), priority: load.position.priority, fetch, self, &changes)
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
        books.withLock { books in
            guard let job = load.position.job else { return }
            job.loads.leave(load)
            books.update(job, &changes)
        }
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
        books.withLock { books in
            guard let job = load.position.job else {
                load.position.priority = priority
                return
            }
            job.loads.change(load, to: priority)
            books.update(job, &changes)
        }
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
        for load in loads { load.end(.failure(CancellationError())) }
        for load in dataLoads { load.promise.fulfil(.failure(CancellationError())) }
    }

    /// What is on the books: for tests, and for whoever wonders what is going on.
    var counts: (renditions: Int, fetches: Int, running: Int) {
        let jobs = books.withLock { ($0.allRenditions.count, $0.allFetches.count) }
        return (jobs.0, jobs.1, fetchQueue.counts.running + decodeQueue.counts.running)
    }

    /// Returns once nothing runs any more, cancelled work included.
    func waitUntilIdle() async {
        // A fetch ends in a decode, and a decode may begin another fetch: that is on the books before it is in the queue.
        repeat {
            await fetchQueue.waitUntilIdle()
            await decodeQueue.waitUntilIdle()
        } while counts.running > 0 || counts.fetches > 0
    }

    // MARK: Fetching

    /// Fetches, in a task of the job's own.
    func run(_ job: FetchJob) {
        let priority = books.withLock { _ in job.isCancelled ? nil : job.waiters.priority.taskPriority }
        guard let priority else { return fetchQueue.finish(job) }
        // Begun without the lock: waking a thread takes a while, and what it runs would wait for the lock itself.
        let task = Task.detached(priority: priority) { [self] in
            job.queueTime = .now - job.addTime
            let result: Result<FetchedResource, any Error>
            do {
                let resource = try await loader.load(job.fetch, priority: job.transferPriority) { progress in
                    self.report(progress, of: job)
                }
                result = .success(resource)
            } catch {
                result = .failure(error)
            }
            finish(job, result)
        }
        let isCancelled = books.withLock { _ in
            job.task = task
            return job.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func report(_ progress: LoadProgress, of job: FetchJob) {
        job.note(progress)
        guard followerCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
        let followers = books.withLock { _ in
            var followers: [ImageLoad] = []
            for case .rendition(let job) in job.waiters.waiters {
                for load in job.loads.waiters where load.wantsProgress { followers.append(load) }
            }
            return followers
        }
        for load in followers { load.report(progress) }
    }

    private func finish(_ job: FetchJob, _ result: Result<FetchedResource, any Error>) {
        let waiters = books.withLock { books in
            books.strike(job)
            return job.waiters.takeAll()
        }
        // Its place in the queue is given up last: whoever waits until nothing runs sees what comes of it.
        defer { fetchQueue.finish(job) }
        for waiter in waiters {
            switch (waiter, result) {
            case (.data(let load), _): load.promise.fulfil(result)
            case (.rendition(let rendition), .success(let resource)): render(rendition, resource, job.queueTime)
            case (.rendition(let rendition), .failure(let error)): finish(rendition, error)
            }
        }
    }

    // MARK: Decoding

    /// Goes on with a rendition whose bytes are there.
    private func render(_ job: RenditionJob, _ resource: FetchedResource, _ queueTime: Duration?) {
        // The bytes may be those that pixels in memory were made of: then there is nothing to decode. What is to leave no
        // trace keeps away from them.
        if !resource.freshness.isTransient, let found = memory.find(job.query, countsAsUse: false),
            found.match != .preview, found.version == resource.version
        {
            memory.freshen(job.query.key, version: resource.version, to: resource.freshness)
            return finish(job, found.image, .init(resource.work), needsRevalidation: resource.needsRevalidation)
        }
        job.material = .bytes(resource)
        job.fetchQueueTime = queueTime
        enqueue(job)
    }

    private func enqueue(_ job: RenditionJob) {
        job.decodeQueueTime = .now
        if let material = job.material {
            job.byteCount = maker.estimatedByteCount(
                of: material, target: job.query.target, processors: job.request.processors)
        }
        let (isWanted, priority) = books.withLock { _ in (!job.isCancelled, job.loads.priority) }
        guard isWanted else { return }
        if decodeQueue.add(job, priority: priority) { job.start() }
        passOnPriority(of: job, after: priority)
    }

    /// Decodes and processes. Runs on a thread that may block.
    func decode(_ job: RenditionJob) {
        let changes = makeRendition(of: job)
        // Before damaged bytes are fetched anew: those bring the job to this queue once more.
        decodeQueue.finish(job)
        apply(changes)
    }

    /// - Returns: What is to be done once the job has left the queue.
    private func makeRendition(of job: RenditionJob) -> ShortList<LoadBooks.Change> {
        guard let material = job.material, !job.cancellation.isCancelled else { return ShortList() }
        job.material = nil
        let source = loading(job).map(\.loading.urlDigest) ?? job.query.source
        do {
            let start = ContinuousClock.now
            var made = try maker.make(
                of: material, at: start, target: job.query.target, processors: job.request.processors,
                cancellation: job.cancellation)
            made.work.queue = job.fetchQueueTime
            made.work.decodeQueue = job.decodeQueueTime.map { start - $0 }
            memory.insert(
                Rendition(
                    resource: job.request.id, partition: job.request.cachePartition, source: source,
                    processors: job.request.processorsDigest, version: material.version,
                    decodedSize: made.decoded.pixelSize, image: made.image, freshness: material.freshness,
                    responseTime: material.responseTime,
                    cost: made.image.byteCount),
                since: job.epoch)
            finish(job, made.image, made.work, needsRevalidation: material.needsRevalidation)
            // Nobody waits for this.
            if impressions != nil { noteImpression(of: made.decoded, material, of: job) }
        } catch let error as ImageError where error.isDamage {
            return discard(material, of: job, error)
        } catch {
            finish(job, error)
        }
        return ShortList()
    }

    /// Remembers what an image looks like, if it is new here and may leave a trace.
    private func noteImpression(of image: DecodedImage, _ material: RenditionJob.Material, of job: RenditionJob) {
        guard case .bytes(let resource) = material, !resource.freshness.isTransient, job.request.cachePolicy != .noStore
        else { return }
        impressions?.note(
            image, of: job.request.id, in: job.request.cachePartition, version: resource.version,
            since: job.impressionEpoch)
    }

    /// Bytes that were stored turned out to be damaged: they go, and if they had been stored for a while, they are fetched
    /// once more.
    private func discard(
        _ material: RenditionJob.Material, of job: RenditionJob, _ error: ImageError
    ) -> ShortList<LoadBooks.Change> {
        guard case .bytes(let resource) = material, resource.stored != nil else {
            finish(job, error)
            return ShortList()
        }
        var changes = ShortList<LoadBooks.Change>()
        let isFetchedAgain = books.withLock { books in
            guard resource.work.layer != .network, job.request.cachePolicy != .storedOnly, !job.isSecondAttempt,
                !job.isCancelled
            else { return false }
            job.isSecondAttempt = true
            let fetch = loader.fetch(for: job.alternatives?.loading ?? job.request, insteadOf: resource)
            books.join(.rendition(job), priority: job.loads.priority, fetch, self, &changes)
            return true
        }
        if isFetchedAgain { return changes }
        // The caller hears of the failure when the bytes have gone, so that its next request finds none.
        Task.detached { [self] in
            await loader.discard(resource.stored, of: (loading(job)?.loading ?? job.request).url)
            finish(job, error)
        }
        return ShortList()
    }

    /// Gives the image to all who have waited for it.
    private func finish(
        _ job: RenditionJob, _ image: DecodedImage, _ work: LoadReport.RenditionWork, needsRevalidation: Bool
    ) {
        let loads = takeOffTheBooks(job)
        guard let first = loads.first else { return }
        var work = work
        let alternatives = loading(job)
        work.alternative = alternatives?.current
        let now = ContinuousClock.now
        let shared = LoadReport(
            number: first.number, request: first.request, duration: now - first.startTime, image: image, work: work,
            waiterCount: loads.count)
        for load in loads {
            let report =
                load === first
                ? shared
                : LoadReport(shared, number: load.number, request: load.request, duration: now - load.startTime)
            load.end(.success(ImageResult(image: image, report: report)))
            onEvent?(.loaded(report))
        }
        guard needsRevalidation else { return }
        if let other = alternatives?.loading {
            revalidate(other, query: RenditionQuery(other, partition: other.cachePartition))
        } else {
            revalidate(job.request, query: job.query)
        }
    }

    /// What stands in for a request that has other URLs; `nil` if it has none.
    private func loading(_ job: RenditionJob) -> Alternatives? {
        job.hasAlternatives ? books.withLock { _ in job.alternatives } : nil
    }

    /// Goes on with the next URL that a request may be loaded from, once one has failed.
    ///
    /// - Returns: The error that callers see; `nil` if there is another URL.
    private func goOn(_ job: RenditionJob, after error: any Error) -> (any Error)? {
        guard job.hasAlternatives else { return error }
        var changes = ShortList<LoadBooks.Change>()
        var next: LoadReport.Alternative?
        let reported = books.withLock { books -> (any Error)? in
            guard !job.isCancelled, job.alternatives?.advance(after: error) == true, let other = job.alternatives else {
                return job.alternatives?.reported(error) ?? error
            }
            job.isSecondAttempt = false
            next = other.current
            let fetch = loader.fetch(for: other.loading)
            books.join(.rendition(job), priority: job.loads.priority, fetch, self, &changes)
            return nil
        }
        if let next, let error = error as? ImageError { onEvent?(.resorted(to: next, after: error)) }
        apply(changes)
        return reported
    }

    /// Tells all who have waited that there will be no image.
    private func finish(_ job: RenditionJob, _ error: any Error) {
        let located = (error as? ImageError)?.located(at: job.request.url) ?? error
        guard let error = goOn(job, after: located) else { return }
        for load in takeOffTheBooks(job) {
            load.end(.failure(error))
            if let error = error as? ImageError { onEvent?(.failed(error)) }
        }
    }

    private func takeOffTheBooks(_ job: RenditionJob) -> ShortList<ImageLoad> {
        books.withLock { books in
            books.strike(job)
            return job.loads.takeAll()
        }
    }

    // MARK: Changes

    /// Does what has been decided under the lock.
    private func apply(_ changes: ShortList<LoadBooks.Change>) {
        for change in changes { apply(change) }
    }

    private func apply(_ change: LoadBooks.Change) {
        switch change {
        case .begin(let job):
            let priority = priority(of: job)
            if fetchQueue.add(job, priority: priority) { job.start() }
            passOnPriority(of: job, after: priority)
        case .enqueue(let job):
            enqueue(job)
        case .cancelFetch(let job):
            if !fetchQueue.remove(job) { books.withLock { _ in job.task }?.cancel() }
        case .cancelRendition(let job):
            job.cancellation.cancel()
            _ = decodeQueue.remove(job)
        case .moveFetch(let job): passOnPriority(of: job)
        case .moveRendition(let job): passOnPriority(of: job)
        }
    }

    /// Tells the queue and the transfer how urgent a job is; and once more if that has changed since, so that the last
    /// change stays, whichever thread it comes from.
    ///
    /// - Parameter known: What they have been told already.
    private func passOnPriority(of job: FetchJob, after known: ImageRequest.Priority? = nil) {
        var known = known
        while true {
            let priority = priority(of: job)
            if priority == known { return }
            fetchQueue.move(job, to: priority)
            job.transferPriority.change(to: priority)
            known = priority
        }
    }

    /// The same for the queue of decodes.
    private func passOnPriority(of job: RenditionJob, after known: ImageRequest.Priority? = nil) {
        var known = known
        while true {
            let priority = books.withLock { _ in job.loads.priority }
            if priority == known { return }
            decodeQueue.move(job, to: priority)
            known = priority
        }
    }

    private func priority(of job: FetchJob) -> ImageRequest.Priority {
        books.withLock { _ in job.waiters.priority }
    }
}
