#if canImport(CCodecs)
import CCodecs

/// Converts by an ICC profile, through Little CMS.
///
/// - Memory: About 60 KiB; 220 KiB for a profile with a table of RGB, 0.5 MiB for one of inks.
///
/// `@unchecked Sendable`: `color` never changes once it has been opened, and Little CMS only reads a transform without
/// a cache, so any number of threads may use it at once. It is closed with the last reference.
final class ProfileColor: @unchecked Sendable {
    private let color: OpaquePointer

    /// - Returns: `nil` if the profile is damaged, of another model, or none of pixels.
    init?(_ profile: [UInt8], model: SourceColor.Model, to target: DecodedImage.ColorSpace) {
        guard let profile = Self.harmless(profile) else { return nil }
        let models: cc_color_model =
            switch model {
            case .rgb: CC_RGB
            case .gray: CC_GRAY
            case .cmyk: CC_CMYK
            }
        let color = cc_color_open(profile, profile.count, models, target == .displayP3 ? CC_DISPLAY_P3 : CC_SRGB)
        guard let color else { return nil }
        self.color = color
    }

    deinit { cc_color_close(color) }

    /// Converts pixels of 4 bytes, as `cc_color_convert` says, in place.
    func convert(_ pixels: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        cc_color_convert(color, pixels, pixelCount)
    }

    /// The profile without what could take long; `nil` if it isn't one.
    ///
    /// The tags `D2Bx` and `B2Dx` of version 4 may chain hundreds of thousands of steps, all of one place in the file. A
    /// profile that has them has the older `A2Bx`, too, whose steps are few, and whose tables are no larger than the file.
    ///
    /// - Source: ICC.1:2022 sections 7.2 (header), 7.3 (tag table) and 9.2 (tags).
    private static func harmless(_ profile: [UInt8]) -> [UInt8]? {
        guard profile.count >= 132, profile[36..<40].elementsEqual("acsp".utf8) else { return nil }
        let tagCount = profile[128..<132].reduce(0) { $0 << 8 | Int($1) }
        // Little CMS reads no more than these.
        guard tagCount <= 100, profile.count >= 132 + tagCount * 12 else { return nil }
        var result = profile
        for index in 0..<tagCount {
            let start = 132 + index * 12
            let signature = profile[start..<start + 3]
            guard signature.elementsEqual("D2B".utf8) || signature.elementsEqual("B2D".utf8) else { continue }
            result[start] = UInt8(ascii: "-")
        }
        return result
    }
}
#endif
