import Foundation

/// The small JPEG that cameras put into their EXIF segment.
enum ExifThumbnail {
    /// Finds the thumbnail in a TIFF structure.
    ///
    /// - Source: CIPA DC-008 (EXIF 3.0), section 4.5.8: IFD1's tags 0x0201 (offset) and 0x0202 (length).
    static func bytes(in tiff: ByteReader) -> ByteReader? {
        guard let tags = TIFFDirectory(tiff, at: .second), let offset = tags.value(of: 0x0201),
            let length = tags.value(of: 0x0202), length > 0, offset <= tiff.count - length
        else { return nil }
        return tiff.slice(offset, length: length)
    }

    #if canImport(CCodecs)
    /// Decodes a thumbnail to the size of a preview, before it is turned.
    ///
    /// Some cameras fill an image of another aspect with bars: a thumbnail counts only where its aspect is the image's, to
    /// 2 %, which the rounding of its sides needs.
    ///
    /// - Returns: `nil` if it isn't usable for that, or not worth it: less than an eighth of the preview's sides.
    static func decode(
        _ data: Data, for plan: JPEGPlan, options: DecodeOptions, check: DecodeGuard
    ) throws -> (bitmap: Bitmap, colorSpace: DecodedImage.ColorSpace)? {
        guard case .image(var header) = ImageHeader.parse(data), header.format == .jpeg, var size = header.pixelSize
        else { return nil }
        // It is stored as the image is, and turned with it.
        size = header.orientation.applied(to: size)
        header = ImageHeader(format: .jpeg, storedSize: size)
        var options = options
        options.target = .original
        options.limits.pixelCount = min(options.limits.pixelCount, 1 << 20)
        guard hasAspect(size, of: plan.stored), size.width * 8 >= plan.storedResult.width else { return nil }
        do {
            let image = try data.withUnsafeBytes { bytes in
                try JPEGDecoder(bytes: bytes, header: header, options: options, check: check).decode()
            }
            let bitmap = try image.bitmap.resized(to: plan.storedResult, cancellation: options.cancellation)
            return (bitmap, image.colorSpace)
        } catch is ImageError {
            // The image itself may be sound. What went on too long is found by its own decode.
            return nil
        }
    }
    #endif

    private static func hasAspect(_ size: PixelSize, of other: PixelSize) -> Bool {
        guard size.width > 0, size.height > 0 else { return false }
        let ratio = Double(size.width) * Double(other.height) / (Double(size.height) * Double(other.width))
        return abs(ratio - 1) <= 0.02
    }
}
