import Calotype
import Foundation

/// What each file of the corpus becomes: a line of Fixtures/corpus.tsv.
///
///     file <TAB> 640x480 <TAB> frames <TAB> sRGB <TAB> corners        what is decoded
///     file <TAB> refused <TAB> reason                                 what isn't
///
/// Corners are the colours a little inside the upper left, upper right, lower left and lower right, as RRGGBBAA,
/// premultiplied, of a decode to fit 120 x 120; of an animation, those of the first frame and then those of the last.
struct CorpusGolden: Equatable, CustomStringConvertible {
    enum Outcome: Equatable {
        case decoded(size: PixelSize, frameCount: Int, space: String, corners: [[UInt8]])
        case refused(String)
    }

    let name: String
    let outcome: Outcome

    /// What comes of a file now.
    init(decoding name: String) throws {
        self.name = name
        let options = DecodeOptions(target: .fit(width: 120, height: 120))
        do {
            let image = try ImageDecoders.system.decode(ImageFixture.corpusData(name), options: options)
            let last = try image.animation.map { try $0.frame(at: $0.frameCount - 1) }
            outcome = .decoded(
                size: image.originalPixelSize, frameCount: image.animation?.frameCount ?? 1,
                space: "\(image.colorSpace)",
                corners: Self.corners(of: image.bitmap) + (last.map { Self.corners(of: $0.bitmap) } ?? []))
        } catch let error as ImageError {
            outcome = .refused(Mirror(reflecting: error.reason).children.first?.label ?? "\(error.reason)")
        }
    }

    init?(line: Substring) {
        let fields = line.split(separator: "\t").map(String.init)
        guard fields.count >= 3 else { return nil }
        name = fields[0]
        if fields[1] == "refused" {
            outcome = .refused(fields[2])
            return
        }
        let sides = fields[1].split(separator: "x").compactMap { Int($0) }
        guard fields.count == 5, sides.count == 2, let frameCount = Int(fields[2]) else { return nil }
        let corners = fields[4].split(separator: " ").map { corner in
            stride(from: 0, to: 8, by: 2).compactMap { UInt8(corner.dropFirst($0).prefix(2), radix: 16) }
        }
        outcome = .decoded(
            size: PixelSize(width: sides[0], height: sides[1]), frameCount: frameCount, space: fields[3],
            corners: corners)
    }

    var description: String {
        switch outcome {
        case .refused(let reason):
            return "\(name)\trefused\t\(reason)"
        case .decoded(let size, let frameCount, let space, let corners):
            let texts = corners.map { $0.map { String(format: "%02x", $0) }.joined() }
            return "\(name)\t\(size.width)x\(size.height)\t\(frameCount)\t\(space)\t\(texts.joined(separator: " "))"
        }
    }

    /// The same but for colours, of which each channel may differ by 3: versions of the libraries round differently.
    func matches(_ other: CorpusGolden) -> Bool {
        guard
            case .decoded(let size, let frameCount, let space, let corners) = outcome,
            case .decoded(let otherSize, let otherFrameCount, let otherSpace, let otherCorners) = other.outcome
        else { return self == other }
        let distance = zip(corners.joined(), otherCorners.joined()).map { abs(Int($0) - Int($1)) }.max() ?? 0
        return size == otherSize && frameCount == otherFrameCount && space == otherSpace && distance <= 3
            && corners.count == otherCorners.count
    }

    private static func corners(of bitmap: Bitmap) -> [[UInt8]] {
        let (right, bottom) = (bitmap.size.width * 7 / 8, bitmap.size.height * 7 / 8)
        let (left, top) = (bitmap.size.width / 8, bitmap.size.height / 8)
        return [(left, top), (right, top), (left, bottom), (right, bottom)].map { x, y in
            let pixel = bitmap[x, y]
            return [pixel.red, pixel.green, pixel.blue, pixel.alpha]
        }
    }
}

extension CorpusGolden {
    private static var file: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/corpus.tsv")
    }

    /// The table, in the order of the names.
    static func table() throws -> [CorpusGolden] {
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { CorpusGolden(line: $0) }
    }

    /// Writes the table anew: `make golden`. Every changed line is to be looked at before it is committed.
    static func record(_ names: [String]) throws {
        let lines = try names.map { try CorpusGolden(decoding: $0).description }
        let head = "# What each file of the corpus becomes. Written by `make golden`; see CorpusGolden.swift.\n"
        try (head + lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
    }
}
