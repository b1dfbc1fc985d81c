import Foundation

/// What a ``PipelineRecorder`` has kept, as pages and traces show it. Times are in microseconds since the recorder was made.
struct Recording: Encodable {
    /// A load, and what became of it.
    struct Load: Encodable {
        let number: UInt64
        /// A URL, whole or redacted.
        let source: String
        /// A ``LoadReport/Layer``, "failed" or "cancelled".
        let outcome: String
        let start: Int64
        let duration: Int64
        /// Why it came from where it did, or why it didn't come.
        let reason: String
        var report: Report?
        /// Stages as triples: their number, their beginning counted from the load's, and their length.
        var stages: [[Int64]] = []
        /// The lane of the connection that its bytes came over.
        var connection: Int?
        /// The lane of the decode.
        var decoder: Int?
        /// Whether the download or the decode is drawn with another load, which it was shared with.
        var sharesDownload: Bool?
        var sharesDecode: Bool?
        /// What they are told from others by. Not written.
        fileprivate var download: WorkKey?
        fileprivate var decode: WorkKey?

        private enum CodingKeys: CodingKey {
            case number, source, outcome, start, duration, reason, report, stages, connection, decoder, sharesDownload
            case sharesDecode
        }
    }

    /// Tells a download or a decode that several loads share from others: no two take the same nanoseconds.
    struct WorkKey: Hashable {
        let start: Moment
        let duration: Duration
    }

    /// The numbers of a ``LoadReport``.
    struct Report: Encodable {
        let originalPixels: [Int]
        let pixels: [Int]
        let format: String?
        let fileBytes: Int64
        let receivedBytes: Int64
        let waiters: Int
        let priority: String
        let priorityChanges: Int
        let retries: Int
        let redirects: Int
        let previews: Int
        let firstPreview: Int64?
        let `protocol`: String?
        let reusedConnection: Bool?
    }

    /// Something that happened to a load on its way, or to a cache.
    struct Remark: Encodable {
        let time: Int64
        let load: UInt64?
        let text: String
    }

    let title: String
    let showsURLs: Bool
    /// ISO 8601.
    let began: String
    /// Loads that were recorded and had to make room.
    let dropped: Int
    let stageNames = LoadReport.Stage.allCases.map(\.title)
    let layerNames = LoadReport.Layer.allCases.map(\.rawValue)
    var loads: [Load] = []
    var remarks: [Remark] = []
    /// The names of the lanes.
    var connections: [String] = []
    var decoders: [String] = []

    init(
        _ book: RecordBook, title: String, showsURLs: Bool, startDate: Date, startTime: Moment
    ) {
        self.title = title
        self.showsURLs = showsURLs
        began = startDate.formatted(.iso8601)
        dropped = book.droppedCount
        let sources = SourceNames(showsURLs: showsURLs)
        var downloads = LanePacker<WorkKey>()
        var decodes = LanePacker<WorkKey>()
        for record in book.loads.elements {
            switch record.outcome {
            case .loaded(let rendition):
                let report = LoadReport(
                    number: record.number, request: nil, duration: record.duration, rendition)
                var load = Load(report, source: sources.name(of: record.text), since: startTime)
                load.add(report, to: &downloads, &decodes, origin: sources.origin(of: record.text))
                loads.append(load)
            case .ended(let ending):
                loads.append(Load(record, ending, source: sources.name(of: record.text), since: startTime))
            }
        }
        let (connectionLanes, decoderLanes) = (downloads.packed(), decodes.packed())
        for index in loads.indices {
            loads[index].connection = loads[index].download.flatMap { connectionLanes.lane[$0] }
            loads[index].decoder = loads[index].decode.flatMap { decoderLanes.lane[$0] }
        }
        // By when they began: they were kept in the order in which they ended.
        loads.sort { ($0.start, $0.number) < ($1.start, $1.number) }
        connections = connectionLanes.names
        decoders = decoderLanes.names
        remarks = book.remarks.elements.map {
            Remark(time: ($0.time - startTime).inMicroseconds, load: $0.number, text: $0.text)
        }
    }
}

