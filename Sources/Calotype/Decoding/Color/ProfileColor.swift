#if canImport(CCodecs)
import CCodecs

/// The bytes of an ICC profile, without what could take long.
///
/// The tags `D2Bx` and `B2Dx` of version 4 may chain hundreds of thousands of steps, all of one place in the file. A profile
/// that has them has the older `A2Bx`, too, whose steps are few, and whose tables are no larger than the file.
///
/// - Source: ICC.1:2022 sections 7.2 (header), 7.3 (tag table) and 9.2 (tags).
struct CheckedProfile {
    let bytes: [UInt8]

    /// - Returns: `nil` if it isn't one.
    init?(_ profile: [UInt8]) {
        guard profile.count >= 132, profile[36..<40].elementsEqual("acsp".utf8) else { return nil }
        let tagCount = profile[128..<132].reduce(0) { $0 << 8 | Int($1) }
        // Little CMS reads no more than these.
        guard tagCount <= 100, profile.count >= 132 + tagCount * 12 else { return nil }
        var bytes = profile
        for index in 0..<tagCount {
            let start = 132 + index * 12
            let name = profile[start..<start + 3]
            // Unknown tags are passed over.
            if name.elementsEqual("D2B".utf8) || name.elementsEqual("B2D".utf8) { bytes[start] = UInt8(ascii: "-") }
        }
        self.bytes = bytes
    }
}

extension MatrixColor {
    /// - Returns: `nil` if the profile is more than curves and a matrix, or isn't one of red, green and blue.
    init?(_ profile: CheckedProfile, to target: DecodedImage.ColorSpace) {
        var matrix = cc_matrix_profile()
        guard cc_matrix_profile_read(profile.bytes, profile.bytes.count, &matrix) else { return nil }
        let light = withUnsafeBytes(of: matrix.light) { Array($0.bindMemory(to: Float.self)) }
        let (red, green, blue) = matrix.colorants
        let colorants = ColorMatrix(
            SIMD3(red.0, red.1, red.2), SIMD3(green.0, green.1, green.2), SIMD3(blue.0, blue.1, blue.2))
        self.init(light: light, colorants: colorants, to: target)
    }
}

/// Converts by an ICC profile, through Little CMS.
///
/// - Memory: About 60 KiB; 220 KiB for a profile with a table of RGB, 0.5 MiB for one of inks.
///
/// `@unchecked Sendable`: `color` never changes once it has been opened, and Little CMS only reads a transform without
/// a cache, so any number of threads may use it at once. It is closed with the last reference.
final class ProfileColor: @unchecked Sendable {
    private let color: OpaquePointer

    /// - Returns: `nil` if the profile is damaged, of another model, or none of pixels.
    init?(_ profile: CheckedProfile, model: SourceColor.Model, to target: DecodedImage.ColorSpace) {
        let profile = profile.bytes
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
}
#endif
