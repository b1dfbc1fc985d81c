// Image I/O reads all of this by itself.
#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("What PNG says of its colours")
struct SourceColorTests {
    private typealias Chunk = PNGEncoder.Chunk

    private static func color(
        _ chunks: [Chunk], colorType: UInt8 = 2, limits: ImageLimits = ImageLimits()
    ) -> SourceColor {
        let header = PNGEncoder.header(width: 1, height: 1, bitDepth: 8, colorType: colorType)
        let file = PNGEncoder.file([header] + chunks + [Chunk("IDAT", [])])
        return file.withUnsafeBytes { SourceColor(png: ByteReader($0), isGray: colorType == 0, limits: limits) }
    }

    private static let profile: [UInt8] = (0..<500).map { UInt8($0 % 251) }
    private static let profileChunk = Chunk("iCCP", Array("any\0\0".utf8) + PNGEncoder.zlib(profile))
    private static let sRGB = Chunk("sRGB", [0])

    private static func gamma(_ value: UInt32) -> Chunk { Chunk("gAMA", PNGEncoder.bigEndian(value)) }

    private static func chromaticities(_ redX: UInt32) -> Chunk {
        let values: [UInt32] = [31_270, 32_900, redX, 33_000, 30_000, 60_000, 15_000, 6_000]
        return Chunk("cHRM", values.flatMap { PNGEncoder.bigEndian($0) })
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var chunks: [PNGEncoder.Chunk]
        var expected: SourceColor.Encoding

        var testDescription: String { title }
    }

    private static let wide = SourceColor.Chromaticities(
        whiteX: 0.3127, whiteY: 0.329, redX: 0.68, redY: 0.33, greenX: 0.3, greenY: 0.6, blueX: 0.15, blueY: 0.06)

    private static let cases = [
        Case(title: "nothing", chunks: [], expected: .standard),
        Case(title: "sRGB", chunks: [sRGB], expected: .standard),
        Case(title: "a profile", chunks: [profileChunk], expected: .profile(profile)),
        Case(
            title: "a profile, whatever else", chunks: [sRGB, gamma(100_000), profileChunk], expected: .profile(profile)
        ),
        Case(title: "sRGB, whatever gAMA says", chunks: [gamma(100_000), sRGB], expected: .standard),
        Case(title: "sRGB's gamma", chunks: [gamma(45_455)], expected: .standard),
        Case(
            title: "sRGB's gamma and primaries", chunks: [gamma(45_455), chromaticities(64_000)], expected: .standard),
        Case(title: "linear light", chunks: [gamma(100_000)], expected: .gamma(1, nil)),
        Case(
            title: "gamma 1.8", chunks: [gamma(55_556), chromaticities(64_000)], expected: .gamma(100_000 / 55_556, nil)
        ),
        Case(
            title: "wider primaries", chunks: [chromaticities(68_000), gamma(45_455)],
            expected: .gamma(100_000 / 45_455, wide)),
        Case(title: "primaries alone", chunks: [chromaticities(68_000)], expected: .standard),
        Case(title: "a gamma of 0", chunks: [gamma(0)], expected: .standard),
        Case(
            title: "primaries that are none", chunks: [gamma(100_000), chromaticities(1 << 31)],
            expected: .gamma(1, nil)),
        Case(
            title: "cICP, whatever else", chunks: [Chunk("cICP", [12, 13, 0, 1]), profileChunk],
            expected: .coded(primaries: .displayP3, transfer: .sRGB)),
        Case(
            title: "cICP of an unknown code", chunks: [Chunk("cICP", [12, 99, 0, 1]), profileChunk],
            expected: .profile(profile)),
        Case(
            title: "cICP with a matrix", chunks: [Chunk("cICP", [9, 16, 9, 1]), profileChunk],
            expected: .profile(profile)),
        Case(
            title: "cICP that means sRGB", chunks: [Chunk("cICP", [1, 13, 0, 1]), profileChunk],
            expected: .coded(primaries: .sRGB, transfer: .sRGB)),
        Case(
            title: "cICP that means something else", chunks: [Chunk("cICP", [9, 16, 0, 1]), profileChunk],
            expected: .coded(primaries: .bt2020, transfer: .pq)),
        Case(
            title: "a profile without its end", chunks: [Chunk("iCCP", Array(profileChunk.content.dropLast(100)))],
            expected: .standard),
        Case(
            title: "a profile packed in another way",
            chunks: [Chunk("iCCP", Array("any\0\u{1}".utf8)), gamma(100_000)],
            expected: .gamma(1, nil)),
        Case(
            title: "a profile of an endless name", chunks: [Chunk("iCCP", Array(repeating: 65, count: 90))],
            expected: .standard),
    ]

    @Test(arguments: cases)
    func encoding(_ row: Case) {
        #expect(Self.color(row.chunks).encoding == row.expected)
    }

    @Test("gray files have gray samples")
    func model() {
        #expect(Self.color([], colorType: 0).model == .gray)
        #expect(Self.color([], colorType: 6).model == .rgb)
    }

    @Test("a chunk with a wrong checksum says nothing")
    func checksum() {
        let header = PNGEncoder.header(width: 1, height: 1, bitDepth: 8, colorType: 2)
        var file = PNGEncoder.file([header, Self.gamma(100_000), Chunk("IDAT", [])])
        // The gamma's last byte.
        file[33 + 8 + 3] ^= 1
        let color = file.withUnsafeBytes { SourceColor(png: ByteReader($0), isGray: false, limits: ImageLimits()) }
        #expect(color.encoding == .standard)
    }

