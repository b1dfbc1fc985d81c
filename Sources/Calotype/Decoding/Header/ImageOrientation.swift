/// How stored pixels must be turned to stand upright: the values of EXIF's tag 274.
///
/// - Source: CIPA DC-008 (EXIF 3.0), section 4.6.5, tag `Orientation`.
package enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
    /// Upright as stored.
    case up = 1
    /// Mirrored left to right.
    case upMirrored
    /// Turned by 180 degrees.
    case down
    /// Mirrored top to bottom.
    case downMirrored
    /// Mirrored along the diagonal from the upper left: stored rows are upright columns.
    case leftMirrored
    /// To be turned by 90 degrees clockwise.
    case right
    /// Mirrored along the diagonal from the upper right.
    case rightMirrored
    /// To be turned by 90 degrees counterclockwise.
    case left

    /// Whether width and height change places.
    package var transposes: Bool { rawValue >= 5 }

    /// The upright size of pixels stored at `size`, and the other way round.
    package func applied(to size: PixelSize) -> PixelSize { transposes ? size.transposed : size }

    /// Reads the tag from a TIFF structure, as EXIF holds it in JPEG (after "Exif\0\0"), PNG's eXIf and WebP's EXIF.
    ///
    /// - Returns: `nil` if there is no such tag; `.up` if it has a value that isn't allowed.
    /// - Source: TIFF 6.0, section 2. IFD0 alone is read: IFD1 describes the thumbnail.
    init?(tiff reader: ByteReader) {
        let isLittle: Bool
        if reader.has("II*\0", at: 0) {
            isLittle = true
        } else if reader.has("MM\0*", at: 0) {
            isLittle = false
        } else {
            return nil
        }
        func number(_ offset: Int, size: Int) -> Int? {
            isLittle ? reader.little(offset, size: size) : reader.big(offset, size: size)
        }
        guard let directory = number(4, size: 4), let entryCount = number(directory, size: 2) else { return nil }
        // 16 bits bound the count, and an entry beyond the bytes ends the search.
        for index in 0..<entryCount {
            let entry = directory + 2 + index * 12
            guard let tag = number(entry, size: 2), let type = number(entry + 2, size: 2) else { return nil }
            guard tag == 0x0112 else { continue }
            // SHORT, as the standard says, or LONG, as some writers do.
            let value = type == 3 ? number(entry + 8, size: 2) : type == 4 ? number(entry + 8, size: 4) : nil
            self = value.flatMap(ImageOrientation.init(rawValue:)) ?? .up
            return
        }
        return nil
    }
}
