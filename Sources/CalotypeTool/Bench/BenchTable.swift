import Foundation

/// The lines that `calo bench` prints.
enum BenchTable {
    static let header = line("case", "measured", "bound", "state", "what")

    static func row(_ row: BenchRow) -> String {
        let details = row.details.map { "\($0.name) \($0.value.figure)\($0.unit.map { " " + $0 } ?? "")" }
        let what: [String?] = [row.title, details.isEmpty ? nil : details.joined(separator: ", "), row.note]
        return line(
            row.name, row.measured.map { "\($0.figure) \(row.unit)" } ?? "-", row.bound.map(bound) ?? "-",
            row.state.rawValue, what.compactMap { $0 }.joined(separator: "; "))
    }

    /// "All 21 bounds hold." or which don't.
    static func summary(_ rows: [BenchRow], duration: Duration) -> String {
        let bounded = rows.filter { $0.bound != nil }
        let failed = bounded.filter { !$0.isOK }.map { "\($0.name) (\($0.state.rawValue))" }
        let verdict =
            failed.isEmpty
            ? bounded.isEmpty ? "There is no bound." : "All \(bounded.count) bounds hold."
            : "\(failed.count) of \(bounded.count) bounds don't hold: \(failed.joined(separator: ", "))."
        return "\(verdict) Measured in \(Int64(duration.millisecondCount / 1_000).grouped) s."
    }

    /// One document: whether all bounds hold, and the cases.
    static func json(_ rows: [BenchRow]) throws -> String {
        struct Report: Encodable {
            let ok: Bool
            let cases: [BenchRow]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let data = try encoder.encode(Report(ok: rows.allSatisfy(\.isOK), cases: rows))
        return String(decoding: data, as: UTF8.self)
    }

    private static func bound(_ bound: BenchRow.Bound) -> String {
        switch bound {
        case .atMost(let most): "<= \(most.figure)"
        case .atLeast(let least): ">= \(least.figure)"
        }
    }

    /// Columns keep their width, whatever comes later: rows are printed while the rest is measured.
    private static func line(_ name: String, _ measured: String, _ bound: String, _ state: String, _ what: String)
        -> String
    {
        name.padded(to: 28) + measured.rightAligned(to: 20) + bound.rightAligned(to: 11) + "  "
            + state.padded(to: 14) + what
    }
}

extension Double {
    /// Three digits or so: "12,345", "23.4", "1.48", "0.988".
    var figure: String {
        guard isFinite else { return self == .infinity ? "infinite" : "-" }
        let places =
            switch magnitude {
            case 100...: 0
            case 10..<100: 1
            case 1..<10: 2
            default: 3
            }
        let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int64((magnitude * Double(scale)).rounded())
        let sign = self < 0 && scaled > 0 ? "-" : ""
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
        guard part != 0 else { return sign + whole.grouped }
        var digits = String(part)
        digits = String(repeating: "0", count: places - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole.grouped).\(digits)"
    }
}
