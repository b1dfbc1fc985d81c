/// Which jobs there are, and who waits for them. Guarded by the lock of the coordinator, which carries out the changes.
struct LoadBooks {
    /// What is to be done once the lock has been given back.
    enum Change {
        case begin(FetchJob, ImageRequest.Priority)
        case enqueue(RenditionJob)
        case cancelFetch(FetchJob)
        case cancelRendition(RenditionJob)
        case moveFetch(FetchJob)
        case moveRendition(RenditionJob)
    }

    /// Where a job stands on the books.
    enum Listing {
        /// Nowhere: it has ended, or nobody waits for it any more.
        case none
        /// Where others find it, and may join.
        case open
        /// Where it goes on for those who wait already: see ``detach(_:)``.
        case detached
    }

    /// Jobs that others may join.
    private(set) var renditions: [RenditionJob.Key: RenditionJob] = [:]
    private(set) var fetches: [Digest: FetchJob] = [:]
    /// Jobs that go on for those who wait already: see ``detach(_:)``.
    private var detachedRenditions: [ObjectIdentifier: RenditionJob] = [:]
    private var detachedFetches: [ObjectIdentifier: FetchJob] = [:]

    var allRenditions: [RenditionJob] { Array(renditions.values) + detachedRenditions.values }
    var allFetches: [FetchJob] { Array(fetches.values) + detachedFetches.values }

    mutating func add(_ job: RenditionJob) {
        renditions[job.key] = job
        job.listing = .open
    }

    mutating func strike(_ job: RenditionJob) {
        switch job.listing {
        case .none: return
        case .open: renditions[job.key] = nil
        case .detached: detachedRenditions[ObjectIdentifier(job)] = nil
        }
        job.listing = .none
    }

    mutating func strike(_ job: FetchJob) {
        switch job.listing {
        case .none: return
        case .open: fetches[job.fetch.sharing] = nil
        case .detached: detachedFetches[ObjectIdentifier(job)] = nil
        }
        job.listing = .none
    }

    /// Keeps others from joining the jobs of a resource. They stay on the books, to be cancelled with the rest.
    mutating func detach(_ resource: ResourceID) {
        for (key, job) in renditions where job.request.id == resource {
            renditions[key] = nil
            detachedRenditions[ObjectIdentifier(job)] = job
            job.listing = .detached
        }
        for (key, job) in fetches where job.fetch.resource == resource {
            fetches[key] = nil
            detachedFetches[ObjectIdentifier(job)] = job
            job.listing = .detached
        }
    }

    /// Makes somebody wait for bytes, beginning to fetch them if nobody does.
    ///
    /// - Returns: The number of the load that has begun before; 0 if nobody had.
    @discardableResult
    mutating func join(
        _ waiter: FetchWaiter, priority: ImageRequest.Priority, _ fetch: Fetch, _ coordinator: LoadCoordinator,
        _ changes: inout ShortList<Change>
    ) -> UInt64 {
        waiter.position.priority = priority
        if let job = fetches[fetch.sharing] {
            job.waiters.join(waiter, job)
            changes.append(.moveFetch(job))
            return job.fetch.number
        }
        let job = FetchJob(fetch, priority: priority, coordinator: coordinator)
        fetches[fetch.sharing] = job
        job.listing = .open
        job.waiters.join(waiter, job)
        // Under the lock, so that the queue hears of no later priority before.
        if coordinator.fetchQueue.add(job, priority: priority) { changes.append(.begin(job, priority)) }
        return 0
    }

    /// After somebody has joined, left or changed priority: passes on the priority, or ends what nobody waits for.
    mutating func update(_ job: RenditionJob, _ changes: inout ShortList<Change>) {
        let fetch = job.position.job
        guard job.loads.isEmpty else {
            let priority = job.loads.priority
            changes.append(.moveRendition(job))
            guard priority != job.position.priority else { return }
            job.priorityChangeCount += 1
            if let fetch {
                fetch.waiters.change(.rendition(job), to: priority)
                changes.append(.moveFetch(fetch))
            } else {
                job.position.priority = priority
            }
            return
        }
        strike(job)
        job.isCancelled = true
        changes.append(.cancelRendition(job))
        if let fetch {
            fetch.waiters.leave(.rendition(job))
            update(fetch, &changes)
        }
    }

    mutating func update(_ job: FetchJob, _ changes: inout ShortList<Change>) {
        guard job.waiters.isEmpty else {
            changes.append(.moveFetch(job))
            return
        }
        strike(job)
        job.isCancelled = true
        changes.append(.cancelFetch(job))
    }
}
