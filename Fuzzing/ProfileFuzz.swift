import CalotypeTesting
import Foundation

@testable import Calotype

/// Changes sound profiles, as random bytes alone never get beyond the first look at them, and converts colours by them.
enum ProfileFuzz {
    private static let sound: [[UInt8]] = [
        TestProfiles.rgb(.displayP3, .parametric), TestProfiles.rgb(.adobeRGB, .gamma(2.2)),
        TestProfiles.gray(.table(64)), TestProfiles.cmyk(grid: 3), [],
    ]

    /// The first byte chooses a profile and what it is for; then each four bytes are a place and what is put there.
    static func run(_ input: Data) {
        guard let choice = input.first.map(Int.init) else { return }
        let bytes = [UInt8](input.dropFirst())
        var profile = sound[choice % sound.count]
        if profile.isEmpty {
            profile = bytes
        } else {
            for index in stride(from: 0, to: bytes.count - 3, by: 4) {
                let place = (Int(bytes[index]) << 8 | Int(bytes[index + 1])) % profile.count
                profile[place] = bytes[index + 2]
                // Most of what counts is in words: both of its last bytes are within reach.
                if bytes[index + 3] != 0, place + 1 < profile.count { profile[place + 1] = bytes[index + 3] }
            }
        }
        let models: [SourceColor.Model] = [.rgb, .gray, .cmyk]
        let source = SourceColor(model: models[choice / 8 % 3], encoding: .profile(profile))
        let space = choice & 128 == 0 ? DecodedImage.ColorSpace.sRGB : .displayP3
        guard let conversion = ColorConversion(source, to: space, limits: DecoderFuzz.limits) else { return }
        var row: [UInt8] = [0, 0, 0, 255, 255, 255, 255, 255, 10, 20, 30, 40, 128, 0, 64, 128]
        row.withUnsafeMutableBufferPointer { conversion.convert($0.baseAddress!, pixelCount: 4) }
        for alpha in [3, 7] where source.model != .cmyk { precondition(row[alpha] == 255) }
    }
}
