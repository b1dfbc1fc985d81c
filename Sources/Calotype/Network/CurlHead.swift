#if os(Linux)
import Glibc

/// Gathers the head of the final response from the lines that libcurl gives out.
///
/// libcurl gives the blocks of interim responses, the final block, and trailers after the body, all to one callback:
///
///     status line -> field lines -> empty line -+-> 1xx: from the start
///                                               +-> else: complete; what follows is trailers, which are dropped
struct CurlHead {
    /// A head may take this many bytes, interim responses and trailers included: neither may go on for ever.
    static let maximumByteCount = 256 * 1024

    private(set) var status = 0
    private var lines: [HTTPFields.Field] = []
    private(set) var isComplete = false
    /// The interim response that has just ended, to be taken out.
    var interim: (status: Int, fields: HTTPFields)?
    private var byteCount = 0

    var fields: HTTPFields { HTTPFields(lines) }

    /// Takes a line with its line break.
    /// - Throws: ``HTTPTransportError`` with `malformedResponse`.
    mutating func receive(_ line: UnsafeRawBufferPointer) throws(HTTPTransportError) {
        byteCount += line.count
        guard byteCount <= Self.maximumByteCount else {
            throw HTTPTransportError(
                .malformedResponse, detail: "The head exceeds the limit of \(Self.maximumByteCount) bytes.")
        }
        // Trailers aren't merged into the head: they may not change what was decided by it (RFC 9110 section 6.5.1).
        guard !isComplete else { return }
        let text = line.trimmingLineBreak
        if text.isEmpty {
            try endBlock()
        } else if text.starts(with: "HTTP/".utf8) {
            status = Self.status(in: text)
            lines = []
        } else {
            receiveField(text)
        }
    }

    private mutating func endBlock() throws(HTTPTransportError) {
        switch status {
        case 200...599: isComplete = true
        case 100, 102...199:
            interim = (status, fields)
            status = 0
        default: throw HTTPTransportError(.malformedResponse, detail: "The status is not one that was asked for.")
        }
    }

    private static func status(in line: UnsafeRawBufferPointer) -> Int {
        guard let space = line.firstIndex(of: 0x20) else { return 0 }
        let digits = line[(space + 1)...].prefix { $0 != 0x20 }
        guard digits.count == 3, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return 0 }
        return digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    }

    private mutating func receiveField(_ line: UnsafeRawBufferPointer) {
        if line[0] == 0x20 || line[0] == 0x09 {
            // A folded line goes on with the value before it (RFC 9112 section 5.2).
            let text = line.trimmingSpace.asText
            guard !lines.isEmpty, !text.isEmpty else { return }
            if !lines[lines.count - 1].value.isEmpty { lines[lines.count - 1].value += " " }
            lines[lines.count - 1].value += text
            return
        }
        // A line without a name says nothing. Browsers pass over it as well.
        guard let colon = line.firstIndex(of: 0x3A), colon > 0 else { return }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon]).trimmingSpace
        let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingSpace
        guard !name.isEmpty else { return }
        // A carriage return that ends no line becomes a space (RFC 9110 section 5.5): sent back in a validator it would break
        // one. libcurl takes no NUL.
        let hasReturn = value.baseAddress.map { memchr($0, 0x0D, value.count) != nil } == true
        lines.append(HTTPFields.Field(name.asText, hasReturn ? value.asText.withoutReturns : value.asText))
    }

    /// Leaves out a length that says nothing of the body, since a transfer coding frames it.
    ///
    /// - Source: RFC 9112 section 6.3.
    mutating func removeLength() {
        lines.removeAll { $0.name.equalsIgnoringASCIICase("Content-Length") }
    }
}

extension String {
    fileprivate var withoutReturns: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\r" ? " " : $0 }))
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var trimmingLineBreak: UnsafeRawBufferPointer {
        var end = count
        if end > 0, self[end - 1] == 0x0A { end -= 1 }
        if end > 0, self[end - 1] == 0x0D { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<end])
    }

    fileprivate var trimmingSpace: UnsafeRawBufferPointer {
        var start = 0
        var end = count
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }

    /// The bytes as UTF-8, or as ISO 8859-1 where they aren't valid, so that no byte is lost.
    ///
    /// - Source: RFC 9110 section 5.5.
    fileprivate var asText: String {
        // Nearly always. Validation goes byte by byte through generic code and would be a third of the work on a head.
        if allSatisfy({ $0 < 0x80 }) { return String(decoding: self, as: UTF8.self) }
        if let text = String(validating: self, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
}
#endif
