import Calotype
import Testing

@Suite("Fields of a message")
struct HTTPFieldsTests {
    @Test("lines of one name are joined in their order, whatever the case (RFC 9110, 5.1 and 5.3)")
    func joined() {
        let fields: HTTPFields = ["Accept": "a", "X": "1", "ACCEPT": "b", "accept": "c", "Accept-Language": "d"]
        #expect(fields["aCCept"] == "a, b, c")
        #expect(fields.values("accept") == ["a", "b", "c"])
        #expect(fields["Accept-Languagf"] == nil)
        #expect(fields[""] == nil)
        #expect(HTTPFields()["Accept"] == nil)
    }

    @Test("setting replaces all lines of a name by one at the end")
    func setting() {
        var fields: HTTPFields = ["Accept": "a", "X": "1", "ACCEPT": "b"]
        fields["accept"] = "c"
        #expect(fields == ["X": "1", "accept": "c"])
        fields["x"] = nil
        #expect(fields == ["accept": "c"])
    }

    @Test("names of any length are found, and one that has been removed can come again")
    func lengths() {
        let long = String(repeating: "n", count: 63)
        var fields: HTTPFields = ["": "0", long: "63", long + "n": "64", long + "nn": "65"]
        #expect(["", long, long + "n", long + "nn"].map { fields[$0] } == ["0", "63", "64", "65"])
        #expect(fields[long + "m"] == nil && fields.values(long + "nnn") == [])
        fields.removeAll { $0.name == long }
        #expect(fields[long] == nil)
        fields[long] = "again"
        #expect(fields.values(long) == ["again"])
        #expect(fields == ["": "0", long + "n": "64", long + "nn": "65", long: "again"])
    }

    @Test("A-Z alone count as a-z")
    func letterCase() {
        #expect("Content-TYPE".equalsIgnoringASCIICase("content-type"))
        #expect(!"content_type".equalsIgnoringASCIICase("content\u{7F}type"))
        #expect(!"[a]".equalsIgnoringASCIICase("{a}"))
        #expect(!"ä".equalsIgnoringASCIICase("Ä"))
        #expect("IMAGE/png".hasPrefixIgnoringASCIICase("image/"))
        #expect(!"image".hasPrefixIgnoringASCIICase("image/"))
        #expect("".hasPrefixIgnoringASCIICase(""))
    }

    @Test("strings of any length are compared to the last byte, whichever it is that differs", arguments: 0...26)
    func everyByte(length: Int) {
        let letters = Array("Content-Security-Policy-Re".utf8.prefix(length))
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        #expect(text(letters).equalsIgnoringASCIICase(text(letters)))
        for index in letters.indices {
            var other = letters
            // A letter in the other case; anything else becomes another character.
            other[index] ^= 0x20
            let isLetter = (0x61...0x7A) ~= letters[index] | 0x20
            #expect(text(other).equalsIgnoringASCIICase(text(letters)) == isLetter, "byte \(index)")
            for earlier in letters.indices where earlier != index {
                var both = letters
                both[index] ^= 0x01
                both[earlier] ^= isLetter ? 0x20 : 0
                #expect(!text(letters).equalsIgnoringASCIICase(text(both)), "bytes \(index) and \(earlier)")
            }
        }
    }
}
