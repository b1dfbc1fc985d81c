extension LoadReport {
    /// The time that each stage took; `nil` where there was no such stage.
    public struct StageTimes: Sendable, Hashable {
        /// Waiting for the turn to fetch.
        public var queue: Duration?
        /// Looking at what is stored.
        public var lookup: Duration?
        /// Attempts that failed and redirects, before the exchange that brought the response.
        public var attempts: Duration?
        /// The part of ``firstByte`` until the connection stood. `nil` where an open one was used, or the transport doesn't
        /// say.
        public var connect: Duration?
        /// From the request to the head of the response, the last one if there were redirects.
        public var firstByte: Duration?
        /// From there to the end of the body. Of what isn't HTTP: reading it.
        public var body: Duration?
        /// From there until the bytes went to be decoded: putting them into the store, or taking a stored body out.
        public var store: Duration?
        /// From when the bytes were asked for to the first unfinished image that was shown.
        public var firstPreview: Duration?
        /// Waiting for the turn to decode.
        public var decodeQueue: Duration?
        /// Decoding.
        public var decode: Duration?
        /// Processing.
        public var process: Duration?
        /// From the finished pixels to the result: into memory, and to those who wait. Of what was in memory, all of it.
        public var memory: Duration?

        /// Makes times of no stage.
        public init() {}
    }

    /// What a load's time goes into, in this order.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// See ``StageTimes/queue``.
        case queue
        /// See ``StageTimes/lookup``.
        case lookup
        /// See ``StageTimes/attempts``.
        case attempts
        /// See ``StageTimes/connect``.
        case connect
        /// From there to the head of the response.
        case firstByte
        /// See ``StageTimes/body``.
        case body
        /// See ``StageTimes/store``.
        case store
        /// See ``StageTimes/decodeQueue``.
        case decodeQueue
        /// See ``StageTimes/decode``.
        case decode
        /// See ``StageTimes/process``.
        case process
        /// See ``StageTimes/memory``.
        case memory
    }

    /// A stage, and when it was.
    public struct Interval: Sendable, Hashable {
        /// What was done.
        public var stage: Stage
        /// When it began, counted from the load's own beginning. Negative where the load joined work that was under way.
        public var start: Duration
        /// How long it took.
        public var duration: Duration
    }

    /// When the load began.
    var startTime: Moment { rendition.end - duration }

    /// The stages that there were, one after another. What lies between them went into no stage.
    public var timeline: [Interval] {
        var line = Timeline(origin: startTime)
        let (brought, made) = (brought, rendition.work)
        if let start = brought.start {
            if let queue = made.queue { line.add(.queue, from: start - queue, for: queue) }
            line.add(.lookup, from: start, for: brought.times.lookup)
            if let exchangeStart = brought.exchangeStart, let firstByte = brought.times.firstByte {
                if brought.retryCount + brought.redirectCount > 0 { line.add(.attempts, until: exchangeStart) }
                let connect = connectTime(within: firstByte)
                line.add(.connect, from: exchangeStart, for: connect)
                line.add(.firstByte, from: exchangeStart + (connect ?? .zero), for: firstByte - (connect ?? .zero))
                line.add(.body, from: exchangeStart + firstByte, for: brought.times.body)
            } else {
                line.add(.body, from: line.end, for: brought.times.body)
            }
        }
        if let decodeStart = made.decodeStart {
            let decodeQueue = made.decodeQueue ?? .zero
            if brought.times.lookup != nil { line.add(.store, until: decodeStart - decodeQueue) }
            line.add(.decodeQueue, from: decodeStart - decodeQueue, for: made.decodeQueue)
            line.add(.decode, from: decodeStart, for: made.decode)
            line.add(.process, from: line.end, for: made.process)
        }
        line.add(.memory, until: rendition.end)
        return line.intervals
    }

    /// The time that each stage took.
    public var times: StageTimes {
        var times = StageTimes()
        let timeline = timeline
        func duration(of stage: Stage) -> Duration? { timeline.first { $0.stage == stage }?.duration }
        times.queue = rendition.work.queue
        times.lookup = brought.times.lookup
        times.attempts = duration(of: .attempts)
        times.connect = duration(of: .connect)
        times.firstByte = brought.times.firstByte
        times.body = brought.times.body
        times.store = duration(of: .store)
        times.firstPreview = rendition.work.previews?.firstTime
        times.decodeQueue = rendition.work.decodeQueue
        times.decode = rendition.work.decode
        times.process = rendition.work.process
        times.memory = duration(of: .memory)
        return times
    }

    /// How long the connection took, if one was made.
    private func connectTime(within firstByte: Duration) -> Duration? {
        guard let exchange, !exchange.reusedConnection, let time = exchange.connectTime else { return nil }
        // The transport counts from its own beginning, with a clock of its own.
        return max(.zero, min(time, firstByte))
    }
}

/// Lays stages one after another.
private struct Timeline {
    let origin: Moment
    private(set) var end: Moment
    private(set) var intervals: [LoadReport.Interval] = []

    init(origin: Moment) {
        self.origin = origin
        end = origin
    }

    mutating func add(_ stage: LoadReport.Stage, from start: Moment, for duration: Duration?) {
        guard let duration else { return }
        intervals.append(.init(stage: stage, start: start - origin, duration: max(.zero, duration)))
        end = start + max(.zero, duration)
    }

    /// The time since the last stage.
    mutating func add(_ stage: LoadReport.Stage, until end: Moment) {
        if end >= self.end { add(stage, from: self.end, for: end - self.end) }
    }
}
