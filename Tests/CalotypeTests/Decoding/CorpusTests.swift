// The expectations are those of libjpeg-turbo, libpng, libwebp and giflib.
#if os(Linux)
import Foundation
import Testing

@testable import Calotype

@Suite("The corpus", .enabled(if: ImageFixture.corpus != nil, "shared/corpus isn't beside the package"))
struct CorpusTests {
    /// What each file has to become; those that aren't listed only have to be decoded or refused cleanly.
    static let refused: [String: Set<String>] = [
        "bad-crc-idat.png": ["corrupt"],
        "bomb-50000x50000-1bit.png": ["tooManyPixels"],
        "bomb-claims-2e9.png": ["tooManyPixels"],
        "bomb-65500.jpg": ["tooManyPixels"],
        // Its extra scans hold no data.
        "scanbomb-dc-500.jpg": ["limitExceeded", "corrupt"],
        // Half of its picture is noise.
        "hopper_bad_exif.jpg": ["corrupt"],
        // It lacks the first byte of the signature.
        "pngtest_bad.png.bin": ["notAnImage"],
        "truncated_image.png": ["incomplete"],
        "broken.png": ["incomplete", "corrupt"],
        "trunc01-base.jpg": ["incomplete"], "trunc10-base.jpg": ["incomplete"], "trunc50-base.jpg": ["incomplete"],
        "trunc99-base.jpg": ["incomplete"], "trunc01-prog.jpg": ["incomplete"], "trunc99-prog.jpg": ["incomplete"],
        "trunc99-webp.webp": ["incomplete"], "bomb-65535.gif": ["tooManyPixels"],
        // A GIF without any colour table has no colours; Pillow shows it gray.
        "no_palette.gif": ["corrupt"],
        // It claims that its codes begin with 12 bits.
        "issue_2811.gif": ["corrupt"],
        "trunc01-png.png": ["incomplete"], "trunc50-png.png": ["incomplete"], "trunc90-png.png": ["incomplete"],
        // Its second box claims 7 MB and no type: nothing tells what is missing.
        "heif-heif_corrupted_corrupted.heic": ["incomplete"],
        // 28 KB of 6 MB.
        "heif-heif_corrupted_corrupted.hif": ["incomplete"],
        "heif-heif_corrupted_empty.heic": ["notAnImage"],
        "heif-heif_truncated_truncated.heic": ["incomplete"],
    ]

    /// Where the manifest has what Pillow says, which is another matter.
    static let judged: [String: PixelSize] = [
        // The size before irot.
        "avif-rot1mir0.avif": PixelSize(width: 640, height: 427),
        "avif-rot1mir1.avif": PixelSize(width: 640, height: 427),
        "avif-rot3mir0.avif": PixelSize(width: 640, height: 427),
        "avif-rot3mir1.avif": PixelSize(width: 640, height: 427),
        // Not the primary item's, but that of a thumbnail whose reference is broken.
        "heif-heif_other_invalid_id.heic": PixelSize(width: 1197, height: 1227),
    ]

    /// Whether what decodes a file of that name is there: some formats are traits.
    static func isSupported(_ name: String) -> Bool {
        let formats: [String: ImageFormat] = [
            "avif": .avif, "heic": .heic, "heif": .heic, "hif": .heic, "jxl": .jpegXL,
        ]
        return formats[URL(filePath: name).pathExtension].map(SystemImageDecoder().supports) ?? true
    }

    @Test(
        "each file is decoded to its size, or refused for the right reason",
        arguments: ImageFixture.corpusNames(
            ".jpg", ".png", ".mpo", ".png.bin", ".webp", ".gif", ".avif", ".heic", ".heif", ".hif", ".jxl"
        ).filter(isSupported))
    func file(_ name: String) throws {
        let data = try ImageFixture.corpusData(name)
        let expected = Self.refused[name]
        do {
            let target = PixelTarget.fit(width: 120, height: 120)
            let image = try ImageDecoders.system.decode(data, options: DecodeOptions(target: target))
            #expect(expected == nil, "decoded, although \(expected ?? [])")
            #expect(image.pixelSize == target.pixelSize(for: image.originalPixelSize))
            if let size = try Self.judged[name] ?? Self.sizes()[name] { #expect(image.originalPixelSize == size) }
        } catch let error as ImageError {
            #expect(error.stage == .decoding)
            let reason = Mirror(reflecting: error.reason).children.first?.label ?? "notAnImage"
            #expect(expected?.contains(reason) == true, "\(error) (\(reason))")
        }
    }

    /// The sizes that the manifest expects, where it gives one.
    static func sizes() throws -> [String: PixelSize] {
        let text = try String(decoding: ImageFixture.corpusData("MANIFEST.tsv"), as: UTF8.self)
        var sizes: [String: PixelSize] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: "\t")
            guard fields.count > 4, let match = fields[4].firstMatch(of: /(\d+)x(\d+)/) else { continue }
            sizes[String(fields[0])] = PixelSize(width: Int(match.1) ?? 0, height: Int(match.2) ?? 0)
        }
        return sizes
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
        arguments: ImageFixture.corpusNames(
            ".jpg", ".png", ".gif", ".webp", ".avif", ".heic", ".heif", ".jxl", ".bmp", ".tiff"))
    func header(_ name: String) throws {
        let data = try ImageFixture.corpusData(name)
        for length in [1, 3, 8, 12, 16, 20, 24, 30, 64, 300, 4096, data.count] where length <= data.count {
            if case .notAnImage = ImageHeader.parse(data.prefix(length)) {
                #expect(name.contains("corrupted"), "at \(length)")
            }
        }
    }
}
#endif
