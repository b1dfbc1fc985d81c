/// What an event says: in one line, with schemes, hosts and numbers alone.
extension ImageEvent: CustomStringConvertible, CustomReflectable {
    /// One line, safe to log.
    public var description: String {
        // A report names its load.
        if case .loaded = self { return remark }
        return load.map { "\($0) \(remark)" } ?? remark
    }

    /// The load that it has happened to; `nil` for what is about a cache, or all in a report.
    var load: LoadLabel? {
        switch self {
        case .began(let load, _), .joined(let load, _), .priorityChanged(let load, _), .lookedUp(let load, _),
            .requested(let load), .responded(let load, _, _), .received(let load, _), .decoding(let load),
            .decoded(let load, _), .failed(let load, _), .cancelled(let load), .retrying(let load, _, _, _),
            .resorted(let load, _, _), .refusedThumbnail(let load, _):
            load
        case .loaded, .cacheFault, .removedDamaged: nil
        }
    }

    /// What has happened, without the load's label.
    var remark: String {
        switch self {
        case .began(_, let priority): "began, priority \(priority)"
        case .joined(_, let work): "joined the work of #\(work)"
        case .priorityChanged(_, let priority): "priority is now \(priority)"
        case .lookedUp(_, let reason): "looked at the store\(reason.map { ": \($0)" } ?? "")"
        case .requested: "sent a request"
        case .responded(_, let status, let metrics): "status \(status)\(metrics.remark)"
        case .received(_, let byteCount): "received \(byteCount) bytes"
        case .decoding: "began to decode"
        case .decoded(_, let duration): "decoded in \(duration.inMilliseconds)"
        case .loaded(let report): "\(report) in \(report.duration.inMilliseconds)"
        case .failed(_, let error): "failed. \(error)"
        case .cancelled: "cancelled"
        case .retrying(_, let error, let attempt, let delay):
            "attempt \(attempt) follows in \(delay.inMilliseconds). \(error)"
        case .resorted(_, .lowData, let error): "turned to its URL for constrained networks. \(error)"
        case .resorted(_, .fallback(let index), let error): "turned to its fallback URL \(index + 1). \(error)"
        case .resorted(_, .serverThumbnail, let error): "turned to a server-made thumbnail. \(error)"
        case .refusedThumbnail(_, let error): "turned to the original. \(error)"
        // What the error says may hold a path: its kind has to do.
        case .cacheFault(let operation, let error): "cache fault: couldn't \(operation) (\(type(of: error)))"
        case .removedDamaged(let source): "removed damaged bytes of \(source?.description ?? "an image")"
        }
    }

    /// Nothing but the description: a dump may end in a log, too.
    public var customMirror: Mirror { Mirror(redacted: self) }
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
        // A delay may be as long as an app likes.
        let tenths = Int64(min(max((self / .milliseconds(1) * 10).rounded(), -1e18), 1e18))
        return "\(tenths / 10).\(abs(tenths % 10)) ms"
    }
}
