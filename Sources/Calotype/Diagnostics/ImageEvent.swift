/// Something that happened on the way to an image. ``ImagePipeline/Configuration/onEvent`` is told of it, as it happens.
///
///     began ─ joined ───────────────────────────────────────────────────────────┐
///       └──── lookedUp ─ requested ─ responded ─ received ─ decoding ─ decoded ─┴─ loaded | failed | cancelled
///
/// Work that several loads share is told once, by the label of the load that began it; the others have said in `joined`
/// which that is. A load that is answered with something stale ends twice: with that, and with what its server says; if it
/// is cancelled in between, with that alone.
///
/// Several threads tell of events. What two of them do in the same moment (a load joins work, and that work ends) may be
/// heard of in either order.
///
/// Descriptions are safe to log: they name scheme, host and the load's number, and never path, query, fields or
/// partitions.
public enum ImageEvent: Sendable {
    /// A load has begun, that urgent.
    case began(LoadLabel, ImageRequest.Priority)
    /// A load shares work that another one has begun: its download, or all of it.
    case joined(LoadLabel, work: UInt64)
    /// A load's priority has been changed.
    case priorityChanged(LoadLabel, to: ImageRequest.Priority)
    /// The store has been looked at. The reason is `nil` where the policy doesn't ask it.
    case lookedUp(LoadLabel, HTTPCache.Reason?)
    /// A request has been sent: the first one, or one that follows a redirect, a refusal or a failure.
    case requested(LoadLabel)
    /// The head of a final response has arrived: any status, redirects included.
    case responded(LoadLabel, status: Int, HTTPExchangeMetrics)
    /// A body is complete, and has been accepted as an image.
    case received(LoadLabel, byteCount: Int64)
    /// Decoding has begun.
    case decoding(LoadLabel)
    /// Decoding and processing have ended, well or not.
    case decoded(LoadLabel, Duration)
    /// A load has ended well.
    case loaded(LoadReport)
    /// A load has failed.
    case failed(LoadLabel, ImageError)
    /// A load has been cancelled.
    case cancelled(LoadLabel)
    /// An attempt to load has failed, and another one follows after a wait. Attempts count from 1.
    case retrying(LoadLabel, after: ImageError, attempt: Int, delay: Duration)
    /// A URL couldn't be loaded from, and another one of the request is used.
    case resorted(LoadLabel, to: LoadReport.Alternative, after: ImageError)
    /// An image server has made no thumbnail, or none that will do; the original is loaded in its place.
    case refusedThumbnail(LoadLabel, ImageError)
    /// A cache couldn't do its work. The load goes on without it.
    case cacheFault(operation: String, any Error)
    /// Stored bytes turned out to be damaged, and have been removed.
    case removedDamaged(RedactedURL?)
}

extension ImageEvent {
    /// How much an event matters, as logs count it.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// A step on the way.
        case debug
        /// How a load has ended, if nothing is wrong.
        case info
        /// Something had to be done otherwise than was asked for.
        case notice
        /// A cache doesn't do its work, which costs time.
        case warning
        /// There is no image.
        case error

        /// Orders by weight.
        public static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// How much the event matters.
    public var level: Level {
        switch self {
        case .began, .joined, .priorityChanged, .lookedUp, .requested, .responded, .received, .decoding, .decoded:
            .debug
        case .loaded, .cancelled: .info
        case .retrying, .resorted, .refusedThumbnail: .notice
        case .cacheFault, .removedDamaged: .warning
        case .failed: .error
        }
    }

    /// Makes an `onEvent` that writes a log: each event that matters enough is given to `write` as a line that is safe to
    /// keep. Of lesser events no line is made.
    ///
    ///     configuration.onEvent = ImageEvent.log(from: .notice) { level, message in
    ///         logger.log(level: level == .error ? .error : .notice, "\(message)")
    ///     }
    ///
    /// - Parameter write: Called on any thread; must not block.
    public static func log(
        from lowest: Level = .info, _ write: @escaping @Sendable (Level, String) -> Void
    ) -> @Sendable (ImageEvent) -> Void {
        { event in
            let level = event.level
            if level >= lowest { write(level, event.description) }
        }
    }
}

extension ImageEvent: CustomStringConvertible, CustomReflectable {
    /// One line, safe to log.
    public var description: String {
        switch self {
        case .began(let load, let priority): "\(load) began, priority \(priority)"
        case .joined(let load, let work): "\(load) joined the work of #\(work)"
        case .priorityChanged(let load, let priority): "\(load) priority is now \(priority)"
        case .lookedUp(let load, let reason): "\(load) looked at the store\(reason.map { ": \($0)" } ?? "")"
        case .requested(let load): "\(load) sent a request"
        case .responded(let load, let status, let metrics): "\(load) status \(status)\(metrics.remark)"
        case .received(let load, let byteCount): "\(load) received \(byteCount) bytes"
        case .decoding(let load): "\(load) began to decode"
        case .decoded(let load, let duration): "\(load) decoded in \(duration.inMilliseconds)"
        case .loaded(let report): "\(report) in \(report.duration.inMilliseconds)"
        case .failed(let load, let error): "\(load) failed. \(error)"
        case .cancelled(let load): "\(load) cancelled"
        case .retrying(let load, let error, let attempt, let delay):
            "\(load) attempt \(attempt) follows in \(delay.inMilliseconds). \(error)"
        case .resorted(let load, .lowData, let error): "\(load) turned to its URL for constrained networks. \(error)"
        case .resorted(let load, .fallback(let index), let error):
            "\(load) turned to its fallback URL \(index + 1). \(error)"
        case .resorted(let load, .serverThumbnail, let error): "\(load) turned to a server-made thumbnail. \(error)"
        case .refusedThumbnail(let load, let error): "\(load) turned to the original. \(error)"
        // What the error says may hold a path: its kind has to do.
        case .cacheFault(let operation, let error): "cache fault: couldn't \(operation) (\(type(of: error)))"
        case .removedDamaged(let source): "removed damaged bytes of \(source?.description ?? "an image")"
        }
    }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPExchangeMetrics {
    /// ", h2, new connection in 12.3 ms"; empty where the transport doesn't say.
    fileprivate var remark: String {
        let name = networkProtocol.map { ", \($0)" } ?? ""
        if reusedConnection { return name + ", open connection" }
        return name + (connectTime.map { ", new connection in \($0.inMilliseconds)" } ?? "")
    }
}

extension Duration {
    /// "12.3 ms".
    fileprivate var inMilliseconds: String {
        let tenths = Int64((self / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)) ms"
    }
}
