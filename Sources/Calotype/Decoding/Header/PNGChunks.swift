/// Steps through the chunks of a PNG, wherever they stand.
///
/// A value that borrows its bytes, as the reader does.
///
/// - Source: PNG (third edition), section 5.3.
struct PNGChunks: IteratorProtocol, Sequence {
    struct Chunk {
        /// Where its length begins.
        let start: Int
        /// What it holds; fewer bytes than ``length`` if the file ends in it.
        let content: ByteReader
        /// The length that it claims.
        let length: Int
        fileprivate let reader: ByteReader

        /// Where the chunk ends, its checksum included.
        var end: Int { start + 12 + length }
        /// Whether all of it is there.
        var isWhole: Bool { length <= reader.count - start - 12 }

        func `is`(_ name: StaticString) -> Bool { reader.has(name, at: start + 4) }

        /// Whether the checksum is right; it covers the name and the content.
        var isSound: Bool {
            guard isWhole, let checksum = reader.big(start + 8 + length, size: 4) else { return false }
            return Checksum(reader.slice(start + 4, length: length + 4).bytes).value == UInt32(checksum)
        }

        /// The chunk with its length, name and checksum.
        var bytes: UnsafeRawBufferPointer { reader.slice(start, length: 12 + length).bytes }
    }

    private let reader: ByteReader
    /// Where the next chunk begins. At or beyond the end of the bytes once there are no more.
    private(set) var offset: Int

    init(_ reader: ByteReader, from offset: Int = 8) {
        self.reader = reader
        self.offset = offset
    }

    /// - Returns: `nil` where the bytes end before a chunk's content begins.
    mutating func next() -> Chunk? {
        guard let length = reader.big(offset, size: 4), reader.count - offset >= 8 else { return nil }
        let chunk = Chunk(
            start: offset, content: reader.slice(offset + 8, length: length), length: length, reader: reader)
        offset = chunk.isWhole ? chunk.end : reader.count
        return chunk
    }
}
