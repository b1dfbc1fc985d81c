/// EXIF that ImageMagick and others wrote as text before PNG had a chunk for it: a keyword, then a name, a length in
/// decimal digits and the bytes in hexadecimal ones, on lines of their own.
///
///     tEXt "Raw profile type exif" 0 \n "exif" \n "      32" \n "457869660000…" \n …
///     zTXt the same keyword        0 method, and the rest as a zlib stream
enum PNGText {
    /// The orientation's entry is among the first bytes of EXIF: no more text than this is read, whatever a stream unpacks
    /// to.
    private static let textLimit = 1 << 16

    /// - Returns: The TIFF structure's bytes, or the first of them; `nil` if the chunk is another text.
    static func exif(_ chunk: PNGChunks.Chunk) -> [UInt8]? {
        guard chunk.is("tEXt") || chunk.is("zTXt") else { return nil }
        let content = chunk.content
        for keyword: StaticString in ["Raw profile type exif\0", "Raw profile type APP1\0"] where content.has(keyword, at: 0) {
            let start = keyword.utf8CodeUnitCount
            if chunk.is("tEXt") { return bytes(of: content.slice(start, length: textLimit).bytes) }
            guard content.byte(start) == 0 else { return nil }
            let packed = content.slice(start + 1, length: content.count).bytes
            return Inflation.unpack(packed, limit: textLimit, isPrefixEnough: true)
                .flatMap { $0.withUnsafeBytes { bytes(of: $0) } }
        }
        return nil
    }

    private static func bytes(of text: UnsafeRawBufferPointer) -> [UInt8]? {
        // A new line, the name, the length, the rest.
        let fields = text.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
        guard fields.count == 3 else { return nil }
        var result: [UInt8] = []
        var high: UInt8?
        for character in fields[2] {
            guard let digit = digit(character) else { continue }
            if let upper = high {
                result.append(upper << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return result.starts(with: Array("Exif\0\0".utf8)) ? Array(result.dropFirst(6)) : result
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
