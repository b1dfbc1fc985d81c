/// What a decode needs of the segments before a JPEG's first scan, beside what libjpeg reads itself.
///
/// A value that borrows the bytes.
struct JPEGMetadata {
    /// The parts of a colour profile, in the file's order.
    private var profileParts: [(number: Int, count: Int, bytes: ByteReader)] = []
    private var profileByteCount = 0
    /// The TIFF structure of the first EXIF segment.
    private(set) var exif: ByteReader?
    /// Where the first scan's header begins; `nil` where there is none.
    private(set) var firstScan: Int?

    init(_ reader: ByteReader) {
        var segments = JPEGSegments(reader)
        while case .segment(let segment) = segments.next() {
            if segment.isScan {
                if segment.isWhole { firstScan = segment.start }
                return
            }
            guard segment.isWhole else { return }
            let content = segment.content
            if segment.code == 0xE2, content.has("ICC_PROFILE\0", at: 0), let number = content.byte(12),
                let count = content.byte(13)
            {
                let bytes = content.slice(14, length: content.count)
                profileByteCount += bytes.count
                // A number is a byte: what comes after the 255th part is none.
                if profileParts.count < 256 { profileParts.append((number, count, bytes)) }
            } else if segment.code == 0xE1, exif == nil, content.has("Exif\0", at: 0) {
                exif = content.slice(6, length: content.count)
            }
        }
    }

    /// The colour profile, put together.
    ///
    /// - Returns: `nil` if there is none, if it is larger than `limit`, or if its parts aren't each there once.
    /// - Source: ICC.1:2022, section B.4: "ICC_PROFILE" 0, the part's number from 1 on, and how many there are.
    func profile(limit: Int) -> [UInt8]? {
        guard let count = profileParts.first?.count, count == profileParts.count, profileByteCount <= limit else {
            return nil
        }
        let parts = profileParts.sorted { $0.number < $1.number }
        guard parts.indices.allSatisfy({ parts[$0].number == $0 + 1 && parts[$0].count == count }) else { return nil }
        var profile: [UInt8] = []
        profile.reserveCapacity(profileByteCount)
        for part in parts { profile.append(contentsOf: part.bytes.bytes) }
        return profile
    }
}
