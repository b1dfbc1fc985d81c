extension ImageHeader {
    /// Reads the size from the first chunk: the canvas of an extended file, or the only frame's; and the orientation of an
    /// extended file from its EXIF chunk where the bytes reach that far.
    ///
    /// - Source: RFC 9649, sections 2.5 to 2.7; RFC 6386, section 9.1.
    static func parseWebP(_ reader: ByteReader) -> Parse {
        let size: PixelSize?
        var orientation: ImageOrientation?
        if reader.has("VP8 ", at: 12) {
            guard let tag = reader.byte(20), let width = reader.little(26, size: 2),
                let height = reader.little(28, size: 2)
            else { return .needsMoreBytes }
            let isKeyFrame = tag & 1 == 0 && reader.has("*", at: 25)
            // The upper 2 bits are a scale that nobody applies.
            size = isKeyFrame ? PixelSize(width: width & 0x3FFF, height: height & 0x3FFF) : nil
        } else if reader.has("VP8L", at: 12) {
            // Two sides of 14 bits, one after the other.
            guard let signature = reader.byte(20), let width = reader.little(21, size: 2),
                let height = reader.little(22, size: 3)
            else { return .needsMoreBytes }
            size =
                signature == 0x2F
                ? PixelSize(width: (width & 0x3FFF) + 1, height: (height >> 6 & 0x3FFF) + 1) : nil
        } else if reader.has("VP8X", at: 12) {
            guard let width = reader.little(24, size: 3), let height = reader.little(27, size: 3) else {
                return .needsMoreBytes
            }
            size = PixelSize(width: width + 1, height: height + 1)
            orientation = exifOrientation(webP: reader)
        } else if reader.count < 16 {
            return .needsMoreBytes
        } else {
            size = nil
        }
        return .image(ImageHeader(format: .webP, storedSize: size, orientation: orientation ?? .up))
    }

    /// Reads the EXIF chunk, which follows the frames: a step for each chunk.
    private static func exifOrientation(webP reader: ByteReader) -> ImageOrientation? {
        var offset = 12
        while let length = reader.little(offset + 4, size: 4) {
            if reader.has("EXIF", at: offset) {
                let exif = reader.slice(offset + 8, length: length)
                // The TIFF structure alone is right; some writers begin with JPEG's name for it.
                return ImageOrientation(tiff: exif.has("Exif\0\0", at: 0) ? exif.slice(6, length: exif.count) : exif)
            }
            guard length < reader.count - offset else { return nil }
            // Chunks begin at even offsets.
            offset += 8 + length + length % 2
        }
        return nil
    }
}