extension Recording.Load {
    fileprivate init(_ report: LoadReport, source: String, since start: Moment) {
        number = report.number
        self.source = source
        outcome = report.layer.rawValue
        self.start = (report.startTime - start).inMicroseconds
        duration = report.duration.inMicroseconds
        reason = report.explanation
        self.report = Recording.Report(report)
        stages = report.timeline.map {
            [Int64($0.stage.index), $0.start.inMicroseconds, $0.duration.inMicroseconds]
        }
    }

    /// Notes which download and which decode were for it.
    fileprivate mutating func add(
        _ report: LoadReport, to downloads: inout LanePacker<Recording.WorkKey>,
        _ decodes: inout LanePacker<Recording.WorkKey>, origin: String
    ) {
        let (brought, made) = (report.brought, report.rendition.work)
        if let start = brought.exchangeStart, let firstByte = brought.times.firstByte {
            let id = Recording.WorkKey(start: start, duration: firstByte)
            // Where the transport doesn't tell connections apart, downloads that overlap had one each.
            let isNew = downloads.add(
                id, from: start, for: firstByte + (brought.times.body ?? .zero), in: origin,
                brought.exchange?.connectionID)
            if !isNew { sharesDownload = true }
            download = id
        }
        if let start = made.decodeStart, let time = made.decode {
            let id = Recording.WorkKey(start: start, duration: time)
            if !decodes.add(id, from: start, for: time + (made.process ?? .zero), in: "decoder") { sharesDecode = true }
            decode = id
        }
    }

    fileprivate init(
        _ record: RecordedLoad, _ ending: RecordedLoad.Ending, source: String, since start: Moment
    ) {
        number = record.number
        self.source = source
        outcome = ending.failure == nil ? "cancelled" : "failed"
        self.start = (ending.start - start).inMicroseconds
        duration = record.duration.inMicroseconds
        reason = ending.failure ?? "Nobody wanted it any more."
    }
}

extension Recording.Report {
    fileprivate init(_ report: LoadReport) {
        originalPixels = [report.originalPixelSize.width, report.originalPixelSize.height]
        pixels = [report.pixelSize.width, report.pixelSize.height]
        format = report.format.map { "\($0)" }
        fileBytes = report.bodyByteCount
        receivedBytes = report.receivedByteCount
        waiters = report.waiterCount
        priority = "\(report.priority)"
        priorityChanges = report.priorityChangeCount
        retries = report.retryCount
        redirects = report.redirectCount
        previews = report.previewCount
        firstPreview = report.times.firstPreview?.inMicroseconds
        `protocol` = report.exchange?.networkProtocol
        reusedConnection = report.exchange?.reusedConnection
    }
}

extension LoadReport.Stage {
    /// The place among all stages.
    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// As people read it.
    var title: String {
        switch self {
        case .queue: "queue"
        case .lookup: "look-up"
        case .attempts: "attempts"
        case .connect: "connect"
        case .firstByte: "first byte"
        case .body: "body"
        case .store: "store"
        case .decodeQueue: "decode queue"
        case .decode: "decode"
        case .process: "process"
        case .memory: "memory"
        }
    }
}

extension Duration {
    /// Rounded down, below zero as well: so what follows one another still does.
    var inMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
        return seconds * 1_000_000 + whole - (rest < 0 ? 1 : 0)
    }
}

/// Names URLs as they may be shown. Many are of few origins, but each has to be parsed to know.
private struct SourceNames {
    let showsURLs: Bool

    func name(of text: String) -> String {
        if text.isEmpty { return "image" }
        let isScheme = text.hasSuffix(":") && !text.dropLast().contains(":")
        return showsURLs && !isScheme ? text : origin(of: text)
    }

    /// The scheme and host.
    func origin(of text: String) -> String {
        if text.isEmpty { return "image" }
        // What can't be parsed is shown to nobody who hasn't asked for it.
        return URL(string: text).map { RedactedURL($0).description } ?? "image"
    }
}
