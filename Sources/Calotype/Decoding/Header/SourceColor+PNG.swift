extension SourceColor {
    /// What a PNG says of its colours, before its pixels: iCCP before sRGB, and that before gAMA and cHRM. Of what is
    /// damaged or too large nothing is read. cICP counts where it means sRGB; other codes aren't known here.
    ///
    /// - Source: PNG (third edition), sections 4.3 and 11.3.2.
    init(png reader: ByteReader, isGray: Bool, limits: ImageLimits) {
        self.init(model: isGray ? .gray : .rgb)
        var hasStandard = false
        var profile: [UInt8]?
        var gamma: Int?
        var chromaticities: Chromaticities?
        for chunk in PNGChunks(reader) {
            if chunk.is("IDAT") { break }
            if chunk.is("cICP"), chunk.isSound, chunk.content.byte(0) == 1, chunk.content.byte(1) == 13 { return }
            if chunk.is("sRGB"), chunk.isSound { hasStandard = true }
            if chunk.is("iCCP"), profile == nil, chunk.isSound { profile = Self.profile(chunk.content, limits) }
            if chunk.is("gAMA"), gamma == nil, chunk.isSound { gamma = chunk.content.big(0, size: 4) }
            if chunk.is("cHRM"), chromaticities == nil, chunk.isSound {
                chromaticities = Chromaticities(chunk.content)
            }
        }
        if let profile {
            encoding = .profile(profile)
        } else if !hasStandard, let gamma, (1_000...1_000_000).contains(gamma) {
            // What writers give beside sRGB, or instead of it, for decoders that know nothing better.
            let isNearStandard = (45_000...46_000).contains(gamma)
            let others = chromaticities.flatMap { $0.isNearStandard ? nil : $0 }
            if !isNearStandard || others != nil { encoding = .gamma(100_000 / Double(gamma), others) }
        }
    }

    /// iCCP: a name of 1 to 79 bytes, 0, the method 0, and the profile as a zlib stream.
    private static func profile(_ content: ByteReader, _ limits: ImageLimits) -> [UInt8]? {
        guard let end = (1..<80).first(where: { content.byte($0) == 0 }), content.byte(end + 1) == 0 else { return nil }
        return Inflation.unpack(content.slice(end + 2, length: content.count).bytes, limit: limits.profileByteCount)
    }
}

extension SourceColor.Chromaticities {
    /// cHRM: eight numbers in 100,000ths.
    fileprivate init?(_ content: ByteReader) {
        let values = (0..<8).compactMap { content.big($0 * 4, size: 4) }.map { Double($0) / 100_000 }
        // A y of 0 is no colour.
        guard values.count == 8, values.allSatisfy({ $0 <= 1 }), [1, 3, 5, 7].allSatisfy({ values[$0] > 0 }) else {
            return nil
        }
        self.init(
            whiteX: values[0], whiteY: values[1], redX: values[2], redY: values[3], greenX: values[4], greenY: values[5],
            blueX: values[6], blueY: values[7])
    }

    /// Whether these are sRGB's, up to the rounding of those who write them.
    fileprivate var isNearStandard: Bool {
        let own = [whiteX, whiteY, redX, redY, greenX, greenY, blueX, blueY]
        let standard = [0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06]
        return zip(own, standard).allSatisfy { abs($0 - $1) < 0.002 }
    }
}
