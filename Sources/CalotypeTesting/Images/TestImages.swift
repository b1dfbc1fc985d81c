public import Calotype
public import Foundation

/// Images for tests, made by arithmetic alone: the same bytes on every system, without any codec library.
///
/// Colors given to these functions are not premultiplied, and `pixel` gets a column and a row, from the top left.
///
/// The quadrant images are red at the top left, green at the top right, blue at the bottom left and white at the bottom
/// right. Those with an orientation are stored turned or mirrored, so that they look like that once it has been applied,
/// whichever it is.
public enum TestImages {
    /// What a PNG's pixels consist of.
    public enum PNGChannels: UInt8, Sendable, CaseIterable {
        /// Luma alone.
        case gray = 0
        /// Without alpha.
        case rgb = 2
        /// With alpha, not premultiplied.
        case rgba = 6
    }

    // MARK: Bitmaps

    /// A bitmap of these colors, whose alpha is multiplied in.
    public static func bitmap(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> PixelColor) -> Bitmap {
        Bitmap(size: PixelSize(width: width, height: height)) { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    let color = pixel(x, y).premultiplied
                    let offset = (y * width + x) * 4
                    (bytes[offset], bytes[offset + 1]) = (color.red, color.green)
                    (bytes[offset + 2], bytes[offset + 3]) = (color.blue, color.alpha)
                }
            }
        }
    }

    /// A bitmap of one color.
    public static func solidBitmap(width: Int, height: Int, color: PixelColor) -> Bitmap {
        bitmap(width: width, height: height) { _, _ in color }
    }

    /// An opaque bitmap that is redder to the right and greener to the bottom, from 0 to 255 each.
    public static func gradientBitmap(width: Int, height: Int) -> Bitmap {
        bitmap(width: width, height: height, pixel: gradient(width: width, height: height))
    }

    /// A bitmap in four colors.
    public static func quadrantBitmap(width: Int, height: Int) -> Bitmap {
        bitmap(width: width, height: height, pixel: quadrants(width: width, height: height))
    }

    // MARK: PNG

    /// A PNG file of these colors: 8 bits a channel, not interlaced, its zlib stream stored uncompressed.
    ///
    /// - Parameter orientation: 1 to 8 as in Exif, written into an `eXIf` chunk; `pixel` describes the upright image, of
    ///   `width` by `height`.
    public static func png(
        width: Int, height: Int, channels: PNGChannels = .rgba, orientation: Int? = nil,
        pixel: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        let stored = StoredImage(width: width, height: height, orientation: orientation ?? 1)
        return PNGEncoder.encode(
            width: stored.width, height: stored.height, channels: channels,
            exif: orientation.map(Exif.orientation)
        ) { x, y in
            let (x, y) = stored.upright(x, y)
            return pixel(x, y)
        }
    }

    /// A PNG file of a bitmap, alpha divided out: for looking at what a test made.
    public static func png(_ bitmap: Bitmap) -> Data {
        png(width: bitmap.size.width, height: bitmap.size.height) { x, y in bitmap.pixel(x, y).unpremultiplied }
    }

    /// A PNG file of one color.
    public static func solidPNG(width: Int, height: Int, color: PixelColor) -> Data {
        png(width: width, height: height) { _, _ in color }
    }

    /// A PNG file of ``gradientBitmap(width:height:)``, without alpha.
    public static func gradientPNG(width: Int, height: Int) -> Data {
        png(width: width, height: height, channels: .rgb, pixel: gradient(width: width, height: height))
    }

    /// A PNG file in four colors.
    public static func quadrantPNG(width: Int, height: Int, orientation: Int? = nil) -> Data {
        png(
            width: width, height: height, channels: .rgb, orientation: orientation,
            pixel: quadrants(width: width, height: height))
    }

    // MARK: JPEG

    /// A baseline JPEG file (4:4:4) in which each block of 8 by 8 stored pixels has one color: that of its center.
    ///
    /// A decoder gives these colors to within 1 in each channel, up to the conversion from YCbCr.
    ///
    /// - Parameters:
    ///   - width: At most 65,535, as `height`.
    ///   - orientation: 1 to 8, written into an Exif segment; `pixel` describes the upright image, of `width` by `height`.
    public static func jpeg(
        width: Int, height: Int, orientation: Int? = nil, pixel: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        let stored = StoredImage(width: width, height: height, orientation: orientation ?? 1)
        return JPEGEncoder.encode(
            width: stored.width, height: stored.height, exif: orientation.map(Exif.orientation)
        ) { x, y in
            let (x, y) = stored.upright(x, y)
            return pixel(x, y)
        }
    }

    /// A JPEG file in four colors. The borders are sharp if both sides are multiples of 16.
    public static func quadrantJPEG(width: Int, height: Int, orientation: Int? = nil) -> Data {
        jpeg(
            width: width, height: height, orientation: orientation,
            pixel: quadrants(width: width, height: height))
    }

    /// What marks a JPEG file of inks.
    public enum JPEGInks: Sendable, CaseIterable {
        /// Adobe's segment.
        case adobe
        /// Adobe's segment, with three of the inks turned into luma and chroma.
        case adobeYCCK
        /// Four components, and nothing else.
        case unmarked
    }

    /// A baseline JPEG file of inks, in which each block of 8 by 8 pixels has one mix of them: that of its center.
    ///
    /// - Parameter inks: Cyan, magenta, yellow and black, 0 for no ink to 255 for all of it, in this order in a color.
    public static func jpeg(
        width: Int, height: Int, of kind: JPEGInks, inks: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        let transform: JPEGEncoder.InkTransform? =
            switch kind {
            case .adobe: .some(.none)
            case .adobeYCCK: .ycck
            case .unmarked: nil
            }
        return JPEGEncoder.encodeInks(width: width, height: height, transform: transform, inks: inks)
    }

    // MARK: WebP and GIF

    /// A lossless WebP file of these colors, stored uncompressed.
    ///
    /// - Parameters:
    ///   - width: At most 16,384, as `height`.
    ///   - orientation: 1 to 8, written into an `EXIF` chunk; `pixel` describes the upright image, of `width` by `height`.
    public static func webP(
        width: Int, height: Int, orientation: Int? = nil, pixel: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        let stored = StoredImage(width: width, height: height, orientation: orientation ?? 1)
        return WebPEncoder.encode(
            width: stored.width, height: stored.height, exif: orientation.map(Exif.orientation)
        ) { x, y in
            let (x, y) = stored.upright(x, y)
            return pixel(x, y)
        }
    }

    /// A GIF file of one frame of these colors, with a global color table.
    ///
    /// - Parameters:
    ///   - width: At most 65,535, as `height`.
    ///   - pixel: Gives at most 256 colors; what has an alpha below 128 is transparent.
    public static func gif(
        width: Int, height: Int, isInterlaced: Bool = false, pixel: (_ x: Int, _ y: Int) -> PixelColor
    ) -> Data {
        withoutActuallyEscaping(pixel) { pixel in
            let frame = GIFEncoder.Frame(width: width, height: height, isInterlaced: isInterlaced, pixel: pixel)
            return GIFEncoder.encode(width: width, height: height, frames: [frame])
        }
    }

    // MARK: Patterns

    private static func gradient(width: Int, height: Int) -> (Int, Int) -> PixelColor {
        { x, y in PixelColor(UInt8(x * 255 / max(width - 1, 1)), UInt8(y * 255 / max(height - 1, 1)), 64) }
    }

    private static func quadrants(width: Int, height: Int) -> (Int, Int) -> PixelColor {
        { x, y in
            switch (x * 2 < width, y * 2 < height) {
            case (true, true): .red
            case (false, true): .green
            case (true, false): .blue
            case (false, false): .white
            }
        }
    }
}
