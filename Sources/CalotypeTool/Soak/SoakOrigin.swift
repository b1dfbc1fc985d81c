import Calotype
import CalotypeTesting
import Foundation
import Synchronization

#if CALOTYPE_THREAD_SANITIZER
import Calotype
#endif

/// A server of many pictures, as bad as servers get: one request in five goes wrong, pictures change, and at times it isn't
/// there at all.
///
/// The colour of a picture tells its number, so that one can be told from another whatever its version.
final class SoakOrigin: Sendable {
    static let pictureCount = 240
    /// Pictures whose numbers are multiples belong to an account.
    static let accountStride = 6

    let server: LoopbackServer
    private let seed: UInt64
    private let ledger: SoakLedger
    private let start = ContinuousClock.now
    private let isAway = Mutex(false)

    init(seed: UInt64, ledger: SoakLedger) throws {
        server = try LoopbackServer(logLimit: 0)
        self.seed = seed
        self.ledger = ledger
        server.fallback { [weak self] in self?.answer($0) ?? .status(500) }
    }

    /// Whether whoever asks finds the connection closed.
    func setAway(_ value: Bool) {
        isAway.withLock { $0 = value }
        guard value else { return }
        ledger.closeConnections()
        server.closeConnections(resetting: true)
    }

    static func isOfAccount(_ number: Int) -> Bool { number.isMultiple(of: accountStride) }

    func url(_ number: Int, isFull: Bool = false) -> URL { server.url("/\(isFull ? "full" : "small")/\(number).png") }

    static func color(_ number: Int) -> PixelColor { PixelColor(UInt8(number), UInt8(255 - number), 40) }

    // MARK: On the server's thread

    private func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        var random = SeededGenerator(seed: seed &+ UInt64(request.number))
        let number = request.path.split(separator: "/").last.flatMap { Int($0.dropLast(4)) } ?? 0
        let dice = isAway.withLock { $0 } ? 0 : Int.random(in: 0..<100, using: &random)
        let isDropped = dice < 3
        ledger.arrive(request.fields["X-Soak"].flatMap { Int($0) }, isDropped: isDropped)
        if dice < 20 { ledger.count(\.faults) }
        let answer = picture(number, isFull: request.path.hasPrefix("/full"), &random).response(to: request)
        if answer.status == 304 { ledger.count(\.confirmed) }
        switch dice {
        case ..<3: return .dropped(resetting: number.isMultiple(of: 2))
        case ..<6: return answer.truncated(afterBodyBytes: answer.body.count / 2)
        case ..<10: return .status(503)
        case ..<12: return .status(404)
        case ..<13: return .garbage(Data("SSH-2.0-nothing of yours\r\n\r\n".utf8))
        case ..<14: return .ok(Data("<html>Sign in</html>".utf8), type: "text/html")
        case ..<15: return .hanging
        case ..<17: return answer.delayed(by: .milliseconds(Int64.random(in: 200...1_000, using: &random)))
        case ..<20: return answer.paced(byteCount: 256, every: .milliseconds(5))
        default: return answer.delayed(by: .milliseconds(Int64.random(in: 1...30, using: &random)))
        }
    }

    /// A picture as it is now. It changes every 15 seconds, each at a time of its own.
    private func picture(
        _ number: Int, isFull: Bool, _ random: inout SeededGenerator
    ) -> LoopbackServer.Resource {
        let version = Int((ContinuousClock.now - start) / .seconds(1) + Double(number) / 16) / 15
        let side = (isFull ? 240 : 80) + version % 8
        let lifetimes = ["no-store", "no-cache", "max-age=1", "max-age=2, stale-while-revalidate=5", "max-age=10"]
        return LoopbackServer.Resource(
            TestImages.solidPNG(width: side, height: side * 3 / 4, color: Self.color(number)), type: "image/png",
            etag: "\"\(number)-\(version)-\(isFull)\"", fields: ["Cache-Control": lifetimes[number % lifetimes.count]])
    }
}

/// Numbers what a pipeline sends, so that it can be found again at the origin.
final class NumberedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let ledger: SoakLedger

    init(_ transport: any HTTPTransport, ledger: SoakLedger) {
        self.transport = transport
        self.ledger = ledger
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = ledger.send()
        var request = request
        request.fields.append("X-Soak", "\(number)")
        do {
            let response = try await transport.send(request)
            ledger.answer(number)
            return response
        } catch {
            ledger.count(error is CancellationError ? \.abandoned : \.failed)
            throw error
        }
    }
}
