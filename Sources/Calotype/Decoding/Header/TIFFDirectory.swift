/// The entries of one directory of a TIFF structure, as EXIF holds it in JPEG (after "Exif\0\0"), PNG's eXIf and WebP's
/// EXIF.
///
/// - Source: TIFF 6.0, section 2.
struct TIFFDirectory {
    enum Place {
        /// IFD0: the image's.
        case first
        /// IFD1: the thumbnail's.
        case second
    }

    private let reader: ByteReader
    private let isLittle: Bool
    private let start: Int
    private let entryCount: Int

    /// - Returns: `nil` if there is no such directory.
    init?(_ reader: ByteReader, at place: Place) {
        let isLittle = reader.has("II*\0", at: 0)
        guard isLittle || reader.has("MM\0*", at: 0) else { return nil }
        func number(_ offset: Int, size: Int) -> Int? {
            Self.number(reader, offset, size: size, isLittle: isLittle)
        }
        guard let first = number(4, size: 4), let firstCount = number(first, size: 2) else { return nil }
        self.reader = reader
        self.isLittle = isLittle
        switch place {
        case .first:
            (start, entryCount) = (first, firstCount)
        case .second:
            guard let second = number(first + 2 + firstCount * 12, size: 4), second > 0,
                let secondCount = number(second, size: 2)
            else { return nil }
            (start, entryCount) = (second, secondCount)
        }
    }

    /// Whether there is such a tag, whatever it holds.
    func has(_ tag: Int) -> Bool { entry(of: tag) != nil }

    /// A tag's first value, if it is a SHORT or a LONG.
    func value(of tag: Int) -> Int? {
        guard let entry = entry(of: tag) else { return nil }
        switch number(entry + 2, size: 2) {
        case 3: return number(entry + 8, size: 2)
        case 4: return number(entry + 8, size: 4)
        default: return nil
        }
    }

    private func entry(of tag: Int) -> Int? {
        // 16 bits bound the count, and an entry beyond the bytes ends the search.
        for index in 0..<entryCount {
            let entry = start + 2 + index * 12
            guard let found = number(entry, size: 2) else { return nil }
            if found == tag { return entry }
        }
        return nil
    }

    private func number(_ offset: Int, size: Int) -> Int? {
        Self.number(reader, offset, size: size, isLittle: isLittle)
    }

    private static func number(_ reader: ByteReader, _ offset: Int, size: Int, isLittle: Bool) -> Int? {
        isLittle ? reader.little(offset, size: size) : reader.big(offset, size: size)
    }
}
