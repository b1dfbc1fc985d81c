import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPTransportError {
    /// What URLSession's error means to us.
    ///
    /// - Parameters:
    ///   - head: The head of the final response, if it was complete.
    ///   - received: The bytes of the body that came.
    init(_ error: any Error, head: URLSessionHead?, received: Int64) {
        #if !canImport(FoundationNetworking)
        if let reason = (error as? URLError)?.networkUnavailableReason {
            self.init(reason == .cellular ? .cannotConnect : .networkRestricted, detail: error.localizedDescription)
            return
        }
        #endif
        let code: Code
        switch (error as? URLError)?.code {
        case .badURL:
            code = .invalidURL
        case .cannotFindHost, .dnsLookupFailed:
            code = .hostNotFound
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive:
            code = .cannotConnect
        case .networkConnectionLost:
            code = .connectionLost
        case .timedOut:
            code = .timedOut
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRequired,
            .clientCertificateRejected, .appTransportSecurityRequiresSecureConnection:
            code = .secureConnectionFailed
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            code = .malformedResponse
        #if canImport(FoundationNetworking)
        // Its name for a connection that closed without an answer.
        case .badServerResponse:
            code = .connectionLost
        // The scheme has been checked, so this speaks of what the server sent: no HTTP, or HTTP/0.9.
        case .unsupportedURL:
            code = .malformedResponse
        // Everything that has no code of its own: a body that ends too early, an unknown content coding, TLS.
        case .unknown:
            if let head {
                let isReadable = head.contentCoding.map(URLSessionHead.isDecoded) ?? true
                code = isReadable ? .truncated(received: received, expected: head.bodyByteCount) : .malformedResponse
            } else {
                // What libcurl says of TLS has that in it, and there is nothing but its words to go by.
                code = error.localizedDescription.contains("SSL") ? .secureConnectionFailed : .other
            }
        #else
        case .badServerResponse:
            code = .malformedResponse
        #endif
        default:
            code = .other
        }
        self.init(code, detail: error.localizedDescription)
    }
}
