import Synchronization

/// The requests of an ``ImagePrefetcher``, from the line to the outcome.
///
/// The coordinator's queues take the newest first among equals, which is right for what is visible and wrong for a list:
/// so the line is kept here, and only as many requests as may be fetched at once are with the coordinator.
///
/// - Isolation: Any thread. No lock is held while the pipeline or `onOutcome` is called.
/// - Owns: as many tasks as requests are under way; they end with the line.
final class PrefetchLine: Sendable {
    /// Requests that are equal in this are one.
    struct Key: Hashable {
        var fetch: Digest
        /// What is made of the bytes; `nil` where only those are wanted.
        var rendition: Rendition?

        struct Rendition: Hashable {
            var resource: Digest
            var processors: Digest?
            var size: ImageRequest.Size
        }
    }

    /// A request in the line or under way.
    ///
    /// `@unchecked Sendable`: `stage` and `cancel` are guarded by the line's lock.
    final class Item: @unchecked Sendable {
        enum Stage {
            case waiting
            case running
            case stopped
        }

        let request: ImageRequest
        let key: Key
        /// From when it came: what is removed later isn't brought back.
        let epoch: StoreEpoch
        var stage = Stage.waiting
        /// Stops it, once there is something to stop.
        var cancel: (@Sendable () -> Void)?

        init(_ request: ImageRequest, _ key: Key, _ epoch: StoreEpoch) {
            self.request = request
            self.key = key
            self.epoch = epoch
        }
    }

    struct State {
        /// What waits or runs and hasn't been stopped.
        var items: [Key: Item] = [:]
        /// In the order of arrival, from `first` on; with items that have been stopped in between.
        var line: [Item?] = []
        var first = 0
        var waitingCount = 0
        var runningCount = 0
        var taskCount = 0
        /// Outcomes that are being told.
        var tellingCount = 0
        var isPaused = false
        /// Whether the device can't spare what nobody waits for yet.
        var isHeldBack = false
        var awaitingEnd: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var awaitingCount: UInt64 = 0
    }

    private let pipeline: ImagePipeline
    private let destination: ImagePrefetcher.Destination
    private let priority: ImageRequest.Priority
    private let onOutcome: (@Sendable (ImagePrefetcher.Outcome) -> Void)?
    private let state = Mutex(State())
    private let powerObservation = Mutex<StatusObservation?>(nil)

    init(
        _ pipeline: ImagePipeline, _ destination: ImagePrefetcher.Destination, _ priority: ImageRequest.Priority,
        _ onOutcome: (@Sendable (ImagePrefetcher.Outcome) -> Void)?
    ) {
        self.pipeline = pipeline
        self.destination = destination
        self.priority = priority
        self.onOutcome = onOutcome
        let power = pipeline.configuration.power
        let observation = power.observe { [weak self] _, status in self?.adapt(to: status) }
        powerObservation.withLock { $0 = observation }
        adapt(to: power.status)
    }

    private func adapt(to status: PowerStatus) {
        let taskCount = state.withLock { state in
            state.isHeldBack = !status.permitsPrefetch
            return newTaskCount(&state)
        }
        work(taskCount)
    }

    // MARK: Coming and going

    func add(_ requests: [ImageRequest]) {
        let epoch = pipeline.memory.epoch
        let items = requests.map { Item($0, key(of: $0), epoch) }
        stopOutdated(items)
        let taskCount = state.withLock { state in
            for item in items { state.add(item) }
            return newTaskCount(&state)
        }
        work(taskCount)
    }

    /// Takes out what has been asked for again since its partition was removed: it wouldn't be brought any more, and mustn't
    /// stand in the way of the new request.
    private func stopOutdated(_ newItems: [Item]) {
        let olderItems = state.withLock { state in
            newItems.compactMap { item in state.items[item.key].flatMap { $0.epoch < item.epoch ? $0 : nil } }
        }
        let outdated = olderItems.filter { !isPermitted($0) }
        if !outdated.isEmpty { stop { state in outdated.filter { state.items[$0.key] === $0 } } }
    }

    /// Whether the partition hasn't been removed since it came.
    private func isPermitted(_ item: Item) -> Bool {
        pipeline.memory.permits(item.epoch, in: pipeline.partitionDigest(of: item.request))
    }

    func stop(_ requests: [ImageRequest]) {
        let keys = requests.map(key)
        stop { state in keys.compactMap { state.items[$0] } }
    }

    func stopAll() {
        stop { Array($0.items.values) }
    }

