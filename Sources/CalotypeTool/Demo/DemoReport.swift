import Foundation

/// What `calo demo` has found.
struct DemoReport: Sendable {
    let rowCount: Int
    let sides: [(side: FeedSide, report: FeedReport)]
    let acts: [Act]

    var feed: FeedTable { FeedTable(sides: sides) }
    var story: StoryTable { StoryTable(acts: acts) }

    /// What is wrong, a sentence each.
    var failures: [String] {
        let rows = sides.map(\.report.record.failureCount).reduce(0, +)
        let claims = acts.flatMap { act in act.failures.map { "\(act.name.rawValue): \($0.failure)." } }
        return (rows == 0 ? [] : ["\(rows) rows of the feed got no picture."]) + claims
    }

    /// One document: an object for each side of the feed, and one for each act.
    func json() throws -> String {
        struct Document: Encodable {
            let rows: Int
            let sides: [FeedTable.Entry]
            let acts: [StoryTable.Entry]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let document = Document(
            rows: rowCount, sides: sides.map { .init($0.side, $0.report) }, acts: acts.map(StoryTable.Entry.init))
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }
}
