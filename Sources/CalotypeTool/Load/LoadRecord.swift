import Calotype
import Foundation

/// A line of `calo load --json`. Keys without a value are left out.
struct LoadRecord: Encodable {
    struct Size: Encodable {
        let width: Int
        let height: Int

        init(_ size: PixelSize) {
            width = size.width
            height = size.height
        }
    }

    /// The place among all sources, counted from 1.
    let position: Int
    /// A file's path, or a URL's scheme and host.
    let source: String
    /// "loaded", "failed" or "cancelled".
    let status: String
    var layer: String?
    var format: String?
    var original: Size?
    var pixels: Size?
    /// The length of the file.
    var bytes: Int64?
    /// What came over the network for it.
    var receivedBytes: Int64?
    var milliseconds: Double?
    var decodeMilliseconds: Double?
    /// How many unfinished images there were to show, if any.
    var previews: Int?
    var firstPreviewMilliseconds: Double?
    var output: String?
    var stage: String?
    var message: String?

    init(_ item: LoadItem, _ outcome: LoadOutcome) {
        position = item.position
        source = item.name.description
        switch outcome {
        case .loaded(let report, let output):
            status = "loaded"
            layer = report.layer.rawValue
            format = report.format?.description
            original = Size(report.originalPixelSize)
            pixels = Size(report.pixelSize)
            bytes = report.bodyByteCount
            receivedBytes = report.receivedByteCount
            milliseconds = Self.rounded(report.duration)
            decodeMilliseconds = report.times.decode.map(Self.rounded)
            previews = report.previewCount > 0 ? report.previewCount : nil
            firstPreviewMilliseconds = report.times.firstPreview.map(Self.rounded)
            self.output = output?.printable
        case .failed(let message, let stage):
            status = "failed"
            self.message = message
            self.stage = stage?.rawValue
        case .cancelled:
            status = "cancelled"
        }
    }

    /// To microseconds.
    static func rounded(_ duration: Duration) -> Double {
        (duration.millisecondCount * 1_000).rounded() / 1_000
    }
}

extension Encodable {
    /// The object on one line.
    var jsonLine: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Numbers and strings alone: nothing that JSON can't hold.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
