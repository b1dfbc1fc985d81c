public import Foundation

/// Loads, caches and prepares images. This file is the contents page: each method names the layers it goes through.
///
///     memory -> join or start a load -> result
///
/// - Isolation: Any thread or actor. Nothing inherits the caller's actor by accident: the work runs in tasks and on
///   threads of its own, and only the result comes back to the caller. A fetch may begin on the thread of a caller that is
///   on no actor, and that waits for it.
/// - Ownership: A pipeline owns its jobs, and the beginnings of bodies that it may still complete; its caches and its
///   transport may be shared with others. What is erased through one of several pipelines that share caches goes from
///   those, and from that pipeline's own jobs: each of the others has to be told as well.
public final class ImagePipeline: Sendable {
    /// The pipeline that is used where none is named.
    public static let shared = ImagePipeline()

    /// What the pipeline is made of.
    public let configuration: Configuration

    let memory: MemoryCache
    let loader: ResourceLoader
    let coordinator: LoadCoordinator
    private let impressions: ImpressionMaker?
    /// The models that show what this pipeline has loaded.
    let audience = ModelAudience()
    /// The partition of requests that name none, if the pipeline signs them or gives them credentials.
    private let ownPartition: Partition?
    /// Passes on the faults of the store that pipelines share. Another store has been told by the app whom to tell.
    private let storeObserver: StoreObserver?
    private let powerObservation: StatusObservation

    /// Makes a pipeline.
    public init(_ configuration: Configuration = .init()) {
        var observed = configuration
        observed.observer = LoadObserver(configuration.onEvent, configuration.recorder)
        let configuration = observed
        self.configuration = configuration
        memory = configuration.memory
        storeObserver = Self.observer(ofDefaultStoreIn: configuration)
        ownPartition =
            configuration.authorize == nil
            ? FetchKey.credentials(in: configuration.fields).map(Partition.init(credentials:))
            : Partition(credentials: Digest("authorizer \(UUID().uuidString)"))
        loader = ResourceLoader(configuration)
        impressions = configuration.impressions.map {
            ImpressionMaker(table: $0, store: configuration.store as? any ImpressionStore)
        }
        coordinator = LoadCoordinator(
            loader: loader,
            maker: RenditionMaker(
                decoders: configuration.decoders, limits: configuration.limits, colorSpace: configuration.colorSpace,
                quality: configuration.resizeQuality),
            memory: configuration.memory,
            impressions: impressions,
            fetchLimits: .init(
                count: configuration.fetchLimit, backgroundCount: configuration.prefetchLimit, demotedStepsAside: true),
            decodeLimits: configuration.decodeLimits(at: configuration.power.status),
            clock: configuration.clock,
            observer: configuration.observer)
        let queue = coordinator.decodeQueue
        powerObservation = configuration.power.observe { _, status in
            queue.setLimits(configuration.decodeLimits(at: status))
        }
        beginLoadingImpressions()
    }

    // MARK: Loading

    /// The image at a URL, in its own size.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the task is cancelled.
    public func image(for url: URL) async throws -> DecodedImage {
        try await image(for: ImageRequest(url: url))
    }

