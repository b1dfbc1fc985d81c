import Calotype
import Foundation

/// Passes a response on while it arrives, and stores it.
///
/// The last piece goes out once all is stored, so that a client which has the whole response and asks again finds it.
struct ProxyRelay {
    private let response: HTTPResponse
    private let head: HTTPCache.StoredHead
    private let client: ProxyClient?
    private let writer: (any ResponseWriter)?
    private let wasConditional: Bool

    /// - Parameters:
    ///   - head: Of the response, as it is stored.
    ///   - client: Gets the response; `nil` if nobody does.
    ///   - writer: `nil` if the response isn't stored.
    ///   - wasConditional: Whether the server was asked about something else than what the client has asked about.
    init(
        _ response: HTTPResponse, _ head: HTTPCache.StoredHead, _ client: ProxyClient?,
        _ writer: (any ResponseWriter)?, wasConditional: Bool
    ) {
        self.response = response
        self.head = head
        self.client = client
        self.writer = writer
        self.wasConditional = wasConditional
    }

    /// Passes all of it on.
    ///
    /// - Returns: What has kept the response from being stored, if something has.
    /// - Throws: `HTTPTransportError` if the body breaks off; `CancellationError` if the client has gone.
    func run() async throws -> String? {
        // The server couldn't tell, for it was asked about what is stored here.
        let isNotModified = wasConditional && client.map { HTTPCache.isNotModified(head, for: $0.fields) } == true
        let sendsBody = !isNotModified && client?.method != "HEAD" && ![204, 304].contains(response.status)
        var held = client?.head(
            isNotModified ? 304 : response.status, isNotModified ? head.fields.ofNotModified : passedFields,
            hasBody: sendsBody)
        var pieces = response.body.makeAsyncIterator()
        var byteCount = 0
        var fault: String?
        do {
            while let piece = try await pieces.next() {
                byteCount += piece.count
                if fault == nil { fault = await store(piece, byteCount) }
                guard sendsBody, let client else { continue }
                if let bytes = held { try await client.send(bytes) }
                held = client.framed(piece)
            }
        } catch {
            await writer?.abort()
            throw error
        }
        if fault == nil { fault = await commit(byteCount) }
        if let client {
            try await client.send((held ?? Data()) + client.lastChunk)
            client.finish(isBounded: !sendsBody || client.isBounded(passedFields))
        }
        return fault
    }

    /// The fields that the client gets.
    private var passedFields: HTTPFields {
        var fields = HTTPCache.forwarded(response.fields)
        // The transport has removed the coding, and with it what the length was of.
        if response.fields["Transfer-Encoding"] != nil { fields["Content-Length"] = nil }
        if fields["Date"] == nil, let date = head.fields["Date"] { fields.append("Date", date) }
        return fields
    }

    private func store(_ piece: Data, _ byteCount: Int) async -> String? {
        guard let writer else { return nil }
        if byteCount > CacheProxy.bodyByteLimit {
            await writer.abort()
            return "larger than \(CacheProxy.bodyByteLimit >> 20) MiB"
        }
        do {
            try await writer.append(piece)
            return nil
        } catch {
            await writer.abort()
            return "\(error)"
        }
    }

    /// - Source: RFC 9111 section 3.3: what is shorter than it says isn't complete.
    private func commit(_ byteCount: Int) async -> String? {
        guard let writer else { return nil }
        if let length = head.fields["Content-Length"].flatMap(Int.init), length != byteCount {
            await writer.abort()
            return "\(byteCount) of \(length) bytes came"
        }
        do {
            return try await writer.commit() == nil ? "the store has no room, or it was removed meanwhile" : nil
        } catch {
            return "\(error)"
        }
    }
}
