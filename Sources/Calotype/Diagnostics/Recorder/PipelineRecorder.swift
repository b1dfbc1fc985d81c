public import Foundation
import Synchronization

/// Keeps what the last loads of one or several pipelines did, and makes a page or a trace of it: a flight recorder.
///
/// ```swift
/// let recorder = PipelineRecorder()
/// var configuration = ImagePipeline.Configuration()
/// configuration.recorder = recorder
/// let pipeline = ImagePipeline(configuration)
/// ```
///
/// Later, when somebody asks what went on:
///
/// ```swift
/// try recorder.page().write(to: folder.appending(path: "loads.html"))
/// try recorder.trace().write(to: folder.appending(path: "loads.json"))
/// ```
///
/// A load is kept when it has ended: with its report, or with why there is none. What is under way isn't in it yet. Loads of
/// bytes alone (``ImagePipeline/data(for:)-(URL)``, an ``ImagePrefetcher`` to disk) have no report, and aren't kept.
///
/// What is written shows schemes, hosts and the numbers of loads, and nothing else of their URLs unless that is asked for;
/// fields, bodies and partitions aren't even kept.
///
/// - Isolation: Any thread.
/// - Memory: Bounded, in loads and in bytes; whichever limit is reached first, the oldest loads make room. 5,000 loads take
///   about 4 MB. No image is held, no request and no file.
/// - Cost: Some hundred instructions a load, where one from the network takes tens of thousands.
public final class PipelineRecorder: Sendable {
    /// How many loads are kept at most.
    public let countLimit: Int
    /// How many bytes they may take at most, as they are estimated.
    public let byteCountLimit: Int

    let startDate: Date
    let startTime: Moment
    private let state: Mutex<RecordBook>

    /// Makes a recorder that has recorded nothing.
    public init(countLimit: Int = 5_000, byteCountLimit: Int = 8 << 20) {
        self.countLimit = max(1, countLimit)
        self.byteCountLimit = max(0, byteCountLimit)
        startDate = Date()
        startTime = .now
        state = Mutex(RecordBook(countLimit: self.countLimit, byteCountLimit: self.byteCountLimit))
    }

    /// How many loads are kept now.
    public var count: Int { state.withLock { $0.loads.count } }

    /// About how many bytes they take.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    /// Forgets what has been recorded.
    public func removeAll() {
        state.withLock { $0 = RecordBook(countLimit: countLimit, byteCountLimit: byteCountLimit) }
    }

    /// A page that shows the loads: a single file that needs nothing else, and asks the network for nothing.
    ///
    /// It has a waterfall of all loads, the connections and the decoders as lanes, what each layer served over time, and for
    /// every load the reason in words. It is in UTF-8.
    ///
    /// - Parameters:
    ///   - title: Stands at the top.
    ///   - showsURLs: Whether URLs are written in full. Paths and queries hold tokens and names often enough: whoever gets
    ///     the page can read them.
    public func page(title: String = "Calotype", showsURLs: Bool = false) -> Data {
        RecorderPage.make(of: recording(title: title, showsURLs: showsURLs))
    }

    /// The loads as a trace: JSON in Chrome's trace event format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
    ///
    /// Loads, connections and decoders are processes there, each with its lanes; stages are slices, and a load's slice has its
    /// report as arguments.
    ///
    /// - Parameter showsURLs: See ``page(title:showsURLs:)``.
    public func trace(showsURLs: Bool = false) -> Data {
        RecorderTrace.make(of: recording(title: "Calotype", showsURLs: showsURLs))
    }

    private func recording(title: String, showsURLs: Bool) -> Recording {
        let book = state.withLock { $0 }
        return Recording(book, title: title, showsURLs: showsURLs, startDate: startDate, startTime: startTime)
    }

    // MARK: What pipelines call

    package func record(_ report: LoadReport) {
        let record = RecordedLoad(
            number: report.number, duration: report.duration, text: Self.text(of: report.url),
            outcome: .loaded(report.rendition))
        state.withLock { $0.add(record) }
    }

    func recordEnd(of load: ImageLoad, _ failure: ImageError?) {
        let record = RecordedLoad(
            number: load.number, duration: .now - load.startTime, text: Self.text(of: load.request.url),
            outcome: .ended(.init(start: load.startTime, failure: failure?.description)))
        state.withLock { $0.add(record) }
    }

    /// Notes what had to be done otherwise than was asked for, and faults of caches. Steps and ends are what a load's own
    /// record tells.
    func record(_ event: ImageEvent) {
        guard [.notice, .warning].contains(event.level) else { return }
        let text = event.remark
        let remark = RecordedRemark(
            time: .now, number: event.load?.number, text: text.prefix(1).uppercased() + text.dropFirst())
        state.withLock { $0.add(remark) }
    }

    /// What is kept of a URL: it may be shown if somebody asks. A `data:` URL is a file, as a rule a large one.
    private static func text(of url: URL?) -> String {
        guard let url else { return "" }
        let text = url.absoluteString
        // Asked first what nearly none has: it is done for every load.
        let isData = text.utf8.first.map { $0 | 0x20 } == UInt8(ascii: "d") && text.hasPrefixIgnoringASCIICase("data:")
        guard isData || text.utf8.count > 8_192 else { return text }
        let redacted = RedactedURL(url).description
        // A scheme alone stays a URL: what has none is shown as something else.
        return redacted.contains(":") ? redacted : redacted + ":"
    }
}
