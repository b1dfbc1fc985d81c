public import Calotype
public import Foundation

extension LoopbackServer {
    /// What the server answers: a response by the book, or one of the ways in which real ones go wrong.
    ///
    /// Begin with a static member and add to it:
    /// `.ok(png, type: "image/png").field("ETag", "\"v1\"").gated(gate, afterBodyBytes: 10)`.
    public struct Response: Sendable {
        /// How the end of the body is marked.
        public enum Framing: Sendable, Hashable {
            /// By a Content-Length field.
            case contentLength
            /// In chunks of these sizes; what is left over makes one more.
            case chunked(sizes: [Int])
            /// By closing the connection.
            case untilClose
        }

        /// The status code.
        public var status: Int
        /// The reason phrase; `nil` takes the usual one.
        public var reason: String?
        /// The field lines, sent in this order with this casing, duplicates and all. A Content-Length,
        /// Transfer-Encoding or Connection given here is sent in place of the server's own.
        public var fields: HTTPFields
        /// The body. It isn't sent in answer to HEAD, nor with 204 and 304.
        public var body: Data
        /// How the end of the body is marked.
        public var framing: Framing
        /// Lines that are sent as they are after the fields, to break the rules with.
        public var rawHeadLines: [String] = []
        /// Whether the connection is closed afterwards, and the response says so.
        public var closesConnection = false

        var interims: [(status: Int, fields: HTTPFields)] = []
        var pauses: [(place: Place, pause: Pause)] = []
        var pace: (byteCount: Int, interval: Duration)?
        var fault: Fault?

        enum Place: Equatable {
            case beforeHead
            case afterBodyBytes(Int)
        }

        enum Pause {
            case time(Duration)
            case gate(Gate)
        }

        enum Fault {
            case truncated(afterBodyBytes: Int, resets: Bool)
            case withoutLastChunk
            case garbage(Data)
            case dropped(resets: Bool)
            case hanging
        }

        /// Makes a response.
        public init(
            status: Int = 200, reason: String? = nil, fields: HTTPFields = .init(), body: Data = Data(),
            framing: Framing = .contentLength
        ) {
            self.status = status
            self.reason = reason
            self.fields = fields
            self.body = body
            self.framing = framing
        }
    }
}

// MARK: - Where a response begins

extension LoopbackServer.Response {
    /// 200 with a body.
    public static func ok(_ body: Data = Data(), type: String? = nil, fields: HTTPFields = .init()) -> Self {
        var response = Self(fields: fields, body: body)
        if let type { response.fields.append("Content-Type", type) }
        return response
    }

    /// Any status, without a body unless one is given.
    public static func status(_ status: Int, fields: HTTPFields = .init(), body: Data = Data()) -> Self {
        Self(status: status, fields: fields, body: body)
    }

    /// A redirect.
    ///
    /// - Parameter location: A URL, or a reference relative to the request's.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        Self(status: status, fields: ["Location": location])
    }

    /// 200 in these chunks.
    public static func chunked(_ chunks: [Data], type: String? = nil) -> Self {
        var response = Self.ok(chunks.reduce(into: Data()) { $0 += $1 }, type: type)
        response.framing = .chunked(sizes: chunks.map(\.count))
        return response
    }

    /// These bytes in place of HTTP, and then the end of the connection.
    public static func garbage(_ bytes: Data) -> Self {
        var response = Self()
        response.fault = .garbage(bytes)
        return response
    }

    /// The connection is closed without a byte.
    ///
    /// - Parameter resetting: With an RST in place of an orderly end.
    public static func dropped(resetting: Bool = false) -> Self {
        var response = Self()
        response.fault = .dropped(resets: resetting)
        return response
    }

    /// Nothing, for as long as the client waits.
    public static var hanging: Self {
        var response = Self()
        response.fault = .hanging
        return response
    }
}

// MARK: - What is added to it

extension LoopbackServer.Response {
    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// One more field line.
    public func field(_ name: String, _ value: String) -> Self { changed { $0.fields.append(name, value) } }

    /// One more line in the head, sent as it is.
    public func rawHeadLine(_ line: String) -> Self { changed { $0.rawHeadLines.append(line) } }

    /// With another marking of the body's end.
    public func framed(_ framing: Framing) -> Self { changed { $0.framing = framing } }

    /// Closes the connection afterwards, and says so.
    public func closing() -> Self { changed { $0.closesConnection = true } }

    /// Sends an interim response first (100, 103), before any delay.
    ///
    /// - Source: RFC 9110 section 15.2.
    public func interim(_ status: Int, fields: HTTPFields = .init()) -> Self {
        changed { $0.interims.append((status, fields)) }
    }

    /// Waits before the head is sent.
    public func delayed(by duration: Duration) -> Self {
        changed { $0.pauses.append((.beforeHead, .time(duration))) }
    }

    /// Waits once `count` bytes of the body have been sent. A place beyond the end counts as the end.
    public func delayed(by duration: Duration, afterBodyBytes count: Int) -> Self {
        changed { $0.pauses.append((.afterBodyBytes(count), .time(duration))) }
    }

    /// Holds the head back until the gate is opened.
    public func gated(_ gate: LoopbackServer.Gate) -> Self {
        changed { $0.pauses.append((.beforeHead, .gate(gate))) }
    }

    /// Holds the rest back once `count` bytes of the body have been sent. A place beyond the end counts as the end.
    public func gated(_ gate: LoopbackServer.Gate, afterBodyBytes count: Int) -> Self {
        changed { $0.pauses.append((.afterBodyBytes(count), .gate(gate))) }
    }

    /// Sends the body in pieces of `byteCount`, with a pause between them.
    public func paced(byteCount: Int, every interval: Duration) -> Self {
        precondition(byteCount > 0, "A piece has at least one byte; got \(byteCount).")
        return changed { $0.pace = (byteCount, interval) }
    }

    /// Announces the whole body and closes the connection after `count` bytes of it.
    ///
    /// - Parameter resetting: With an RST, which may take bytes that the client hasn't read yet with it.
    public func truncated(afterBodyBytes count: Int, resetting: Bool = false) -> Self {
        changed { $0.fault = .truncated(afterBodyBytes: count, resets: resetting) }
    }

    /// Sends every chunk but the last one, of size 0, which says that the body is complete; then closes.
    ///
    /// - Source: RFC 9112 section 8.
    public func withoutLastChunk() -> Self {
        changed {
            if case .chunked = $0.framing {} else { $0.framing = .chunked(sizes: []) }
            $0.fault = .withoutLastChunk
        }
    }
}
