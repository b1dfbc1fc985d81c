import Calotype

/// What the store on disk costs, each in a process of its own.
enum StoreCase: String, CaseIterable {
    case read = "store-read"
    case miss = "store-miss"
    case add = "store-add"
    case addLarge = "store-add-100k"
    case open = "store-open"
    case trim = "store-trim"
    case impressions = "store-impressions"
    case inlineOverhead = "store-overhead-inline"
    case fileOverhead = "store-overhead-files"

    /// What is measured.
    var title: String {
        switch self {
        case .read: "reading a 20 KB body, checksum included, 16 at a time"
        case .miss: "looking up what isn't stored, 16 at a time"
        case .add: "storing 20 KB, 16 at a time"
        case .addLarge: "storing 100 KB, 16 at a time: a file each"
        case .open: "opening a store of 100,000 responses, with its first lookup"
        case .trim: "removing 10,000 responses of 2 to 40 KB"
        case .impressions: "loading 100,000 impressions of a store on disk into a table"
        case .inlineOverhead: "disk space beyond bodies and metadata, bodies of 2 to 40 KB"
        case .fileOverhead: "the same, bodies of 80 to 400 KB"
        }
    }

    var unit: String {
        switch self {
        case .read, .miss, .add, .addLarge: "us"
        case .open, .trim, .impressions: "ms"
        case .inlineOverhead, .fileOverhead: "%"
        }
    }

    /// The most it may be.
    var limit: Double? {
        switch self {
        case .read: 40
        case .miss: 6
        case .add: 150
        case .addLarge: nil
        case .open: 10
        case .trim: 400
        case .impressions: 50
        case .inlineOverhead: 25
        case .fileOverhead: 3
        }
    }

    /// What the numbers of a round are, after the first one.
    var details: [(name: String, unit: String?)] {
        switch self {
        case .read: [("one at a time", nil), ("bare file", nil), ("bare SQLite", nil)]
        case .miss: [("one at a time", nil), ("bare SQLite", nil)]
        case .add, .addLarge: [("one at a time", nil), ("bare file", nil), ("bare SQLite", nil)]
        case .open, .impressions: [("elapsed", nil)]
        case .trim: [("elapsed", nil), ("making the file smaller afterwards", nil)]
        case .inlineOverhead, .fileOverhead: [("log", "bytes"), ("free pages", "bytes")]
        }
    }

    /// The median of three processes.
    var benchCase: BenchCase {
        BenchCase(
            .store, BenchRow(name: rawValue, title: title, unit: unit, bound: limit.map { .atMost($0) })
        ) { row, context in
            var rounds: [[Double]] = []
            for _ in 0..<3 { rounds.append(try await context.measure([rawValue])) }
            let medians = (rounds.first ?? []).indices.map { index in Double.median(rounds.map { $0[index] }) }
            row.measured = medians.first
            row.details = zip(details, medians.dropFirst()).map {
                .init(name: $0.name, value: $1, unit: $0.unit)
            }
        }
    }
}
