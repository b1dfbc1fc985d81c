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

    var renditions: [RenditionJob.Key: RenditionJob] = [:]
    var fetches: [Digest: FetchJob] = [:]

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
        if renditions[job.key] === job { renditions[job.key] = nil }
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
        if fetches[job.fetch.sharing] === job { fetches[job.fetch.sharing] = nil }
        job.isCancelled = true
        changes.append(.cancelFetch(job))
    }
}
