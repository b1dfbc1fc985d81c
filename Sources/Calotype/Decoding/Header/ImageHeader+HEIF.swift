extension ImageHeader {
    /// The most bytes that may come before the size is known. A file whose properties lie behind its pixels is an image of
    /// unknown size while it arrives.
    private static let longestStructure = 8 << 20

    /// Reads the size and the turns of the primary item; of a file that has none, the size of the first track.
    ///
    /// - Source: ISO/IEC 23008-12, section 6.2; ISO/IEC 14496-12, section 8.3.2 for `tkhd`.
    static func parseHEIF(_ reader: ByteReader, format: ImageFormat) -> Parse {
        var trackSize: PixelSize?
        var boxes = ISOBoxes(reader)
        var end = 0
        while let box = boxes.next() {
            end = box.end
            let isMeta = box.isType("meta")
            guard isMeta || box.isType("moov") else { continue }
            guard box.isWhole else {
                return box.end > longestStructure
                    ? .image(ImageHeader(format: format, storedSize: nil)) : .needsMoreBytes
            }
            if isMeta, let item = HEIFItem(meta: box.children(after: 4)) {
                return .image(
                    ImageHeader(
                        format: format, storedSize: item.orientation.applied(to: item.pixelSize),
                        orientation: item.orientation))
            }
            if !isMeta { trackSize = firstTrackSize(box) }
        }
        if let trackSize { return .image(ImageHeader(format: format, storedSize: trackSize)) }
        // The bytes end within a box that isn't looked into, or else before the next begins.
        return end > reader.count || reader.count > longestStructure
            ? .image(ImageHeader(format: format, storedSize: nil)) : .needsMoreBytes
    }

    private static func firstTrackSize(_ movie: ISOBoxes.Box) -> PixelSize? {
        for track in movie.children() where track.isType("trak") {
            for box in track.children() where box.isType("tkhd") {
                let payload = box.payload
                // Fixed point, 16 bits after it. Version 1 has longer times.
                let offset = payload.byte(0) == 1 ? 88 : 76
                guard let width = payload.big(offset, size: 2), let height = payload.big(offset + 4, size: 2),
                    width > 0, height > 0
                else { continue }
                return PixelSize(width: width, height: height)
            }
        }
        return nil
    }
}
