/// A load that has ended, as ``PipelineRecorder`` keeps it.
struct RecordedLoad: Sendable {
    enum Outcome: Sendable {
        /// What the report is about, without the request.
        case loaded(LoadReport.Rendition)
        case ended(Ending)
    }

    /// How a load has ended that has no report. An object, since few do.
    final class Ending: Sendable {
        let start: Moment
        /// The message; `nil` if the load was cancelled.
        let failure: String?

        init(start: Moment, failure: String?) {
            self.start = start
            self.failure = failure
        }
    }

    let number: UInt64
    let duration: Duration
    /// The URL in full; empty if there is none.
    let text: String
    let outcome: Outcome
    /// About how many bytes it takes: its place, the objects of the report as the allocator rounds them, and the texts. A
    /// failure's names the scheme or the host, which may be as long as a URL.
    let byteCount: Int

    init(number: UInt64, duration: Duration, text: String, outcome: Outcome) {
        self.number = number
        self.duration = duration
        self.text = text
        self.outcome = outcome
        var byteCount = MemoryLayout<RecordedLoad?>.stride + 512 + text.utf8.count
        if case .ended(let ending) = outcome, let failure = ending.failure { byteCount += failure.utf8.count }
        self.byteCount = byteCount
    }
}

/// Something that happened to a load on its way, or to a cache.
struct RecordedRemark: Sendable {
    let time: Moment
    /// The load's number, if it is about one.
    let number: UInt64?
    let text: String

    var byteCount: Int { MemoryLayout<RecordedRemark?>.stride + text.utf8.count }
}

/// The newest loads and remarks, within limits. Guarded by the recorder's lock.
struct RecordBook: Sendable {
    let countLimit: Int
    let byteCountLimit: Int
    private(set) var loads = Ring<RecordedLoad>()
    private(set) var remarks = Ring<RecordedRemark>()
    private(set) var byteCount = 0
    /// How many loads have made room.
    private(set) var droppedCount = 0

    init(countLimit: Int, byteCountLimit: Int) {
        self.countLimit = countLimit
        self.byteCountLimit = byteCountLimit
    }

    mutating func add(_ load: RecordedLoad) {
        byteCount += load.byteCount
        if loads.count == countLimit, let first = loads.replaceFirst(with: load) {
            note(droppedLoad: first)
        } else {
            loads.append(load)
        }
        if byteCount > byteCountLimit { makeRoom() }
    }

    /// Remarks go by the limits of loads, and are let go first: there are few, unless something is very wrong.
    mutating func add(_ remark: RecordedRemark) {
        byteCount += remark.byteCount
        remarks.append(remark)
        while remarks.count > countLimit, let first = remarks.removeFirst() { byteCount -= first.byteCount }
        if byteCount > byteCountLimit { makeRoom() }
    }

    private mutating func makeRoom() {
        while byteCount > byteCountLimit {
            if remarks.count > loads.count, let first = remarks.removeFirst() {
                byteCount -= first.byteCount
            } else if let first = loads.removeFirst() {
                note(droppedLoad: first)
            } else if let first = remarks.removeFirst() {
                byteCount -= first.byteCount
            } else {
                return
            }
        }
    }

    private mutating func note(droppedLoad load: RecordedLoad) {
        byteCount -= load.byteCount
        droppedCount += 1
    }
}
