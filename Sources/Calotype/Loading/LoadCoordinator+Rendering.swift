import Synchronization

/// The work of a ``RenditionJob``: bytes into pixels, and what becomes of those who wait.
extension LoadCoordinator {
    /// Goes on with a rendition whose bytes are there.
    func render(_ job: RenditionJob, _ resource: FetchedResource, _ queueTime: Duration?) {
        if let alternatives = loading(job), alternatives.isStandIn, let outage = alternatives.outage {
            observer?.note(.refusedThumbnail(job.label, outage))
        }
        // The bytes may be those that pixels in memory were made of: then there is nothing to decode. What is to leave no
        // trace keeps away from them.
        if !resource.freshness.isTransient, let found = memory.find(job.query, countsAsUse: false),
            found.match != .preview, found.version == resource.version
        {
            memory.freshen(job.query.key, version: resource.version, to: resource.freshness)
            var work = LoadReport.RenditionWork()
            return finish(job, found.image, &work, of: resource)
        }
        if let size = resource.header.pixelSize, let thumbnail = loading(job)?.loading.serverThumbnail,
            thumbnail.fallsShort(size, of: job.query.target)
        {
            return finish(job, ImageError(.validation, .tooFewPixels(size)).located(at: thumbnail.url))
        }
        job.material = .bytes(resource)
        job.fetchQueueTime = queueTime
        enqueue(job)
    }

    func enqueue(_ job: RenditionJob) {
        job.decodeQueueTime = .now
        if let material = job.material {
            job.byteCount = maker.estimatedByteCount(
                of: material, target: job.query.target, processors: job.request.processors)
        }
        // Under the lock, so that the queue hears of no later priority before.
        let isItsTurn = books.withLock { _ in
            !job.isCancelled && decodeQueue.add(job, priority: job.loads.priority)
        }
        if isItsTurn { job.start() }
    }

    /// Decodes and processes. Runs on a thread that may block.
    func decode(_ job: RenditionJob) {
        guard let material = job.material.take(), !job.cancellation.isCancelled else { return decodeQueue.finish(job) }
        observer?.onEvent?(.decoding(job.label))
        do {
            let start = Moment.now
            let made = try makeRendition(of: material, for: job, at: start)
            var work = LoadReport.RenditionWork()
            work.queue = job.fetchQueueTime
            work.decodeQueue = job.decodeQueueTime.map { start - $0 }
            work.decodeStart = start
            work.decode = made.decodeTime
            work.process = made.processTime
            work.previews = job.previews?.summary
            finish(job, made.image, &work, of: material.resource)
            // Nobody waits for this.
            if impressions != nil { noteImpression(of: made.decoded, material, of: job) }
            decodeQueue.finish(job)
        } catch {
            // First of all: what comes next may bring the job to this queue once more.
            decodeQueue.finish(job)
            if let error = error as? ImageError, error.isDamage {
                discard(material, of: job, error)
            } else {
                finish(job, error)
            }
        }
    }

    private func makeRendition(
        of material: RenditionJob.Material, for job: RenditionJob, at start: Moment
    ) throws -> RenditionMaker.Made {
        let loading = loading(job)?.loading
        defer { observer?.onEvent?(.decoded(job.label, .now - start)) }
        var made = try maker.make(
            of: material, at: start, target: job.query.target, processors: job.request.processors,
            cancellation: job.cancellation)
        var source = loading?.urlDigest ?? job.query.source
        var isThumbnail = loading?.serverThumbnail != nil
        if case .pixels(let larger) = material { (source, isThumbnail) = (larger.source, larger.isThumbnail) }
        if isThumbnail { noteReduction(of: &made, from: material, loading?.serverThumbnail) }
        memory.insert(
            Rendition(
                resource: job.request.idDigest, partition: job.request.partitionDigest, source: source,
                processors: job.request.processorsDigest, version: material.version,
                decodedSize: made.decoded.pixelSize, image: made.image, freshness: material.freshness,
                responseTime: material.responseTime,
                cost: made.image.byteCount, isThumbnail: isThumbnail),
            since: job.epoch)
        return made
    }

