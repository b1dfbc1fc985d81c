/// Which jobs there are, and who waits for them. Guarded by the lock of the coordinator, which carries out the changes.
struct LoadBooks {
    /// What is to be done once the lock has been given back.
    enum Change {
        case begin(FetchJob)
        case enqueue(RenditionJob)
        case cancelFetch(FetchJob)
        case cancelRendition(RenditionJob)
        case moveFetch(FetchJob)
        case moveRendition(RenditionJob)
    }

    /// Jobs that others may join.
    private(set) var renditions: [RenditionJob.Key: RenditionJob] = [:]
    private(set) var fetches: [Digest: FetchJob] = [:]
    /// Jobs that go on for those who wait already: see ``detach(_:)``.
    private var detachedRenditions: [ObjectIdentifier: RenditionJob] = [:]
    private var detachedFetches: [ObjectIdentifier: FetchJob] = [:]

    var allRenditions: [RenditionJob] { Array(renditions.values) + detachedRenditions.values }
    var allFetches: [FetchJob] { Array(fetches.values) + detachedFetches.values }

    mutating func add(_ job: RenditionJob) { renditions[job.key] = job }

    mutating func strike(_ job: RenditionJob) {
        if renditions[job.key] === job {
            renditions[job.key] = nil
        } else if !detachedRenditions.isEmpty {
            detachedRenditions[ObjectIdentifier(job)] = nil
        }
    }

    mutating func strike(_ job: FetchJob) {
        if fetches[job.fetch.sharing] === job {
            fetches[job.fetch.sharing] = nil
        } else if !detachedFetches.isEmpty {
            detachedFetches[ObjectIdentifier(job)] = nil
        }
    }

    /// Keeps others from joining the jobs of a resource. They stay on the books, to be cancelled with the rest.
    mutating func detach(_ resource: ResourceID) {
        for (key, job) in renditions where job.request.id == resource {
            renditions[key] = nil
            detachedRenditions[ObjectIdentifier(job)] = job
        }
        for (key, job) in fetches where job.fetch.resource == resource {
            fetches[key] = nil
            detachedFetches[ObjectIdentifier(job)] = job
        }
    }

    /// Makes somebody wait for bytes, beginning to fetch them if nobody does.
    mutating func join(
        _ waiter: FetchWaiter, priority: ImageRequest.Priority, _ fetch: Fetch, _ coordinator: LoadCoordinator,
        _ changes: inout [Change]
    ) {
        waiter.position.priority = priority
        if let job = fetches[fetch.sharing] {
            job.waiters.join(waiter, job)
            changes.append(.moveFetch(job))
            return
        }
        let job = FetchJob(fetch, priority: priority, coordinator: coordinator)
        fetches[fetch.sharing] = job
        job.waiters.join(waiter, job)
        changes.append(.begin(job))
    }

    /// After somebody has joined, left or changed priority: passes on the priority, or ends what nobody waits for.
    mutating func update(_ job: RenditionJob, _ changes: inout [Change]) {
        let fetch = job.position.job
        guard job.loads.isEmpty else {
            let priority = job.loads.priority
            changes.append(.moveRendition(job))
            if let fetch, priority != job.position.priority {
                fetch.waiters.change(.rendition(job), to: priority)
                changes.append(.moveFetch(fetch))
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

    mutating func update(_ job: FetchJob, _ changes: inout [Change]) {
        guard job.waiters.isEmpty else {
            changes.append(.moveFetch(job))
            return
        }
        strike(job)
        job.isCancelled = true
        changes.append(.cancelFetch(job))
    }
}
