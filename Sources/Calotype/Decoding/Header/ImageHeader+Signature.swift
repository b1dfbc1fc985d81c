/// What the first bytes say of the format.
enum Signature: Hashable {
    case format(ImageFormat)
    /// The bytes so far are the beginning of a signature.
    case needsMoreBytes
    /// Another kind of file, or no bytes at all.
    case none

    /// Finds the format.
    ///
    /// - Source: WHATWG MIME Sniffing, section 6.1, for GIF, PNG, JPEG, WebP and BMP; TIFF 6.0, section 2; ISO/IEC
    ///   14496-12 for `ftyp`; ISO/IEC 18181-2 for JPEG XL.
    static func find(in reader: ByteReader) -> Signature {
        // The first byte leaves at most two formats.
        switch reader.bytes.first {
        case nil:
            return .none
        case 0xFF:
            return either(fixed([0xFF, 0xD8, 0xFF], .jpeg, reader), fixed([0xFF, 0x0A], .jpegXL, reader))
        case 0x89:
            return fixed([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png, reader)
        case UInt8(ascii: "G"):
            return either(fixed(gif87a, .gif, reader), fixed(gif89a, .gif, reader))
        case UInt8(ascii: "I"):
            let bigTIFF = fixed([0x49, 0x49, 43, 0], .tiff, reader)
            return either(fixed([0x49, 0x49, 42, 0], .tiff, reader), bigTIFF)
        case UInt8(ascii: "M"):
            let bigTIFF = fixed([0x4D, 0x4D, 0, 43], .tiff, reader)
            return either(fixed([0x4D, 0x4D, 0, 42], .tiff, reader), bigTIFF)
        case UInt8(ascii: "R"):
            return riff(reader)
        case UInt8(ascii: "B"):
            return bitmap(reader)
        case 0:
            let container: [UInt8] = [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
            return either(fixed(container, .jpegXL, reader), fileType(reader))
        default:
            return .none
        }
    }

    private static let gif87a = Array("GIF87a".utf8)
    private static let gif89a = Array("GIF89a".utf8)

    private static func fixed(_ signature: [UInt8], _ format: ImageFormat, _ reader: ByteReader) -> Signature {
        switch match(signature, reader) {
        case .whole: .format(format)
        case .beginning: .needsMoreBytes
        case .other: .none
        }
    }

    /// What has been found, or else what may still be.
    private static func either(_ first: Signature, _ second: Signature) -> Signature {
        switch (first, second) {
        case (.format, _): first
        case (_, .format): second
        case (.needsMoreBytes, _), (_, .needsMoreBytes): .needsMoreBytes
        case (.none, .none): .none
        }
    }

    private enum Match { case whole, beginning, other }

    private static func match(_ signature: [UInt8], _ reader: ByteReader, at start: Int = 0) -> Match {
        let length = min(signature.count, max(reader.count - start, 0))
        for index in 0..<length where reader.bytes[start + index] != signature[index] { return .other }
        return length == signature.count ? .whole : .beginning
    }

    /// "RIFF", a length, "WEBP".
    private static func riff(_ reader: ByteReader) -> Signature {
        switch (match(Array("RIFF".utf8), reader), match(Array("WEBP".utf8), reader, at: 8)) {
        case (.whole, .whole): .format(.webP)
        case (.other, _), (_, .other): .none
        default: .needsMoreBytes
        }
    }

    /// "BM" alone begins many texts: the length of the second header has to be one that exists.
    private static func bitmap(_ reader: ByteReader) -> Signature {
        switch match(Array("BM".utf8), reader) {
        case .other: return .none
        case .beginning: return .needsMoreBytes
        case .whole: break
        }
        guard let headerSize = reader.little(14, size: 4) else {
            // The length is below 128, so that its upper bytes are 0: text is told apart early.
            for offset in 15..<18 where reader.byte(offset) ?? 0 != 0 { return .none }
            return .needsMoreBytes
        }
        return [12, 16, 40, 52, 56, 64, 108, 124].contains(headerSize) ? .format(.bmp) : .none
    }

    /// The `ftyp` box of ISO media files: a length, "ftyp", the major brand, a version, the compatible brands.
    private static func fileType(_ reader: ByteReader) -> Signature {
        // A length of 64 KiB or more would hold thousands of brands: no such file exists.
        guard reader.byte(0) == 0, reader.byte(1) ?? 0 == 0 else { return .none }
        switch match(Array("ftyp".utf8), reader, at: 4) {
        case .other: return .none
        case .beginning: return .needsMoreBytes
        case .whole: break
        }
        guard let length = reader.big(0, size: 4), length >= 16 else { return .none }
        let isComplete = reader.count >= length
        var isHEIF = false
        for offset in [8] + Array(stride(from: 16, to: max(min(length, reader.count) - 3, 16), by: 4)) {
            guard reader.count >= offset + 4 else { break }
            let brand = reader.slice(offset, length: 4)
            if avifBrands.contains(where: { brand.has($0, at: 0) }) { return .format(.avif) }
            // A major brand of HEVC settles it; "mif1" may still be followed by "avif".
            if heicBrands.contains(where: { brand.has($0, at: 0) }) {
                if offset == 8 { return .format(.heic) }
                isHEIF = true
            }
            if heifBrands.contains(where: { brand.has($0, at: 0) }) { isHEIF = true }
        }
        guard isComplete else { return .needsMoreBytes }
        return isHEIF ? .format(.heic) : .none
    }

    private static let avifBrands: [StaticString] = ["avif", "avis"]
    private static let heicBrands: [StaticString] = ["heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs"]
    private static let heifBrands: [StaticString] = ["mif1", "mif2", "msf1"]
}
