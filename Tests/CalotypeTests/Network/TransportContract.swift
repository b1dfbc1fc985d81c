#if os(Linux)
import Calotype
import Foundation
import FoundationNetworking
import Testing

/// A transport that has connections of its own, and an end.
protocol ClosableTransport: HTTPTransport, AnyObject {
    func shutDown() async
}

extension CurlTransport: ClosableTransport {}
extension URLSessionTransport: ClosableTransport {}

/// A transport that has to keep the contract.
struct TransportUnderTest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether it is Foundation's `URLSession`, not Apple's: it promises less. Each row that gives way to it says why.
    var isFoundation = false
    let make: @Sendable (_ connectionsPerHost: Int) -> any ClosableTransport

    static let all = [
        TransportUnderTest(testDescription: "CurlTransport") { connections in
            var configuration = CurlTransport.Configuration()
            configuration.maximumConnectionsPerHost = connections
            configuration.usesEnvironmentProxies = false
            return CurlTransport(configuration: configuration)
        },
        TransportUnderTest(testDescription: "URLSessionTransport", isFoundation: true) { connections in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = connections
            return URLSessionTransport(configuration: configuration)
        },
    ]

    func callAsFunction(connectionsPerHost: Int = 6) -> any ClosableTransport { make(connectionsPerHost) }
}

/// What every transport must do, against a server that says exactly what the test wants.
///
/// The tests are in extensions by subject; each runs once for every transport.
@Suite(.timeLimit(.minutes(5))) struct TransportContract {}

extension HTTPTransport {
    /// Sends a GET and gathers the body.
    func get(_ url: URL, timeouts: HTTPTimeouts = .init()) async throws -> (response: HTTPResponse, body: Data) {
        let response = try await send(HTTPRequest(url: url, timeouts: timeouts))
        return (response, try await response.body.gathered())
    }
}

extension HTTPBody {
    func gathered() async throws -> Data {
        var data = Data()
        for try await piece in self {
            #expect(!piece.isEmpty)
            data.append(piece)
        }
        return data
    }
}

/// The code of the transport error that `body` throws.
func transportErrorCode(_ body: () async throws -> Void) async -> HTTPTransportError.Code? {
    await #expect(throws: HTTPTransportError.self) { try await body() }?.code
}
#endif
