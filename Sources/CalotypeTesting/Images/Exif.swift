/// How an image is stored for a viewer that turns it upright.
///
/// - Source: Exif 2.32 (CIPA DC-008), tag 274: the sides that the stored first row and first column are seen at.
struct StoredImage {
    /// The stored width.
    let width: Int
    /// The stored height.
    let height: Int
    private let orientation: Int

    /// - Parameters:
    ///   - width: Upright.
    ///   - height: Upright.
    init(width: Int, height: Int, orientation: Int) {
        precondition(width > 0 && height > 0, "An image has at least one pixel; got \(width) x \(height).")
        precondition((1...8).contains(orientation), "Orientations are 1 to 8; got \(orientation).")
        (self.width, self.height) = orientation >= 5 ? (height, width) : (width, height)
        self.orientation = orientation
    }

    /// Where the stored pixel is seen.
    func upright(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
        switch orientation {
        case 2: (width - 1 - x, y)
        case 3: (width - 1 - x, height - 1 - y)
        case 4: (x, height - 1 - y)
        case 5: (y, x)
        case 6: (height - 1 - y, x)
        case 7: (height - 1 - y, width - 1 - x)
        case 8: (y, width - 1 - x)
        default: (x, y)
        }
    }
}

enum Exif {
    /// A TIFF structure that holds an orientation and nothing else.
    static func orientation(_ orientation: Int) -> [UInt8] {
        // Big-endian; one directory at byte 8; one entry: tag 0x0112, type SHORT, one value; no further directory.
        let header: [UInt8] = [0x4d, 0x4d, 0x00, 0x2a, 0, 0, 0, 8]
        let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0]
        return header + [0, 1] + entry + [0, 0, 0, 0]
    }
}
