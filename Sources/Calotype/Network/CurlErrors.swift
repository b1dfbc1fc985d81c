#if os(Linux)
import CCurl
import Glibc

extension HTTPTransportError {
    /// What libcurl's result means to us.
    ///
    /// - Parameters:
    ///   - received: The bytes of the body that came.
    ///   - expected: How many were announced, if they were.
    ///   - hasHead: Whether the head of the final response was complete.
    ///   - systemError: The `errno` of the connection, or 0.
    ///   - detail: libcurl's own words.
    init(
        _ result: CURLcode, received: Int64, expected: Int64?, hasHead: Bool, systemError: Int32, detail: String
    ) {
        let code: Code
        switch result {
        case CURLE_URL_MALFORMAT:
            code = .invalidURL
        case CURLE_COULDNT_RESOLVE_HOST:
            code = .hostNotFound
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY, CURLE_INTERFACE_FAILED:
            code = systemError == ETIMEDOUT ? .timedOut : .cannotConnect
        case CURLE_OPERATION_TIMEDOUT:
            code = .timedOut
        case _ where Self.isOfTLS(result):
            code = .secureConnectionFailed
        case CURLE_PARTIAL_FILE:
            code = .truncated(received: received, expected: expected)
        case CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
            // A reset has an errno. Without one the server closed early, or its chunks make no sense.
            code =
                hasHead && systemError == 0 ? .truncated(received: received, expected: expected) : .connectionLost
        case CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            code = .connectionLost
        // The scheme has been checked, so these speak of what the server sent: no HTTP, or HTTP/0.9.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            code = .malformedResponse
        // A field line larger than libcurl takes is "out of memory" up to 8.5 and "too large" (100) from then on.
        case CURLE_OUT_OF_MEMORY where !hasHead, CURLcode(100):
            code = .malformedResponse
        default:
            code = .other
        }
        let words = detail.isEmpty ? String(cString: curl_easy_strerror(result)) : detail
        self.init(code, detail: words)
    }

    private static func isOfTLS(_ result: CURLcode) -> Bool {
        switch result {
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            true
        default:
            false
        }
    }
}
#endif
