/// What the samples of a file mean: what its profile, or PNG's gAMA and cHRM, say of them.
struct SourceColor: Sendable {
    /// What rows hold, 4 bytes a pixel.
    enum Model: Sendable, Hashable {
        /// Red, green, blue, alpha; premultiplied.
        case rgb
        /// One lightness in the first three, and alpha; premultiplied.
        case gray
        /// Cyan, magenta, yellow, black: 0 is no ink, 255 all of it. Opaque.
        case cmyk
    }

    enum Encoding: Sendable, Hashable {
        /// As sRGB, which is also what files without a word are. Of inks: plain mixing.
        case standard
        /// An ICC profile's bytes.
        case profile([UInt8])
        /// A power of light to that exponent's inverse (2.2, say), with those primaries; sRGB's if `nil`.
        case gamma(Double, Chromaticities?)
        /// sRGB's curve, with those primaries: Display P3, say.
        case standardCurve(Chromaticities)
    }

    struct Chromaticities: Sendable, Hashable {
        var white: (x: Double, y: Double) { (whiteX, whiteY) }
        var whiteX, whiteY, redX, redY, greenX, greenY, blueX, blueY: Double
    }

    var model: Model = .rgb
    var encoding: Encoding = .standard
}
