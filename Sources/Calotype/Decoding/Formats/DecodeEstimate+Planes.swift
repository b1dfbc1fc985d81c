import Foundation

extension DecodeEstimate {
    /// The decoders whose libraries hold the whole picture in their own way; measured, with some to spare.
    ///
    ///     AVIF:     planes of the codec and what it works with; perhaps alpha
    ///     HEIC:     planes of the codec, a copy of them, one more where they are turned, and 4 bytes a pixel of the codec's
    ///     JPEG XL:  4 bytes a pixel, but 26 where all of a lossless file comes ever finer, which its header doesn't tell; and
    ///               40 where there is alpha: the library doesn't decode such files by parts
    static func planes(of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget) -> Int {
        guard let pixelSize, pixelSize.width > 0, pixelSize.height > 0 else {
            return whole(of: data, pixelSize: pixelSize, target: target)
        }
        let result = target.pixelSize(for: pixelSize)
        let library = Int(Double(pixelSize.pixelCount) * bytesPerPixel(of: data, format: format))
        return add(add(library, rows(from: pixelSize, to: result)), byteCount(of: result))
    }

    private static func bytesPerPixel(of data: Data, format: ImageFormat) -> Double {
        data.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            guard format != .jpegXL else { return ImageHeader.mayHaveExtraChannels(jpegXL: reader) ? 42 : 28 }
            // An item made of tiles doesn't say how they are coded: 8 bits at 4:4:4, or more at 4:2:0.
            let meta = ISOBoxes(reader).first { $0.isType("meta") && $0.isWhole }
            let planes = meta.flatMap { HEIFItem(meta: $0.children(after: 4))?.bytesPerPixel } ?? 3
            return format == .avif ? planes * 1.5 + 2 : planes * 3 + 4
        }
    }
}
