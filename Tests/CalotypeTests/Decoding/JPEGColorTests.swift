#if os(Linux)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("JPEG's inks and profiles")
struct JPEGColorTests {
    @Test("inks are mixed, however the file holds them, at each size", arguments: TestImages.JPEGInks.allCases)
    func inks(_ kind: TestImages.JPEGInks) throws {
        // Magenta and yellow; cyan and yellow; cyan and magenta; a dark gray by black alone.
        let inks: [PixelColor] = [
            PixelColor(0, 255, 255, 0), PixelColor(255, 0, 255, 0), PixelColor(255, 255, 0, 0),
            PixelColor(0, 0, 0, 204),
        ]
        let data = TestImages.jpeg(width: 64, height: 64, of: kind) { x, y in inks[x / 32 + y / 32 * 2] }
        let expected = [PixelColor.red, .green, .blue, PixelColor(51, 51, 51)]
        for width in [64, 33, 8] {
            let bitmap = try JPEGFixture.decode(data, width: width)
            let (low, high) = (width / 8, width - 1 - width / 8)
            for (index, color) in expected.enumerated() {
                let pixel = bitmap.pixel(index % 2 == 0 ? low : high, index / 2 == 0 ? low : high)
                for channel in [\PixelColor.red, \.green, \.blue, \.alpha] {
                    // The quantizer's step and the transform to luma and chroma cost up to 3 levels.
                    let difference = abs(Int(pixel[keyPath: channel]) - Int(color[keyPath: channel]))
                    #expect(difference <= 4, "\(pixel) instead of \(color) at \(width)")
                }
            }
        }
    }

    // MARK: Profiles

    private static let mark = Array("ICC_PROFILE\0".utf8)
    private static let profile = (0..<200).map { UInt8($0) }

    /// A part of the profile, said to be number `number` of `count`.
    private static func part(_ range: Range<Int>, _ number: UInt8, of count: UInt8) -> (code: UInt8, content: [UInt8]) {
        (0xE2, mark + [number, count] + profile[range])
    }

    private static func profile(_ segments: [(code: UInt8, content: [UInt8])], limit: Int = 1000) -> [UInt8]? {
        let data = JPEGFixture.inserting(segments, into: TestImages.quadrantJPEG(width: 16, height: 16))
        return data.withUnsafeBytes { JPEGMetadata(ByteReader($0)).profile(limit: limit) }
    }

    @Test("a profile is put together from its parts, in any order, among other segments")
    func parts() {
        #expect(Self.profile([Self.part(0..<200, 1, of: 1)]) == Self.profile)
        let other = (code: UInt8(0xE2), content: Array("MPF\0".utf8) + [1, 2, 3])
        let parts = [Self.part(150..<200, 3, of: 3), other, Self.part(0..<70, 1, of: 3), Self.part(70..<150, 2, of: 3)]
        #expect(Self.profile(parts) == Self.profile)
    }

    @Test("a profile that isn't whole, or is there twice, is none")
    func broken() {
        #expect(Self.profile([]) == nil)
        #expect(Self.profile([Self.part(0..<100, 1, of: 2)]) == nil)
        #expect(Self.profile([Self.part(0..<100, 1, of: 2), Self.part(0..<100, 1, of: 2)]) == nil)
        #expect(Self.profile([Self.part(0..<200, 1, of: 1), Self.part(0..<200, 1, of: 1)]) == nil)
        #expect(Self.profile([Self.part(0..<100, 1, of: 2), Self.part(100..<200, 2, of: 3)]) == nil)
        #expect(Self.profile([Self.part(0..<100, 0, of: 2), Self.part(100..<200, 1, of: 2)]) == nil)
        #expect(Self.profile((0..<300).map { _ in Self.part(0..<1, 1, of: 44) }) == nil)
        #expect(Self.profile([(0xE2, Self.mark), (0xE2, Self.mark + [1])]) == nil)
    }

    @Test("a profile over the limit isn't read")
    func limit() {
        let parts = [Self.part(0..<100, 1, of: 2), Self.part(100..<200, 2, of: 2)]
        #expect(Self.profile(parts, limit: 199) == nil)
        #expect(Self.profile(parts, limit: 200) == Self.profile)
    }

    @Test("a profile behind the frame header counts, one behind the scan doesn't")
    func place() throws {
        let data = TestImages.quadrantJPEG(width: 16, height: 16)
        let scan = try #require(data.range(of: Data([0xFF, 0xDA]))).lowerBound
        for (offset, expected) in [(scan, Self.profile), (data.count - 2, nil)] {
            let marked = JPEGFixture.inserting([Self.part(0..<200, 1, of: 1)], into: data, at: offset)
            #expect(marked.withUnsafeBytes { JPEGMetadata(ByteReader($0)).profile(limit: 1000) } == expected)
        }
    }

    @Test("the corpus's profiles are found", .enabled(if: ImageFixture.corpus != nil, "no corpus"))
    func corpus() throws {
        for name in ["icc-after-SOF.jpg", "icc_profile_big.jpg", "icc-display-p3.jpg"] {
            let profile = try ImageFixture.corpusData(name).withUnsafeBytes {
                JPEGMetadata(ByteReader($0)).profile(limit: 4 << 20)
            }
            let bytes = try #require(profile, "\(name)")
            // ICC.1:2022, section 7.2: the size comes first, and "acsp" at byte 36.
            #expect(Array(bytes[36..<40]) == Array("acsp".utf8), "\(name)")
            #expect(bytes[0..<4].reduce(0) { $0 << 8 | Int($1) } == bytes.count, "\(name)")
        }
    }
}
#endif
