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

    /// Reads the tag from a TIFF structure.
    ///
    /// - Returns: `nil` if there is no such tag; `.up` if it has a value that isn't allowed.
    init?(tiff reader: ByteReader) {
        // IFD0 alone: IFD1 describes the thumbnail. A SHORT, as the standard says, or a LONG, as some writers do.
        guard let directory = TIFFDirectory(reader, at: .first), directory.has(0x0112) else { return nil }
        self = directory.value(of: 0x0112).flatMap(ImageOrientation.init(rawValue:)) ?? .up
    }
}
