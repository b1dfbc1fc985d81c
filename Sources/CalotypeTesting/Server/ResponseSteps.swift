import Calotype
import Foundation

/// What a connection does, one after the other, to give a response.
enum ResponseStep {
    case send(Data)
    case pause(Duration)
    case gate(LoopbackServer.Gate)
    /// What comes out of it, as it comes.
    case stream(ResponseStream)
    /// Never goes on.
    case hang
    case close(resets: Bool)
    /// Ends the sending side and discards what still comes, so that unread input doesn't turn the end into a reset.
    case linger
}

/// Collects bytes into as few sends as the pauses between them allow.
private struct StepWriter {
    var steps: [ResponseStep] = []
    private var pending: [UInt8] = []

    mutating func append(_ text: String) {
        pending.append(contentsOf: text.utf8)
    }

    mutating func append(_ data: Data) {
        guard data.count >= 16_384 else {
            pending.append(contentsOf: data)
            return
        }
        flush()
        steps.append(.send(data))
    }

    mutating func append(_ step: ResponseStep) {
        flush()
        steps.append(step)
    }

    private mutating func flush() {
        if pending.isEmpty { return }
        steps.append(.send(Data(pending)))
        pending.removeAll()
    }

    mutating func finish() -> [ResponseStep] {
        flush()
        return steps
    }
}

extension LoopbackServer.Response {
    /// The steps that give this response.
    ///
    /// - Parameters:
    ///   - method: The request's.
    ///   - keepsAlive: Whether the client wants the connection to stay open.
    func steps(method: String, keepsAlive: Bool) -> [ResponseStep] {
        var writer = StepWriter()
        for interim in interims {
            writer.append("HTTP/1.1 \(interim.status) \(Self.reasonPhrase(interim.status))\r\n")
            Self.append(interim.fields, to: &writer)
            writer.append("\r\n")
        }
        pause(at: .beforeHead, in: &writer)

        switch fault {
        case .garbage(let bytes):
            writer.append(bytes)
            writer.append(.close(resets: false))
            return writer.finish()
        case .dropped(let resets):
            writer.append(.close(resets: resets))
            return writer.finish()
        case .hanging:
            writer.append(.hang)
            return writer.finish()
        case .truncated, .withoutLastChunk, nil:
            break
        }

        let closes = closesConnection || !keepsAlive || framing == .untilClose
        appendHead(closes: closes, to: &writer)
        if method != "HEAD", status >= 200, status != 204, status != 304 {
            appendBody(to: &writer)
            switch fault {
            case .truncated(_, let resets):
                writer.append(.close(resets: resets))
                return writer.finish()
            case .withoutLastChunk:
                writer.append(.close(resets: false))
                return writer.finish()
            default:
                if case .chunked = framing { writer.append("0\r\n\r\n") }
            }
        }
        if closes { writer.append(.close(resets: false)) }
        return writer.finish()
    }

    private func appendHead(closes: Bool, to writer: inout StepWriter) {
        writer.append("HTTP/1.1 \(status) \(reason ?? Self.reasonPhrase(status))\r\n")
        Self.append(fields, to: &writer)
        switch framing {
        case .contentLength where status != 204 && status != 304 && fields["Content-Length"] == nil:
            writer.append("Content-Length: \(body.count)\r\n")
        case .chunked where fields["Transfer-Encoding"] == nil:
            writer.append("Transfer-Encoding: chunked\r\n")
        default:
            break
        }
        if closes, fields["Connection"] == nil { writer.append("Connection: close\r\n") }
        for line in rawHeadLines { writer.append(line + "\r\n") }
        writer.append("\r\n")
    }

    private static func append(_ fields: HTTPFields, to writer: inout StepWriter) {
        for field in fields {
            writer.append(field.name)
            writer.append(": ")
            writer.append(field.value)
            writer.append("\r\n")
        }
    }

    /// Sends the body, cut where a chunk ends, a pause falls or the truncation comes.
    private func appendBody(to writer: inout StepWriter) {
        var end = body.count
        if case .truncated(let count, _) = fault { end = min(max(count, 0), end) }

        let chunkEnds = self.chunkEnds
        var cuts: Set<Int> = [0, end]
        for case (.afterBodyBytes(let count), _) in pauses { cuts.insert(min(max(count, 0), body.count)) }
        if let pace { cuts.formUnion(stride(from: pace.byteCount, to: end, by: pace.byteCount)) }
        if let chunkEnds { cuts.formUnion(chunkEnds) }

        var position = 0
        var chunk = 0
        for cut in cuts.sorted() where cut <= end {
            if cut > position {
                if let chunkEnds, chunk == 0 ? position == 0 : position == chunkEnds[chunk - 1] {
                    writer.append(String(chunkEnds[chunk] - position, radix: 16) + "\r\n")
                    chunk += 1
                }
                writer.append(body[body.startIndex + position..<body.startIndex + cut])
                position = cut
                if let chunkEnds, position == chunkEnds[chunk - 1] { writer.append("\r\n") }
            }
            pause(at: .afterBodyBytes(cut), in: &writer)
            if let pace, cut > 0, cut < end, cut % pace.byteCount == 0 { writer.append(.pause(pace.interval)) }
        }
    }

    /// The places where chunks end, in order; `nil` if the body isn't chunked. A chunk of size 0 would end the body.
    private var chunkEnds: [Int]? {
        guard case .chunked(let sizes) = framing else { return nil }
        var ends: [Int] = []
        var position = 0
        for size in sizes where size > 0 && position < body.count {
            position = min(position + size, body.count)
            ends.append(position)
        }
        if position < body.count { ends.append(body.count) }
        return ends
    }

    private func pause(at place: Place, in writer: inout StepWriter) {
        for (wanted, pause) in pauses {
            switch (wanted, place) {
            case (.beforeHead, .beforeHead): break
            case (.afterBodyBytes(let count), .afterBodyBytes(let cut)) where min(max(count, 0), body.count) == cut:
                break
            default: continue
            }
            switch pause {
            case .time(let duration): writer.append(.pause(duration))
            case .gate(let gate): writer.append(.gate(gate))
            }
        }
    }

    static func reasonPhrase(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 103: "Early Hints"
        case 200: "OK"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 416: "Range Not Satisfiable"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
