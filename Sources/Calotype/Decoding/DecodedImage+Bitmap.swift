extension DecodedImage {
    /// An image of other pixels, made by the same step from these and, on demand, from each frame of the animation.
    ///
    /// - Parameter step: Called for the first image at once, for frames when they are asked for, on any thread.
    package func mapBitmaps(_ step: @escaping @Sendable (Bitmap) throws -> Bitmap) throws -> DecodedImage {
        let original = originalPixelSize
        let space = colorSpace
        let isToneMapped = isToneMapped
        let still = DecodedImage(
            bitmap: try step(bitmap), originalPixelSize: original, colorSpace: space, isToneMapped: isToneMapped)
        guard let animation else { return still }
        let frames = animation.mapped(first: still) { frame in
            DecodedImage(
                bitmap: try step(frame.bitmap), originalPixelSize: original, colorSpace: space,
                isToneMapped: isToneMapped)
        }
        return DecodedImage(still, animation: frames)
    }

    /// The same pixels, as the first frame of an animation.
    convenience init(_ still: DecodedImage, animation: ImageAnimation?) {
        #if canImport(CoreGraphics)
        self.init(
            cgImage: still.cgImage, originalPixelSize: still.originalPixelSize, colorSpace: still.colorSpace,
            animation: animation, isToneMapped: still.isToneMapped)
        #else
        self.init(
            bitmap: still.bitmap, originalPixelSize: still.originalPixelSize, colorSpace: still.colorSpace,
            animation: animation, isToneMapped: still.isToneMapped)
        #endif
    }
}

#if canImport(CoreGraphics)
import CoreGraphics
import Foundation

extension DecodedImage.ColorSpace {
    /// The same for Core Graphics.
    var cgColorSpace: CGColorSpace {
        let name =
            switch self {
            case .sRGB: CGColorSpace.sRGB
            case .displayP3: CGColorSpace.displayP3
            }
        // Both exist on every system that the package supports.
        return CGColorSpace(name: name) ?? CGColorSpaceCreateDeviceRGB()
    }
}

extension DecodedImage {
    /// The pixels, drawn into memory: a copy for each call.
    public var bitmap: Bitmap { drawn(pixelSize) }

    /// The image in at most so many pixels along its longer side, for what doesn't need them all.
    func bitmap(atMost side: Int) -> Bitmap {
        drawn(PixelTarget.fit(width: side, height: side).pixelSize(for: pixelSize))
    }

    private func drawn(_ size: PixelSize) -> Bitmap {
        Bitmap(size: size) { buffer in
            // A context of this layout is always supported. It draws nothing only where memory is out.
            let context = CGContext(
                data: buffer.baseAddress, width: size.width, height: size.height, bitsPerComponent: 8,
                bytesPerRow: size.width * 4, space: colorSpace.cgColorSpace,
                bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
            context?.draw(cgImage, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
        }
    }

    /// Makes an image of pixels.
    public convenience init(
        bitmap: Bitmap, originalPixelSize: PixelSize? = nil, colorSpace: ColorSpace = .sRGB,
        animation: ImageAnimation? = nil, isToneMapped: Bool = false, isImpression: Bool = false
    ) {
        let data = bitmap.withUnsafeBytes { Data($0) }
        guard let provider = CGDataProvider(data: data as CFData),
            let image = CGImage(
                width: bitmap.size.width, height: bitmap.size.height, bitsPerComponent: 8, bitsPerPixel: 32,
                bytesPerRow: bitmap.bytesPerRow, space: colorSpace.cgColorSpace,
                bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.premultipliedLast.rawValue), provider: provider,
                decode: nil, shouldInterpolate: true, intent: .defaultIntent)
        else {
            // Core Graphics refuses impossible layouts alone; this one is constant, and a bitmap has a pixel.
            preconditionFailure("Core Graphics refused a bitmap of \(bitmap.size) pixels.")
        }
        self.init(
            cgImage: image, originalPixelSize: originalPixelSize, colorSpace: colorSpace, animation: animation,
            isToneMapped: isToneMapped, isImpression: isImpression)
    }
}
#else
extension DecodedImage {
    /// The image in at most so many pixels along its longer side, or as it is: there is nothing to draw.
    func bitmap(atMost side: Int) -> Bitmap { bitmap }
}
#endif
