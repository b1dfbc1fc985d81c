#if os(Linux)
import CZlib
import Foundation

/// Takes encoded files apart, as far as tests look into them.
enum EncodedFile {
    /// The chunks before the pixels, by their names.
    static func pngChunks(_ data: Data) -> [String: [UInt8]] {
        let bytes = [UInt8](data)
        var chunks: [String: [UInt8]] = [:]
        var offset = 8
        while offset + 12 <= bytes.count {
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let name = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            guard name != "IDAT", offset + 12 + length <= bytes.count else { break }
            chunks[name] = Array(bytes[offset + 8..<offset + 8 + length])
            offset += 12 + length
        }
        return chunks
    }

    /// The profile of an iCCP chunk: a name, a zero, the method, and the rest compressed.
    static func profile(ofChunk chunk: [UInt8]) -> [UInt8]? {
        guard let end = chunk.firstIndex(of: 0), end + 2 < chunk.count else { return nil }
        let packed = Array(chunk[(end + 2)...])
        var profile = [UInt8](repeating: 0, count: 1 << 16)
        var count = UInt(profile.count)
        guard uncompress(&profile, &count, packed, UInt(packed.count)) == Z_OK else { return nil }
        return Array(profile.prefix(Int(count)))
    }

    /// The profile of the first APP2 segment, if that is all of it.
    static func profile(ofJPEG data: Data) -> [UInt8]? {
        let mark = Data([0xff, 0xe2])
        guard let start = data.range(of: mark)?.upperBound, start + 16 < data.count else { return nil }
        let length = Int(data[start]) << 8 | Int(data[start + 1])
        let segment = [UInt8](data[start + 2..<min(start + length, data.count)])
        guard segment.starts(with: Array("ICC_PROFILE\0".utf8) + [1, 1]) else { return nil }
        return Array(segment[14...])
    }
}
#endif
