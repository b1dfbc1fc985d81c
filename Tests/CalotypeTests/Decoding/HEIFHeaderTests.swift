import Foundation
import Testing

@testable import Calotype

@Suite("Headers of ISO media and JPEG XL")
struct HEIFHeaderTests {
    static func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        big(payload.count + 8, 4) + Array(type.utf8) + payload
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// A file of one item with those properties, in that order.
    static func file(_ properties: [[UInt8]], item: Int = 1, primary: Int = 1, before: [UInt8] = []) -> Data {
        let associations = big(item, 2) + [UInt8(properties.count)] + properties.indices.map { UInt8($0 + 1) }
        let iprp = box(
            "iprp", box("ipco", properties.flatMap { $0 }) + box("ipma", big(0, 4) + big(1, 4) + associations))
        let meta = box("meta", big(0, 4) + box("pitm", big(0, 4) + big(primary, 2)) + iprp)
        return Data(box("ftyp", Array("avif".utf8) + big(0, 4)) + before + meta)
    }

    static func ispe(_ width: Int, _ height: Int) -> [UInt8] { box("ispe", big(0, 4) + big(width, 4) + big(height, 4)) }
    static func clap(_ terms: Int...) -> [UInt8] { box("clap", terms.flatMap { big($0, 4) }) }
    static func irot(_ turns: UInt8) -> [UInt8] { box("irot", [turns]) }
    static func imir(_ axis: UInt8) -> [UInt8] { box("imir", [axis]) }

    private func header(_ data: Data) -> ImageHeader? {
        guard case .image(let header) = ImageHeader.parse(data) else { return nil }
        return header
    }

    @Test("crops, turns and mirrors apply in the order of the item's properties")
    func transformations() {
        let cropped = header(Self.file([Self.ispe(100, 60), Self.clap(40, 1, 20, 1, 5, 1, 0, 1), Self.irot(1)]))
        #expect(cropped?.pixelSize == PixelSize(width: 20, height: 40))
        #expect(cropped?.orientation == .left)
        let turnedFirst = header(Self.file([Self.ispe(100, 60), Self.irot(1), Self.imir(1)]))
        let mirroredFirst = header(Self.file([Self.ispe(100, 60), Self.imir(1), Self.irot(1)]))
        #expect(turnedFirst?.orientation == .rightMirrored)
        #expect(mirroredFirst?.orientation == .leftMirrored)
        #expect(mirroredFirst?.pixelSize == PixelSize(width: 60, height: 100))
    }

    @Test("each turn and mirror moves a pixel as it says", arguments: ImageOrientation.allCases)
    func composition(_ orientation: ImageOrientation) {
        // The corners of an upright picture: upper left, upper right, lower right, lower left.
        func corners(_ orientation: ImageOrientation) -> [UInt8] {
            let stored = Bitmap(size: PixelSize(width: 2, height: 2)) { buffer in
                for (pixel, value) in [(0, UInt8(1)), (1, 2), (3, 3), (2, 4)] { buffer[pixel * 4] = value }
            }
            let upright = stored.oriented(orientation)
            return [upright[0, 0], upright[1, 0], upright[1, 1], upright[0, 1]].map(\.red)
        }
        let before = corners(orientation)
        #expect(corners(orientation.turned(counterclockwise: 1)) == Array(before[1...] + before[..<1]))
        #expect(corners(orientation.turned(counterclockwise: 3)) == Array(before[3...] + before[..<3]))
        #expect(corners(orientation.mirrored(.leftToRight)) == [before[1], before[0], before[3], before[2]])
        #expect(corners(orientation.mirrored(.topToBottom)) == [before[3], before[2], before[1], before[0]])
    }

    @Test("a crop that doesn't lie within the picture, or makes no sense, is overlooked")
    func crops() {
        let whole = PixelSize(width: 100, height: 60)
        for clap in [
            Self.clap(40, 1, 20, 1, 60, 1, 0, 1), Self.clap(101, 1, 20, 1, 0, 1, 0, 1),
            Self.clap(0, 1, 20, 1, 0, 1, 0, 1),
            Self.clap(40, 0, 20, 1, 0, 1, 0, 1), Self.clap(40, 1, 20),
        ] {
            #expect(header(Self.file([Self.ispe(100, 60), clap]))?.pixelSize == whole)
        }
        let odd = CleanAperture([31, 1, 20, 1, UInt32(bitPattern: -69), 2, 0, 1])?.rectangle(in: whole)
        #expect(odd?.left == 0 && odd?.top == 20 && odd?.size == PixelSize(width: 31, height: 20))
    }

