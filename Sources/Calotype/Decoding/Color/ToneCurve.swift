import Foundation

/// Brings the light of HDR pictures into the range of ordinary ones: each channel by itself, by one curve.
///
/// The picture is taken to be mastered for 1,000 cd/m2, and is shown with 203 cd/m2 as the brightest white, which is where
/// such pictures have the white of paper (ITU-R BT.2408, table 1). Up to about 90 cd/m2 light stays as it is; what is
/// brighter is drawn together by the curve of ITU-R BT.2390, section 5.4.1. Metadata of the mastering display aren't read.
/// Channels that are drawn together apart make very bright colours paler; that is meant to be plain, not the best there is.
///
/// - Source: ITU-R BT.2100, tables 4 (PQ) and 5 (HLG, whose system gamma of 1.2 is applied to each channel).
enum ToneCurve: Sendable, CaseIterable {
    /// Perceptual quantisation, SMPTE ST 2084.
    case perceptualQuantizer
    /// Hybrid log-gamma, ARIB STD-B67.
    case hybridLogGamma

    /// The curve for that code point of ITU-T H.273, or `nil` for those of ordinary pictures.
    init?(transfer: Int) {
        switch transfer {
        case 16: self = .perceptualQuantizer
        case 18: self = .hybridLogGamma
        default: return nil
        }
    }

    /// How many values a table has, for samples from 0 to 1 in equal steps.
    static let valueCount = 4096
    /// cd/m2.
    private static let masteringPeak = 1000.0
    private static let white = 203.0

    /// The samples of sRGB, 0 to 255, for those of the picture.
    var table: [UInt8] { self == .perceptualQuantizer ? Self.perceptualQuantizerTable : Self.hybridLogGammaTable }

    private static let perceptualQuantizerTable = perceptualQuantizer.makeTable()
    private static let hybridLogGammaTable = hybridLogGamma.makeTable()

    private func makeTable() -> [UInt8] {
        (0..<Self.valueCount).map { index in
            let light = light(Double(index) / Double(Self.valueCount - 1))
            let shown = Self.compressed(light) / Self.white
            return UInt8((min(max(Self.sRGB(shown), 0), 1) * 255).rounded())
        }
    }

    /// The light of a sample, in cd/m2.
    private func light(_ sample: Double) -> Double {
        switch self {
        case .perceptualQuantizer:
            return Self.perceptualLight(sample)
        case .hybridLogGamma:
            let (a, b, c) = (0.178_832_77, 0.284_668_92, 0.559_910_73)
            let scene = sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
            return Self.masteringPeak * pow(scene, 1.2)
        }
    }

    private static func perceptualLight(_ sample: Double) -> Double {
        let power = pow(sample, 1 / m2)
        return 10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    }

    private static func perceptualSample(_ light: Double) -> Double {
        let power = pow(max(light, 0) / 10_000, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }

    private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

    /// The light that is shown for that light, at most ``white``.
    private static func compressed(_ light: Double) -> Double {
        let peak = perceptualSample(masteringPeak)
        let sample = min(perceptualSample(light) / peak, 1)
        let largest = perceptualSample(white) / peak
        let knee = 1.5 * largest - 0.5
        guard sample > knee else { return light }
        let t = (sample - knee) / (1 - knee)
        let (t2, t3) = (t * t, t * t * t)
        let spline =
            (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * largest
        return perceptualLight(spline * peak)
    }

    private static func sRGB(_ light: Double) -> Double {
        light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
