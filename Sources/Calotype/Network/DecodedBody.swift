#if os(Linux)
import Foundation
import Synchronization

/// A body whose content coding is taken off as it is read.
///
/// What waits for the reader waits in the coding, of which the transport bounds the amount, and whether all of it came is
/// told by the transport from what was on the wire. libcurl's own decoding would be another thing: it unpacks all that it has
/// read at once, paused or not, and fails where it doesn't know a coding.
final class DecodedBody: HTTPBodySource {
    /// `nil` if the body was there from the start.
    private let source: (any HTTPBodySource)?
    private let decoder: Mutex<ContentDecoder>

    init(_ body: HTTPBody, _ coding: ContentDecoder.Coding) {
        source = body.source
        let decoder = ContentDecoder(coding)
        if let bytes = body.whole { decoder.put(bytes) }
        self.decoder = Mutex(decoder)
    }

    func next() async throws -> Data? {
        while true {
            // A few bytes may stand for pieces without number. The source, asked in a task that is cancelled, closes the exchange.
            if Task.isCancelled {
                _ = try await source?.next()
                throw CancellationError()
            }
            if let piece = try decoder.withLock({ try $0.next() }) { return piece }
            guard let bytes = try await source?.next() else {
                try decoder.withLock { try $0.checkEnd() }
                return nil
            }
            decoder.withLock { $0.put(bytes) }
        }
    }
}

extension HTTPResponse {
    /// The same without its content coding, if that is known here. A part is left as it is: it has the coding of a whole that
    /// isn't there.
    func decoded() -> HTTPResponse {
        guard status != 206, let coding = fields["Content-Encoding"].flatMap(ContentDecoder.Coding.init(field:))
        else { return self }
        var response = self
        // A 304 has them removed as well: the stored response that it freshens has lost them too.
        response.fields["Content-Encoding"] = nil
        response.fields["Content-Length"] = nil
        if body.whole?.isEmpty != true { response.body = HTTPBody(DecodedBody(body, coding)) }
        return response
    }
}
#endif
