import Calotype
import Foundation

/// A line of `calo inspect --json`. Keys without a value are left out.
struct InspectRecord: Encodable {
    let file: String
    /// "decoded" or "failed".
    let status: String
    var message: String?
    var format: String?
    var bytes: Int?
    var pixels: LoadRecord.Size?
    var storedPixels: LoadRecord.Size?
    var color: String?
    var isProgressive: Bool?
    var scans: Int?
    var isCutOff: Bool?
    var frames: Int?
    var decodedPixels: LoadRecord.Size?
    var colorSpace: String?
    var milliseconds: Double?
    var expectedBytes: Int?
    var peakBytes: Int?

    init(_ found: InspectedFile) {
        file = found.name.printable
        format = found.inspection.header.format.description
        bytes = found.byteCount
        pixels = found.inspection.header.pixelSize.map(LoadRecord.Size.init)
        storedPixels = found.inspection.storedSize.map(LoadRecord.Size.init)
        color = found.inspection.color
        isProgressive = found.inspection.isProgressive ? true : nil
        scans = found.inspection.scanCount
        isCutOff = found.inspection.isCutOff ? true : nil
        expectedBytes = found.estimatedByteCount
        switch found.decode {
        case .failure(let error):
            status = "failed"
            message = "\(error)"
        case .success(let decode):
            status = "decoded"
            frames = decode.frameCount
            decodedPixels = LoadRecord.Size(decode.pixelSize)
            colorSpace = "\(decode.colorSpace)"
            milliseconds = LoadRecord.rounded(decode.time)
            peakBytes = decode.growth
        }
    }

    init(_ name: String, _ error: any Error) {
        file = name.printable
        status = "failed"
        message = "\(error)"
    }
}
