import Foundation

/// The marker segments of a JPEG file, one after another.
///
///     FF D8 | FF E1 length "Exif" 0 0 TIFF | … | FF C0 length 8 height width … | FF DA length … data | … | FF D9
///
/// After a scan's header, ``skipData(check:)`` goes to the marker that follows its data.
///
/// - Source: ISO/IEC 10918-1, annex B.
struct JPEGSegments {
    enum Step {
        case segment(Segment)
        /// The end-of-image marker.
        case end
        /// The bytes end before a segment's content begins.
        case needsMoreBytes
        /// No JPEG has this: bytes without end between segments, or a length that can't be.
        case broken
    }

    struct Segment {
        /// The marker's second byte.
        let code: Int
        /// Where the marker begins.
        let start: Int
        /// How many bytes the content has, as the file says.
        let byteCount: Int
        /// The content, as far as it is there.
        let content: ByteReader

        var isWhole: Bool { content.count == byteCount }

        /// Whether this is a frame header. C4, C8 and CC are other segments among their codes.
        var isFrame: Bool {
            switch code {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: true
            default: false
            }
        }

        var isScan: Bool { code == 0xDA }
    }

    private let reader: ByteReader
    /// Where the next segment is looked for.
    private(set) var offset: Int
    private var garbageByteCount = 0

    /// After the start-of-image marker.
    static let firstOffset = 2

    init(_ reader: ByteReader, from offset: Int = firstOffset) {
        self.reader = reader
        self.offset = offset
    }

    mutating func next() -> Step {
        while true {
            guard let byte = reader.byte(offset) else { return .needsMoreBytes }
            guard byte == 0xFF else {
                // Like the decoder, skip what stands between segments, but not without end.
                garbageByteCount += 1
                guard garbageByteCount <= Self.garbageLimit else { return .broken }
                offset += 1
                continue
            }
            let start = offset
            // Any number of fill bytes may precede the marker's code.
            var position = offset
            var code = 0xFF
            while code == 0xFF {
                position += 1
                guard let next = reader.byte(position) else { return .needsMoreBytes }
                code = next
            }
            position += 1
            switch code {
            case 0x00, 0x01, 0xD0...0xD8:
                offset = position
                continue
            case 0xD9:
                return .end
            default:
                break
            }
            guard let length = reader.big(position, size: 2) else { return .needsMoreBytes }
            guard length >= 2 else { return .broken }
            offset = position + length
            return .segment(
                Segment(
                    code: code, start: start, byteCount: length - 2,
                    content: reader.slice(position + 2, length: length - 2)))
        }
    }

    /// Goes from a scan's header to the marker after its data, without decoding it.
    ///
    /// - Parameter check: Called every few thousand markers.
    /// - Returns: `false` if the bytes end before.
    mutating func skipData(check: () throws -> Void = {}) rethrows -> Bool {
        guard let base = reader.bytes.baseAddress else { return false }
        var markerCount = 0
        while offset < reader.count, let found = memchr(base + offset, 0xFF, reader.count - offset) {
            offset = UnsafeRawPointer(found) - base
            switch reader.byte(offset + 1) {
            case nil: return false
            // A byte of ones in the data, and restarts.
            case 0x00, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7: offset += 2
            case 0xFF: offset += 1
            default: return true
            }
            markerCount += 1
            if markerCount % 4096 == 0 { try check() }
        }
        return false
    }

    /// The bytes that may stand between segments, in all.
    private static let garbageLimit = 1 << 16
}
