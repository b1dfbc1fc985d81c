import Calotype

/// The lines that `calo load` prints: a row for each source, then totals.
struct LoadTable: Sendable {
    var usesColor = false
    var showsPreviews = false

    var header: String {
        row(
            pixels: "pixels", layer: "layer", bytes: "bytes", time: "ms", previews: "previews, first ms", name: "source"
        )
    }

    func row(_ item: LoadItem, _ outcome: LoadOutcome) -> String {
        switch outcome {
        case .loaded(let report, _):
            return row(
                pixels: "\(report.originalPixelSize) -> \(report.pixelSize)", layer: report.layer.rawValue,
                bytes: report.bodyByteCount.grouped, time: report.duration.milliseconds,
                previews: previews(report), name: item.label)
        case .failed:
            return row(pixels: "-", layer: "failed", bytes: "-", time: "-", name: item.label, color: "31")
        case .cancelled:
            return row(pixels: "-", layer: "cancelled", bytes: "-", time: "-", name: item.label, color: "33")
        }
    }

    /// "3, 271.4".
    private func previews(_ report: LoadReport) -> String {
        report.times.firstPreview.map { "\(report.previewCount), \($0.milliseconds)" } ?? "-"
    }

    /// Columns keep their width, whatever comes later: rows are printed while the rest still loads.
    private func row(
        pixels: String, layer: String, bytes: String, time: String, previews: String = "-", name: String,
        color: String? = nil
    ) -> String {
        var layer = layer.padded(to: 12)
        if usesColor, let color { layer = "\u{1B}[\(color)m\(layer)\u{1B}[0m" }
        let previews = showsPreviews ? previews.rightAligned(to: 20) : ""
        return pixels.padded(to: 28) + layer + bytes.rightAligned(to: 11) + time.rightAligned(to: 10) + previews + "  "
            + name
    }
}

/// Sums over the outcomes of a run.
struct LoadTotals: Sendable {
    var loadedCount = 0
    var failedCount = 0
    var cancelledCount = 0
    var writtenCount = 0
    var byteCount: Int64 = 0
    var receivedByteCount: Int64 = 0
    var pixelCount = 0
    /// How many came from each layer.
    var layerCounts: [LoadReport.Layer: Int] = [:]
    var failures: [(label: String, message: String)] = []

    mutating func add(_ item: LoadItem, _ outcome: LoadOutcome) {
        switch outcome {
        case .loaded(let report, let output):
            loadedCount += 1
            layerCounts[report.layer, default: 0] += 1
            if output != nil { writtenCount += 1 }
            byteCount += report.bodyByteCount
            receivedByteCount += report.receivedByteCount
            pixelCount += report.pixelSize.width * report.pixelSize.height
        case .failed(let message, _):
            failedCount += 1
            failures.append((item.label, message))
        case .cancelled:
            cancelledCount += 1
        }
    }

    /// "5 loaded, 1 failed; 3 storage, 2 network; 1,098,812 bytes, 20,480 of them from the network; 2.1 megapixels; 81 ms".
    func line(duration: Duration) -> String {
        let counts = [
            "\(loadedCount) loaded", failedCount > 0 ? "\(failedCount) failed" : nil,
            cancelledCount > 0 ? "\(cancelledCount) cancelled" : nil,
            writtenCount > 0 ? "\(writtenCount) written" : nil,
        ]
        let layers = LoadReport.Layer.allCases.compactMap { layer in
            layerCounts[layer].map { "\($0) \(layer.rawValue)" }
        }
        let tenths = (pixelCount + 50_000) / 100_000
        return [
            counts.compactMap { $0 }.joined(separator: ", "), layers.joined(separator: ", "),
            "\(byteCount.grouped) bytes, \(receivedByteCount.grouped) of them from the network",
            "\(tenths / 10).\(tenths % 10) megapixels", "\(Int64(duration.millisecondCount.rounded()).grouped) ms",
        ].filter { !$0.isEmpty }.joined(separator: "; ")
    }
}