    private func stop(_ find: (State) -> [Item]) {
        var waiting: [Item] = []
        var cancellations: [@Sendable () -> Void] = []
        let tells = onOutcome != nil
        let ended = state.withLock { state in
            for item in find(state) {
                if item.stage == .running {
                    // Its task tells the outcome.
                    if let cancel = item.cancel { cancellations.append(cancel) }
                } else if tells {
                    waiting.append(item)
                }
                state.stop(item)
            }
            state.tellingCount += waiting.count
            return state.takeEnded()
        }
        for continuation in ended { continuation.resume() }
        for cancel in cancellations { cancel() }
        tell(waiting.map { .init(request: $0.request, result: .cancelled) })
    }

    var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            let taskCount = state.withLock { state in
                state.isPaused = newValue
                return newTaskCount(&state)
            }
            work(taskCount)
        }
    }

    var counts: (pending: Int, running: Int) { state.withLock { ($0.waitingCount, $0.runningCount) } }

    func finished() async {
        let number = state.withLock { state in
            state.awaitingCount += 1
            return state.awaitingCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isEnded = state.withLock { state in
                    // The handler may have been called already; then nobody would call again.
                    if !state.isEnded, !Task.isCancelled { state.awaitingEnd[number] = continuation; return false }
                    return true
                }
                if isEnded { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.awaitingEnd.removeValue(forKey: number) }?.resume()
        }
    }

    private func key(of request: ImageRequest) -> Key {
        let rendition =
            wantsBytesAlone(request)
            ? nil
            : Key.Rendition(
                resource: request.id.digest, processors: request.processorsDigest, size: request.size)
        return Key(fetch: pipeline.loader.sharing(of: request), rendition: rendition)
    }

    private func wantsBytesAlone(_ request: ImageRequest) -> Bool {
        destination == .disk || request.size == .automatic
    }

    // MARK: Working

    private func newTaskCount(_ state: inout State) -> Int {
        guard !state.isPaused, !state.isHeldBack else { return 0 }
        // Tasks that have finished one item go on with the next.
        let idleCount = state.taskCount - state.runningCount
        let limit = max(1, pipeline.configuration.prefetchLimit)
        let count = max(0, min(limit - state.taskCount, state.waitingCount - idleCount))
        state.taskCount += count
        return count
    }

    private func work(_ taskCount: Int) {
        for _ in 0..<taskCount {
            Task.detached(priority: priority.taskPriority) { [self] in
                while let item = next() {
                    conclude(item, await bring(item))
                }
            }
        }
    }

    private func next() -> Item? {
        state.withLock { state in
            let item = state.isPaused || state.isHeldBack ? nil : state.takeFirst()
            if item == nil { state.taskCount -= 1 }
            return item
        }
    }

    private func bring(_ item: Item) async -> ImagePrefetcher.Outcome.Result {
        var request = pipeline.prepared(item.request)
        request.priority = priority
        guard isPermitted(item) else { return .cancelled }
        if wantsBytesAlone(request) {
            if destination == .memory, pipeline.configuration.store == nil || request.url?.isHTTP != true {
                return .failed(ImageError(.request, .noSize).located(at: request.url))
            }
            return await pipeline.prefetchBytes(request) { load in self.hold(item, load) }
        } else {
            return await pipeline.prefetch(request) { load in self.hold(item, load) }
        }
    }

    /// Keeps the way to stop what has begun; goes it at once if the item has been stopped meanwhile.
    private func hold(_ item: Item, _ cancel: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { _ in
            item.cancel = cancel
            return item.stage == .stopped
        }
        if isStopped { cancel() }
    }

    private func conclude(_ item: Item, _ result: ImagePrefetcher.Outcome.Result) {
        let ended = state.withLock { state in
            state.runningCount -= 1
            item.cancel = nil
            if state.items[item.key] === item { state.items[item.key] = nil }
            if onOutcome != nil { state.tellingCount += 1 }
            return state.takeEnded()
        }
        for continuation in ended { continuation.resume() }
        tell([.init(request: item.request, result: result)])
    }

    /// Tells outcomes that have been counted as being told.
    private func tell(_ outcomes: [ImagePrefetcher.Outcome]) {
        guard let onOutcome, !outcomes.isEmpty else { return }
        for outcome in outcomes { onOutcome(outcome) }
        let ended = state.withLock { state in
            state.tellingCount -= outcomes.count
            return state.takeEnded()
        }
        for continuation in ended { continuation.resume() }
    }
}
