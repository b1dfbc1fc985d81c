/// What the samples of a file mean: what its profile says of them, or PNG's gAMA and cHRM, or the code points of a video
/// format.
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
        /// Primaries and a transfer function, as AVIF's and HEIC's `nclx` and PNG's cICP give them.
        case coded(primaries: Chromaticities, transfer: Transfer)
    }

    /// How samples encode light.
    enum Transfer: Sendable, Hashable {
        /// IEC 61966-2-1.
        case sRGB
        /// ITU-R BT.709, 601 and 2020. Read as sRGB: the curve that the standards give is a camera's, and screens don't
        /// invert it. Stills with this label were made to be seen on a screen.
        case bt709
        /// A power of light to that exponent's inverse.
        case gamma(Double)
        /// Light itself.
        case linear
        /// SMPTE ST 2084: up to 10,000 candelas a square metre. Is tone-mapped.
        case pq
        /// ``pq`` in bytes that show as much of the dark as it does, see ``ToneCurve/bytesOfPQ``. Is tone-mapped.
        case compressedPQ
        /// ARIB STD-B67, hybrid log-gamma. Is tone-mapped. Its bytes lie as close in the dark as sRGB's.
        case hlg

        /// Whether there is light beyond white.
        var isHDR: Bool { self == .pq || self == .compressedPQ || self == .hlg }
    }

    /// The CIE 1931 chromaticities of the white and of the primaries.
    struct Chromaticities: Sendable, Hashable {
        var white: (x: Double, y: Double) { (whiteX, whiteY) }
        var whiteX, whiteY, redX, redY, greenX, greenY, blueX, blueY: Double
    }

    var model: Model = .rgb
    var encoding: Encoding = .standard

    /// The same, for rows whose bytes are made by ``byteTable``.
    var inBytes: SourceColor {
        guard case .coded(let primaries, .pq) = encoding else { return self }
        return SourceColor(model: model, encoding: .coded(primaries: primaries, transfer: .compressedPQ))
    }

    /// What a codec's samples, which may have more than 8 bits, become bytes by: ``ToneCurve/bytesOfPQ``, or `nil` where
    /// they are rounded.
    var byteTable: [UInt8]? {
        if case .coded(_, .compressedPQ) = encoding { ToneCurve.bytesOfPQ } else { nil }
    }
}
