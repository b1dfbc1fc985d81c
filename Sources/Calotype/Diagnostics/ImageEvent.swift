/// Something that happened on the way to an image. ``ImagePipeline/Configuration/onEvent`` is told of it, as it happens.
///
///     began ─ joined ───────────────────────────────────────────────────────────┐
///       └──── lookedUp ─ requested ─ responded ─ received ─ decoding ─ decoded ─┴─ loaded | failed | cancelled
///
/// Work that several loads share is told once, by the label of the load that began it; the others have said in `joined`
/// which that is. A load that memory answers has a beginning and an end alone. One that is answered with something stale
/// ends twice: with that, and with what its server says; if it is cancelled in between, with that alone. Loads of bytes
/// (``ImagePipeline/data(for:)-(ImageRequest)``, an ``ImagePrefetcher`` to disk) tell of their work, up to `received`, and of
/// neither beginning nor end.
///
/// Each redirect, refusal and new attempt has a `requested` of its own. `retrying`, `resorted` and `refusedThumbnail` say why
/// the way is gone once more.
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
    /// An image server has made no thumbnail, or none that will do, and the original is loaded in its place; or it can't be
    /// reached or fails, and the stored original stands in.
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
    /// ```swift
    /// configuration.onEvent = ImageEvent.log(from: .notice) { level, message in
    ///     logger.log(level: level == .error ? .error : .notice, "\(message)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - lowest: The least level that is written.
    ///   - write: Called on any thread; must not block.
    public static func log(
        from lowest: Level = .info, _ write: @escaping @Sendable (Level, String) -> Void
    ) -> @Sendable (ImageEvent) -> Void {
        { event in
            let level = event.level
            if level >= lowest { write(level, event.description) }
        }
    }
}
