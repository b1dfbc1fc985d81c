extension ImageHeader {
    /// Reads the size and the orientation from the beginning of the codestream, bare or in a container.
    ///
    /// - Source: ISO/IEC 18181-1, sections D.2 (size) and D.3 (orientation); 18181-2, section 9 (`jxlc`, `jxlp`).
    static func parseJPEGXL(_ reader: ByteReader) -> Parse {
        if let codestream = codestream(reader) { return parseCodestream(codestream) }
        let end = ISOBoxes(reader).reduce(0) { $1.end }
        return end > reader.count ? .image(ImageHeader(format: .jpegXL, storedSize: nil)) : .needsMoreBytes
    }

    /// The bytes from where the codestream begins.
    private static func codestream(_ reader: ByteReader) -> ByteReader? {
        if reader.byte(0) == 0xFF { return reader }
        for box in ISOBoxes(reader) {
            if box.isType("jxlc") { return box.payload }
            // Parts have a number before them; the first is long enough for the header in all files that are known.
            if box.isType("jxlp") { return box.payload.slice(4, length: box.payload.count) }
        }
        return nil
    }

    /// Whether there may be more channels than colours: `true` unless the header says otherwise in the first of its fields.
    ///
    /// - Source: ISO/IEC 18181-1, section D.3.
    static func mayHaveExtraChannels(jpegXL reader: ByteReader) -> Bool {
        guard let codestream = codestream(reader) else { return true }
        var bits = BitReader(codestream.slice(2, length: 16))
        guard size(&bits) != nil, let isDefault = bits.read(1) else { return true }
        if isDefault == 1 { return false }
        guard let hasExtraFields = bits.read(1) else { return true }
        if hasExtraFields == 1 {
            // The orientation, and then whether there are another size, a preview and an animation, which end the search.
            guard bits.read(3) != nil, bits.read(3) == 0 else { return true }
        }
        guard let isFloat = bits.read(1), let depth = bits.read(2) else { return true }
        if depth == 3, bits.read(6) == nil { return true }
        if isFloat == 1, bits.read(4) == nil { return true }
        // Whether 16 bits are enough for what is in between.
        guard bits.read(1) != nil, let count = bits.read(2) else { return true }
        return count != 0
    }

    private static func parseCodestream(_ reader: ByteReader) -> Parse {
        var bits = BitReader(reader.slice(2, length: 16))
        guard let size = size(&bits) else { return .needsMoreBytes }
        // Not all defaults, and extra fields: the orientation is the first of them.
        guard let isDefault = bits.read(1) else { return .needsMoreBytes }
        var orientation = ImageOrientation.up
        if isDefault == 0 {
            guard let hasExtraFields = bits.read(1) else { return .needsMoreBytes }
            if hasExtraFields == 1 {
                guard let value = bits.read(3) else { return .needsMoreBytes }
                orientation = ImageOrientation(rawValue: value + 1) ?? .up
            }
        }
        return .image(ImageHeader(format: .jpegXL, storedSize: size, orientation: orientation))
    }

    private static func size(_ bits: inout BitReader) -> PixelSize? {
        guard let isSmall = bits.read(1) else { return nil }
        func side(_ bits: inout BitReader) -> Int? {
            if isSmall == 1 { return bits.read(5).map { ($0 + 1) * 8 } }
            guard let length = bits.read(2) else { return nil }
            return bits.read([9, 13, 18, 30][length]).map { $0 + 1 }
        }
        guard let height = side(&bits), let ratio = bits.read(3) else { return nil }
        if ratio == 0 {
            guard let width = side(&bits) else { return nil }
            return PixelSize(width: width, height: height)
        }
        let (numerator, denominator) = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)][ratio - 1]
        return PixelSize(width: height * numerator / denominator, height: height)
    }

    /// Bits from the lowest of each byte.
    private struct BitReader {
        private let reader: ByteReader
        private var position = 0

        init(_ reader: ByteReader) {
            self.reader = reader
        }

        /// - Parameter count: At most 30.
        mutating func read(_ count: Int) -> Int? {
            var value = 0
            for index in 0..<count {
                guard let byte = reader.byte(position >> 3) else { return nil }
                value |= (byte >> (position & 7) & 1) << index
                position += 1
            }
            return value
        }
    }
}
