import Calotype
import Foundation

/// Reads HTTP/1.1 requests from bytes as they come, strictly: what a careful server would refuse is malformed.
///
/// ```
/// requestLine -> fieldLines -+-> ready                      (no body)
///      ^                     +-> sized ----> ready
///      |                     +-> chunkSize <-> chunkData    (each ends in CRLF)
///      |                             +-> trailers -> ready
///      +---------------------------------------------+
/// ```
///
/// - Source: RFC 9112 sections 2 to 7.
struct RequestParser {
    enum Event {
        /// More bytes are needed.
        case incomplete
        /// The client waits for leave to send its body. Reported once a request.
        case expectsContinue
        case request(Head, body: Data)
        /// The connection is of no use any more. The number is the status to answer with.
        case malformed(status: Int)
    }

    struct Head {
        var method = ""
        var path = ""
        var query: String?
        var fields = HTTPFields()
        var keepsAlive = true
        var isHTTP11 = true
    }

    private enum Stage {
        case requestLine
        case fieldLines
        case sized(Int)
        case chunkSize
        case chunkData(Int)
        case chunkEnd
        case trailers
        case ready
    }

    private struct Malformed: Error {
        var status = 400
    }

    private static let lineByteLimit = 16 << 10
    private static let headByteLimit = 64 << 10
    static let bodyByteLimit = 64 << 20

    private var buffer: [UInt8] = []
    private var position = 0
    /// Where the search for a line's end goes on; nothing before it holds one.
    private var searched = 0
    private var stage = Stage.requestLine
    private var head = Head()
    private var headByteCount = 0
    private var body = Data()

