extension SourceColor {
    /// What a video codec's code points say. Pictures of a ``ToneCurve`` have sRGB's curve by then.
    ///
    /// BT.709's curve is taken for sRGB's, as browsers do: most files that name it were made of sRGB pictures.
    ///
    /// - Source: ITU-T H.273, tables 2 and 3.
    init(primaries: Int, transfer: Int) {
        self.init()
        let chromaticities = Chromaticities(primaries: primaries)
        switch transfer {
        case 4: encoding = .gamma(2.2, chromaticities)
        case 5: encoding = .gamma(2.8, chromaticities)
        case 8: encoding = .gamma(1, chromaticities)
        case 17: encoding = .gamma(2.6, chromaticities)
        default: encoding = chromaticities.map(Encoding.standardCurve) ?? .standard
        }
    }
}

extension SourceColor.Chromaticities {
    /// Display P3's.
    static let displayP3 = SourceColor.Chromaticities(
        white: (0.3127, 0.3290), red: (0.680, 0.320), green: (0.265, 0.690), blue: (0.150, 0.060))

    /// - Returns: `nil` for sRGB's, and where the file doesn't say.
    fileprivate init?(primaries: Int) {
        let d65 = (0.3127, 0.3290)
        let c = (0.310, 0.316)
        switch primaries {
        case 4: self.init(white: c, red: (0.67, 0.33), green: (0.21, 0.71), blue: (0.14, 0.08))
        case 5: self.init(white: d65, red: (0.64, 0.33), green: (0.29, 0.60), blue: (0.15, 0.06))
        case 6, 7: self.init(white: d65, red: (0.630, 0.340), green: (0.310, 0.595), blue: (0.155, 0.070))
        case 8: self.init(white: c, red: (0.681, 0.319), green: (0.243, 0.692), blue: (0.145, 0.049))
        case 9: self.init(white: d65, red: (0.708, 0.292), green: (0.170, 0.797), blue: (0.131, 0.046))
        case 11: self.init(white: (0.314, 0.351), red: (0.680, 0.320), green: (0.265, 0.690), blue: (0.150, 0.060))
        case 12: self = .displayP3
        case 22: self.init(white: d65, red: (0.630, 0.340), green: (0.295, 0.605), blue: (0.155, 0.077))
        default: return nil
        }
    }

    /// x and y of each.
    init(
        white: (Double, Double), red: (Double, Double), green: (Double, Double), blue: (Double, Double)
    ) {
        self.init(
            whiteX: white.0, whiteY: white.1, redX: red.0, redY: red.1, greenX: green.0, greenY: green.1,
            blueX: blue.0, blueY: blue.1)
    }
}
