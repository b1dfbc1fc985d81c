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
    var byteCount: Int {
        let base = MemoryLayout<RecordedLoad?>.stride + 512 + text.utf8.count
        guard case .ended(let ending) = outcome, let failure = ending.failure else { return base }
        return base + failure.utf8.count
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

/// A queue in an array whose places are used again.
///
/// - Complexity: Adding and removing take constant time, amortised.
struct Ring<Element> {
    private var places: [Element?] = []
    private var first = 0
    private(set) var count = 0

    /// The elements, the oldest first.
    var elements: [Element] {
        (0..<count).compactMap { places[(first + $0) & (places.count - 1)] }
    }

    mutating func append(_ element: Element) {
        if count == places.count { grow() }
        places[(first + count) & (places.count - 1)] = element
        count += 1
    }

    /// Takes out the oldest.
    mutating func removeFirst() -> Element? {
        guard count > 0 else { return nil }
        defer {
            first = (first + 1) & (places.count - 1)
            count -= 1
        }
        return places[first].take()
    }

    /// Takes out the oldest, and adds one.
    mutating func replaceFirst(with element: Element) -> Element? {
        guard count == places.count else {
            let oldest = removeFirst()
            append(element)
            return oldest
        }
        // No place is free: the new one takes that of the oldest.
        let oldest = places[first]
        places[first] = element
        first = (first + 1) & (places.count - 1)
        return oldest
    }

    /// Doubles the places, of which there are always a power of two.
    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(max(64, 2 * places.count))
        for index in 0..<count { larger.append(places[(first + index) & (places.count - 1)].take()) }
        while larger.count < max(64, 2 * places.count) { larger.append(nil) }
        places = larger
        first = 0
    }
}

extension Ring: Sendable where Element: Sendable {}