    /// Notes of the pixels of a server-made thumbnail whether the original has more.
    @inline(never)
    private func noteReduction(
        of made: inout RenditionMaker.Made, from material: RenditionJob.Material, _ thumbnail: ServerThumbnail?
    ) {
        let isReduced: Bool
        switch material {
        case .pixels(let larger): isReduced = larger.image.isReducedByServer
        case .bytes: isReduced = thumbnail?.isReduced(made.decoded.originalPixelSize) ?? false
        }
        guard isReduced else { return }
        let isProcessed = made.image !== made.decoded
        made.decoded = DecodedImage(reducedByServer: made.decoded)
        made.image = isProcessed ? DecodedImage(reducedByServer: made.image) : made.decoded
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
    private func discard(_ material: RenditionJob.Material, of job: RenditionJob, _ error: ImageError) {
        guard case .bytes(let resource) = material, resource.stored != nil else {
            return finish(job, error)
        }
        var changes = ShortList<LoadBooks.Change>()
        let isFetchedAgain = books.withLock { books in
            guard resource.work.layer != .network, job.request.cachePolicy != .storedOnly, !job.isSecondAttempt,
                !job.isCancelled
            else { return false }
            job.isSecondAttempt = true
            job.previews = nil
            let fetch = loader.fetch(
                for: job.alternatives?.loading ?? job.request, insteadOf: resource, number: job.number)
            books.join(.rendition(job), priority: job.loads.priority, fetch, self, &changes)
            return true
        }
        if isFetchedAgain { return apply(changes) }
        // The caller hears of the failure when the bytes have gone, so that its next request finds none.
        Task.detached { [self] in
            await loader.discard(resource.stored, of: (loading(job)?.loading ?? job.request).url)
            finish(job, error)
        }
    }

    /// Gives the image to all who have waited for it.
    ///
    /// - Parameters:
    ///   - work: What making it took. Which URL it came from is added here.
    ///   - resource: What it was made of; `nil` for pixels in memory.
    private func finish(
        _ job: RenditionJob, _ image: DecodedImage, _ work: inout LoadReport.RenditionWork,
        of resource: FetchedResource?
    ) {
        var following = LoadReport.Following()
        let loads = takeOffTheBooks(job, &following)
        guard !loads.isEmpty else { return }
        let alternatives = loading(job)
        work.alternative = alternatives?.current
        let now = Moment.now
        // What the job did, told once for all who want to know.
        var told: LoadReport.Rendition?
        // One that is cancelled meanwhile has ended already.
        for load in loads where load.decideEnd() {
            var report = LoadReport.untold
            if load.wantsReport {
                let rendition: LoadReport.Rendition
                if let told {
                    rendition = told
                } else {
                    rendition = LoadReport.Rendition(
                        image.pixelSize, of: image.originalPixelSize, resource?.work ?? .init(layer: .memory), work,
                        endedAt: now, following: following)
                    told = rendition
                }
                report = LoadReport(
                    number: load.number, request: load.request, duration: now - load.startTime, rendition)
            }
            let result = ImageResult(image: image, report: report)
            // Before the caller goes on: what it then looks at has this load.
            observer?.loaded(report)
            if resource?.needsRevalidation == true {
                if load.answer(result) { revalidate(load, job.request, job.query, alternatives) }
            } else {
                load.end(.success(result))
            }
        }
    }

    /// Lets a load that has been answered with something stale go on for what its server says.
    private func revalidate(
        _ load: ImageLoad, _ request: ImageRequest, _ query: RenditionQuery, _ alternatives: Alternatives?
    ) {
        var (request, query) = (request, query)
        // A thumbnail is asked for anew, as what the request says; also where the original has stood in for it.
        if let other = alternatives?.loading, other.serverThumbnail == nil, other.standsInFor == nil {
            request = other
            query = RenditionQuery(other, partition: other.partitionDigest)
        }
        _ = join(load, for: request.revalidating, query: query, larger: { nil }, isAnswer: { _ in false })
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
        var isRefusal = false
        let reported = books.withLock { books -> (any Error)? in
            guard !job.isCancelled, job.alternatives?.advance(after: error) == true, let other = job.alternatives else {
                return job.alternatives?.reported(error) ?? error
            }
            job.isSecondAttempt = false
            job.previews = nil
            next = other.current
            isRefusal = next == nil && !other.isStandIn
            let fetch = loader.fetch(for: other.loading, number: job.number)
            books.join(.rendition(job), priority: job.loads.priority, fetch, self, &changes)
            return nil
        }
        if let next, let error = error as? ImageError { observer?.note(.resorted(job.label, to: next, after: error)) }
        if isRefusal, let error = error as? ImageError {
            loader.noteThumbnailRefusal(error, of: job.request, job.label)
        }
        apply(changes)
        return reported
    }

    /// Tells all who have waited that there will be no image.
    func finish(_ job: RenditionJob, _ error: any Error) {
        let located = (error as? ImageError)?.located(at: job.request.url) ?? error
        guard let error = goOn(job, after: located) else { return }
        var following = LoadReport.Following()
        for load in takeOffTheBooks(job, &following) where load.decideEnd() {
            if let error = error as? ImageError { observer?.failed(load, error) }
            load.end(.failure(error))
        }
    }

    /// - Parameter following: Gets who has waited, and how urgently.
    private func takeOffTheBooks(
        _ job: RenditionJob, _ following: inout LoadReport.Following
    ) -> ShortList<ImageLoad> {
        books.withLock { books in
            books.strike(job)
            following = .init(
                waiterCount: job.loads.waiters.count, priority: job.position.priority,
                priorityChangeCount: job.priorityChangeCount)
            return job.loads.takeAll()
        }
    }
}
