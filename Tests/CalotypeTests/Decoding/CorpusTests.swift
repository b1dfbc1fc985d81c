// The expectations are those of the libraries that Linux has.
#if os(Linux)
import Foundation
import Testing

@testable import Calotype

@Suite("The corpus", .enabled(if: ImageFixture.corpus != nil, "shared/corpus isn't beside the package"))
struct CorpusTests {
    static let names = ImageFixture.corpusNames(
        ".jpg", ".mpo", ".png", ".png.bin", ".apng", ".gif", ".webp", ".avif", ".heic", ".heif", ".hif", ".jxl")

    @Test(
        "each file is decoded to its size, frames and colours, or refused for the right reason",
        arguments: names.filter(isSupported))
    func file(_ name: String) throws {
        let expected = try #require(CorpusGolden.table().first { $0.name == name }, "make golden adds it")
        let actual = try CorpusGolden(decoding: name)
        #expect(actual.matches(expected), "\(actual) instead of \(expected)")
    }

    /// The format of a file of that name, if its decoder can be left out of a build.
    static func traitFormat(_ name: String) -> ImageFormat? {
        let formats: [String: ImageFormat] = [
            "avif": .avif, "heic": .heic, "heif": .heic, "hif": .heic, "jxl": .jpegXL,
        ]
        return formats[URL(filePath: name).pathExtension]
    }

    /// Whether what decodes a file of that name is there.
    static func isSupported(_ name: String) -> Bool {
        traitFormat(name).map(SystemImageDecoder().supports) ?? true
    }

    @Test("no file is of an unsupported format, where all formats are built in")
    func formats() throws {
        let table = try CorpusGolden.table()
        #expect(table.map(\.name) == Self.names.sorted())
        for line in table { #expect(line.outcome != .refused("unsupportedFormat"), "\(line)") }
    }

    @Test("no file that is cut off is taken for a whole one")
    func truncation() throws {
        let cut = try CorpusGolden.table().filter { $0.name.hasPrefix("trunc") }
        #expect(cut.count == 11)
        for line in cut { #expect(line.outcome == .refused("incomplete"), "\(line)") }
    }

    @Test(
        "the golden table is recorded on demand, with all formats, and never by CI",
        .enabled(if: ProcessInfo.processInfo.environment["CALOTYPE_RECORD_GOLDEN"] != nil))
    func record() throws {
        try #require(ProcessInfo.processInfo.environment["CI"] == nil)
        try #require(Self.names.allSatisfy(Self.isSupported), "Some formats aren't built in.")
        try CorpusGolden.record(Self.names)
    }

    @Test(
        "turned photographs stand upright",
        arguments: ImageFixture.corpusNames(".jpg", ".avif", ".jxl").filter {
            $0.contains("orient-") || $0.contains("irot-imir") || $0.contains("orient6")
        }.filter { isSupported($0) && !$0.contains("invalid") })
    func orientation(_ name: String) throws {
        let bitmap = try ImageDecoders.system.decode(
            ImageFixture.corpusData(name), options: DecodeOptions(target: .fit(width: 200, height: 200))
        ).bitmap
        let inset = 4
        let corners = [
            bitmap[inset, inset], bitmap[bitmap.size.width - inset, inset], bitmap[inset, bitmap.size.height - inset],
        ]
        #expect(corners.map { Hue($0) } == [.red, .green, .blue])
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
