extension SourceColor.Chromaticities {
    /// Primaries with the white of D65.
    private init(red: (Double, Double), green: (Double, Double), blue: (Double, Double)) {
        self.init(
            whiteX: 0.3127, whiteY: 0.3290, redX: red.0, redY: red.1, greenX: green.0, greenY: green.1,
            blueX: blue.0, blueY: blue.1)
    }

    /// sRGB and ITU-R BT.709.
    static let sRGB = Self(red: (0.640, 0.330), green: (0.300, 0.600), blue: (0.150, 0.060))
    /// Display P3: SMPTE EG 432-1.
    static let displayP3 = Self(red: (0.680, 0.320), green: (0.265, 0.690), blue: (0.150, 0.060))
    /// ITU-R BT.2020 and BT.2100.
    static let bt2020 = Self(red: (0.708, 0.292), green: (0.170, 0.797), blue: (0.131, 0.046))
    /// ITU-R BT.601 with 625 lines.
    static let bt601Lines625 = Self(red: (0.640, 0.330), green: (0.290, 0.600), blue: (0.150, 0.060))
    /// ITU-R BT.601 with 525 lines.
    static let bt601Lines525 = Self(red: (0.630, 0.340), green: (0.310, 0.595), blue: (0.155, 0.070))
}

extension SourceColor.Encoding {
    /// What code points say; `standard` where they say nothing, or something that no picture has.
    ///
    /// - Source: ITU-T H.273 tables 2 and 3.
    static func codePoints(primaries: Int, transfer: Int) -> Self {
        let chromaticities: SourceColor.Chromaticities
        switch primaries {
        case 1: chromaticities = .sRGB
        case 5: chromaticities = .bt601Lines625
        case 6, 7: chromaticities = .bt601Lines525
        case 9: chromaticities = .bt2020
        case 12: chromaticities = .displayP3
        // Unspecified, of which a transfer function may still be known.
        case 2: chromaticities = .sRGB
        default: return .standard
        }
        switch transfer {
        case 1, 6, 14, 15: return .coded(primaries: chromaticities, transfer: .bt709)
        case 4: return .coded(primaries: chromaticities, transfer: .gamma(2.2))
        case 5: return .coded(primaries: chromaticities, transfer: .gamma(2.8))
        case 8: return .coded(primaries: chromaticities, transfer: .linear)
        case 13: return .coded(primaries: chromaticities, transfer: .sRGB)
        case 16: return .coded(primaries: chromaticities, transfer: .pq)
        case 18: return .coded(primaries: chromaticities, transfer: .hlg)
        case 2: return .coded(primaries: chromaticities, transfer: .sRGB)
        default: return .standard
        }
    }
}
