#if canImport(CCodecs)
import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Hostile profiles")
struct ProfileRefusalTests {
    private static let seeds: [SourceColor] = [
        .profile(TestProfiles.rgb(.displayP3, .parametric)), .profile(TestProfiles.rgb(.adobeRGB, .table(64))),
        .profile(TestProfiles.gray(.gamma(1.8)), .gray), .profile(TestProfiles.cmyk(grid: 3), .cmyk),
    ]

    @Test("a damaged profile is followed as far as it can be, or isn't there; nothing crashes", arguments: 0..<4)
    func mutations(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var converted = 0
        for _ in 0..<150 {
            var source = Self.seeds[seed]
            guard case .profile(var bytes) = source.encoding else { return }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // The first bytes tell where the others are.
                let end = Bool.random(using: &random) ? min(bytes.count, 400) : bytes.count
                bytes[Int.random(in: 0..<end, using: &random)] = [0, 1, 127, 255].randomElement(using: &random) ?? 0
            }
            if Int.random(in: 0..<8, using: &random) == 0 { bytes.removeLast(bytes.count / 3) }
            source.encoding = .profile(bytes)
            guard let conversion = ColorConversion.made(source, to: .sRGB) else { continue }
            converted += 1
            var row: [UInt8] = [200, 100, 50, 255, 0, 0, 0, 255, 255, 255, 255, 255]
            row.convert(by: conversion)
            #expect(row[3] == 255 && row[7] == 255 && row[11] == 255)
        }
        #expect(converted > 10)
    }

    @Test("a chain of 300,000 steps is left out: the older tags are followed")
    func endlessChain() throws {
        // multiProcessElementsType: 3 channels in and out, and each element's place, which is the same for all.
        let count = 300_000
        let place = bigEndian(UInt32(16 + 8 * count)) + bigEndian(60)
        var chain: [UInt8] = Array("mpet\0\0\0\0".utf8) + [0, 3, 0, 3] + bigEndian(UInt32(count))
        for _ in 0..<count { chain += place }
        chain += Array("matf\0\0\0\0".utf8) + [0, 3, 0, 3]
        for value in [Float(1), 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0] { chain += bigEndian(value.bitPattern) }
        let plain = TestProfiles.rgbTags(.displayP3, .parametric)
        let hostile = TestProfiles.profile(plain + [("D2B0", chain)])
        let start = threadTime()
        let conversion = try #require(ColorConversion(.profile(hostile), to: .sRGB, limits: ImageLimits()))
        // A twentieth of a second even unoptimised; the chain would take hours.
        #expect(threadTime() - start < .seconds(10))
        var row: [UInt8] = [200, 100, 50, 255]
        row.convert(by: conversion)
        let expected = try #require(ColorConversion(.profile(TestProfiles.profile(plain)), to: .sRGB, limits: .init()))
        var same: [UInt8] = [200, 100, 50, 255]
        same.convert(by: expected)
        #expect(row == same && row[0] > 210)
    }

    @Test("a table that claims more than the file holds is refused")
    func largeTable() {
        // Half a gigabyte.
        let lut = Array("mft1\0\0\0\0".utf8) + [4, 3, 95, 0] + [UInt8](repeating: 0, count: 100_000)
        let profile = TestProfiles.profile(
            [("A2B0", lut)], deviceClass: "prtr", space: "CMYK", connection: "Lab ")
        #expect(CheckedProfile(profile).flatMap { ProfileColor($0, model: .cmyk, to: .sRGB) } == nil)
    }

    private func bigEndian(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
#endif
