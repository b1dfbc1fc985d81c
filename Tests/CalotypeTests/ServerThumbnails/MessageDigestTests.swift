import Testing

@testable import Calotype

@Suite("The digests that image servers sign by are those of their standards")
struct MessageDigestTests {
    private static let long = [UInt8]("Test Using Larger Than Block-Size Key - Hash Key First".utf8)

    // RFC 2202 section 3, cases 1, 2 and 6; RFC 4231 sections 4.2, 4.3 and 4.7.
    static let authentications: [(key: [UInt8], message: [UInt8], sha1: String, sha256: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), [UInt8]("Hi There".utf8),
            "b617318655057264e28bc0b6fb378c8ef146be00",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            [UInt8]("Jefe".utf8), [UInt8]("what do ya want for nothing?".utf8),
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
    ]

    @Test("keyed digests are those of the RFC's vectors", arguments: authentications)
    func authentication(key: [UInt8], message: [UInt8], sha1: String, sha256: String) {
        #expect(MessageDigest.hmacSHA1(message, key: key).hexadecimal == sha1)
        #expect(MessageDigest.hmacSHA256(message, key: key).hexadecimal == sha256)
    }

    @Test("a key that is longer than a block is digested first")
    func longKey() {
        #expect(
            MessageDigest.hmacSHA1(Self.long, key: [UInt8](repeating: 0xaa, count: 80)).hexadecimal
                == "aa4ae5e15272d00e95705637ce8a3b55ed402112")
        #expect(
            MessageDigest.hmacSHA256(Self.long, key: [UInt8](repeating: 0xaa, count: 131)).hexadecimal
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    // RFC 1321 section A.5.
    static let md5Vectors: [(String, String)] = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
        (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
    ]

    @Test("MD5 is what the RFC's vectors say", arguments: md5Vectors)
    func md5(_ text: String, _ digest: String) {
        #expect(MessageDigest.md5([UInt8](text.utf8)).hexadecimal == digest)
    }

    // RFC 3174 section 7.3, and the empty message.
    static let sha1Vectors: [(String, String)] = [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    ]

    @Test("SHA-1 is what the RFC's vectors say", arguments: sha1Vectors)
    func sha1(_ text: String, _ digest: String) {
        #expect(MessageDigest.sha1([UInt8](text.utf8)).hexadecimal == digest)
    }

    @Test("messages that fill a block, or nearly, are padded right")
    func padding() {
        func all(_ digest: ([UInt8]) -> [UInt8]) -> String {
            let digests = (0..<200).map { digest([UInt8](repeating: UInt8(ascii: "x"), count: $0)).hexadecimal }
            return digest([UInt8](digests.joined().utf8)).hexadecimal
        }
        // By Python's hashlib.
        #expect(all(MessageDigest.sha1) == "f024a06f9df4db3a81e536a8d16895eb9a9defb5")
        #expect(all(MessageDigest.md5) == "0f0e2ac786e6a42eac7e7de3a518cd0c")
    }
}
