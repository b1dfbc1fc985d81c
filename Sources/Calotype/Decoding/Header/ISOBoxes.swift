/// Steps through boxes of ISO media files, without looking into them: at the top of a file, or inside another box.
///
///     size (4), type (4), [size (8) if that was 1], payload
///
/// A value that borrows its bytes, as the reader does. Each step goes forward by 8 bytes and more.
///
/// - Source: ISO/IEC 14496-12, section 4.2.
struct ISOBoxes: IteratorProtocol, Sequence {
    struct Box {
        fileprivate let reader: ByteReader
        fileprivate let offset: Int
        fileprivate let payloadOffset: Int
        /// Where the next box begins. Beyond the bytes if they end within this one.
        let end: Int

        func isType(_ type: StaticString) -> Bool { reader.has(type, at: offset + 4) }

        var isWhole: Bool { end <= reader.count }
        /// What the box holds, as far as it is there, after its type.
        var payload: ByteReader { reader.slice(payloadOffset, length: end - payloadOffset) }
        /// The boxes inside, after so many bytes of the box's own.
        func children(after byteCount: Int = 0) -> ISOBoxes {
            let payload = payload
            return ISOBoxes(payload.slice(byteCount, length: payload.count))
        }
    }

    private let reader: ByteReader
    private var offset = 0

    init(_ reader: ByteReader) {
        self.reader = reader
    }

    /// - Returns: `nil` at the end of the bytes, within the size and the type of a box, and where its size is impossible.
    mutating func next() -> Box? {
        guard let size = reader.big(offset, size: 4), reader.count - offset >= 8 else { return nil }
        let start = offset
        switch size {
        case 0:
            // To the end of the file.
            offset = reader.count
            return Box(reader: reader, offset: start, payloadOffset: start + 8, end: offset)
        case 1:
            guard let high = reader.big(start + 8, size: 4), let low = reader.big(start + 12, size: 4) else {
                return nil
            }
            // More than 2 GiB is beyond any file that is read here: the exact number doesn't matter.
            guard high > 0 || low >= 16 else { return nil }
            offset = start + (high > 0 ? Int(Int32.max) : Swift.min(low, Int(Int32.max)))
            return Box(reader: reader, offset: start, payloadOffset: start + 16, end: offset)
        default:
            guard size >= 8 else { return nil }
            offset = start + Swift.min(size, Int(Int32.max))
            return Box(reader: reader, offset: start, payloadOffset: start + 8, end: offset)
        }
    }
}
