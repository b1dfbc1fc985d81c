import Calotype
import Foundation

/// What is found out about one file.
struct InspectedFile: Sendable {
    /// A decode to the size that was asked for.
    struct Decode: Sendable {
        var pixelSize: PixelSize
        var colorSpace: DecodedImage.ColorSpace
        var frameCount: Int
        /// Of all frames together; zero for a still image.
        var playTime: Duration
        /// 0 means for ever.
        var loopCount: Int
        var time: Duration
        /// The most by which the process grew; `nil` where the system doesn't say.
        var growth: Int?
    }

    let name: String
    let byteCount: Int
    let inspection: ImageInspection
    /// What a decode was expected to take.
    let estimatedByteCount: Int
    let decode: Result<Decode, ImageError>

    /// Reads, inspects and decodes a file.
    ///
    /// - Throws: ``FileError``; ``ImageError`` if the bytes are no image at all.
    init(_ name: String, size: SizeArgument, decoders: ImageDecoders = .system) throws {
        self.name = name
        let limits = ImageLimits()
        // One byte more than is allowed shows that there are too many.
        let data = try LocalFile.read(name, limit: limits.bodyByteCount + 1)
        byteCount = data.count
        let inspection = try ImageInspection(data, limits: limits)
        self.inspection = inspection
        let target = size.size(.fill).target()
        let format = inspection.header.format
        estimatedByteCount =
            decoders.decoder(for: format)?.estimatedByteCount(
                of: data, format: format, pixelSize: inspection.header.pixelSize, target: target) ?? 0
        decode = try Self.decode(data, DecodeOptions(target: target, limits: limits), decoders)
    }

    private static func decode(
        _ data: Data, _ options: DecodeOptions, _ decoders: ImageDecoders
    ) throws -> Result<Decode, ImageError> {
        let canTell = ProcessMemory.resetPeak()
        let before = ProcessMemory.residentByteCount
        let start = ContinuousClock.now
        do {
            let image = try decoders.decode(data, options: options)
            let time = ContinuousClock.now - start
            return .success(
                Decode(
                    pixelSize: image.pixelSize, colorSpace: image.colorSpace,
                    frameCount: image.animation?.frameCount ?? 1,
                    playTime: image.animation?.durations.reduce(.zero, +) ?? .zero,
                    loopCount: image.animation?.loopCount ?? 1, time: time,
                    growth: canTell ? max(ProcessMemory.peakByteCount - before, 0) : nil))
        } catch let error as ImageError {
            return .failure(error)
        }
    }
}

extension InspectedFile {
    /// A few lines for people.
    var text: String {
        var lines = ["\(name.printable): \(kind), \(byteCount.grouped) bytes"]
        func add(_ title: String, _ text: String) { lines.append("  " + title.padded(to: 9) + text) }
        if let size = inspection.header.pixelSize {
            let turned = inspection.header.orientation != .up
            let stored = turned ? inspection.storedSize.map { ", stored as \($0) and turned" } : nil
            add("pixels", "\(size)\(stored ?? "")")
        }
        add("colours", inspection.color ?? "sRGB, as files are that don't say")
        if inspection.isCutOff { add("end", "missing") }
        switch decode {
        case .failure(let error):
            add("decoded", "no: \(error)")
        case .success(let decode):
            if decode.frameCount > 1 {
                let times = decode.loopCount == 0 ? "for ever" : "\(decode.loopCount) times"
                add("frames", "\(decode.frameCount) in \(decode.playTime.milliseconds) ms, \(times)")
            }
            let memory = decode.growth.map { "\($0.grouped) bytes at the peak, " } ?? ""
            add(
                "decoded",
                "to \(decode.pixelSize), \(decode.colorSpace), in \(decode.time.milliseconds) ms; "
                    + "\(memory)\(estimatedByteCount.grouped) expected")
        }
        return lines.joined(separator: "\n")
    }

    private var kind: String {
        let scans = inspection.scanCount.map { $0 > 1 ? " in \($0) scans" : "" } ?? ""
        return "\(inspection.header.format)\(inspection.isProgressive ? ", progressive" : "")\(scans)"
    }
}
