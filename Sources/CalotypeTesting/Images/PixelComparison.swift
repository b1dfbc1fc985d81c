public import Calotype
import Foundation

/// How far two bitmaps differ, in numbers and in words that say where to look.
///
/// ```swift
/// let comparison = PixelComparison(decoded, expected)
/// #expect(comparison.isWithin(.init(maximum: 2, mean: 0.25)), "\(comparison)")
/// ```
///
/// Both sides are RGBA, 8 bits a channel, premultiplied, as every `Bitmap` is. All four channels count.
public struct PixelComparison: Sendable, CustomStringConvertible {
    /// What a test accepts. All of what is stated must hold.
    public struct Tolerance: Sendable, Hashable, CustomStringConvertible {
        /// The largest difference in one channel, 0 to 255.
        public var maximum: Int
        /// The mean difference over all channels of all pixels.
        public var mean: Double
        /// The least peak signal-to-noise ratio, in decibels.
        public var leastPSNR: Double

        /// Makes a tolerance. What isn't given isn't limited.
        public init(maximum: Int = 255, mean: Double = 255, leastPSNR: Double = 0) {
            self.maximum = maximum
            self.mean = mean
            self.leastPSNR = leastPSNR
        }

        /// Every pixel is the same.
        public static let exact = Tolerance(maximum: 0)

        /// The limits that are set.
        public var description: String {
            var limits: [String] = []
            if maximum < 255 { limits.append("maximum \(maximum)") }
            if mean < 255 { limits.append("mean \(rounded(mean))") }
            if leastPSNR > 0 { limits.append("PSNR at least \(rounded(leastPSNR)) dB") }
            return limits.joined(separator: ", ")
        }
    }

    /// One pixel on both sides, premultiplied.
    public struct Pixel: Sendable, Hashable {
        /// The column.
        public let x: Int
        /// The row, from the top.
        public let y: Int
        /// What there is.
        public let actual: PixelColor
        /// What there should be.
        public let expected: PixelColor
    }

    /// The size of what there is.
    public let actualSize: PixelSize
    /// The size of what there should be.
    public let expectedSize: PixelSize
    /// The largest difference in one channel; 255 if the sizes differ.
    public let maximumDifference: Int
    /// The mean difference over all channels of all pixels; 255 if the sizes differ.
    public let meanDifference: Double
    /// The peak signal-to-noise ratio over all channels, in decibels; infinite if nothing differs, 0 if the sizes do.
    public let psnr: Double
    /// The first of the pixels with the largest difference; `nil` if nothing differs or the sizes do.
    public let worstPixel: Pixel?

    /// Compares what there is with what there should be.
    public init(_ actual: Bitmap, _ expected: Bitmap) {
        (actualSize, expectedSize) = (actual.size, expected.size)
        guard actual.size == expected.size else {
            (maximumDifference, meanDifference, psnr, worstPixel) = (255, 255, 0, nil)
            return
        }
        var (maximum, worst, sum, squares) = (0, 0, 0, 0)
        actual.withUnsafeBytes { left in
            expected.withUnsafeBytes { right in
                for index in 0..<left.count where left[index] != right[index] {
                    let difference = abs(Int(left[index]) - Int(right[index]))
                    sum += difference
                    squares += difference * difference
                    if difference > maximum { (maximum, worst) = (difference, index) }
                }
            }
        }
        let count = Double(actual.byteCount)
        maximumDifference = maximum
        meanDifference = Double(sum) / count
        psnr = squares == 0 ? .infinity : 10 * log10(255 * 255 / (Double(squares) / count))
        if maximum == 0 {
            worstPixel = nil
        } else {
            let (y, x) = (worst / 4).quotientAndRemainder(dividingBy: actual.size.width)
            worstPixel = Pixel(x: x, y: y, actual: actual.pixel(x, y), expected: expected.pixel(x, y))
        }
    }

    /// Whether a test may accept the difference. Bitmaps of different sizes are never alike.
    public func isWithin(_ tolerance: Tolerance) -> Bool {
        actualSize == expectedSize && maximumDifference <= tolerance.maximum && meanDifference <= tolerance.mean
            && psnr >= tolerance.leastPSNR
    }

    /// "maximum 12, mean 0.41, PSNR 43.1 dB; worst at (3, 7): (12, 0, 0, 255), expected (0, 0, 0, 255)".
    public var description: String {
        guard actualSize == expectedSize else { return "\(actualSize) pixels, expected \(expectedSize)" }
        guard let worstPixel else { return "no difference" }
        return "maximum \(maximumDifference), mean \(rounded(meanDifference)), PSNR \(rounded(psnr)) dB; "
            + "worst at (\(worstPixel.x), \(worstPixel.y)): \(worstPixel.actual), expected \(worstPixel.expected)"
    }
}

private func rounded(_ value: Double) -> String { String((value * 100).rounded() / 100) }

extension Bitmap {
    /// The color at column `x` and row `y`, premultiplied.
    public func pixel(_ x: Int, _ y: Int) -> PixelColor {
        let pixel = self[x, y]
        return PixelColor(pixel.red, pixel.green, pixel.blue, pixel.alpha)
    }

    /// The colors of the four corners, premultiplied: enough to tell how an image is turned.
    public var corners: Corners {
        let (right, bottom) = (size.width - 1, size.height - 1)
        return Corners(
            topLeft: pixel(0, 0), topRight: pixel(right, 0), bottomLeft: pixel(0, bottom),
            bottomRight: pixel(right, bottom))
    }

    /// Four colors, premultiplied.
    public struct Corners: Sendable, Hashable {
        /// At the top left.
        public var topLeft: PixelColor
        /// At the top right.
        public var topRight: PixelColor
        /// At the bottom left.
        public var bottomLeft: PixelColor
        /// At the bottom right.
        public var bottomRight: PixelColor

        /// Makes corners.
        public init(topLeft: PixelColor, topRight: PixelColor, bottomLeft: PixelColor, bottomRight: PixelColor) {
            self.topLeft = topLeft
            self.topRight = topRight
            self.bottomLeft = bottomLeft
            self.bottomRight = bottomRight
        }

        /// Those of an upright quadrant image of ``TestImages``.
        public static let quadrants = Corners(topLeft: .red, topRight: .green, bottomLeft: .blue, bottomRight: .white)
    }
}
