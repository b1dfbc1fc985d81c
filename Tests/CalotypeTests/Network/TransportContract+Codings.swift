#if os(Linux)
import CZlib
import Calotype
import Foundation
import Glibc
import Testing

/// Packs bytes as zlib does: -15 for the window leaves out what is around the data, 15 is zlib's format, 31 gzip's.
func deflated(_ bytes: some Sequence<UInt8>, windowBits: Int32) -> Data {
    var stream = z_stream()
    precondition(
        deflateInit2_(
            &stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            == Z_OK)
    defer { deflateEnd(&stream) }
    var input = Array(bytes)
    let room = Int(deflateBound(&stream, UInt(input.count)))
    return input.withUnsafeMutableBufferPointer { input in
        Data(
            [UInt8](unsafeUninitializedCapacity: room) { output, count in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(room)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
                count = room - Int(stream.avail_out)
            })
    }
}

func gzipped(_ bytes: some Sequence<UInt8>) -> Data { deflated(bytes, windowBits: 31) }

extension TransportContract {
    private static let text = Data((0..<40_000).map { "\($0 &* 7919 % 10_007)" }.joined(separator: " ").utf8)

    /// A server that sends `body` in that coding, whether it was asked for or not.
    private func server(
        _ coding: String, _ body: Data, status: Int = 200, length: Int? = nil, fields: String = ""
    ) throws -> RawServer {
        try RawServer { connection in
            while connection.readHead() != nil {
                connection.write(
                    "HTTP/1.1 \(status) OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(length ?? body.count)\r\n"
                        + "ETag: \"x\"\r\n\(fields)\r\n")
                connection.write([UInt8](body))
                if length != nil { break }
            }
        }
    }

    struct Coding: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let field: String
        let windowBits: Int32
    }

    @Test(
        "a content coding that is known is taken off, and gone from the fields", arguments: TransportUnderTest.all,
        [
            Coding(testDescription: "gzip", field: "gzip", windowBits: 31),
            Coding(testDescription: "gzip, in capitals", field: "GZIP", windowBits: 31),
            Coding(testDescription: "gzip, by its old name", field: "x-gzip", windowBits: 31),
            Coding(testDescription: "deflate", field: "deflate", windowBits: 15),
            Coding(testDescription: "deflate without zlib's frame", field: "deflate", windowBits: -15),
        ])
    func knownCoding(_ transport: TransportUnderTest, _ coding: Coding) async throws {
        let server = try server(coding.field, deflated(Self.text, windowBits: coding.windowBits))
        let transport = transport()
        for _ in 0..<2 {
            let (response, body) = try await transport.get(server.url())
            #expect(body == Self.text)
            #expect(response.fields["content-encoding"] == nil)
            #expect(response.fields["content-length"] == nil)
            #expect(response.fields["etag"] == "\"x\"")
        }
        #expect(server.acceptedCount == 1)
    }

    @Test(
        "a coding of nothing is nothing: with a 304, with HEAD, with a length of 0", arguments: TransportUnderTest.all,
        [("GET", 304), ("HEAD", 200), ("GET", 200)])
    func codingOfNothing(_ transport: TransportUnderTest, _ exchange: (method: String, status: Int)) async throws {
        let server = try server("gzip", Data(), status: exchange.status)
        let response = try await transport().send(HTTPRequest(method: exchange.method, url: server.url()))
        #expect(response.status == exchange.status)
        #expect(response.fields["content-encoding"] == nil)
        #expect(response.fields["content-length"] == nil)
        #expect(try await response.body.gathered().isEmpty)
    }

    @Test(
        "a part keeps its coding's name, so that nobody takes it for something else", arguments: TransportUnderTest.all)
    func codingOfPart(_ transport: TransportUnderTest) async throws {
        let packed = gzipped(Self.text)
        let server = try server("gzip", packed, status: 206, fields: "Content-Range: bytes 0-9/100\r\n")
        let (response, body) = try await transport().get(server.url())
        #expect(response.fields["content-encoding"] == "gzip")
        // URLSession can't be told to leave it as it is.
        #expect(body == (transport.isFoundation ? Self.text : packed))
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: HTTPTransportError.Code
        /// Whether Foundation's session sees it. It says no more of it than that something was wrong.
        var isSeenByFoundation = true
        let body: Data
        var length: Int?

        static let packed = gzipped(text)
        static let all: [Damage] = {
            var flipped = packed
            flipped[packed.count / 2] ^= 0xFF
            var badSum = packed
            badSum[packed.count - 8] ^= 1
            let half = packed.prefix(packed.count / 2)
            return [
                Damage(testDescription: "no coding at all", code: .malformedResponse, body: text),
                Damage(testDescription: "damage in the middle", code: .malformedResponse, body: flipped),
                Damage(testDescription: "another checksum", code: .malformedResponse, body: badSum),
                Damage(
                    testDescription: "a complete body whose coding has no end",
                    code: .truncated(received: Int64(half.count), expected: nil), isSeenByFoundation: false, body: half),
                Damage(
                    testDescription: "a body that is shorter than its length",
                    code: .truncated(received: Int64(half.count), expected: Int64(packed.count)), body: half,
                    length: packed.count),
                Damage(
                    testDescription: "bytes after the end", code: .malformedResponse,
                    body: packed + Data("rest".utf8)),
            ]
        }()
    }

    @Test("a coding that is damaged or cut short is an error", arguments: TransportUnderTest.all, Damage.all)
    func damagedCoding(_ transport: TransportUnderTest, _ row: Damage) async throws {
        let server = try server("gzip", row.body, length: row.length)
        if transport.isFoundation, !row.isSeenByFoundation {
            _ = try await transport().get(server.url())
            return
        }
        let code = await transportErrorCode { _ = try await transport().get(server.url()) }
        if transport.isFoundation, case .truncated? = code { return }
        #expect(code == row.code)
    }
}
#endif
