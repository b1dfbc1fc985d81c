import Foundation

/// What scrolling the feed took on one side.
struct FeedReport: Codable, Sendable {
    /// What the rows showed.
    let record: FeedRecord
    let decodes: FeedDecoder.Count
    /// The most memory that the process took, program and codecs included.
    let peakByteCount: Int
    /// What the server saw.
    var traffic = FeedServer.Traffic()
}

/// What the process of one side hands back.
struct FeedResult: Codable, Sendable {
    var report: FeedReport
    let film: [FilmFrame]
    /// The pictures as they were rendered, as a PNG file; of the side that can tell.
    let contactSheet: Data?
}

/// The reports of both sides, for people and for programs.
struct FeedTable {
    /// A figure of both sides.
    struct Line {
        let name: String
        /// One for each side; "-" where there is none.
        let figures: [String]
        /// How much more the first side took: "8x". Empty where that is chance or nothing.
        let ratio: String
    }

    let sides: [(side: FeedSide, report: FeedReport)]

    /// Both sides beside each other, and how much more the first one took where that isn't chance.
    var text: String {
        ([row("", sides.map(\.side.title), "")] + lines.map { row($0.name, $0.figures, $0.ratio) })
            .joined(separator: "\n")
    }

    var lines: [Line] {
        [
            line("requests") { Double($0.traffic.requestCount) },
            line("bytes") { Double($0.traffic.byteCount) },
            line("pictures decoded") { Double($0.decodes.decodeCount) },
            line("megapixels decoded") { Double($0.decodes.pixelCount) / 1e6 },
            line("times a row came into view") { Double($0.record.appearanceCount) },
            line("  and showed a placeholder at first") { Double($0.record.blankAppearanceCount) },
            line("  although its picture had been there") { Double($0.record.flashCount) },
            line("placeholders, summed over the rows", "ms") { $0.blankMilliseconds },
            line("first picture after", "ms", compares: false) { $0.record.firstPicture?.millisecondCount },
            line("first screen complete after", "ms", compares: false) { $0.record.firstScreen?.millisecondCount },
            line("peak memory of the process", "MiB") { Double($0.peakByteCount) / 1_048_576 },
        ]
    }

    /// A figure of every side.
    private func line(
        _ name: String, _ unit: String? = nil, compares: Bool = true, _ value: (FeedReport) -> Double?
    ) -> Line {
        let values = sides.map { value($0.report) }
        let figures = values.map { value in value.map { $0.figure + (unit.map { " " + $0 } ?? "") } ?? "-" }
        var ratio = ""
        if compares, let first = values.first ?? nil, let last = values.last ?? nil, last > 0, first != last {
            ratio = "\((first / last).figure)x"
        }
        return Line(name: name, figures: figures, ratio: ratio)
    }

    /// At most 79 columns for two sides.
    private func row(_ name: String, _ figures: [String], _ ratio: String) -> String {
        let columns = zip(sides, figures).map { $1.rightAligned(to: max(15, $0.side.title.count + 1)) }
        return name.padded(to: 37) + columns.joined() + (ratio.isEmpty ? "" : ratio.rightAligned(to: 8))
    }

    /// A side in the JSON document.
    struct Entry: Encodable {
        let name: String
        let requests, bytes, decodes, decodedPixels, appearances, appearancesWithPlaceholder, flashes: Int
        let placeholderMilliseconds: Double
        let firstPictureMilliseconds, firstScreenMilliseconds: Double?
        let failures, peakMemoryBytes: Int

        init(_ side: FeedSide, _ report: FeedReport) {
            name = side.rawValue
            (requests, bytes) = (report.traffic.requestCount, report.traffic.byteCount)
            (decodes, decodedPixels) = (report.decodes.decodeCount, report.decodes.pixelCount)
            appearances = report.record.appearanceCount
            appearancesWithPlaceholder = report.record.blankAppearanceCount
            flashes = report.record.flashCount
            placeholderMilliseconds = report.blankMilliseconds.rounded()
            firstPictureMilliseconds = report.record.firstPicture?.millisecondCount.rounded()
            firstScreenMilliseconds = report.record.firstScreen?.millisecondCount.rounded()
            (failures, peakMemoryBytes) = (report.record.failureCount, report.peakByteCount)
        }
    }
}

extension FeedReport {
    /// For how long placeholders were shown, summed over the rows.
    fileprivate var blankMilliseconds: Double {
        Double(record.blankFrameCount) * 1_000 / Double(FeedScript.framesPerSecond)
    }
}
