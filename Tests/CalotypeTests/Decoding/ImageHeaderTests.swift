import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Image headers")
struct ImageHeaderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var format: ImageFormat
        var size: PixelSize?
        var orientation = ImageOrientation.up

        var testDescription: String { name }

        static let all: [Case] =
            (1...8).map { value in
                Case(
                    name: "orientation-\(value).jpg", format: .jpeg, size: PixelSize(width: 64, height: 48),
                    orientation: ImageOrientation(rawValue: value)!)
            } + [
                Case(name: "progressive.jpg", format: .jpeg, size: PixelSize(width: 64, height: 48)),
                Case(name: "quadrants.png", format: .png, size: PixelSize(width: 64, height: 48)),
                Case(
                    name: "orientation-6-exif.png", format: .png, size: PixelSize(width: 64, height: 48),
                    orientation: .right),
                Case(
                    name: "exif-after-pixels.png", format: .png, size: PixelSize(width: 2, height: 3),
                    orientation: .right),
                Case(name: "zero-width.png", format: .png, size: PixelSize(width: 0, height: 4)),
                Case(name: "quadrants.gif", format: .gif, size: PixelSize(width: 64, height: 48)),
                Case(name: "quadrants.bmp", format: .bmp, size: PixelSize(width: 64, height: 48)),
                Case(name: "lossy.webp", format: .webP, size: PixelSize(width: 64, height: 48)),
                Case(name: "alpha.webp", format: .webP, size: PixelSize(width: 64, height: 48)),
                Case(name: "webp-by-another-name.jpg", format: .webP, size: PixelSize(width: 64, height: 48)),
                Case(name: "quadrants.heic", format: .heic, size: PixelSize(width: 64, height: 48)),
                Case(
                    name: "orientation-6.heic", format: .heic, size: PixelSize(width: 64, height: 48),
                    orientation: .right),
                Case(name: "frames.avif", format: .avif, size: PixelSize(width: 32, height: 24)),
                // 32 x 4 of 64 x 8, turned counterclockwise and mirrored then.
                Case(
                    name: "cropped.avif", format: .avif, size: PixelSize(width: 4, height: 32),
                    orientation: .rightMirrored),
                Case(name: "quadrants.jxl", format: .jpegXL, size: PixelSize(width: 64, height: 48)),
                Case(name: "alpha-lossless.jxl", format: .jpegXL, size: PixelSize(width: 32, height: 16)),
                // In a container.
                Case(
                    name: "orientation-6-jpeg.jxl", format: .jpegXL, size: PixelSize(width: 64, height: 48),
                    orientation: .right),
            ]
            + (1...8).map { value in
                Case(
                    name: "orientation-\(value).avif", format: .avif, size: PixelSize(width: 64, height: 48),
                    orientation: ImageOrientation(rawValue: value)!)
            }
    }

    @Test("format, upright size and orientation come from the bytes", arguments: Case.all)
    func header(_ row: Case) throws {
        let parse = ImageHeader.parse(try ImageFixture.data(row.name))
        guard case .image(let header) = parse else {
            Issue.record("\(parse)")
            return
        }
        #expect(header.format == row.format)
        #expect(header.pixelSize == row.size)
        #expect(header.orientation == row.orientation)
    }

    @Test("each shorter prefix asks for more until the size is known, and never changes its mind", arguments: Case.all)
    func prefixes(_ row: Case) throws {
        let data = try ImageFixture.data(row.name)
        var known: PixelSize?
        for length in 1...data.count {
            switch ImageHeader.parse(data.prefix(length)) {
            case .needsMoreBytes: #expect(known == nil, "at \(length)")
            case .notAnImage: Issue.record("no image at \(length)")
            case .image(let header):
                #expect(header.format == row.format)
                // An orientation may turn up later, and then turns the size.
                if let size = header.pixelSize, row.orientation == .up || header.orientation != .up {
                    known = size
                    #expect(size == row.size, "at \(length)")
                }
            }
        }
        #expect(known != nil)
    }

    @Test(
        "texts and other files are no images",
        arguments: [
            "", "<!DOCTYPE html><html>", "{\"error\": 404}", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
            "RIFFxxxxWAVE",
            "BM is how this letter begins, and it goes on", "GIF90a",
            "\u{0}\u{0}\u{0}\u{14}ftypisom\u{0}\u{0}\u{0}\u{0}mp42", "%PDF-1.7",
            "RIFX", "I", "x",
        ])
    func notAnImage(_ text: String) {
        #expect(ImageHeader.parse(Data(text.utf8)) == (text == "I" ? .needsMoreBytes : .notAnImage))
    }

    @Test(
        "brands tell AVIF from HEIC",
        arguments: [
            ("avif", ["mif1", "miaf"], ImageFormat.avif), ("avis", ["msf1"], .avif), ("mif1", ["avif"], .avif),
            ("mif1", ["heic"], .heic), ("heic", ["mif1"], .heic), ("isom", ["mif1", "avif"], .avif),
            ("mif1", ["miaf"], .heic),
        ])
    func brands(_ major: String, _ compatible: [String], _ format: ImageFormat) {
        let brands = Data((major + "\0\0\0\0" + compatible.joined()).utf8)
        let box = Data([0, 0, 0, UInt8(8 + brands.count)]) + Data("ftyp".utf8) + brands
        // What follows may still tell the size, unless the pixels come first.
        #expect(ImageHeader.parse(box) == .needsMoreBytes)
        let pixels = Data([0, 0, 1, 0]) + Data("mdat".utf8)
        #expect(ImageHeader.parse(box + pixels) == .image(ImageHeader(format: format, storedSize: nil)))
    }

    @Test("signatures without a size are recognised")
    func bareSignatures() {
        let cases: [([UInt8], ImageFormat)] = [
            ([0x49, 0x49, 42, 0, 8], .tiff), ([0x4D, 0x4D, 0, 42, 0], .tiff),
        ]
        for (bytes, format) in cases {
            #expect(ImageHeader.parse(Data(bytes)) == .image(ImageHeader(format: format, storedSize: nil)))
        }
        #expect(ImageHeader.parse(Data([0xFF, 0x0A, 0x00])) == .needsMoreBytes)
        let container: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
        #expect(ImageHeader.parse(Data(container)) == .needsMoreBytes)
    }

    @Test("a JPEG with 4 MiB of segments, fill bytes and bytes between segments still has a size")
    func longMetadata() throws {
        let image = try ImageFixture.data("orientation-6.jpg")
        var data = Data(image.prefix(2))
        for _ in 0..<64 { data += Data([0xFF, 0xE2, 0xFF, 0xFF]) + Data(repeating: 0xAB, count: 0xFFFD) }
        data += Data([0, 1, 2]) + Data(repeating: 0xFF, count: 9)
        data += image.dropFirst(2)
        guard case .image(let header) = ImageHeader.parse(data) else {
            Issue.record("not parsed")
            return
        }
        #expect(header.pixelSize == PixelSize(width: 64, height: 48))
        #expect(header.orientation == .right)
        #expect(ImageHeader.parse(data.prefix(1 << 20)) == .needsMoreBytes)
    }

    @Test("WebP's orientation comes from the EXIF chunk behind the frames, in its own form or in JPEG's")
    func webPOrientation() {
        let tiff: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        let image = WebPEncoder.chunk("VP8L", WebPEncoder.bitstream(width: 3, height: 2) { _, _ in .red })
        let header = WebPEncoder.extendedHeader(0x18, width: 3, height: 2)
        // Of an odd length, so that a byte is filled in behind it.
        let other = WebPEncoder.chunk("XMP ", [1, 2, 3])
        let turned = ImageHeader(format: .webP, storedSize: PixelSize(width: 3, height: 2), orientation: .right)
        #expect(turned.pixelSize == PixelSize(width: 2, height: 3))
        for exif in [tiff, Array("Exif\0\0".utf8) + tiff] {
            let file = WebPEncoder.file(header + image + other + WebPEncoder.chunk("EXIF", exif))
            #expect(ImageHeader.parse(file) == .image(turned))
        }
        // A file in the simple form ends with its frame.
        let simple = ImageHeader(format: .webP, storedSize: PixelSize(width: 3, height: 2))
        #expect(ImageHeader.parse(WebPEncoder.file(image + WebPEncoder.chunk("EXIF", tiff))) == .image(simple))
    }

    @Test("a broken JPEG header is an image without a size, not a wait for more")
    func brokenJPEG() {
        let scanFirst = Data([0xFF, 0xD8, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0])
        let shortSegment = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0])
        let endless = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 2]) + Data(repeating: 1, count: 70_000)
        for data in [scanFirst, shortSegment, endless] {
            #expect(ImageHeader.parse(data) == .image(ImageHeader(format: .jpeg, storedSize: nil)))
        }
    }

    @Test(
        "a file that lacks its end is told from a whole one",
        arguments: [
            ("orientation-6.jpg", ImageFormat.jpeg), ("progressive.jpg", .jpeg), ("quadrants.png", .png),
            ("exif-after-pixels.png", .png), ("lossy.webp", .webP), ("quadrants.gif", .gif),
        ])
    func cutOff(_ name: String, _ format: ImageFormat) throws {
        let data = try ImageFixture.data(name)
        #expect(!ImageHeader.isCutOff(data, format: format))
        // A GIF may lack its trailer, but nothing of its last block.
        for length in 0..<data.count - (format == .gif ? 1 : 4) {
            #expect(ImageHeader.isCutOff(data.prefix(length), format: format))
        }
        #expect(!ImageHeader.isCutOff(data + Data(repeating: 0, count: 50), format: format))
    }

    @Test("no bytes make the parser trap")
    func mutations() throws {
        var generator = SeededGenerator(seed: 1)
        for row in Case.all {
            let data = try ImageFixture.data(row.name)
            for _ in 0..<300 {
                let mutated = data.mutated(using: &generator)
                _ = ImageHeader.parse(mutated)
                _ = ImageHeader.isCutOff(mutated, format: row.format)
            }
        }
        for _ in 0..<3000 {
            let signature = [[0xFF, 0xD8, 0xFF], [0x49, 0x49, 42, 0], Array("RIFF....WEBPVP8".utf8)].randomElement(
                using: &generator)!
            let noise = (0..<40).map { _ in UInt8.random(in: 0...255, using: &generator) }
            _ = ImageHeader.parse(Data(signature + noise))
        }
    }
}

