import Calotype
import CalotypeTesting
import Foundation
import Synchronization

/// Answers requests when and in which order the test says, each with an image whose colour tells its number.
final class HeldOrigin: HTTPTransport {
    private struct Waiting {
        let id: Int
        let number: Int
        let continuation: CheckedContinuation<Bool, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var requests: [Int] = []
        var nextID = 0
        var isOpen = false
    }

    static let count = 12
    private static let images = (0..<count).map { TestImages.solidPNG(width: 8, height: 8, color: .number($0)) }
    private let state = Mutex(State())

    static func url(_ number: Int) -> URL { URL(string: "http://img.example.com/\(number)")! }

    /// The numbers of those that wait for an answer.
    var waiting: [Int] { state.withLock { $0.waiting.map(\.number) } }

    /// The numbers of all requests so far.
    var requests: [Int] { state.withLock { $0.requests } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = Int(request.url.lastPathComponent) ?? -1
        guard Self.images.indices.contains(number) else { return HTTPResponse(status: 404) }
        guard try await waitForTurn(number) else { return HTTPResponse(status: 404) }
        return HTTPResponse(
            status: 200, fields: ["Cache-Control": "max-age=60", "Content-Type": "image/png"],
            body: HTTPBody(Self.images[number]))
    }

    private func waitForTurn(_ number: Int) async throws -> Bool {
        let id = state.withLock { state in
            state.requests.append(number)
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waits = state.withLock { state in
                    guard !state.isOpen, !Task.isCancelled else { return false }
                    state.waiting.append(Waiting(id: id, number: number, continuation: continuation))
                    return true
                }
                if !waits { continuation.resume(returning: true) }
            }
        } onCancel: {
            let left = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
            }
            left?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Answers one of those that wait: with its image, or with 404.
    func finishOne(_ random: inout SeededGenerator, fails: Bool) {
        let one = state.withLock { state in
            state.waiting.indices.randomElement(using: &random).map { state.waiting.remove(at: $0) }
        }
        one?.continuation.resume(returning: !fails)
    }

    /// Answers all that wait, and whatever comes until it is closed.
    func open() {
        let all = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiting in all { waiting.continuation.resume(returning: true) }
    }

    func close() { state.withLock { $0.isOpen = false } }
}
