extension ImageHeader {
    /// Reads the size from IHDR, and the orientation from eXIf, or from EXIF in a text chunk, where the bytes reach that far.
    ///
    /// - Source: PNG (third edition), sections 5.3, 11.2.1 and 11.3.4.5.
    static func parsePNG(_ reader: ByteReader) -> Parse {
        guard reader.count >= 24 else { return .needsMoreBytes }
        guard reader.has("IHDR", at: 12), let width = reader.big(16, size: 4), let height = reader.big(20, size: 4)
        else { return .image(ImageHeader(format: .png, storedSize: nil)) }
        var orientation: ImageOrientation?
        var textual: ImageOrientation?
        // The chunks may follow the pixels: the whole file is searched, a step for each.
        for chunk in PNGChunks(reader) where orientation == nil {
            if chunk.is("IEND") { break }
            if chunk.is("eXIf") {
                orientation = ImageOrientation(tiff: chunk.content)
            } else if textual == nil, let exif = PNGText.exif(chunk) {
                textual = exif.withUnsafeBytes { ImageOrientation(tiff: ByteReader($0)) }
            }
        }
        return .image(
            ImageHeader(
                format: .png, storedSize: PixelSize(width: width, height: height),
                orientation: orientation ?? textual ?? .up))
    }
}
