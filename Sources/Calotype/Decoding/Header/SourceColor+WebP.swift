extension SourceColor {
    /// What a WebP's ICC profile says, if it has one that isn't too large.
    ///
    /// - Source: RFC 9649, section 2.7.1.4. Only extended files have one.
    init(webP reader: ByteReader, limits: ImageLimits) {
        self.init()
        guard reader.has("VP8X", at: 12), let profile = WebPStructure.chunk("ICCP", in: reader), profile.count > 0,
            profile.count <= limits.profileByteCount
        else { return }
        encoding = .profile(Array(profile.bytes))
    }
}
