import Testing

@testable import Calotype

@Suite("SHA-256")
struct SHA256Tests {
    // FIPS 180-4's examples, as NIST publishes them, and lengths around the end of a block.
    static let vectors: [(String, String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]

    @Test("it is what the standard says", arguments: vectors)
    func vector(_ text: String, _ digest: String) {
        #expect(SHA256.hash(text).hexadecimal == digest)
    }

    @Test("it is so for a million letters, too")
    func long() {
        #expect(
            SHA256.hash(String(repeating: "a", count: 1_000_000)).hexadecimal
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("messages that fill a block, or nearly, are padded right")
    func padding() {
        let all = (0..<200).map { SHA256.hash(String(repeating: "x", count: $0)).hexadecimal }.joined()
        #expect(
            SHA256.hash(all).hexadecimal == "f61ffcc417e1f0e59eba2da7fa32fbe05b64e478b68c6bacf990455f00248b98")
        #expect(SHA256.short("abc") == .init(high: 0xba78_16bf_8f01_cfea, low: 0x4141_40de_5dae_2223))
    }
}