    /// The bytes that no request has taken yet.
    var unreadByteCount: Int { buffer.count - position }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if position == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            (position, searched) = (0, 0)
        } else if position > Self.headByteLimit {
            buffer.removeFirst(position)
            searched -= position
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Goes on as far as the bytes allow.
    mutating func next() -> Event {
        do throws(Malformed) {
            while true {
                switch stage {
                case .requestLine:
                    guard let line = try takeLine(tooLong: 414) else { return .incomplete }
                    // RFC 9112 section 2.2: empty lines before a request line are ignored.
                    if line.isEmpty { continue }
                    try readRequestLine(line)
                    stage = .fieldLines
                case .fieldLines:
                    guard let line = try takeLine(tooLong: 431) else { return .incomplete }
                    if !line.isEmpty {
                        try readField(line)
                    } else if try endHead() {
                        return .expectsContinue
                    }
                case .sized(let count):
                    guard unreadByteCount >= count else { return .incomplete }
                    takeBody(count)
                    stage = .ready
                case .chunkSize:
                    guard let line = try takeLine(tooLong: 400) else { return .incomplete }
                    let count = try chunkSize(line)
                    stage = count == 0 ? .trailers : .chunkData(count)
                case .chunkData(let count):
                    guard unreadByteCount >= count else { return .incomplete }
                    takeBody(count)
                    stage = .chunkEnd
                case .chunkEnd:
                    guard let line = try takeLine(tooLong: 400) else { return .incomplete }
                    if !line.isEmpty { throw Malformed() }
                    stage = .chunkSize
                case .trailers:
                    guard let line = try takeLine(tooLong: 431) else { return .incomplete }
                    if line.isEmpty { stage = .ready }
                case .ready:
                    let event = Event.request(head, body: body)
                    (stage, head, body, headByteCount) = (.requestLine, Head(), Data(), 0)
                    return event
                }
            }
        } catch {
            return .malformed(status: error.status)
        }
    }

    /// The next line without its CRLF. A bare LF doesn't end a line here (RFC 9112 section 2.2 leaves that open).
    private mutating func takeLine(tooLong status: Int) throws(Malformed) -> Range<Int>? {
        let start = max(searched, position)
        let newline = buffer.withUnsafeBufferPointer { bytes -> Int? in
            guard let base = bytes.baseAddress, start < bytes.count,
                let found = memchr(base + start, 0x0a, bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
        let length = (newline ?? buffer.count) - position
        if length > Self.lineByteLimit { throw Malformed(status: status) }
        guard let newline else {
            searched = buffer.count
            return nil
        }
        headByteCount += length
        if headByteCount > Self.headByteLimit { throw Malformed(status: 431) }
        guard newline > position, buffer[newline - 1] == 0x0d else { throw Malformed() }
        let line = position..<newline - 1
        position = newline + 1
        return line
    }

    private mutating func takeBody(_ count: Int) {
        body.append(contentsOf: buffer[position..<position + count])
        position += count
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: buffer[range], as: UTF8.self)
    }

    /// - Source: RFC 9112 section 3.
    private mutating func readRequestLine(_ line: Range<Int>) throws(Malformed) {
        let spaces = line.filter { buffer[$0] == 0x20 }
        guard spaces.count == 2 else { throw Malformed() }
        let method = line.lowerBound..<spaces[0]
        let target = spaces[0] + 1..<spaces[1]
        guard !method.isEmpty, buffer[method].allSatisfy(\.isTokenByte), !target.isEmpty,
            buffer[target].allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { throw Malformed() }
        switch text(spaces[1] + 1..<line.upperBound) {
        case "HTTP/1.1": head.isHTTP11 = true
        case "HTTP/1.0": head.isHTTP11 = false
        case let other: throw Malformed(status: other.hasPrefix("HTTP/") ? 505 : 400)
        }
        head.method = text(method)
        readTarget(text(target))
    }

    /// - Source: RFC 9112 section 3.2. A proxy is sent the absolute form; its path is what counts here.
    private mutating func readTarget(_ target: String) {
        var path = target[...]
        if !path.hasPrefix("/"), let scheme = path.range(of: "://") {
            let authority = path[scheme.upperBound...]
            path = authority.firstIndex { $0 == "/" || $0 == "?" }.map { authority[$0...] } ?? "/"
        }
        if let mark = path.utf8.firstIndex(of: 0x3f) {
            head.query = String(path[path.utf8.index(after: mark)...])
            path = path[..<mark]
        }
        head.path = String(path)
    }

    /// - Source: RFC 9112 section 5. Folded lines and white space before the colon are refused.
    private mutating func readField(_ line: Range<Int>) throws(Malformed) {
        guard let colon = line.first(where: { buffer[$0] == 0x3a }), colon > line.lowerBound,
            buffer[line.lowerBound..<colon].allSatisfy(\.isTokenByte)
        else { throw Malformed() }
        var value = colon + 1..<line.upperBound
        while let first = value.first, buffer[first].isOptionalSpace { value = first + 1..<value.upperBound }
        while let last = value.last, buffer[last].isOptionalSpace { value = value.lowerBound..<last }
        guard buffer[value].allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { throw Malformed() }
        head.fields.append(text(line.lowerBound..<colon), text(value))
    }

    /// Decides how the body ends, and whether the client waits for an interim response.
    ///
    /// - Source: RFC 9112 sections 3.2, 6.3 and 9.3; RFC 9110 section 10.1.1.
    private mutating func endHead() throws(Malformed) -> Bool {
        if head.isHTTP11, head.fields.values("Host").count != 1 { throw Malformed() }
        let options = head.fields["Connection"]?.lowercased() ?? ""
        head.keepsAlive = head.isHTTP11 ? !options.contains("close") : options.contains("keep-alive")

        if let coding = head.fields["Transfer-Encoding"] {
            if head.fields["Content-Length"] != nil { throw Malformed() }
            guard coding.lowercased() == "chunked" else { throw Malformed(status: 501) }
            stage = .chunkSize
        } else if let length = head.fields["Content-Length"] {
            guard !length.isEmpty, length.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { throw Malformed() }
            guard let count = Int(length), count <= Self.bodyByteLimit else { throw Malformed(status: 413) }
            stage = count == 0 ? .ready : .sized(count)
            if count == 0 { return false }
        } else {
            stage = .ready
            return false
        }
        return head.isHTTP11 && unreadByteCount == 0
            && head.fields["Expect"]?.equalsIgnoringASCIICase("100-continue") == true
    }

    /// - Source: RFC 9112 section 7.1. Extensions are skipped.
    private mutating func chunkSize(_ line: Range<Int>) throws(Malformed) -> Int {
        // The lines between chunks belong to no head.
        headByteCount = 0
        let digits = buffer[line].prefix { $0 != 0x3b && !$0.isOptionalSpace }
        guard !digits.isEmpty, digits.count <= 15, digits.allSatisfy(\.isHexDigit),
            let count = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw Malformed() }
        guard body.count + count <= Self.bodyByteLimit else { throw Malformed(status: 413) }
        return count
    }
}

extension UInt8 {
    /// Space or tab.
    fileprivate var isOptionalSpace: Bool { self == 0x20 || self == 0x09 }

    fileprivate var isHexDigit: Bool { self &- 0x30 < 10 || (self | 0x20) &- 0x61 < 6 }

    /// - Source: RFC 9110 section 5.6.2.
    fileprivate var isTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e, 0x5f, 0x60, 0x7c, 0x7e: true
        default: false
        }
    }
}
