public import Foundation

/// Why an image could not be loaded: what was being done, a reason to match on, and a message that is safe to log.
///
/// Cancellation is no failure: it is thrown as `CancellationError`.
public struct ImageError: Error, Sendable {
    /// The step that failed.
    public enum Stage: String, Sendable, Hashable {
        /// The request itself can't be served.
        case request
        /// Reading a file, a closure or data.
        case source
        /// Signing the request.
        case authorization
        /// Talking to the server.
        case network
        /// Checking the response before it is kept.
        case validation
        /// Reading a cache, where the policy allows nothing else.
        case cache
        /// Turning bytes into pixels.
        case decoding
        /// Turning pixels into pixels.
        case processing
    }

    /// What went wrong, with the values that the message names.
    public enum Reason: Sendable, Hashable {
        /// The request has no usable source; the text says why.
        case invalidRequest(String)
        /// The URL's scheme is none of http, https, file and data.
        case unsupportedScheme(String)
        /// The policy allows caches alone, and none has it.
        case notStored
        /// Bytes were to be stored, and the pipeline has no store.
        case noStore
        /// What was to be kept came, but no cache may keep it, or none has room for it.
        case notStorable
        /// An image was to be brought into memory, its request names no size, and its bytes alone can't be stored.
        case noSize
        /// No such file.
        case fileNotFound
        /// The file is there but can't be read; the number is `errno`.
        case fileUnreadable(Int32)
        /// The app's closure failed; see ``ImageError/underlyingError``.
        case sourceFailed
        /// `authorize` failed; see ``ImageError/underlyingError``.
        case authorizationFailed
        /// The host name could not be resolved.
        case hostNotFound
        /// The host refused the connection or could not be reached.
        case cannotConnect
        /// The connection broke before the response was complete.
        case connectionLost
        /// Nothing came, or not all of it, within the time allowed: see ``HTTPTimeouts``.
        case timedOut
        /// The network is constrained or expensive, and the configuration or the request keeps off it.
        case networkRestricted
        /// TLS failed: a certificate that isn't trusted, say.
        case secureConnectionFailed
        /// What came is not HTTP, or is damaged in its content coding.
        case malformedResponse
        /// Another fault of the transport; see ``ImageError/underlyingError``.
        case transport
        /// More redirects than the limit.
        case tooManyRedirects(limit: Int)
        /// A redirect to something that isn't followed: another scheme, or from https to http.
        case unsafeRedirect(scheme: String)
        /// A status that is no success.
        case status(Int)
        /// A Content-Type that is no image.
        case contentType(String)
        /// A success without a body.
        case emptyBody
        /// Fewer bytes than announced. `expected` is `nil` where only the missing end shows it.
        case truncated(received: Int64, expected: Int64?)
        /// The rest of a body was asked for, and what came isn't that; the text says why.
        case unexpectedPart(String)
        /// An image server has made a thumbnail with fewer pixels than are to be shown.
        case tooFewPixels(PixelSize)
        /// More bytes than the limit.
        case bodyTooLarge(byteCount: Int64, limit: Int64)
        /// The bytes are no image: an HTML page, say.
        case notAnImage
        /// An image in a format that isn't supported here.
        case unsupportedFormat(ImageFormat)
        /// An image whose header claims no width or no height, or sides that the format doesn't allow.
        case invalidDimensions(PixelSize)
        /// More pixels than the limit.
        case tooManyPixels(PixelSize, limit: Int)
        /// The data breaks its format's rules. The text is the decoder's; the offset is in bytes, where known.
        case corrupt(ImageFormat, detail: String, offset: Int?)
        /// The data ends before the image does.
        case incomplete(ImageFormat)
        /// Decoding took more than a limit other than pixels allows (frames, time, metadata); the text names it.
        case limitExceeded(ImageFormat, detail: String)
        /// An app's own decoder failed; see ``ImageError/underlyingError``.
        case decoderFailed(ImageFormat)
        /// The processor of that identifier failed; see ``ImageError/underlyingError``.
        case processorFailed(identifier: String)
    }

    /// The step that failed.
    public var stage: Stage
    /// What to match on.
    public var reason: Reason
    /// What the request was for, without anything private: scheme and host.
    public var source: RedactedURL?
    /// What a lower layer reported. It may hold private data: it is never part of the message.
    public var underlyingError: (any Error)?

    /// Makes an error.
    public init(_ stage: Stage, _ reason: Reason, source: RedactedURL? = nil, underlying: (any Error)? = nil) {
        self.stage = stage
        self.reason = reason
        self.source = source
        self.underlyingError = underlying
    }

    /// Whether it was the connection that failed, or the network that isn't to be used: the same request may go well once
    /// there is another.
    package var isConnectivityFailure: Bool {
        switch reason {
        case .hostNotFound, .cannotConnect, .connectionLost, .timedOut, .truncated, .networkRestricted: true
        default: false
        }
    }

