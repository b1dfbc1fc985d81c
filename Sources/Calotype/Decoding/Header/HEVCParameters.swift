/// What HEVC's parameter sets say of the picture, as HEIC keeps them beside it.
enum HEVCParameters {
    /// The largest size in the sequence parameter sets of an `hvcC` box.
    ///
    /// - Source: ISO/IEC 14496-15, section 8.3.3.1.2.
    static func codedSize(_ configuration: ByteReader) -> PixelSize? {
        guard let arrayCount = configuration.byte(22) else { return nil }
        var largest: PixelSize?
        var offset = 23
        for _ in 0..<arrayCount {
            guard let type = configuration.byte(offset), let unitCount = configuration.big(offset + 1, size: 2) else {
                return largest
            }
            offset += 3
            for _ in 0..<unitCount {
                guard let length = configuration.big(offset, size: 2) else { return largest }
                if type & 0x3F == 33, let size = size(configuration.slice(offset + 2, length: length)),
                    size.pixelCount > largest?.pixelCount ?? 0
                {
                    largest = size
                }
                offset += 2 + length
            }
        }
        return largest
    }

    /// - Source: ITU-T H.265, sections 7.3.2.2 (the set), 7.3.3 (its profile and levels) and 9.2 (numbers of any length).
    private static func size(_ unit: ByteReader) -> PixelSize? {
        var bits = Bits(unit)
        // The unit's own header, and the number of the video parameter set.
        guard bits.skip(16 + 4), let layerCount = bits.read(3), bits.skip(1 + 88 + 8) else { return nil }
        var hasLayers: [(profile: Bool, level: Bool)] = []
        for _ in 0..<layerCount {
            guard let profile = bits.read(1), let level = bits.read(1) else { return nil }
            hasLayers.append((profile == 1, level == 1))
        }
        if layerCount > 0, !bits.skip((8 - layerCount) * 2) { return nil }
        for layer in hasLayers where !bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) { return nil }
        guard bits.readNumber() != nil, let chroma = bits.readNumber() else { return nil }
        if chroma == 3, !bits.skip(1) { return nil }
        guard let width = bits.readNumber(), let height = bits.readNumber() else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// Bits from the highest of each byte, without the bytes that keep start codes from appearing.
    private struct Bits {
        private let reader: ByteReader
        private var offset = 0
        private var bit = 0
        private var zeroCount = 0

        init(_ reader: ByteReader) {
            self.reader = reader
        }

        mutating func read(_ count: Int) -> Int? {
            var value = 0
            for _ in 0..<count {
                guard let byte = reader.byte(offset) else { return nil }
                value = value << 1 | byte >> (7 - bit) & 1
                bit += 1
                if bit == 8 { advance(past: byte) }
            }
            return value
        }

        mutating func skip(_ count: Int) -> Bool {
            for _ in 0..<count where read(1) == nil { return false }
            return true
        }

        /// As many zeros as the number has bits after its first, and the number plus one; at most 31.
        mutating func readNumber() -> Int? {
            var zeros = 0
            while true {
                guard let bit = read(1) else { return nil }
                if bit == 1 { break }
                zeros += 1
                if zeros > 31 { return nil }
            }
            return read(zeros).map { 1 << zeros + $0 - 1 }
        }

        private mutating func advance(past byte: Int) {
            bit = 0
            offset += 1
            zeroCount = byte == 0 ? zeroCount + 1 : 0
            if zeroCount >= 2, reader.byte(offset) == 3 {
                offset += 1
                zeroCount = 0
            }
        }
    }
}
