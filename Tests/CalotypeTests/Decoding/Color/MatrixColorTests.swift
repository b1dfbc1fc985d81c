#if canImport(CCodecs)
import CalotypeTesting
import Testing

@testable import Calotype

@Suite("Curves and a matrix")
struct MatrixColorTests {
    @Test(
        "what is converted here differs from Little CMS by 1 at most",
        arguments: [
            TestProfiles.rgb(.displayP3, .parametric), TestProfiles.rgb(.displayP3, .table(1024)),
            TestProfiles.rgb(.adobeRGB, .gamma(563 / 256.0)), TestProfiles.rgb(.sRGB, .gamma(1.8)),
            TestProfiles.rgb(.sRGB, .table(16)),
        ], [DecodedImage.ColorSpace.sRGB, .displayP3])
    func agreement(profile: [UInt8], target: DecodedImage.ColorSpace) throws {
        let checked = try #require(CheckedProfile(profile))
        let matrix = try #require(MatrixColor(checked, to: target))
        let library = try #require(ProfileColor(checked, model: .rgb, to: target))
        let levels = (0...17).map { UInt8($0 * 15) }
        var here: [UInt8] = levels.flatMap { red in
            levels.flatMap { green in levels.flatMap { blue in [red, green, blue, 255] } }
        }
        var there = here
        here.withUnsafeMutableBufferPointer { matrix.convert($0.baseAddress!, pixelCount: $0.count / 4) }
        there.withUnsafeMutableBufferPointer { library.convert($0.baseAddress!, pixelCount: $0.count / 4) }
        let differences = zip(here, there).map { abs(Int($0) - Int($1)) }
        #expect(differences.max() ?? 0 <= 1)
        #expect(differences.reduce(0, +) * 20 < differences.count, "one byte in twenty differs")
    }

    @Test("a profile with a table, or of inks or grays, is left to Little CMS")
    func others() throws {
        let tags = TestProfiles.rgbTags(.displayP3, .parametric)
        let profiles = [
            TestProfiles.profile(tags + [("A2B0", [])]), TestProfiles.gray(.gamma(1.8)), TestProfiles.cmyk(grid: 3),
            TestProfiles.profile(Array(tags.dropLast())), TestProfiles.profile(tags, deviceClass: "link"),
        ]
        for profile in profiles {
            #expect(MatrixColor(try #require(CheckedProfile(profile)), to: .sRGB) == nil)
        }
    }

    @Test("primaries' colorants, adapted to D50, are those that profiles hold")
    func colorants() throws {
        // The same space by its chromaticities and by its colorants.
        let byNames = try #require(MatrixColor(primaries: .displayP3, transfer: .sRGB, to: .sRGB))
        let profile = try #require(CheckedProfile(TestProfiles.rgb(.displayP3, .parametric)))
        let byProfile = try #require(MatrixColor(profile, to: .sRGB))
        var row: [UInt8] = [200, 100, 50, 255, 30, 180, 90, 255, 12, 20, 40, 255, 250, 240, 130, 255]
        var same = row
        row.withUnsafeMutableBufferPointer { byNames.convert($0.baseAddress!, pixelCount: $0.count / 4) }
        same.withUnsafeMutableBufferPointer { byProfile.convert($0.baseAddress!, pixelCount: $0.count / 4) }
        #expect(zip(row, same).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        #expect(row[0] == 215)
    }
}
#endif
