import Synchronization

/// The work of a ``FetchJob``: bytes.
extension LoadCoordinator {
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
}
