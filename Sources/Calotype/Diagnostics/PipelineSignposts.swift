#if canImport(os)
import os

/// Draws loads as intervals in Instruments (os_signpost), by the events of pipelines.
///
///     configuration.onEvent = PipelineSignposts().record
///
/// There is an interval for each load, and for the work that loads may share one for each request, body and decode; what
/// else happens is a point in time. They name schemes, hosts and the numbers of loads. While Instruments doesn't record, an
/// event costs little more than being made.
///
/// - Isolation: Any thread. A value: nothing is kept of intervals that are open, since the number of a load names them.
public struct PipelineSignposts: Sendable {
    private enum Kind: UInt64 {
        case load, request, body, decode
    }

    private let signposter: OSSignposter

    /// Makes signposts of that subsystem, in the category "Calotype".
    public init(subsystem: String = "Calotype") {
        signposter = OSSignposter(subsystem: subsystem, category: "Calotype")
    }

    /// Draws what an event begins or ends.
    public func record(_ event: ImageEvent) {
        guard signposter.isEnabled else { return }
        let text = event.description
        switch event {
        case .began(let load, _):
            _ = signposter.beginInterval("Load", id: id(.load, load.number), "\(text, privacy: .public)")
        case .loaded(let report):
            signposter.endInterval("Load", state(.load, report.number), "\(text, privacy: .public)")
        case .failed(let load, _), .cancelled(let load):
            // Whatever was going on for it is over.
            signposter.endInterval("Request", state(.request, load.number))
            signposter.endInterval("Body", state(.body, load.number))
            signposter.endInterval("Load", state(.load, load.number), "\(text, privacy: .public)")
        case .requested(let load):
            _ = signposter.beginInterval("Request", id: id(.request, load.number), "\(text, privacy: .public)")
        case .responded(let load, _, _):
            signposter.endInterval("Request", state(.request, load.number), "\(text, privacy: .public)")
            _ = signposter.beginInterval("Body", id: id(.body, load.number))
        case .received(let load, _):
            signposter.endInterval("Body", state(.body, load.number), "\(text, privacy: .public)")
        case .decoding(let load):
            _ = signposter.beginInterval("Decode", id: id(.decode, load.number), "\(text, privacy: .public)")
        case .decoded(let load, _):
            signposter.endInterval("Decode", state(.decode, load.number), "\(text, privacy: .public)")
        case .joined, .priorityChanged, .lookedUp, .retrying, .resorted, .refusedThumbnail, .cacheFault,
            .removedDamaged:
            signposter.emitEvent("Event", id: .exclusive, "\(text, privacy: .public)")
        }
    }

    /// Neither 0 nor all ones, which mean something else: loads count from 1.
    private func id(_ kind: Kind, _ number: UInt64) -> OSSignpostID {
        OSSignpostID(number << 2 | kind.rawValue)
    }

    /// What an interval is ended with that has begun elsewhere.
    private func state(_ kind: Kind, _ number: UInt64) -> OSSignpostIntervalState {
        .beginState(id: id(kind, number))
    }
}
#endif