    /// The image that a request asks for. What is in memory comes back without a task or a change of threads.
    ///
    /// Where ``Configuration/onEvent`` or a ``Configuration/recorder`` listens, what memory answers is a load like others,
    /// with a number and a report: it still takes no task, but several times as long.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the task is cancelled.
    public func image(for request: ImageRequest) async throws -> DecodedImage {
        // Nobody else is told of what memory answers, so nobody else pays for it.
        guard configuration.observer == nil else {
            return try await observedLoad(request, on: #isolation).result.image
        }
        let query = query(for: request)
        if let image = answerFromMemory(query, request) { return image }
        return try await load(request, query, on: #isolation).result.image
    }

    /// The image that a request asks for, and how it came.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the task is cancelled.
    public func result(for request: ImageRequest) async throws -> ImageResult {
        try await load(request, on: #isolation).result
    }

    /// The bytes at a URL: complete, and recognised as an image within the limits.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the task is cancelled.
    public func data(for url: URL) async throws -> Data {
        try await data(for: ImageRequest(url: url))
    }

    /// The bytes that a request is about: complete, and recognised as an image within the limits. Its size and its
    /// processors don't matter.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the task is cancelled.
    public func data(for request: ImageRequest) async throws -> Data {
        let request = prepared(request)
        let number = ImageLoad.nextNumber()
        guard var alternatives = Alternatives(request) else { return try await bytes(for: request, number) }
        while true {
            do {
                return try await bytes(for: alternatives.loading, number)
            } catch {
                guard alternatives.advance(after: error) else { throw alternatives.reported(error) }
                if let next = alternatives.current, let error = error as? ImageError {
                    configuration.observer?.note(.resorted(LoadLabel(number, request.url), to: next, after: error))
                }
            }
        }
    }

    private func bytes(for request: ImageRequest, _ number: UInt64) async throws -> Data {
        let load = DataLoad(priority: request.priority)
        try Task.checkCancellation()
        coordinator.join(load, fetch: loader.fetch(for: request, number: number))
        let outcome = await load.promise.value { coordinator.cancel(load) }
        return try outcome.get().data
    }

    /// Begins to load. This is what everything else is made of.
    ///
    /// A rendition in memory answers at once if it is fresh, or stale and allowed to be shown so; then it is validated
    /// again in the background. Otherwise the load joins the job that makes the rendition, or begins one.
    public func load(_ request: ImageRequest) -> ImageLoad {
        begin(request, onThisThread: false)
    }

    /// The same for a caller that is about to wait.
    ///
    /// - Parameter actor: Whose the caller's thread is. If it is nobody's, a fetch begins right there, until it has to wait: to
    ///   be told by another thread takes 2,000 instructions.
    @inline(never)
    private func load(_ request: ImageRequest, on actor: (any Actor)?) -> ImageLoad {
        begin(request, onThisThread: actor == nil)
    }

    private func begin(_ request: ImageRequest, onThisThread: Bool) -> ImageLoad {
        let request = prepared(request)
        let query = query(for: request)
        let found = request.cachePolicy.readsMemory ? memory.find(query, countsAsUse: true) : nil
        let load = ImageLoad(
            request: request, coordinator: coordinator, preview: found?.image)
        switch found.map({ use(of: $0.detail.hit, request.cachePolicy) }) {
        case .final?:
            if let found { load.end(.success(memoryResult(found, load))) }
            return load
        case .finalWhileRevalidating?:
            if let found { load.answer(memoryResult(found, load)) }
            start(load, request.revalidating, query)
        case .preview?, nil:
            start(load, request, query, onThisThread: onThisThread)
        }
        return load
    }

    /// The same for a caller that wants the image alone, where somebody listens.
    @inline(never)
    private func observedLoad(_ request: ImageRequest, on actor: (any Actor)?) -> ImageLoad {
        glance(at: request) == nil
            ? load(request, query(for: request), on: actor) : begin(request, onThisThread: actor == nil)
    }

    /// The same once memory has been asked. It isn't asked again, nor does anybody see what it may have to show meanwhile;
    /// or how the image came, unless somebody listens.
    @inline(never)
    private func load(_ request: ImageRequest, _ query: RenditionQuery, on actor: (any Actor)?) -> ImageLoad {
        let request = prepared(request)
        let load = ImageLoad(
            request: request, coordinator: coordinator, wantsReport: configuration.observer != nil)
        start(load, request, query, onThisThread: actor == nil)
        return load
    }

    // MARK: The caches

    /// The image in memory that answers a request, or `nil`. Takes no task, no I/O and no more than one short lock.
    ///
    /// An image that its server wants validated first is no answer once it is stale.
    public func cachedImage(for request: ImageRequest) -> DecodedImage? {
        answerFromMemory(query(for: request), request)
    }

    /// The image in memory for a URL, in its own size; or `nil`.
    public func cachedImage(for url: URL) -> DecodedImage? {
        cachedImage(for: ImageRequest(url: url))
    }

    /// Whether memory holds an answer to a request. That doesn't count as a use.
    public func contains(_ request: ImageRequest) -> Bool {
        guard request.cachePolicy.readsMemory, let found = memory.find(query(for: request), countsAsUse: false) else {
            return false
        }
        return use(of: found.detail.hit, request.cachePolicy) != .preview
    }

    /// What memory has to show for a request: its answer, or something like it to show meanwhile. Begins nothing, and counts
    /// as no use: a view evaluates its body as often as it likes.
    func glance(at request: ImageRequest) -> (image: DecodedImage, isAnswer: Bool)? {
        var hit = MemoryHit()
        guard request.cachePolicy.readsMemory,
            let image = memory.find(query(for: request), countsAsUse: false, &hit)
        else { return nil }
        return (image, use(of: hit, request.cachePolicy) != .preview)
    }

    /// What is remembered of the image that a request asks for, if it was ever decoded, or what the app has said of it
    /// (``insertImpression(_:for:)``): its blurred colours and its size.
    ///
    /// It stays when the image and its file have gone from the caches, and may be of an older version. It is of the image
    /// as it was decoded, whatever the request's processors. Nothing that was loaded with the policy `.noStore`, or that
    /// its server forbids to store, leaves one; nor does an image of fewer than 16 pixels along its longer side.
    ///
    /// The image doesn't wait for it: after a first load there may be none for some milliseconds. What a store has kept from
    /// earlier launches is there a moment after the pipeline has been made: see ``prepare()``. Asking takes no I/O and no
    /// more than one short lock.
    public func impression(for request: ImageRequest) -> Impression? {
        guard request.cachePolicy.readsMemory else { return nil }
        return impressions?.table.impression(of: request.id, in: partition(of: request))
    }

    /// Gives a request an impression before its image was ever loaded: one that the app's server sends along with the URL,
    /// as a ThumbHash.
    ///
    /// Where the image has left one of its own, or another one was given before, that stays. It gives way to the image's own
    /// once that is decoded, goes with its partition, and isn't kept over launches. Views show it from their next look on, if
    /// their request has no processors, so it is best given where the list of images comes in. Requests that leave no
    /// impression take none: those with the policy `.noStore`, and those whose ID is no name but bytes.
    ///
    /// Takes no I/O and one short lock.
    public func insertImpression(_ impression: Impression, for request: ImageRequest) {
        guard request.cachePolicy != .noStore else { return }
        impressions?.table.insertGiven(impression.record, of: request.id, in: partition(of: request))
    }

    /// Returns once the store's impressions of earlier launches have been loaded, which begins by itself when the pipeline
    /// is made: to be awaited where the first frame shall show them. If the store keeps none, it returns at once.
    ///
    /// A store that can't be read is reported as an event, and is tried again by the next call.
    public func prepare() async {
        await beginLoadingImpressions()?.value
    }

    @discardableResult
    private func beginLoadingImpressions() -> Task<Void, Never>? {
        impressions?.load { [observer = configuration.observer] in
            observer?.note(.cacheFault(operation: "load impressions", $0))
        }
    }

    /// Puts an image into memory as the answer to a request. It stays fresh until it is evicted or invalidated.
    ///
    /// The image is taken to be of the request's size and to have its processors applied.
    public func insert(_ image: DecodedImage, for request: ImageRequest) {
        memory.insert(
            Rendition(
                resource: request.idDigest, partition: partitionDigest(of: request), source: request.urlDigest,
                processors: request.processorsDigest, version: Digest(UUID().uuidString),
                decodedSize: request.size.target().pixelSize(for: image.originalPixelSize), image: image,
                freshness: request.cachePolicy == .noStore ? .transient : .immutable,
                responseTime: configuration.clock.now().timeIntervalSinceReferenceDate, cost: image.byteCount))
    }

    /// Forgets everything that was made of a resource: pixels of every size, impressions, and stored responses, in all
    /// partitions; and that an image server has refused thumbnails of it.
    ///
    /// A load under way goes on, and leaves nothing behind. Models that show the resource load it anew, and keep the old
    /// picture until the new one is there.
    public func invalidate(_ resource: ResourceID) async {
        await erase(.resource(resource)) {
            coordinator.detachAll(for: resource)
            memory.remove(resource)
            impressions?.table.remove(resource)
            loader.http.partials.remove(resource)
            loader.thumbnails?.forget(.resource(resource))
        } from: {
            try await $0.remove(resource)
        }
    }

    /// Erases a partition: cancels its loads, blanks the models that show it, and removes its pixels, its
    /// impressions and its stored responses. What is still under way leaves nothing behind.
    ///
    /// A model that has been blanked stays so until it is told to show something: whose pictures they were has left.
    ///
    /// Of other pipelines that share this one's caches it is called, too: their loads go on otherwise, their models keep
    /// what they show, and what they have received of bodies that broke off stays in memory.
    public func removePartition(_ partition: Partition) async {
        await erase(.partition(partition)) {
            // The loads last: whoever hears of their end finds the removal noted.
            memory.removePartition(partition)
            impressions?.table.removePartition(partition)
            loader.http.partials.removePartition(partition)
            loader.thumbnails?.forget(.partition(partition))
            coordinator.cancelAll(in: partition)
        } from: {
            try await $0.removePartition(partition)
        }
    }

    /// Erases everything, and cancels all loads. Models go blank, and those in view load anew. What image servers have refused
    /// (``ServerThumbnails/refusalDuration``) is forgotten, too.
    public func removeAll() async {
        await erase(.everything) {
            memory.removeAll()
            impressions?.table.removeAll()
            loader.http.partials.removeAll()
            loader.thumbnails?.forget(.everything)
            coordinator.cancelAll()
        } from: {
            try await $0.removeAll()
        }
    }

    /// Forgets twice, since a load that begins while the store still works may find there what is being removed. A partition
    /// leaves the screen before the store has worked as well; what is to be loaded anew waits for it.
    private func erase(
        _ removal: Removal, _ forget: () -> Void, from remove: (any ResponseStore) async throws -> Void
    ) async {
        forget()
        if case .partition = removal { await audience.tell(removal) }
        if let store = configuration.store {
            await loader.http.attempt("remove") { try await remove(store) }
            forget()
        }
        await audience.tell(removal)
    }

    // MARK: What is under way

    /// What is under way: for tests, and for whoever wonders.
    package var jobCounts: (renditions: Int, fetches: Int, running: Int) { coordinator.counts }

    /// Returns once nothing runs any more, cancelled work included.
    package func waitUntilIdle() async { await coordinator.waitUntilIdle() }

    // MARK: For the layers below

    /// What memory is asked for.
    func query(for request: ImageRequest) -> RenditionQuery {
        RenditionQuery(request, partition: partitionDigest(of: request))
    }

    /// The partition that a request belongs to here.
    func partition(of request: ImageRequest) -> Partition? { request.cachePartition ?? ownPartition }

    /// The same, without a copy of the name.
    func partitionDigest(of request: ImageRequest) -> Digest? { request.partitionDigest ?? ownPartition?.digest }

    /// The request as the layers below see it.
    func prepared(_ request: ImageRequest) -> ImageRequest {
        guard let ownPartition, request.cachePartition == nil else { return request }
        var request = request
        request.partition = ownPartition
        return request
    }

    private func start(
        _ load: ImageLoad, _ request: ImageRequest, _ query: RenditionQuery, onThisThread: Bool = false
    ) {
        let policy = request.cachePolicy
        let found = coordinator.join(
            load, for: request, query: query, onThisThread: onThisThread,
            larger: { larger(for: query, policy) },
            isAnswer: { policy.readsMemory && use(of: $0.detail.hit, policy) == .final })
        if let found { load.end(.success(memoryResult(found, load))) }
    }
}
