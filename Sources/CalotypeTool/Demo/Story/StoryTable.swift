import Foundation

/// The acts for people and for programs.
struct StoryTable {
    let acts: [Act]

    /// "warm start: a new launch" and what had to be so in it.
    static func text(of act: Act) -> String {
        let claims = act.claims.map { claim in
            claim.holds ? "  + \(claim.text): \(claim.found)" : "  - NOT SO: \(claim.failure)"
        }
        return ([act.name.rawValue] + claims).joined(separator: "\n")
    }

    /// A line for each act.
    var text: String {
        let lines = acts.map { Self.row($0.name.rawValue, Self.figures(of: $0)) }
        return ([Self.row("", Self.columns)] + lines).joined(separator: "\n")
    }

    /// What ``figures(of:)`` are.
    static let columns = ["rows", "at once", "requests", "304", "bytes", "took"]

    static func figures(of act: Act) -> [String] {
        [
            act.rowCount.grouped, act.shownAtOnceCount.grouped, act.traffic.requestCount.grouped,
            act.traffic.notModifiedCount.grouped, act.traffic.byteCount.grouped, duration(of: act),
        ]
    }

    /// "12.3 ms"
    private static func duration(of act: Act) -> String {
        act.duration.map { "\($0.millisecondCount.figure) ms" } ?? "-"
    }

    /// At most 79 columns.
    private static func row(_ name: String, _ figures: [String]) -> String {
        name.padded(to: 20) + zip([6, 9, 10, 6, 13, 12], figures).map { $1.rightAligned(to: $0) }.joined()
    }

    /// An act in the JSON document.
    struct Entry: Encodable {
        let name: String
        let rows, rowsShownAtOnce, requests, notModified, bytes: Int
        let milliseconds: Double?
        let claims: [Claim]

        init(_ act: Act) {
            name = act.name.rawValue
            (rows, rowsShownAtOnce) = (act.rowCount, act.shownAtOnceCount)
            (requests, notModified) = (act.traffic.requestCount, act.traffic.notModifiedCount)
            bytes = act.traffic.byteCount
            milliseconds = act.duration.map { $0.millisecondCount.rounded() }
            claims = act.claims
        }
    }
}
