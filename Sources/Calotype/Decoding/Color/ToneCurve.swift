import Foundation

/// How HDR's light is brought into the range of a screen without it.
///
/// Light is counted in diffuse whites: 203 candelas a square metre (ITU-R BT.2408). The brightest of a pixel's components
/// goes through the curve, and the others are scaled as it is, so that hues stay.
///
///     up to 1/2                 as it is
///     from 1/2 to 1,000 cd/m2   k + (1 - k) t (1 + t / T^2) / (1 + t), t = (x - k) / (1 - k), k = 1/2: 1 at the end
///     beyond                    1
///
/// The two meet without a bend. Diffuse white becomes 0.76 of the screen's, 225 in sRGB.
enum ToneCurve {
    /// The light of diffuse white, in candelas a square metre.
    static let diffuseWhite = 203.0
    /// What becomes the screen's white, in diffuse whites.
    static let peak: Float = 1000 / 203

    private static let knee: Float = 0.5
    private static let span: Float = (peak - knee) / (1 - knee)

    /// The light on the screen, from 0 to 1.
    @inline(__always)
    static func value(at light: Float) -> Float {
        if light <= knee { return light }
        if light >= peak { return 1 }
        let excess = (light - knee) / (1 - knee)
        return knee + (1 - knee) * excess * (1 + excess / (span * span)) / (1 + excess)
    }

    /// The light that ``value(at:)`` makes `value` of, from 0 to 1: at most ``peak``.
    static func light(of value: Double) -> Double {
        let (knee, span) = (Double(Self.knee), Double(Self.span))
        if value <= knee { return value }
        // The positive root of t^2 / T^2 + (1 - y) t - y.
        let y = min((value - knee) / (1 - knee), 1)
        let excess = span * span / 2 * (y - 1 + ((1 - y) * (1 - y) + 4 * y / (span * span)).squareRoot())
        return knee + (1 - knee) * excess
    }

    /// The bytes of ``SourceColor/Transfer/compressedPQ`` for samples of PQ from 0 to 1 in 4096 equal steps.
    ///
    /// PQ in 8 bits has too few steps in the dark, and spends two fifths of them on what is brighter than diffuse white. So
    /// each channel goes through the curve by itself, and through the screen's: what a gray becomes in the end, 1,000 cd/m2
    /// and beyond being 255. The conversion finds the light again, and has hues kept.
    static let bytesOfPQ: [UInt8] = (0..<4096).map { index in
        let light = SourceColor.Transfer.pq.light(of: Double(index) / 4095)
        return ScreenCurve.byte(Double(value(at: Float(light))))
    }
}

extension SourceColor.Transfer {
    /// The light of a sample from 0 to 1: 1 is white, or diffuse white for ``pq`` and ``compressedPQ``. Of ``hlg`` it is the scene's, up to 1.
    ///
    /// - Source: IEC 61966-2-1; SMPTE ST 2084, equation 4.1; ITU-R BT.2100 table 5.
    func light(of sample: Double) -> Double {
        switch self {
        case .sRGB, .bt709:
            return sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
        case .gamma(let exponent):
            return pow(sample, exponent)
        case .linear:
            return sample
        case .pq:
            let root = pow(sample, 32 / 2523.0)
            let light = max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root)
            return 10_000 / ToneCurve.diffuseWhite * pow(light, 16_384 / 2610.0)
        case .compressedPQ:
            return ToneCurve.light(of: Self.sRGB.light(of: sample))
        case .hlg:
            let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
            return sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
        }
    }
}
