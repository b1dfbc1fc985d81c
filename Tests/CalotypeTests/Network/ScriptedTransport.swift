import Calotype
import CalotypeTesting
import Foundation
import Synchronization

/// Answers with one step after the other, without a network; the last one repeats.
final class ScriptedTransport: HTTPTransport {
    enum Step: Sendable {
        case fail(HTTPTransportError.Code)
        case respond(Int, HTTPFields = [:], Data = Data())
        /// A body that comes in these pieces.
        case stream(Int, HTTPFields, [Data])
    }

    private let state: Mutex<(steps: [Step], requests: [HTTPRequest])>

    init(_ steps: [Step]) {
        state = Mutex((steps, []))
    }

    /// What was sent so far.
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.count > 1 ? state.steps.removeFirst() : state.steps[0]
        }
        switch step {
        case .fail(let code): throw HTTPTransportError(code)
        case .respond(let status, let fields, let body):
            return HTTPResponse(status: status, fields: fields, body: HTTPBody(body))
        case .stream(let status, let fields, let pieces):
            return HTTPResponse(status: status, fields: fields, body: HTTPBody(Pieces(pieces)))
        }
    }

    private final class Pieces: HTTPBodySource {
        private let pieces: Mutex<ArraySlice<Data>>

        init(_ pieces: [Data]) { self.pieces = Mutex(pieces[...]) }

        func next() async throws -> Data? { pieces.withLock { $0.popFirst() } }
    }
}