@Suite("EXIF orientation")
struct ImageOrientationTests {
    private static func tiff(_ type: UInt8, _ value: UInt8, count entries: UInt8 = 1, offset: UInt8 = 8) -> [UInt8] {
        [0x49, 0x49, 42, 0, offset, 0, 0, 0] + Array(repeating: 0, count: Int(offset) - 8) + [entries, 0]
            + [0x12, 0x01, type, 0, 1, 0, 0, 0, value, 0, 0, 0]
    }

    private static func parse(_ bytes: [UInt8]) -> ImageOrientation? {
        bytes.withUnsafeBytes { ImageOrientation(tiff: ByteReader($0)) }
    }

    @Test("the tag is read in either byte order, wherever the directory is")
    func values() {
        #expect(Self.parse(Self.tiff(3, 6)) == .right)
        #expect(Self.parse(Self.tiff(4, 8)) == .left)
        #expect(Self.parse(Self.tiff(3, 6, offset: 40)) == .right)
        #expect(
            Self.parse([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0]) == .down)
    }

    @Test("values that don't exist are upright; a file that ends is none")
    func invalid() {
        #expect(Self.parse(Self.tiff(3, 0)) == .up)
        #expect(Self.parse(Self.tiff(3, 9)) == .up)
        #expect(Self.parse(Self.tiff(2, 6)) == .up)
        #expect(Self.parse(Array(Self.tiff(3, 6).prefix(12))) == nil)
        #expect(Self.parse([0x49, 0x49, 42, 0, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(Self.parse([]) == nil)
    }
}
