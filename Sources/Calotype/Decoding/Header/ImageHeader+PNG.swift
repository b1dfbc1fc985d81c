extension ImageHeader {
    /// Reads the size from IHDR, and the orientation from eXIf where the bytes reach that far.
    ///
    /// - Source: PNG (third edition), sections 5.3, 11.2.1 and 11.3.4.5.
    static func parsePNG(_ reader: ByteReader) -> Parse {
        guard reader.count >= 24 else { return .needsMoreBytes }
        guard reader.has("IHDR", at: 12), let width = reader.big(16, size: 4), let height = reader.big(20, size: 4)
        else { return .image(ImageHeader(format: .png, storedSize: nil)) }
        var orientation: ImageOrientation?
        var offset = 8
        // The eXIf chunk may follow the pixels: the whole file is searched, a step for each chunk.
        while orientation == nil, let length = reader.big(offset, size: 4), !reader.has("IEND", at: offset + 4) {
            if reader.has("eXIf", at: offset + 4) {
                orientation = ImageOrientation(tiff: reader.slice(offset + 8, length: length))
            }
            guard length < reader.count - offset else { break }
            offset += length + 12
        }
        return .image(
            ImageHeader(
                format: .png, storedSize: PixelSize(width: width, height: height), orientation: orientation ?? .up))
    }
}
