import Foundation

#if canImport(CryptoKit)
import CryptoKit
#endif

/// The digests that image servers sign URLs by: those of Apple's CryptoKit, and elsewhere the package's own, since no
/// library that it needs there brings any.
///
/// SHA-1 and MD5 are what these servers ask for, and good for nothing else.
enum MessageDigest {
    #if canImport(CryptoKit)
    static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    static func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    static func sha1(_ message: [UInt8]) -> [UInt8] { [UInt8](Insecure.SHA1.hash(data: message)) }

    static func md5(_ message: [UInt8]) -> [UInt8] { [UInt8](Insecure.MD5.hash(data: message)) }
    #else
    static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] { hmac(message, key, SHA256.hash) }

    static func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8] { hmac(message, key, sha1) }

    /// - Source: RFC 2104 section 2. The block of all these digests has 64 bytes.
    private static func hmac(_ message: [UInt8], _ key: [UInt8], _ digest: ([UInt8]) -> [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? digest(key) : key
        block += repeatElement(0, count: 64 - block.count)
        let inner = digest(block.map { $0 ^ 0x36 } + message)
        return digest(block.map { $0 ^ 0x5c } + inner)
    }

    /// - Source: RFC 3174 sections 4 to 6.1.
    static func sha1(_ message: [UInt8]) -> [UInt8] {
        var h: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
            0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0
        )
        var words = [UInt32](repeating: 0, count: 80)
        let padded = padded(message) { bitCount in (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * $0)) }
        }
        for start in stride(from: 0, to: padded.count, by: 64) {
            for index in 0..<16 {
                words[index] = (0..<4).reduce(0) { $0 << 8 | UInt32(padded[start + 4 * index + $1]) }
            }
            for index in 16..<80 {
                words[index] = rotated(
                    words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
            }
            var (a, b, c, d, e) = h
            for index in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch index / 20 {
                    case 0: (b & c | ~b & d, 0x5a82_7999)
                    case 1: (b ^ c ^ d, 0x6ed9_eba1)
                    case 2: (b & c | b & d | c & d, 0x8f1b_bcdc)
                    default: (b ^ c ^ d, 0xca62_c1d6)
                    }
                (a, b, c, d, e) = (rotated(a, 5) &+ mixed &+ e &+ constant &+ words[index], a, rotated(b, 30), c, d)
            }
            h = (h.0 &+ a, h.1 &+ b, h.2 &+ c, h.3 &+ d, h.4 &+ e)
        }
        return [h.0, h.1, h.2, h.3, h.4].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
        }
    }

    /// - Source: RFC 1321 section 3.
    static func md5(_ message: [UInt8]) -> [UInt8] {
        var h: (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)
        let padded = padded(message) { bitCount in (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (8 * $0)) } }
        for start in stride(from: 0, to: padded.count, by: 64) {
            var (a, b, c, d) = h
            for index in 0..<64 {
                let (mixed, place): (UInt32, Int) =
                    switch index / 16 {
                    case 0: (b & c | ~b & d, index)
                    case 1: (d & b | ~d & c, (5 * index + 1) % 16)
                    case 2: (b ^ c ^ d, (3 * index + 5) % 16)
                    default: (c ^ (b | ~d), 7 * index % 16)
                    }
                let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(padded[start + 4 * place + $1]) << (8 * UInt32($1)) }
                let turned = rotated(a &+ mixed &+ word &+ sines[index], shifts[index / 16][index % 4])
                (a, b, c, d) = (d, b &+ turned, b, c)
            }
            h = (h.0 &+ a, h.1 &+ b, h.2 &+ c, h.3 &+ d)
        }
        return [h.0, h.1, h.2, h.3].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) }
        }
    }

    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    /// The table of section 3.4, which is made of sines.
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

    /// The message, a mark, and zeros up to whole blocks, the last eight bytes of which hold its length in bits.
    private static func padded(_ message: [UInt8], length: (UInt64) -> [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        padded += repeatElement(0, count: (120 - padded.count % 64) % 64)
        return padded + length(UInt64(message.count) &* 8)
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
    #endif
}
