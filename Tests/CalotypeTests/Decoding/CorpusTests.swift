// The expectations are those of the libraries that Linux has.
#if os(Linux)
import Foundation
import Testing

@testable import Calotype

@Suite("The corpus", .enabled(if: ImageFixture.corpus != nil, "shared/corpus isn't beside the package"))
struct CorpusTests {
    static let names = ImageFixture.corpusNames(
        ".jpg", ".mpo", ".png", ".png.bin", ".apng", ".gif", ".webp", ".avif", ".heic", ".heif", ".hif", ".jxl")

    @Test("each file is decoded to its size, frames and colours, or refused for the right reason", arguments: names)
    func file(_ name: String) throws {
        let expected = try #require(CorpusGolden.table().first { $0.name == name }, "make golden adds it")
        let actual = try CorpusGolden(decoding: name)
        if case .refused("unsupportedFormat") = actual.outcome, !Self.isBuiltIn(name) { return }
        #expect(actual.matches(expected), "\(actual) instead of \(expected)")
    }

    /// Whether the decoder of that file's format is part of this build: AVIF, HEIC and JPEG XL can be left out.
    private static func isBuiltIn(_ name: String) -> Bool {
        guard let data = try? ImageFixture.corpusData(name), case .image(let header) = ImageHeader.parse(data) else {
            return true
        }
        return ImageDecoders.system.decoder(for: header.format) != nil
    }

    @Test("no file that is cut off is taken for a whole one")
    func truncation() throws {
        let cut = try CorpusGolden.table().filter { $0.name.hasPrefix("trunc") }
        #expect(cut.count == 11)
        for line in cut { #expect(line.outcome == .refused("incomplete"), "\(line)") }
    }

    @Test(
        "the golden table is recorded on demand, and never by CI",
        .enabled(if: ProcessInfo.processInfo.environment["CALOTYPE_RECORD_GOLDEN"] != nil))
    func record() throws {
        #expect(ProcessInfo.processInfo.environment["CI"] == nil)
        try CorpusGolden.record(Self.names)
    }

    @Test(
        "every file's header parses to its format, in any prefix",
        arguments: names)
    func header(_ name: String) throws {
        let data = try ImageFixture.corpusData(name)
        for length in [1, 3, 8, 12, 16, 20, 24, 30, 64, 300, 4096, data.count] where length <= data.count {
            if case .notAnImage = ImageHeader.parse(data.prefix(length)) {
                #expect(
                    name.contains("corrupted") || name.contains("empty") || name.contains("bad.png"), "at \(length)")
            }
        }
    }
}
#endif