    @Test("a profile of the limit's size is read, and of a larger one nothing, however little it is packed into")
    func limit() {
        #expect(
            Self.color([Self.profileChunk], limits: ImageLimits(profileByteCount: 500)).encoding
                == .profile(Self.profile))
        #expect(Self.color([Self.profileChunk], limits: ImageLimits(profileByteCount: 499)).encoding == .standard)
    }

    @Test("WebP's profile is read from extended files, if it isn't too large")
    func webP() {
        let image = WebPEncoder.chunk("VP8L", WebPEncoder.bitstream(width: 1, height: 1) { _, _ in .red })
        let header = WebPEncoder.extendedHeader(0x20, width: 1, height: 1)
        func encoding(_ chunks: [UInt8], _ limit: Int = 500) -> SourceColor.Encoding {
            WebPEncoder.file(chunks).withUnsafeBytes { bytes in
                SourceColor(webP: ByteReader(bytes), limits: ImageLimits(profileByteCount: limit)).encoding
            }
        }
        let profile = WebPEncoder.chunk("ICCP", Self.profile)
        #expect(encoding(header + profile + image) == .profile(Self.profile))
        #expect(encoding(header + profile + image, 499) == .standard)
        #expect(encoding(header + image) == .standard)
        #expect(encoding(image + profile) == .standard)
    }

    @Test("a bomb takes no more memory than the limit allows")
    func bomb() async {
        await #expect(processExitsWith: .success) {
            // 256 MiB of one byte in 1.7 MB: a fixed Huffman block that repeats 258 bytes again and again.
            let bomb = try Self.bomb(byteCount: 256 << 20)
            #expect(bomb.count < 2_000_000, "\(bomb.count) bytes")
            let before = try peakResidentByteCount()
            let result = bomb.withUnsafeBytes { Inflation.unpack($0, limit: 4 << 20) }
            #expect(result == nil)
            let prefix = bomb.withUnsafeBytes { Inflation.unpack($0, limit: 1 << 16, isPrefixEnough: true) }
            #expect(prefix?.count == 1 << 16)
            let growth = try peakResidentByteCount() - before
            let isSanitized = ProcessInfo.processInfo.environment["CALOTYPE_SANITIZE"] != nil
            #expect(isSanitized || growth < 16 << 20, "\(growth) bytes")
        }
    }

    /// A zlib stream of so many zeros, without its end.
    private static func bomb(byteCount: Int) throws -> [UInt8] {
        // The last block, fixed codes; a literal 0 (8 bits: 00110000), then the length 258 (285: 11000101) at the distance
        // 1 (00000), from the most significant bit of each code on.
        var (bits, count): (UInt32, Int) = (0, 0)
        var bytes: [UInt8] = [0x78, 0x01]
        func append(_ value: [UInt32]) {
            for bit in value {
                bits |= bit << UInt32(count)
                count += 1
                if count == 8 {
                    bytes.append(UInt8(bits))
                    (bits, count) = (0, 0)
                }
            }
        }
        append([1, 1, 0])
        append([0, 0, 1, 1, 0, 0, 0, 0])
        for _ in 0..<byteCount / 258 { append([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]) }
        return bytes
    }
}

@Suite("EXIF in PNG's text")
struct PNGTextTests {
    private static func file(_ chunks: [PNGEncoder.Chunk]) -> Data {
        let header = PNGEncoder.header(width: 2, height: 1, bitDepth: 8, colorType: 2)
        let stream = PNGEncoder.stream(width: 2, height: 1) { x, _ in x == 0 ? [255, 0, 0] : [0, 0, 255] }
        return PNGEncoder.file([header] + chunks + [PNGEncoder.Chunk("IDAT", stream)])
    }

    /// Lines of hexadecimal digits, as ImageMagick writes them.
    private static func text(_ orientation: UInt8, name: String = "exif") -> [UInt8] {
        let exif: [UInt8] =
            Array("Exif\0\0MM\0*".utf8) + [
                0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
            ]
        let digits = exif.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let lines = digits.prefix(18).joined() + "\n" + digits.dropFirst(18).joined()
        return Array("\n\(name)\n      \(exif.count)\n\(lines)\n".utf8)
    }

    private static func orientation(_ chunks: [PNGEncoder.Chunk]) -> ImageOrientation? {
        guard case .image(let header) = ImageHeader.parse(file(chunks)) else { return nil }
        return header.orientation
    }

    @Test("the orientation is found, packed or not; that of eXIf comes first")
    func orientation() throws {
        let keyword = Array("Raw profile type exif\0".utf8)
        let plain = PNGEncoder.Chunk("tEXt", keyword + Self.text(6))
        let packed = PNGEncoder.Chunk("zTXt", keyword + [0] + PNGEncoder.zlib(Self.text(3)))
        let other = PNGEncoder.Chunk("tEXt", Array("Raw profile type APP1\0".utf8) + Self.text(8, name: "app1"))
        let chunk = PNGEncoder.Chunk(
            "eXIf", Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 2, 0, 0])
        #expect(Self.orientation([plain]) == .right)
        #expect(Self.orientation([packed]) == .down)
        #expect(Self.orientation([other]) == .left)
        #expect(Self.orientation([packed, plain]) == .down)
        #expect(Self.orientation([plain, chunk]) == .upMirrored)
        #expect(Self.orientation([PNGEncoder.Chunk("tEXt", Array("Title\0".utf8) + Self.text(6))]) == .up)
        #expect(Self.orientation([PNGEncoder.Chunk("zTXt", keyword + [9] + PNGEncoder.zlib(Self.text(3)))]) == .up)
        #expect(Self.orientation([PNGEncoder.Chunk("tEXt", keyword + Array("\nexif\n".utf8))]) == .up)
        let image = try ImageDecoders.system.decode(Self.file([packed]))
        #expect(image.bitmap.pixel(0, 0) == .blue && image.bitmap.pixel(1, 0) == .red)
    }
}
#endif
