/// Cuts an image to a size or to an aspect ratio, around its centre.
public struct CropProcessor: ImageProcessor, Hashable {
    /// What is left.
    public enum Region: Sendable, Hashable {
        /// So many pixels; a side that the image doesn't have stays as it is.
        case size(PixelSize)
        /// As much as possible of that width divided by height.
        case aspectRatio(Double)
    }

    /// What is left.
    public let region: Region

    /// Makes the step.
    ///
    /// - Precondition: The sides are at least 1; the aspect ratio is positive and finite.
    public init(_ region: Region) {
        switch region {
        case .size(let size):
            precondition(size.width > 0 && size.height > 0, "A crop leaves at least one pixel; got \(size).")
        case .aspectRatio(let ratio):
            precondition(ratio > 0 && ratio.isFinite, "An aspect ratio is a positive number; got \(ratio).")
        }
        self.region = region
    }

    /// "crop(88 x 88)" or "crop(aspect 1.5)", say.
    public var identifier: String {
        switch region {
        case .size(let size): "crop(\(size))"
        case .aspectRatio(let ratio): "crop(aspect \(ratio))"
        }
    }

    /// Whether the crop is in pixels. An aspect ratio cuts the same of any rendition.
    public var dependsOnPixelSize: Bool {
        switch region {
        case .size: true
        case .aspectRatio: false
        }
    }

    /// Cuts the image.
    public func process(_ image: DecodedImage, cancellation: DecodeCancellation) throws -> DecodedImage {
        let size = Self.size(of: region, in: image.pixelSize)
        guard size != image.pixelSize else { return image }
        return try image.mapBitmaps { bitmap in
            try cancellation.check()
            return bitmap.cropped(to: size)
        }
    }

    private static func size(of region: Region, in image: PixelSize) -> PixelSize {
        switch region {
        case .size(let size):
            return PixelSize(width: min(size.width, image.width), height: min(size.height, image.height))
        case .aspectRatio(let ratio):
            let width = (Double(image.height) * ratio).rounded()
            let height = (Double(image.width) / ratio).rounded()
            return PixelSize(
                width: Int(min(max(width, 1), Double(image.width))),
                height: Int(min(max(height, 1), Double(image.height))))
        }
    }
}

extension ImageProcessor where Self == CropProcessor {
    /// Cuts an image to that many pixels, around its centre; a side that it doesn't have stays as it is.
    public static func crop(to size: PixelSize) -> Self { CropProcessor(.size(size)) }

    /// Cuts as much as possible of that width divided by height, around the centre.
    public static func crop(toAspectRatio ratio: Double) -> Self { CropProcessor(.aspectRatio(ratio)) }
}
