extension ImageHeader {
    /// Reads the marker segments up to the first scan: the frame header's size, and EXIF's orientation.
    ///
    ///     FF D8 | FF E1 length "Exif" 0 0 TIFF | … | FF C0 length 8 height width … | FF DA (scan)
    ///
    /// Once the size is known, more bytes are not asked for: an orientation that comes later isn't applied then.
    ///
    /// - Source: ISO/IEC 10918-1, annex B.
    static func parseJPEG(_ reader: ByteReader) -> Parse {
        var size: PixelSize?
        var orientation: ImageOrientation?
        var offset = 2
        var garbageByteCount = 0
        var isBroken = false
        scan: while true {
            // Like the decoder, skip what stands between segments, but not without end.
            guard let byte = reader.byte(offset) else { break }
            guard byte == 0xFF else {
                garbageByteCount += 1
                if garbageByteCount > garbageLimit {
                    isBroken = true
                    break
                }
                offset += 1
                continue
            }
            // Any number of fill bytes may precede the marker's code.
            var code = 0xFF
            while code == 0xFF {
                offset += 1
                guard let next = reader.byte(offset) else { break scan }
                code = next
            }
            offset += 1
            switch code {
            case 0x00, 0x01, 0xD0...0xD8:
                continue
            case 0xD9, 0xDA:
                isBroken = size == nil
                break scan
            default:
                break
            }
            guard let length = reader.big(offset, size: 2) else { break }
            guard length >= 2 else {
                isBroken = size == nil
                break
            }
            let segment = reader.slice(offset + 2, length: length - 2)
            switch code {
            // C4, C8 and CC are other segments between the frame headers.
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                if size == nil {
                    guard let height = segment.big(1, size: 2), let width = segment.big(3, size: 2) else {
                        isBroken = length < 7
                        break scan
                    }
                    size = PixelSize(width: width, height: height)
                }
            case 0xE1 where orientation == nil && segment.has("Exif\0", at: 0):
                orientation = ImageOrientation(tiff: segment.slice(6, length: segment.count))
            default:
                break
            }
            offset += length
        }
        if size == nil && !isBroken { return .needsMoreBytes }
        return .image(ImageHeader(format: .jpeg, storedSize: size, orientation: orientation ?? .up))
    }

    /// The bytes that may stand between segments, in all.
    private static let garbageLimit = 1 << 16
}