    /// The same error, which names what was loaded if it didn't yet.
    package func located(at url: URL?) -> ImageError {
        guard source == nil, let url else { return self }
        var copy = self
        copy.source = RedactedURL(url)
        return copy
    }
}

extension ImageError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// What failed, the value against the limit, and what to do. Safe to log.
    public var description: String {
        let from = source.map { " from \($0)" } ?? ""
        return "Couldn't \(stage.verb)\(from): \(reason)"
    }

    /// The same sentence as ``description``.
    public var errorDescription: String? { description }

    /// Nothing but the description: a dump may end in a log, too. ``underlyingError`` is there to be asked for.
    public var customMirror: Mirror { Mirror(redacted: self) }
}

extension ImageError.Stage {
    fileprivate var verb: String {
        switch self {
        case .request: "start the request for an image"
        case .source: "read an image"
        case .authorization: "authorize the request for an image"
        case .network: "load an image"
        case .validation: "accept the response for an image"
        case .cache: "find an image"
        case .decoding: "decode an image"
        case .processing: "process an image"
        }
    }
}

extension ImageError.Reason: CustomStringConvertible {
    /// The part of the message after the colon.
    public var description: String {
        switch self {
        case .invalidRequest(let text):
            "\(text)."
        case .unsupportedScheme(""):
            "the URL is relative. Use an http, https, file or data URL, or a closure."
        case .unsupportedScheme(let scheme):
            "the scheme \"\(scheme)\" isn't supported. Use an http, https, file or data URL, or a closure."
        case .notStored:
            "it is in no cache, and the policy doesn't allow the network. Use another cache policy to load it."
        case .noStore:
            "the pipeline has no store to keep it in. Give its configuration one."
        case .notStorable:
            "it can't be kept: its server or the request forbids that, it isn't HTTP, or the cache has no room for it."
        case .noSize:
            "the request names no size to decode it to, and its bytes alone can't be kept. Give the request a size."
        case .fileNotFound:
            "there is no such file."
        case .fileUnreadable(let code):
            "the file can't be read (\(String(cString: strerror(code))))."
        case .sourceFailed:
            "the request's own closure failed. See underlyingError."
        case .authorizationFailed:
            "the configuration's authorize closure failed. See underlyingError."
        case .hostNotFound:
            "the host wasn't found. Check the name and the connection."
        case .cannotConnect:
            "the server refused the connection or can't be reached. Try again later."
        case .connectionLost:
            "the connection was lost. Try again."
        case .timedOut:
            "the server didn't answer in time. Try again, or allow more time in the configuration."
        case .networkRestricted:
            "the network is constrained or expensive, and isn't to be used. Allow it in the configuration, "
                + "or wait for another network."
        case .secureConnectionFailed:
            "no secure connection could be made. Check the server's certificate."
        case .malformedResponse:
            "the server's answer isn't valid HTTP, or its content coding is damaged."
        case .transport:
            "the transport failed. See underlyingError."
        case .tooManyRedirects(let limit):
            "it was redirected more than \(limit) times. The server may redirect in a circle."
        case .unsafeRedirect(let scheme):
            "a redirect to the scheme \"\(scheme)\" isn't followed."
        case .status(let status):
            "the server answered with status \(status)."
        case .contentType(let type):
            "the server sent \"\(type)\", which is no image type. Correct the server, "
                + "or add the type to the configuration."
        case .emptyBody:
            "there are no bytes."
        case .truncated(let received, let expected?):
            "\(received) of \(expected) bytes arrived. Try again."
        case .truncated(let received, nil):
            "the connection ended after \(received) bytes, before the response did. Try again."
        case .unexpectedPart(let fault):
            "the connection broke, and the server went on with another part of the body than the rest: \(fault)."
        case .tooFewPixels(let size):
            "the image server's thumbnail of \(size) pixels is smaller than what is to be shown."
        case .bodyTooLarge(let byteCount, let limit):
            "\(byteCount) bytes exceed the limit of \(limit). Request a smaller image or raise the limit."
        case .notAnImage:
            "the bytes aren't an image in any known format."
        case .unsupportedFormat(let format):
            "\(format) images can't be decoded here."
                + (format.missingTrait.map { " Turn on the package's trait \($0)." }
                    ?? " Have another format sent, or add a decoder to the configuration.")
        case .invalidDimensions(let size):
            "the header claims \(size) pixels, which no image can have."
        case .tooManyPixels(let size, let limit):
            "\(size) pixels exceed the limit of \(limit / 1_000_000) megapixels. "
                + "Request a smaller image or raise the limit."
        case .corrupt(let format, let detail, let offset):
            "the \(format) data is damaged\(offset.map { " at byte \($0)" } ?? "") (\(detail))."
        case .incomplete(let format):
            "the \(format) data ends before the image does."
        case .limitExceeded(let format, let detail):
            "the \(format) data exceeds a limit (\(detail))."
        case .decoderFailed(let format):
            "the decoder for \(format) failed. See underlyingError."
        case .processorFailed(let identifier):
            "the processor \"\(identifier)\" failed. See underlyingError."
        }
    }
}
