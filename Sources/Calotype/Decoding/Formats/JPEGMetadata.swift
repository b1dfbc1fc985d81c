/// What a decode needs of the segments before a JPEG's first scan, beside what libjpeg reads itself.
///
/// A value that borrows the bytes.
struct JPEGMetadata {
    /// The parts of a colour profile, in the file's order.
    private var profileParts: [(number: Int, count: Int, bytes: ByteReader)] = []
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
                // A number is a byte, so that there are 255 parts at most; some files have all of them twice.
                guard profileParts.count < 512 else { continue }
                profileParts.append((number, count, content.slice(14, length: content.count)))
            } else if segment.code == 0xE1, exif == nil, content.has("Exif\0", at: 0) {
                exif = content.slice(6, length: content.count)
            }
        }
    }

    /// The colour profile, put together.
    ///
    /// - Returns: `nil` if there is none, if it is larger than `limit`, if a part is missing, or is there twice and not the
    ///   same.
    /// - Source: ICC.1:2022, section B.4: "ICC_PROFILE" 0, the part's number from 1 on, and how many there are.
    func profile(limit: Int) -> [UInt8]? {
        guard let count = profileParts.first?.count else { return nil }
        var parts = [ByteReader?](repeating: nil, count: count)
        var byteCount = 0
        for part in profileParts {
            guard part.count == count, part.number > 0, part.number <= count else { return nil }
            if let same = parts[part.number - 1] {
                guard same.bytes.elementsEqual(part.bytes.bytes) else { return nil }
            } else {
                parts[part.number - 1] = part.bytes
                byteCount += part.bytes.count
            }
        }
        guard byteCount > 0, byteCount <= limit else { return nil }
        var profile: [UInt8] = []
        profile.reserveCapacity(byteCount)
        for part in parts {
            guard let part else { return nil }
            profile.append(contentsOf: part.bytes)
        }
        return profile
    }
}
