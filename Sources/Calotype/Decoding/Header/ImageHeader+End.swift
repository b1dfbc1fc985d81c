import Foundation

extension ImageHeader {
    /// Whether a whole file visibly lacks its end: no IEND chunk in PNG, no end-of-image marker after the first scan in
    /// JPEG, fewer bytes than RIFF announces in WebP, a block that isn't complete in GIF, a box that isn't in AVIF, HEIC and
    /// JPEG XL, or none for pixels. `false` for other formats, and no proof that all is there.
    ///
    /// For decoders that show what they have of a file without a word.
    static func isCutOff(_ data: Data, format: ImageFormat) -> Bool {
        data.withUnsafeBytes { isCutOff($0, format: format) }
    }

    /// The same for bytes in memory.
    static func isCutOff(_ bytes: UnsafeRawBufferPointer, format: ImageFormat) -> Bool {
        let reader = ByteReader(bytes)
        switch format {
        case .png:
            var offset = 8
            while let length = reader.big(offset, size: 4), length < reader.count - offset {
                if reader.has("IEND", at: offset + 4) { return offset + 12 > reader.count }
                offset += length + 12
            }
            return true
        case .jpeg:
            // From the end, as the marker is nearly always the last thing; from there, the first scan.
            var offset = reader.count - 2
            while offset > 0, !(bytes[offset] == 0xFF && bytes[offset + 1] == 0xD9) { offset -= 1 }
            return offset <= 0 || offset < firstScan(reader)
        case .webP:
            guard let length = reader.little(4, size: 4) else { return true }
            return length > reader.count - 8
        case .gif:
            return GIFStructure(reader).isCutOff
        case .avif, .heic:
            return endsWithinBox(reader) || !hasMedia(reader)
        case .jpegXL:
            // A bare codestream tells nothing of its length.
            return reader.byte(0) == 0 && endsWithinBox(reader)
        default:
            return false
        }
    }

    /// Where the first SOS marker's segment is, or the end of the bytes. A thumbnail's markers lie inside a segment.
    private static func firstScan(_ reader: ByteReader) -> Int {
        var offset = 2
        while let code = reader.byte(offset + 1) {
            if reader.byte(offset) != 0xFF || code == 0xFF {
                offset += 1
            } else if code == 0xDA {
                return offset
            } else if code == 0 || code == 1 || (0xD0...0xD9).contains(code) {
                offset += 2
            } else {
                offset += 2 + max(reader.big(offset + 2, size: 2) ?? reader.count, 2)
            }
        }
        return reader.count
    }

    /// Whether ISO media end within a box. Fewer bytes than begin one are no box.
    private static func endsWithinBox(_ reader: ByteReader) -> Bool {
        var end = 0
        for box in ISOBoxes(reader) { end = box.end }
        return end > reader.count
    }

    /// Whether there is a box for pixels. A file may be cut off right before it.
    private static func hasMedia(_ reader: ByteReader) -> Bool {
        ISOBoxes(reader).contains { box in
            box.isType("mdat") || box.isType("meta") && box.children(after: 4).contains { $0.isType("idat") }
        }
    }
}
