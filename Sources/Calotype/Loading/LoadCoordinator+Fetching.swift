import Foundation
import Synchronization

/// The work of a ``FetchJob``: bytes.
extension LoadCoordinator {
    /// Fetches, in a task of the job's own.
    ///
    /// - Parameters:
    ///   - known: The priority of those who wait, as it was when the job came to its turn.
    ///   - onThisThread: Whether the task may run here until it has to wait for the first time.
    func run(_ job: FetchJob, at known: ImageRequest.Priority, onThisThread: Bool = false) {
        // Begun without the lock: waking a thread takes a while, and what it runs would wait for the lock itself. Of a type
        // that may throw, since one that can't goes through a function and an object more: 500 instructions.
        let task: Task<Void, any Error>
        if onThisThread, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task = Task.immediateDetached(priority: known.taskPriority) { () async throws -> Void in
                await job.coordinator.fetch(job)
            }
        } else {
            task = Task.detached(priority: known.taskPriority) { () async throws -> Void in
                await job.coordinator.fetch(job)
            }
        }
        let (isCancelled, priority) = books.withLock { _ in
            job.task = task
            // Nobody waits any more if it has been done already.
            return (job.isCancelled, job.waiters.isEmpty ? known : job.waiters.priority)
        }
        if isCancelled {
            task.cancel()
        } else if priority != known {
            passOnPriority(of: job, after: known)
        }
    }

    /// The same for a job that had to wait for its turn.
    func run(_ job: FetchJob) {
        let priority = books.withLock { _ in job.isCancelled ? nil : job.waiters.priority }
        guard let priority else { return fetchQueue.finish(job) }
        run(job, at: priority)
    }

    /// Inlined, since a function that waits takes a frame of its own.
    @inline(__always)
    private func fetch(_ job: FetchJob) async {
        job.queueTime = .now - job.addTime
        let result: Result<FetchedResource, any Error>
        do {
            result = .success(try await loader.load(job.fetch, priority: job.transferPriority, receiver: job))
        } catch {
            result = .failure(ResourceLoader.located(error, at: job.fetch.source))
        }
        finish(job, result)
    }

    /// Tells those who follow how far a body has come, and passes it on to their previews. Who comes to look while nothing
    /// arrives has previews from the next piece on.
    func report(_ reception: BodyReception, _ piece: Data, of job: FetchJob) {
        let progress = reception.progress
        job.note(progress)
        guard followerCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
        let header = PreviewFeed.isWorthwhile(reception) ? reception.header : nil
        var loads: [ImageLoad] = []
        var feeds: [PreviewFeed] = []
        var begun: [(PreviewFeed, RenditionJob)] = []
        books.withLock { _ in
            for case .rendition(let rendition) in job.waiters.waiters {
                let followers = rendition.loads.waiters.filter(\.wantsProgress)
                loads += followers
                guard let header else { continue }
                let size = header.pixelSize.map(rendition.query.target.pixelSize)
                guard followers.contains(where: { $0.wantsPreview(of: size) }) else { continue }
                let feed = rendition.previews ?? PreviewFeed(since: job.addTime)
                if rendition.previews == nil { begun.append((feed, rendition)) }
                rendition.previews = feed
                feeds.append(feed)
            }
        }
        for feed in feeds { feed.take(piece, of: reception) }
        for (feed, rendition) in begun { beginPreviews(feed, of: rendition) }
        for load in loads { load.report(progress) }
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
            case (.rendition(let rendition), _):
                // What is shown of it from now on is finished.
                rendition.previews?.end()
                switch result {
                case .success(let resource): render(rendition, resource, job.queueTime)
                case .failure(let error): finish(rendition, error)
                }
            }
        }
    }
}
