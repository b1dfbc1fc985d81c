/// What is kept of an image: its hash, its size and its colour space. 37 bytes, without a buffer of its own.
package struct ImpressionRecord: Hashable, Sendable {
    package let hash: ThumbHash
    private let width: UInt16
    private let height: UInt16
    private let isDisplayP3: Bool

    /// Keeps a hash.
    ///
    /// - Parameter pixelSize: The image's own, both sides at least 1.
    package init(hash: ThumbHash, pixelSize: PixelSize, colorSpace: DecodedImage.ColorSpace = .sRGB) {
        self.hash = hash
        let limit = Int(UInt16.max)
        let size = PixelTarget.fit(width: limit, height: limit).pixelSize(for: pixelSize)
        width = UInt16(size.width)
        height = UInt16(size.height)
        isDisplayP3 = colorSpace == .displayP3
    }

    /// None: what zeroed memory holds.
    static let none = ImpressionRecord()

    private init() {
        hash = ThumbHash()
        (width, height) = (0, 0)
        isDisplayP3 = false
    }

    /// Whether an image is large enough: one of fewer than 16 pixels along its longer side is there as soon as its
    /// impression could be.
    static func isWorthwhile(_ image: DecodedImage) -> Bool {
        max(image.pixelSize.width, image.pixelSize.height) >= 16
    }

    /// Makes an image's record.
    init(_ image: DecodedImage) {
        self.init(
            hash: ThumbHash(image.bitmap(atMost: 128)), pixelSize: image.originalPixelSize, colorSpace: image.colorSpace
        )
    }

    /// The image's own size; of one that has a side of more than 65,535 pixels, a size of the same ratio.
    package var pixelSize: PixelSize { PixelSize(width: Int(width), height: Int(height)) }

    package var colorSpace: DecodedImage.ColorSpace { isDisplayP3 ? .displayP3 : .sRGB }

    /// The blurred image, made anew.
    var image: DecodedImage {
        let size = PixelTarget.fit(width: 32, height: 32).pixelSize(for: pixelSize)
        return DecodedImage(
            bitmap: hash.bitmap(size: size), originalPixelSize: pixelSize, colorSpace: colorSpace, isImpression: true)
    }

    // MARK: As bytes

    /// As a store keeps it: a byte that says how the rest is to be read (0, or 1 for Display P3), the width and the height
    /// in two bytes each, the lower one first, and the hash. At most 30 bytes.
    package var bytes: [UInt8] {
        let sides = [width, height].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        return [isDisplayP3 ? 1 : 0] + sides + hash.bytes
    }

    /// Reads what a store has kept.
    ///
    /// - Returns: `nil` if that isn't a record, whatever it is.
    package init?(bytes: some Collection<UInt8>) {
        guard let record = Array(bytes).withUnsafeBytes({ ImpressionRecord($0) }) else { return nil }
        self = record
    }

    /// The same, without an array: for a store that reads many.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 5, bytes[0] <= 1,
            let hash = ThumbHash(UnsafeRawBufferPointer(rebasing: bytes[5...]))
        else { return nil }
        self.hash = hash
        width = UInt16(bytes[1]) | UInt16(bytes[2]) << 8
        height = UInt16(bytes[3]) | UInt16(bytes[4]) << 8
        isDisplayP3 = bytes[0] == 1
        guard width > 0, height > 0 else { return nil }
    }
}
