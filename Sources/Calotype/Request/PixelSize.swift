/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// Makes a size of `width` by `height` pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// "264 x 176", as messages and tables print it.
    public var description: String { "\(width) x \(height)" }

    /// The same size with its sides exchanged, as a turn by 90 degrees leaves it.
    package var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// Width times height, or `Int.max` where that overflows.
    package var pixelCount: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }
}

/// The pixels a rendition should have, once points, scale and layout have been taken into account.
///
/// A target never crops and never enlarges: ``pixelSize(for:)`` keeps the image's aspect ratio and ends at its own size.
public enum PixelTarget: Hashable, Sendable {
    /// All the pixels there are.
    case original
    /// As large as possible without exceeding either side. A side that is `nil` doesn't count.
    case fit(width: Int?, height: Int?)
    /// As small as possible while covering both sides. A side that is `nil` doesn't count.
    case fill(width: Int?, height: Int?)

    /// The size that an image of `original` pixels is decoded to.
    ///
    /// - Parameter original: The upright size, after orientation has been applied; both sides at least 1.
    /// - Returns: At least 1 x 1, at most `original`, the aspect ratio kept to the nearest pixel.
    public func pixelSize(for original: PixelSize) -> PixelSize {
        let horizontal: Int?
        let vertical: Int?
        let covers: Bool
        switch self {
        case .original: return original
        case .fit(let width, let height): (horizontal, vertical, covers) = (width, height, false)
        case .fill(let width, let height): (horizontal, vertical, covers) = (width, height, true)
        }
        let ratios = (
            horizontal.map { Double(max($0, 1)) / Double(original.width) },
            vertical.map { Double(max($0, 1)) / Double(original.height) }
        )
        let ratio: Double
        switch ratios {
        case (nil, nil): return original
        case (let only?, nil), (nil, let only?): ratio = only
        case (let x?, let y?): ratio = covers ? max(x, y) : min(x, y)
        }
        guard ratio < 1 else { return original }
        return PixelSize(
            width: max(1, Int((Double(original.width) * ratio).rounded())),
            height: max(1, Int((Double(original.height) * ratio).rounded())))
    }
}