    @Test("without a primary item that has a size, there is none")
    func missing() {
        #expect(header(Self.file([Self.ispe(3, 2)], primary: 2))?.pixelSize == nil)
        #expect(header(Self.file([Self.irot(1)]))?.pixelSize == nil)
    }

    @Test("a file whose properties lie behind its pixels is an image before they have come")
    func late() {
        let data = Self.file([Self.ispe(3, 2)], before: Self.box("mdat", Array(repeating: 0, count: 100)))
        let early = header(data.prefix(60))
        #expect(early?.format == .avif && early?.pixelSize == nil)
        #expect(header(data)?.pixelSize == PixelSize(width: 3, height: 2))
    }

    @Test("a file that ends within a box is cut off; padding after the last isn't a box")
    func cutOff() {
        let structure = Self.file([Self.ispe(3, 2)])
        #expect(ImageHeader.isCutOff(structure, format: .avif), "right before the pixels")
        let data = structure + Self.box("mdat", [1, 2, 3])
        #expect(!ImageHeader.isCutOff(data, format: .avif))
        #expect(ImageHeader.isCutOff(data.dropLast(), format: .avif))
        #expect(!ImageHeader.isCutOff(data + [0, 0, 0], format: .avif))
        #expect(!ImageHeader.isCutOff(data + Array(repeating: 0, count: 20), format: .heic))
        // Sizes of 64 bits, right and far too large.
        #expect(!ImageHeader.isCutOff(data + Self.big(1, 4) + Array("mdat".utf8) + Self.big(16, 8), format: .avif))
        #expect(ImageHeader.isCutOff(data + Self.big(1, 4) + Array("mdat".utf8) + Self.big(1 << 40, 8), format: .avif))
    }

    @Test("sizes of boxes and counts that can't be true end the search")
    func hostile() {
        let ftyp = Self.box("ftyp", Array("avif".utf8) + Self.big(0, 4))
        #expect(header(Data(ftyp + Self.big(4, 4) + Array("meta".utf8) + Self.big(0, 64)))?.pixelSize == nil)
        #expect(header(Data(ftyp + Self.big(0xFFFF_FFFF, 4) + Array("meta".utf8)))?.pixelSize == nil)
        let ipma = Self.box("ipma", Self.big(0, 4) + Self.big(0x7FFF_FFFF, 4) + [0, 9, 255])
        let iprp = Self.box("iprp", Self.box("ipco", []) + ipma)
        let meta = Self.box("meta", Self.big(0, 4) + Self.box("pitm", Self.big(0, 4) + Self.big(1, 2)) + iprp)
        #expect(header(Data(ftyp + meta))?.pixelSize == nil)
    }

    struct JPEGXLSize: Sendable {
        var bytes: [UInt8]
        var size: PixelSize
    }

    @Test(
        "JPEG XL's sides are multiples of 8 or numbers of four lengths, the width perhaps a ratio of the height",
        arguments: [
            // Small: 5 bits, ratio 1.
            JPEGXLSize(bytes: [0b0100_1011, 0b0000_0010], size: PixelSize(width: 48, height: 48)),
            // 9 bits and ratio 7 (2:1): 1 + 299.
            JPEGXLSize(bytes: [0b0101_1000, 0b1111_1001], size: PixelSize(width: 600, height: 300)),
        ])
    func sizes(_ row: JPEGXLSize) {
        let parsed = header(Data([0xFF, 0x0A] + row.bytes + [1, 0, 0, 0]))
        #expect(parsed?.pixelSize == row.size)
    }

    @Test("the largest of HEVC's parameter sets counts, whatever the item claims")
    func parameterSets() throws {
        let data = try ImageFixture.data("quadrants.heic")
        let size = data.withUnsafeBytes { bytes -> PixelSize? in
            for meta in ISOBoxes(ByteReader(bytes)) where meta.isType("meta") {
                for iprp in meta.children(after: 4) where iprp.isType("iprp") {
                    for ipco in iprp.children() where ipco.isType("ipco") {
                        for hvcC in ipco.children() where hvcC.isType("hvcC") {
                            return HEVCParameters.codedSize(hvcC.payload)
                        }
                    }
                }
            }
            return nil
        }
        // Whole blocks.
        #expect(size == PixelSize(width: 64, height: 64))
    }
}
