#if canImport(CCodecs)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

/// The expected values are those of Pillow's ImageCms (Little CMS), perceptual, of the same profiles; in each row within 1.
@Suite("Colour conversion")
struct ColorConversionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var source: SourceColor
        var widest = DecodedImage.ColorSpace.sRGB
        var result = DecodedImage.ColorSpace.sRGB
        /// What goes in, and the colour that comes out.
        var pixels: [([UInt8], [UInt8])]

        static let all = [
            Case(
                testDescription: "Display P3 to sRGB",
                source: .profile(TestProfiles.rgb(.displayP3, .parametric)),
                pixels: [
                    ([255, 0, 0], [255, 0, 0]), ([0, 255, 0], [0, 255, 0]), ([128, 128, 128], [128, 128, 128]),
                    ([200, 100, 50], [215, 93, 31]), ([30, 180, 90], [0, 183, 78]), ([12, 20, 40], [10, 20, 42]),
                    ([250, 240, 130], [252, 240, 111]), ([0, 0, 0], [0, 0, 0]), ([255, 255, 255], [255, 255, 255]),
                ]),
            Case(
                testDescription: "Adobe RGB to sRGB",
                source: .profile(TestProfiles.rgb(.adobeRGB, .gamma(563 / 256.0))),
                pixels: [
                    ([255, 0, 0], [255, 0, 0]), ([128, 128, 128], [129, 129, 129]), ([200, 100, 50], [227, 100, 42]),
                    ([30, 180, 90], [0, 181, 83]), ([12, 20, 40], [1, 12, 36]), ([250, 240, 130], [254, 240, 123]),
                ]),
            Case(
                testDescription: "Adobe RGB to Display P3",
                source: .profile(TestProfiles.rgb(.adobeRGB, .gamma(563 / 256.0))), widest: .displayP3,
                result: .displayP3,
                pixels: [
                    ([255, 0, 0], [255, 61, 43]), ([0, 255, 0], [0, 250, 45]), ([0, 0, 255], [0, 0, 249]),
                    ([200, 100, 50], [211, 108, 59]), ([250, 240, 130], [252, 241, 140]),
                ]),
            Case(
                testDescription: "sRGB's primaries with a plain gamma stay sRGB where Display P3 is allowed",
                source: .profile(TestProfiles.rgb(.sRGB, .gamma(2.2))), widest: .displayP3,
                pixels: [
                    ([200, 100, 50], [201, 100, 46]), ([30, 180, 90], [24, 181, 90]), ([12, 20, 40], [4, 12, 35]),
                ]),
            Case(
                testDescription: "gray of gamma 1.8",
                source: .profile(TestProfiles.gray(.gamma(1.8)), .gray),
                pixels: [
                    ([0, 0, 0], [0, 0, 0]), ([5, 5, 5], [4, 4, 4]), ([20, 20, 20], [26, 26, 26]),
                    ([60, 60, 60], [77, 77, 77]), ([128, 128, 128], [146, 146, 146]),
                    ([200, 200, 200], [210, 210, 210]),
                    ([255, 255, 255], [255, 255, 255]),
                ]),
            Case(
                testDescription: "inks by a printer's profile",
                source: .profile(TestProfiles.cmyk(), .cmyk),
                pixels: [
                    ([0, 0, 0, 0], [255, 255, 255]), ([255, 0, 0, 0], [0, 255, 255]), ([0, 255, 0, 0], [255, 0, 255]),
                    ([0, 0, 255, 0], [255, 255, 0]), ([0, 0, 0, 255], [0, 0, 0]),
                    ([100, 50, 20, 30], [137, 181, 207]),
                    ([0, 128, 255, 64], [191, 95, 0]), ([255, 255, 255, 255], [0, 0, 0]),
                ]),
            Case(
                testDescription: "inks without a profile mix plainly",
                source: SourceColor(model: .cmyk),
                pixels: [
                    ([0, 0, 0, 0], [255, 255, 255]), ([255, 0, 0, 0], [0, 255, 255]), ([0, 0, 0, 255], [0, 0, 0]),
                    ([100, 50, 20, 30], [137, 181, 207]),
                ]),
            Case(
                testDescription: "inks with a damaged profile mix plainly",
                source: .profile(Array(TestProfiles.cmyk().prefix(20_000)), .cmyk),
                pixels: [([0, 0, 0, 0], [255, 255, 255]), ([100, 50, 20, 30], [137, 181, 207])]),
            Case(
                testDescription: "a gamma of 1.8",
                source: SourceColor(encoding: .gamma(1.8, nil)),
                pixels: [
                    ([0, 0, 0], [0, 0, 0]), ([20, 60, 128], [26, 77, 146]), ([255, 255, 255], [255, 255, 255]),
                ]),
            Case(
                testDescription: "Adobe RGB's gamma and primaries, in numbers",
                source: SourceColor(
                    encoding: .gamma(
                        563 / 256.0,
                        .init(
                            whiteX: 0.3127, whiteY: 0.329, redX: 0.64, redY: 0.33, greenX: 0.21, greenY: 0.71,
                            blueX: 0.15, blueY: 0.06))),
                pixels: [
                    ([255, 0, 0], [255, 0, 0]), ([128, 128, 128], [129, 129, 129]), ([200, 100, 50], [227, 100, 42]),
                    ([30, 180, 90], [0, 181, 83]), ([250, 240, 130], [254, 240, 123]),
                ]),
            Case(
                testDescription: "Display P3 by code points",
                source: SourceColor(encoding: .codePoints(primaries: 12, transfer: 13)),
                pixels: [([200, 100, 50], [215, 93, 31]), ([30, 180, 90], [0, 183, 78])]),
        ]
    }

    @Test("pixels are converted as Little CMS's other users do", arguments: Case.all)
    func values(_ item: Case) throws {
        let conversion = try #require(ColorConversion(item.source, to: item.widest, limits: ImageLimits()))
        #expect(conversion.result == item.result)
        #expect(!conversion.isToneMapped)
        var row: [UInt8] = item.pixels.flatMap { pixel, _ -> [UInt8] in pixel.count == 4 ? pixel : pixel + [255] }
        row.convert(by: conversion)
        for (index, (pixel, expected)) in item.pixels.enumerated() {
            let actual = Array(row[index * 4..<index * 4 + 3])
            let isNear = zip(actual, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
            #expect(isNear, "\(pixel) became \(actual), not \(expected)")
            #expect(row[index * 4 + 3] == 255)
        }
    }

    @Test("what is sRGB by another name, or can't be read, is left as it is")
    func nothingToDo() {
        let p3 = TestProfiles.rgb(.displayP3, .parametric)
        var link = p3
        link.replaceSubrange(12..<16, with: Array("link".utf8))
        var noSignature = p3
        noSignature[36] = 0
        let sources: [(String, SourceColor)] = [
            ("no profile", SourceColor()),
            ("gray without a profile", SourceColor(model: .gray)),
            ("sRGB as a formula", .profile(TestProfiles.rgb(.sRGB, .parametric))),
            ("sRGB as a table", .profile(TestProfiles.rgb(.sRGB, .table(1024)))),
            ("sRGB as a long table", .profile(TestProfiles.rgb(.sRGB, .table(4096)))),
            ("gray with sRGB's curve", .profile(TestProfiles.gray(.parametric), .gray)),
            ("a gamma that stands for sRGB", SourceColor(encoding: .gamma(1 / 0.45455, nil))),
            ("the same with sRGB's primaries", SourceColor(encoding: .gamma(2.2, .sRGB))),
            ("sRGB by code points", SourceColor(encoding: .codePoints(primaries: 1, transfer: 13))),
            ("video of sRGB's primaries", SourceColor(encoding: .codePoints(primaries: 1, transfer: 1))),
            ("unspecified code points", SourceColor(encoding: .codePoints(primaries: 2, transfer: 2))),
            ("a gamma of 0", SourceColor(encoding: .gamma(0, nil))),
            ("a gamma that is no number", SourceColor(encoding: .gamma(.nan, nil))),
            (
                "primaries in a line",
                SourceColor(
                    encoding: .gamma(
                        1.8,
                        .init(
                            whiteX: 0.3, whiteY: 0.3, redX: 0.1, redY: 0.1, greenX: 0.2, greenY: 0.2, blueX: 0.4,
                            blueY: 0.4)))
            ),
            ("an empty profile", .profile([])),
            ("no profile's bytes", .profile([UInt8](repeating: 7, count: 500))),
            ("a cut-off profile", .profile(Array(p3.prefix(200)))),
            ("no signature", .profile(noSignature)),
            ("a link between devices", .profile(link)),
            ("a profile of grays", .profile(TestProfiles.gray(.gamma(1.8)))),
            ("a profile of inks", .profile(TestProfiles.cmyk(grid: 3))),
            ("gray with a profile of RGB", .profile(p3, .gray)),
            ("a profile without tags", .profile(TestProfiles.profile([]))),
        ]
        for (title, source) in sources {
            for widest in [DecodedImage.ColorSpace.sRGB, .displayP3] {
                let conversion = ColorConversion(source, to: widest, limits: ImageLimits())
                #expect(conversion == nil, "\(title), to \(widest)")
            }
        }
    }

    @Test("a profile over the limit isn't there")
    func limit() {
        let profile = TestProfiles.rgb(.displayP3, .parametric)
        let source = SourceColor.profile(profile)
        #expect(ColorConversion(source, to: .sRGB, limits: .init(profileByteCount: profile.count)) != nil)
        #expect(ColorConversion(source, to: .sRGB, limits: .init(profileByteCount: profile.count - 1)) == nil)
    }

    @Test("Display P3 stays what it is, byte for byte, where it is allowed")
    func displayP3() throws {
        let sources: [SourceColor] = [
            .profile(TestProfiles.rgb(.displayP3, .parametric)), .profile(TestProfiles.rgb(.displayP3, .table(1024))),
            SourceColor(encoding: .codePoints(primaries: 12, transfer: 13)),
        ]
        for source in sources {
            let conversion = try #require(ColorConversion(source, to: .displayP3, limits: ImageLimits()))
            #expect(conversion.result == .displayP3)
            let original: [UInt8] = [200, 100, 50, 255, 30, 20, 10, 40, 1, 2, 3, 255, 0, 0, 0, 0]
            var row = original
            row.convert(by: conversion)
            #expect(row == original)
        }
    }

    @Test("inks become Display P3 only if they are wider than sRGB")
    func inks() throws {
        let source = SourceColor.profile(TestProfiles.cmyk(), .cmyk)
        let conversion = try #require(ColorConversion(source, to: .displayP3, limits: ImageLimits()))
        #expect(conversion.result == .sRGB)
    }

    @Test("translucent pixels are converted as the colours that they are, and multiplied again")
    func alpha() throws {
        let source = SourceColor.profile(TestProfiles.rgb(.displayP3, .parametric))
        let conversion = try #require(ColorConversion(source, to: .sRGB, limits: ImageLimits()))
        // (200, 100, 50), which becomes (215, 93, 31), at several alphas.
        let alphas: [UInt8] = [255, 200, 128, 64, 0]
        let scaled = { (value: Int, alpha: UInt8) in UInt8((value * Int(alpha) + 127) / 255) }
        var row = alphas.flatMap { [scaled(200, $0), scaled(100, $0), scaled(50, $0), $0] }
        row.convert(by: conversion)
        for (index, alpha) in alphas.enumerated() {
            let pixel = Array(row[index * 4..<index * 4 + 4])
            #expect(pixel[3] == alpha)
            // Rounded twice: once to the alpha, once from it.
            let expected = [215, 93, 31].map { scaled($0, alpha) }
            let isNear = zip(pixel, expected).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
            #expect(isNear, "\(pixel) at \(alpha), not \(expected)")
            #expect(pixel.dropLast().allSatisfy { $0 <= alpha })
        }
    }

    @Test("a gray stays gray, and its alpha what it is")
    func gray() throws {
        let source = SourceColor.profile(TestProfiles.gray(.gamma(1.8)), .gray)
        let conversion = try #require(ColorConversion(source, to: .displayP3, limits: ImageLimits()))
        #expect(conversion.result == .sRGB)
        var row: [UInt8] = [64, 64, 64, 128, 0, 0, 0, 0, 128, 128, 128, 255]
        row.convert(by: conversion)
        // 128 becomes 146, half of which is 73.
        #expect(row == [73, 73, 73, 128, 0, 0, 0, 0, 146, 146, 146, 255])
    }

    @Test("threads may use one conversion, and the cache, at once")
    func threads() async throws {
        let profiles = [TestProfiles.Primaries.displayP3, .adobeRGB].flatMap { primaries in
            (0..<8).map { TestProfiles.rgb(primaries, .gamma(1.7 + Double($0) / 16)) }
        }
        let results = await withTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    profiles.map { profile in
                        var row: [UInt8] = [200, 100, 50, 255, 12, 20, 40, 255]
                        if let conversion = ColorConversion(.profile(profile), to: .sRGB, limits: ImageLimits()) {
                            row.convert(by: conversion)
                        }
                        return row
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 4)
        #expect(Set(results).count == 1)
        #expect(results.first.map { Set($0).count } == 16)
    }
}

extension SourceColor {
    static func profile(_ bytes: [UInt8], _ model: Model = .rgb) -> SourceColor {
        SourceColor(model: model, encoding: .profile(bytes))
    }
}

extension [UInt8] {
    /// Converts pixels of 4 bytes.
    mutating func convert(by conversion: ColorConversion) {
        withUnsafeMutableBufferPointer { conversion.convert($0.baseAddress!, pixelCount: $0.count / 4) }
    }
}
#endif
