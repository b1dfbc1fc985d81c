/// A linear map of three components: of the light of primaries, say.
struct ColorMatrix: Sendable, Hashable {
    /// What the map makes of (1, 0, 0), (0, 1, 0) and (0, 0, 1).
    var columns: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) { (first, second, third) }
    private var first, second, third: SIMD3<Double>

    init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
        (self.first, self.second, self.third) = (first, second, third)
    }

    /// Multiplies each component by a factor.
    init(diagonal: SIMD3<Double>) {
        self.init([diagonal.x, 0, 0], [0, diagonal.y, 0], [0, 0, diagonal.z])
    }

    static func * (map: ColorMatrix, vector: SIMD3<Double>) -> SIMD3<Double> {
        map.first * vector.x + map.second * vector.y + map.third * vector.z
    }

    /// The right map, and then the left.
    static func * (left: ColorMatrix, right: ColorMatrix) -> ColorMatrix {
        ColorMatrix(left * right.first, left * right.second, left * right.third)
    }

    /// The way back; `nil` if there is none.
    var inverse: ColorMatrix? {
        // The rows of the inverse are the cross products of the columns, by the determinant.
        let rows = (Self.cross(second, third), Self.cross(third, first), Self.cross(first, second))
        let determinant = (first * rows.0).sum()
        guard determinant.isFinite, abs(determinant) > 1e-6 else { return nil }
        return ColorMatrix(
            SIMD3(rows.0.x, rows.1.x, rows.2.x) / determinant, SIMD3(rows.0.y, rows.1.y, rows.2.y) / determinant,
            SIMD3(rows.0.z, rows.1.z, rows.2.z) / determinant)
    }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}

extension ColorMatrix {
    /// From the light of some primaries to that of others; white stays white.
    ///
    /// - Returns: `nil` if one of them can't be: primaries in a line, say.
    init?(from source: SourceColor.Chromaticities, to target: SourceColor.Chromaticities) {
        guard let colorants = Self.colorants(of: source), let white = Self.xyz(source.whiteX, source.whiteY) else {
            return nil
        }
        self.init(colorants: colorants, white: white, to: target)
    }

    /// From light whose parts look like `colorants`, and whose white is `white`, to that of some primaries. White stays
    /// white.
    ///
    /// - Source: Bradford adaptation as in ICC.1:2022 annex E.
    init?(colorants: ColorMatrix, white: SIMD3<Double>, to target: SourceColor.Chromaticities) {
        guard let fromXYZ = Self.colorants(of: target)?.inverse,
            let targetWhite = Self.xyz(target.whiteX, target.whiteY), let fromCones = Self.bradford.inverse
        else { return nil }
        let gain = (Self.bradford * targetWhite) / (Self.bradford * white)
        guard gain.x.isFinite, gain.y.isFinite, gain.z.isFinite else { return nil }
        self = fromXYZ * fromCones * ColorMatrix(diagonal: gain) * Self.bradford * colorants
    }

    /// The white that ICC's profiles are relative to: D50, as ICC.1:2022 section 7.2.16 writes it.
    static let connectionWhite: SIMD3<Double> = [0.9642, 1, 0.8249]

    private static let bradford = ColorMatrix(
        [0.8951, -0.7502, 0.0389], [0.2664, 1.7135, -0.0685], [-0.1614, 0.0367, 1.0296])

    /// X, Y and Z of each primary, where all of them make white.
    private static func colorants(of color: SourceColor.Chromaticities) -> ColorMatrix? {
        guard let white = xyz(color.whiteX, color.whiteY) else { return nil }
        let primaries = ColorMatrix(
            [color.redX, color.redY, 1 - color.redX - color.redY],
            [color.greenX, color.greenY, 1 - color.greenX - color.greenY],
            [color.blueX, color.blueY, 1 - color.blueX - color.blueY])
        guard let inverse = primaries.inverse else { return nil }
        return primaries * ColorMatrix(diagonal: inverse * white)
    }

    /// The colour of those chromaticities whose Y is 1.
    private static func xyz(_ x: Double, _ y: Double) -> SIMD3<Double>? {
        guard x.isFinite, y.isFinite, y > 0.01, x >= 0, x + y <= 1 else { return nil }
        return [x / y, 1, (1 - x - y) / y]
    }
}
