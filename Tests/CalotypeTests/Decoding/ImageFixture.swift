import Calotype
import CalotypeTesting
import Foundation
import Testing

/// The files of Fixtures/Images, which FIXTURES.tsv describes, and the larger corpus beside the package, if it is there.
enum ImageFixture {
    static func data(_ name: String) throws -> Data {
        let url = try #require(Bundle.module.url(forResource: "Fixtures/Images/\(name)", withExtension: nil))
        return try Data(contentsOf: url)
    }

    /// The folder of files that are too large or too many to keep in the package: where CALOTYPE_CORPUS says, or
    /// shared/corpus beside the package.
    static let corpus: URL? = {
        if let path = ProcessInfo.processInfo.environment["CALOTYPE_CORPUS"] { return URL(filePath: path) }
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let workspaces = [package.deletingLastPathComponent()]
        return workspaces.map { $0.appending(path: "shared/corpus") }.first {
            FileManager.default.fileExists(atPath: $0.appending(path: "MANIFEST.tsv").path)
        }
    }()

    /// The names of the corpus with such endings, in order.
    static func corpusNames(_ extensions: String...) -> [String] {
        guard let corpus, let names = try? FileManager.default.contentsOfDirectory(atPath: corpus.path) else {
            return []
        }
        return names.filter { name in extensions.contains { name.hasSuffix($0) } }.sorted()
    }

    static func corpusData(_ name: String) throws -> Data {
        try Data(contentsOf: #require(corpus).appending(path: name))
    }
}

/// The names of the colours in the fixtures' quadrants.
enum Hue: String, Sendable {
    case red, green, blue, white, gray, black

    init(_ pixel: (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)) {
        switch (pixel.red > 127, pixel.green > 127, pixel.blue > 127) {
        case (true, false, false): self = .red
        case (false, true, false): self = .green
        case (false, false, true): self = .blue
        case (true, true, true): self = .white
        case (false, false, false): self = .black
        default: self = .gray
        }
    }

    /// The colours a little inside the corners: upper left, upper right, lower left, lower right.
    static func corners(of bitmap: Bitmap) -> [Hue] {
        let (right, bottom) = (bitmap.size.width * 7 / 8, bitmap.size.height * 7 / 8)
        let (left, top) = (bitmap.size.width / 8, bitmap.size.height / 8)
        return [(left, top), (right, top), (left, bottom), (right, bottom)].map { Hue(bitmap[$0.0, $0.1]) }
    }
}

/// The reason of the error that `body` throws.
func imageErrorReason(_ body: () throws -> Void) -> ImageError.Reason? {
    do {
        try body()
        return nil
    } catch let error as ImageError {
        return error.reason
    } catch {
        Issue.record("\(error) is no ImageError")
        return nil
    }
}

extension Data {
    /// The data with 1 to 4 changes: a byte replaced, a bit flipped, bytes cut out, repeated or cut off.
    func mutated(using generator: inout SeededGenerator) -> Data {
        var bytes = [UInt8](self)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            guard bytes.count > 8 else { break }
            let index = Int.random(in: bytes.indices, using: &generator)
            let length = Int.random(in: 1...16, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.removeSubrange(index..<Swift.min(index + length, bytes.count))
            case 3: bytes.insert(contentsOf: bytes[index..<Swift.min(index + length, bytes.count)], at: index)
            case 4: bytes[index] = [0x00, 0xFF, 0x7F, 0x80].randomElement(using: &generator) ?? 0
            default: bytes.removeSubrange(Int.random(in: 8..<bytes.count, using: &generator)...)
            }
        }
        return Data(bytes)
    }
}
