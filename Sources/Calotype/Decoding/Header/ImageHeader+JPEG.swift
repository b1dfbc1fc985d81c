extension ImageHeader {
    /// Reads the marker segments up to the first scan: the frame header's size, and EXIF's orientation.
    ///
    /// Once the size is known, more bytes are not asked for: an orientation that comes later isn't applied then.
    static func parseJPEG(_ reader: ByteReader) -> Parse {
        var segments = JPEGSegments(reader)
        var size: PixelSize?
        var orientation: ImageOrientation?
        var header: Parse { .image(ImageHeader(format: .jpeg, storedSize: size, orientation: orientation ?? .up)) }
        while case .segment(let segment) = segments.next() {
            if segment.isScan { return header }
            if segment.isFrame, size == nil {
                guard let height = segment.content.big(1, size: 2), let width = segment.content.big(3, size: 2) else {
                    return segment.byteCount < 5 ? header : .needsMoreBytes
                }
                size = PixelSize(width: width, height: height)
            } else if segment.code == 0xE1, orientation == nil, segment.content.has("Exif\0", at: 0) {
                orientation = ImageOrientation(tiff: segment.content.slice(6, length: segment.content.count))
            }
        }
        if size == nil, case .needsMoreBytes = segments.next() { return .needsMoreBytes }
        return header
    }
}
