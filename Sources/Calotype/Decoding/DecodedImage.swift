#if canImport(CoreGraphics)
public import CoreGraphics
#endif

/// An image ready to be drawn: upright, and close to the size that it is shown at.
///
/// - Isolation: Immutable, so it may be used from any thread.
/// - Memory: ``byteCount`` is what a cache counts.
public final class DecodedImage: Sendable {
    /// The colour space of the pixels.
    public enum ColorSpace: Sendable, Hashable {
        /// IEC 61966-2-1.
        case sRGB
        /// Display P3.
        case displayP3
    }

    /// The size of these pixels.
    public let pixelSize: PixelSize
    /// The size of the image before it was downsampled, upright.
    public let originalPixelSize: PixelSize
    /// The colour space of the pixels.
    public let colorSpace: ColorSpace
    /// The memory that the image takes, in bytes: its pixels, and for an animation also the file, what frames are composed
    /// on, and the frames that are kept, as if it played.
    public let byteCount: Int
    /// The frames, if there is more than one. The image itself is the first.
    public let animation: ImageAnimation?
    /// Whether the file is HDR (PQ or HLG), whose light has been drawn together into the range of ordinary images.
    public let isToneMapped: Bool
    /// Whether these are the blurred colours that are remembered of an image (``Impression``), rather than its pixels.
    public let isImpression: Bool
    /// Whether the file is a thumbnail that an image server has made of a larger one: ``originalPixelSize`` is the
    /// thumbnail's then.
    package let isReducedByServer: Bool

    #if canImport(CoreGraphics)
    /// The image for Core Graphics.
    public let cgImage: CGImage

    /// Makes an image of a Core Graphics image, whose pixels are decoded already.
    public convenience init(
        cgImage: CGImage, originalPixelSize: PixelSize? = nil, colorSpace: ColorSpace = .sRGB,
        animation: ImageAnimation? = nil, isToneMapped: Bool = false, isImpression: Bool = false
    ) {
        self.init(
            cgImage: cgImage, originalPixelSize: originalPixelSize, colorSpace: colorSpace, animation: animation,
            isToneMapped: isToneMapped, isImpression: isImpression, isReducedByServer: false)
    }

    private init(
        cgImage: CGImage, originalPixelSize: PixelSize?, colorSpace: ColorSpace, animation: ImageAnimation?,
        isToneMapped: Bool, isImpression: Bool, isReducedByServer: Bool
    ) {
        self.cgImage = cgImage
        self.pixelSize = PixelSize(width: cgImage.width, height: cgImage.height)
        self.originalPixelSize = originalPixelSize ?? pixelSize
        self.colorSpace = colorSpace
        let pixelByteCount = cgImage.bytesPerRow * cgImage.height
        self.byteCount = pixelByteCount + (animation?.byteCount(frameByteCount: pixelByteCount) ?? 0)
        self.animation = animation
        self.isToneMapped = isToneMapped
        self.isImpression = isImpression
        self.isReducedByServer = isReducedByServer
    }
    #else
    /// The pixels.
    public let bitmap: Bitmap

    /// Makes an image of pixels.
    public convenience init(
        bitmap: Bitmap, originalPixelSize: PixelSize? = nil, colorSpace: ColorSpace = .sRGB,
        animation: ImageAnimation? = nil, isToneMapped: Bool = false, isImpression: Bool = false
    ) {
        self.init(
            bitmap: bitmap, originalPixelSize: originalPixelSize, colorSpace: colorSpace, animation: animation,
            isToneMapped: isToneMapped, isImpression: isImpression, isReducedByServer: false)
    }

    private init(
        bitmap: Bitmap, originalPixelSize: PixelSize?, colorSpace: ColorSpace, animation: ImageAnimation?,
        isToneMapped: Bool, isImpression: Bool, isReducedByServer: Bool
    ) {
        self.bitmap = bitmap
        self.pixelSize = bitmap.size
        self.originalPixelSize = originalPixelSize ?? bitmap.size
        self.colorSpace = colorSpace
        self.byteCount = bitmap.byteCount + (animation?.byteCount(frameByteCount: bitmap.byteCount) ?? 0)
        self.animation = animation
        self.isToneMapped = isToneMapped
        self.isImpression = isImpression
        self.isReducedByServer = isReducedByServer
    }
    #endif

    /// The same image, of a file that an image server has made smaller.
    convenience init(reducedByServer image: DecodedImage) {
        #if canImport(CoreGraphics)
        self.init(
            cgImage: image.cgImage, originalPixelSize: image.originalPixelSize, colorSpace: image.colorSpace,
            animation: image.animation, isToneMapped: image.isToneMapped, isImpression: false, isReducedByServer: true)
        #else
        self.init(
            bitmap: image.bitmap, originalPixelSize: image.originalPixelSize, colorSpace: image.colorSpace,
            animation: image.animation, isToneMapped: image.isToneMapped, isImpression: false, isReducedByServer: true)
        #endif
    }
}
