import Calotype
import CalotypeTesting
import Foundation

/// Decoding a 12-megapixel JPEG for a thumbnail or a phone's width, beside decoding all of it and scaling down.
enum DecodeCase: Int, CaseIterable {
    case thumbnail = 264
    case phone = 1_179

    /// Reported without a bound: times differ between machines.
    var benchCase: BenchCase {
        let row = BenchRow(
            name: "decode-\(rawValue)", title: "CPU of decoding a 4000 x 3000 JPEG to \(rawValue) pixels wide",
            unit: "ms")
        return BenchCase(.decode, row) { row, context in
            let file = try DecodeSource.file(in: context.folder)
            let path = file.path(percentEncoded: false)
            let own = try await context.measure([DecodeRound.Way.own.rawValue, "\(rawValue)", path])
            let full = try await context.measure([DecodeRound.Way.full.rawValue, "\(rawValue)", path])
            guard own.count == 2, full.count == 2 else { throw BenchError("bench-measure printed other numbers.") }
            let data = try Data(contentsOf: file)
            let comparison = PixelComparison(
                try DecodeRound.Way.own.decode(data, width: rawValue),
                try DecodeRound.Way.full.decode(data, width: rawValue))
            row.measured = own[0]
            row.details = [
                .init(name: "full decode and resize", value: full[0], unit: "ms"),
                .init(name: "ratio", value: own[0] / full[0]),
                .init(name: "PSNR", value: comparison.psnr, unit: "dB"),
                .init(name: "peak memory", value: own[1] / 1_048_576, unit: "MiB"),
                .init(name: "full", value: full[1] / 1_048_576, unit: "MiB"),
            ]
        }
    }
}

/// Decodes of one way, in a process of their own.
struct DecodeRound: Sendable {
    enum Way: String, Sendable {
        /// As the pipeline does.
        case own = "decode"
        /// All pixels, then scaled down.
        case full = "full-decode"

        func decode(_ data: Data, width: Int) throws -> Bitmap {
            let decoders = ImageDecoders.system
            switch self {
            case .own:
                let options = DecodeOptions(target: .fit(width: width, height: nil))
                return try decoders.decode(data, options: options).bitmap
            case .full:
                let bitmap = try decoders.decode(data).bitmap
                let height = Double(bitmap.size.height * width) / Double(bitmap.size.width)
                return bitmap.resized(to: PixelSize(width: width, height: Int(height.rounded())))
            }
        }
    }

    let way: Way
    let width: Int
    let path: String

    /// `WAY WIDTH FILE`; `nil` for anything else.
    init?(_ arguments: [String]) {
        guard arguments.count == 3, let way = Way(rawValue: arguments[0]), let width = Int(arguments[1]), width > 0
        else { return nil }
        (self.way, self.width, path) = (way, width, arguments[2])
    }

    /// - Returns: CPU milliseconds, the median of nine; and the bytes by which the first one let the process grow at most.
    func measure() throws -> [Double] {
        let data = try Data(contentsOf: URL(filePath: path))
        let before = ProcessMemory.residentByteCount
        _ = try way.decode(data, width: width)
        let peak = ProcessMemory.peakByteCount
        let times = try (0..<9).map { _ in
            let start = ProcessTime.nanoseconds()
            _ = try way.decode(data, width: width)
            return Double(ProcessTime.nanoseconds() - start) / 1e6
        }
        return [.median(times), Double(peak - before)]
    }
}

/// The JPEG that is decoded.
private enum DecodeSource {
    /// 4000 x 3000 pixels of the tool's photos, each 500 x 375 however it was before, in quality 90. Made once a run.
    static func file(in folder: URL) throws -> URL {
        let file = folder.appending(path: "12-megapixels.jpg")
        if FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) { return file }
        let tile = PixelSize(width: 500, height: 375)
        let photos = try Photo.all().map {
            try ImageDecoders.system.decode($0.data).bitmap.resized(to: tile)
        }
        let size = PixelSize(width: 4_000, height: 3_000)
        let bitmap = Bitmap(size: size) { buffer in
            for y in 0..<size.height {
                for column in 0..<size.width / tile.width {
                    let photo = photos[(y / tile.height * 3 + column) % photos.count]
                    let start = y * size.width * 4 + column * photo.bytesPerRow
                    photo.withUnsafeBytes { pixels in
                        let row = pixels[
                            y % tile.height * photo.bytesPerRow..<(y % tile.height + 1) * photo.bytesPerRow]
                        UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + photo.bytesPerRow])
                            .copyMemory(from: UnsafeRawBufferPointer(rebasing: row))
                    }
                }
            }
        }
        try ImageEncoder().encoded(DecodedImage(bitmap: bitmap), as: .jpeg(quality: 90)).write(to: file)
        return file
    }
}
