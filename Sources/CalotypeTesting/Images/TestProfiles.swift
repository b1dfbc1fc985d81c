import Foundation

/// ICC profiles to put into test images, made from their numbers.
///
/// - Source: ICC.1:2001-04 (version 2) and ICC.1:2022 (version 4), sections 7 and 10; the colorants are those of the
///   spaces, adapted to D50 by Bradford.
package enum TestProfiles {
    /// What the light of the primaries looks like.
    package enum Primaries: Sendable {
        case sRGB, displayP3, adobeRGB

        /// X, Y and Z of red, green and blue.
        var colorants: [[Double]] {
            switch self {
            case .sRGB:
                [[0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.7141]]
            case .displayP3:
                [[0.51512, 0.2412, -0.00105], [0.29198, 0.69225, 0.04189], [0.1571, 0.06657, 0.78407]]
            case .adobeRGB:
                [[0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457]]
            }
        }
    }

    /// How samples encode light.
    package enum Curve: Sendable {
        case gamma(Double)
        /// The curve of sRGB as a formula, which version 4 has.
        case parametric
        /// The same as so many numbers.
        case table(Int)
    }

    /// A screen's.
    package static func rgb(_ primaries: Primaries, _ curve: Curve) -> [UInt8] { profile(rgbTags(primaries, curve)) }

    /// The tags of a screen's profile.
    package static func rgbTags(
        _ primaries: Primaries, _ curve: Curve
    ) -> [(signature: String, content: [UInt8])] {
        var tags: [(signature: String, content: [UInt8])] = [("wtpt", xyz(white))]
        for (name, colorant) in zip(["r", "g", "b"], primaries.colorants) { tags.append((name + "XYZ", xyz(colorant))) }
        for name in ["r", "g", "b"] { tags.append((name + "TRC", bytes(of: curve))) }
        return tags
    }

    /// One for grays.
    package static func gray(_ curve: Curve) -> [UInt8] {
        profile([("wtpt", xyz(white)), ("kTRC", bytes(of: curve))], space: "GRAY")
    }

    /// A printer's whose inks mix plainly: each lets through what it doesn't cover. Has a table of `grid` to the power of 4.
    package static func cmyk(grid: Int = 9) -> [UInt8] {
        var lut: [UInt8] = Array("mft2\0\0\0\0".utf8) + [4, 3, UInt8(grid), 0]
        for value in [1.0, 0, 0, 0, 1, 0, 0, 0, 1] { lut += fixed(value) }
        lut += uint16(2) + uint16(2)
        for _ in 0..<4 { lut += uint16(0) + uint16(65_535) }
        let light = (0..<grid).map { 1 - Double($0) / Double(grid - 1) }
        for cyan in light {
            for magenta in light {
                for yellow in light {
                    for black in light { lut += lab(cyan * black, magenta * black, yellow * black) }
                }
            }
        }
        for _ in 0..<3 { lut += uint16(0) + uint16(65_535) }
        return profile([("wtpt", xyz(white)), ("A2B0", lut)], deviceClass: "prtr", space: "CMYK", connection: "Lab ")
    }

    /// A profile of any tags.
    package static func profile(
        _ tags: [(signature: String, content: [UInt8])], deviceClass: String = "mntr", space: String = "RGB ",
        connection: String = "XYZ "
    ) -> [UInt8] {
        var table: [UInt8] = uint32(tags.count)
        var contents: [UInt8] = []
        let start = 128 + 4 + 12 * tags.count
        for tag in tags {
            table += Array(tag.signature.utf8) + uint32(start + contents.count) + uint32(tag.content.count)
            contents += tag.content
            while contents.count % 4 != 0 { contents.append(0) }
        }
        var header = uint32(start + contents.count) + [0, 0, 0, 0] + [4, 0x30, 0, 0]
        header += Array((deviceClass + space + connection).utf8)
        // The first day of 2026; no platform, maker or model; perceptual.
        for part in [2026, 1, 1, 0, 0, 0] { header += uint16(part) }
        header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        for part in white { header += fixed(part) }
        header += [UInt8](repeating: 0, count: 128 - header.count)
        return header + table + contents
    }

    /// D50.
    private static let white = [0.9642, 1, 0.8249]

    private static func xyz(_ values: [Double]) -> [UInt8] {
        values.reduce(into: Array("XYZ \0\0\0\0".utf8)) { $0 += fixed($1) }
    }

    private static func bytes(of curve: Curve) -> [UInt8] {
        switch curve {
        case .gamma(let exponent):
            return Array("curv\0\0\0\0".utf8) + uint32(1) + uint16(Int((exponent * 256).rounded()))
        case .parametric:
            let numbers = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
            return numbers.reduce(into: Array("para\0\0\0\0".utf8) + [0, 3, 0, 0]) { $0 += fixed($1) }
        case .table(let count):
            return (0..<count).reduce(into: Array("curv\0\0\0\0".utf8) + uint32(count)) { bytes, index in
                bytes += uint16(Int((light(Double(index) / Double(count - 1)) * 65_535).rounded()))
            }
        }
    }

    private static func light(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// Of sRGB values from 0 to 1; in the 16 bits that tables of version 2 have, and of type `mft2` in every version.
    private static func lab(_ red: Double, _ green: Double, _ blue: Double) -> [UInt8] {
        let colorants = Primaries.sRGB.colorants
        let channels = [light(red), light(green), light(blue)]
        let parts = (0..<3).map { index in
            let sum = (0..<3).reduce(0) { $0 + colorants[$1][index] * channels[$1] }
            let ratio = sum / white[index]
            return ratio > 216 / 24_389.0 ? cbrt(ratio) : (24_389 / 27.0 * ratio + 16) / 116
        }
        let values = [
            (116 * parts[1] - 16) * 652.8, (500 * (parts[0] - parts[1]) + 128) * 256,
            (200 * (parts[1] - parts[2]) + 128) * 256,
        ]
        return values.flatMap { uint16(Int(min(max($0, 0), 65_535).rounded())) }
    }

    private static func fixed(_ value: Double) -> [UInt8] {
        withUnsafeBytes(of: Int32((value * 65_536).rounded()).bigEndian) { Array($0) }
    }

    private static func uint32(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) } }

    private static func uint16(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt16(value).bigEndian) { Array($0) } }
}
