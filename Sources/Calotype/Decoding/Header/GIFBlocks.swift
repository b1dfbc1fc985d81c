/// Steps through the blocks of a GIF without looking into their data.
///
/// A value that borrows its bytes, as the reader does.
///
/// - Source: GIF89a, sections 15, 18 to 20 and 27.
struct GIFBlocks: IteratorProtocol {
    enum Block: Hashable {
        /// With its label.
        case `extension`(Int)
        /// An image, with the flags of its descriptor.
        case frame(flags: Int)
        case trailer
        /// A byte that begins no block. Nothing of what follows it can be told.
        case unknown
    }

    private let reader: ByteReader
    /// Where the block begins that was given last.
    private(set) var start = 0
    /// Where the next block begins. Beyond the bytes if they end within a block.
    private(set) var offset: Int

    /// - Returns: `nil` if the bytes end within the header.
    init?(_ reader: ByteReader) {
        guard let flags = reader.byte(10) else { return nil }
        self.reader = reader
        offset = 13 + Self.tableByteCount(flags)
    }

    /// - Returns: `nil` at the end of the bytes.
    mutating func next() -> Block? {
        guard let kind = reader.byte(offset) else { return nil }
        start = offset
        switch kind {
        case 0x3B:
            offset += 1
            return .trailer
        case 0x21:
            let label = reader.byte(offset + 1) ?? 0
            passData(from: offset + 2)
            return .extension(label)
        case 0x2C:
            let flags = reader.byte(offset + 9) ?? 0
            // The descriptor, the table, and the size of the codes.
            passData(from: offset + 11 + Self.tableByteCount(flags))
            return .frame(flags: flags)
        default:
            return .unknown
        }
    }

    /// Pieces with a length each, ended by an empty one.
    private mutating func passData(from start: Int) {
        offset = start
        while let length = reader.byte(offset), length > 0 { offset += 1 + length }
        offset += 1
    }

    /// The bytes of the colour table that such a byte of flags announces.
    static func tableByteCount(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }
}
