import Foundation

/// Counts that are checked in, and by how much a run may exceed them: a file with a line for each case, its name, its
/// count, and its tolerance in percent. Lines that begin with `#` are comments.
struct BenchGate: Sendable {
    struct Line: Sendable {
        let name: String
        var count: Double
        let tolerance: Double

        /// The most that the case may come to.
        var most: Double { count * (1 + tolerance / 100) }
    }

    let url: URL
    private let comments: [Substring]
    private(set) var lines: [Line]

    /// - Throws: ``UsageError`` naming the line that isn't one; Foundation's error for a file that can't be read.
    init(_ url: URL) throws {
        try self.init(url, String(contentsOf: url, encoding: .utf8))
    }

    init(_ url: URL, _ text: String) throws {
        self.url = url
        let all = text.split(separator: "\n")
        comments = all.filter { $0.hasPrefix("#") }
        lines = try all.filter { !$0.hasPrefix("#") }.map { line in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count == 3, let count = Double(words[1]), let tolerance = Double(words[2]), count > 0,
                tolerance >= 0
            else { throw UsageError("The gate has no case, count and tolerance in \"\(line)\".") }
            let name = String(words[0])
            guard BenchCase.all.contains(where: { $0.name == name }) else {
                throw UsageError("The gate's \(UsageError.quoted(name)) is no case.")
            }
            return Line(name: name, count: count, tolerance: tolerance)
        }
    }

    /// A row with the gate as its bound. What has become cheaper says so: its count may be recorded anew.
    func judged(_ row: BenchRow) -> BenchRow {
        guard let line = lines.first(where: { $0.name == row.name }) else { return row }
        var row = row
        row.bound = .atMost(line.most)
        guard let measured = row.measured else { return row }
        row.details.append(.init(name: "checked in", value: line.count))
        row.details.append(.init(name: "change", value: (measured / line.count - 1) * 100, unit: "%"))
        if measured < line.count * (1 - line.tolerance / 100) { row.note = "better: record it with --record" }
        return row
    }

    /// The file with the counts that have been measured, their tolerances as they were.
    func recorded(_ rows: [BenchRow]) -> String {
        let lines = lines.map { line in
            let measured = rows.first { $0.name == line.name }?.measured ?? line.count
            return "\(line.name)\t\(Int(measured.rounded()))\t\(line.tolerance.figure)"
        }
        return (comments.map(String.init) + lines).joined(separator: "\n") + "\n"
    }
}
