#if os(Linux)
import Foundation
import Testing

@testable import Calotype

@Suite struct CurlHeadTests {
    private func head(_ lines: [[UInt8]]) throws -> CurlHead {
        var head = CurlHead()
        for line in lines { try line.withUnsafeBytes { try head.receive($0) } }
        return head
    }

    private func head(_ text: String...) throws -> CurlHead { try head(text.map { Array($0.utf8) }) }

    @Test("folded lines go on with the value before them")
    func folding() throws {
        let head = try head(
            "HTTP/1.1 200 OK\r\n", " lost\r\n", "A: 1\r\n", "\t 2\r\n", " \r\n", "B:\r\n", " 3\r\n", "\r\n")
        #expect(head.fields == ["A": "1 2", "B": "3"])
    }

    @Test("bytes that aren't UTF-8 are read as ISO 8859-1")
    func encodings() throws {
        let utf8 = try head("HTTP/1.1 200 OK\r\n", "A: ö\r\n", "\r\n")
        #expect(utf8.fields["a"] == "ö")
        let latin = try head([Array("HTTP/1.1 200 OK\r\n".utf8), [0x41, 0x3A, 0xF6, 0x0D, 0x0A], [0x0D, 0x0A]])
        #expect(latin.fields["a"] == "ö")
    }

    @Test("a carriage return within a value is a space, and never ends a line of what is sent back")
    func carriageReturns() throws {
        #expect(try head("HTTP/1.1 200 OK\r\n", "ETag: \"a\rX: y\"\r\n", "\r\n").fields == ["ETag": "\"a X: y\""])
    }

    @Test("lines without a name are passed over")
    func nameless() throws {
        let head = try head("HTTP/1.1 200 OK\r\n", "nothing\r\n", ": x\r\n", " : y\r\n", "A : b\r\n", "C:d:e\n", "\n")
        #expect(head.isComplete)
        #expect(head.fields == ["A": "b", "C": "d:e"])
    }

    @Test("interim blocks are dropped, and trailers too")
    func blocks() throws {
        let head = try head(
            "HTTP/1.1 103 Early\r\n", "A: 1\r\n", "\r\n", "HTTP/2 299 \r\n", "B: 2\r\n", "\r\n", "C: 3\r\n", "\r\n")
        #expect(head.status == 299)
        #expect(head.fields == ["B": "2"])
    }

    @Test(
        "a status that isn't one is refused",
        arguments: ["HTTP/1.1 101 Up", "HTTP/1.1 600 x", "HTTP/1.1 20 x", "HTTP/1.1 2000", "HTTP/1.1", "HTTP/1.1 abc"])
    func status(line: String) {
        #expect(throws: HTTPTransportError.self) { try head("\(line)\r\n", "\r\n") }
    }

    @Test("a head has a limit, interim responses included")
    func limit() throws {
        let filler = "A: " + String(repeating: "x", count: 1000) + "\r\n"
        let fits = (CurlHead.maximumByteCount - 100) / filler.utf8.count
        let lines = ["HTTP/1.1 103 x\r\n"] + Array(repeating: filler, count: fits)
        var head = try head(lines.map { Array($0.utf8) })
        #expect(throws: HTTPTransportError.self) {
            try Array(filler.utf8).withUnsafeBytes { try head.receive($0) }
        }
    }
}
#endif
