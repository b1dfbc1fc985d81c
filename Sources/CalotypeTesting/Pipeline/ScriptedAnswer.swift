public import Calotype
public import Foundation

/// What a scripted pipeline answers for a URL.
public enum ScriptedAnswer: Sendable {
    /// The image. It is in memory from the start: a view shows it in its first frame.
    case image(DecodedImage)
    /// A file, as a server would send it.
    case data(Data, contentType: String = "image/*")
    /// No image.
    case failure(Failure)
    /// Nothing, for as long as somebody waits: a placeholder stays.
    case waiting

    /// Why there is no image.
    public enum Failure: Sendable, Hashable {
        /// The server answers with that status.
        case status(Int)
        /// There is no way to the server.
        case offline
        /// The server says nothing.
        case timedOut
        /// The server sends something that begins like an image and isn't one.
        case corrupt
    }
}

/// A request that no answer of a scripted pipeline matches.
public struct UnscriptedRequest: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was asked for.
    public let url: URL

    /// Names the URL: it is the test's own.
    public var description: String {
        "The scripted pipeline has no answer for \(url.absoluteString). It loads nothing from the network."
    }
}

/// Answers requests from a table.
struct ScriptedTransport: HTTPTransport {
    let answers: [URL: ScriptedAnswer]
    /// Answers what the table doesn't.
    let fallback: ScriptedAnswer?
    let onUnmatched: @Sendable (UnscriptedRequest) -> Void

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let answer = answers[request.url] ?? fallback else {
            let unscripted = UnscriptedRequest(url: request.url)
            onUnmatched(unscripted)
            throw unscripted
        }
        switch answer {
        case .image(let image):
            return response(try ImageEncoder().encoded(image, as: .png), "image/png")
        case .data(let data, let contentType):
            return response(data, contentType)
        case .failure(.status(let status)):
            return HTTPResponse(status: status)
        case .failure(.offline):
            throw HTTPTransportError(.cannotConnect)
        case .failure(.timedOut):
            throw HTTPTransportError(.timedOut)
        case .failure(.corrupt):
            return response(
                TestImages.png(width: 8, height: 8) { _, _ in .white }.dropLast(30) + Data(count: 30), "image/png")
        case .waiting:
            try await Never.forever()
        }
    }

    private func response(_ data: Data, _ contentType: String) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            fields: [
                "Content-Type": contentType, "Content-Length": "\(data.count)", "Cache-Control": "max-age=31536000",
            ],
            body: HTTPBody(data))
    }
}

extension Never {
    /// Waits until the task is cancelled.
    fileprivate static func forever() async throws -> Never {
        // Nothing is ever sent: the stream ends with the task.
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        throw CancellationError()
    }
}
