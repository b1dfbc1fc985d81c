import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@MainActor
@Suite("The model: whatever comes in whatever order")
struct ModelInterleavingTests {
    #if CALOTYPE_THREAD_SANITIZER
    nonisolated static let stepCount = 1_000
    #else
    nonisolated static let stepCount = 10_000
    #endif

    @Test(
        """
        at any step of completions, failures, cancellations, evictions, removals, network changes and changes of identity, no
        image is shown under another identity, no cancellation as a failure, and no load is lost
        """,
        arguments: [1, 2, 3] as [UInt64])
    func interleavings(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let origin = Origin()
        let network = ManualNetworkMonitor()
        // Room for a few images alone, so that they come and go.
        let memory = MemoryCache(costLimit: 4 * 8 * 8 * 4, reactsToMemoryPressure: false)
        var configuration = ImagePipeline.Configuration(transport: origin, memory: memory, store: MemoryStore())
        configuration.decodeLimit = 2
        configuration.network = network
        configuration.retry = .none
        let pipeline = ImagePipeline(configuration)
        let views = try (0..<3).map { ModelView(try origin.request($0), in: pipeline) }
        var shownCount = 0

        for step in 0..<Self.stepCount {
            let view = views[Int.random(in: 0..<views.count, using: &random)]
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<20: view.change(to: try origin.anyRequest(&random))
            case 20..<35: view.appear()
            case 35..<42: view.disappear()
            case 42..<70: origin.finishOne(&random, fails: Int.random(in: 0..<8, using: &random) == 0)
            case 70..<74: view.model.retry()
            case 74..<76: memory.removeAll()
            case 76: await pipeline.invalidate(view.request.id)
            case 77: await pipeline.removeAll()
            case 78: if let partition = view.request.partition { await pipeline.removePartition(partition) }
            case 79: network.status.isAvailable.toggle()
            default: for _ in 0..<Int.random(in: 1...4, using: &random) { await Task.yield() }
            }
            for view in views {
                if let color = view.color {
                    try #require(color == Origin.color(of: view.request), "step \(step), seed \(seed)")
                    shownCount += 1
                }
                if let error = view.phase.error { try #require(error.reason == .cannotConnect, "step \(step)") }
            }
        }
        #expect(shownCount > Self.stepCount / 20)

        // Everything that is asked for arrives in the end.
        origin.finishAllFromNowOn()
        for view in views {
            await view.end()
            view.appear()
            #expect(await view.waitForImage() == Origin.color(of: view.request), "seed \(seed)")
            await view.end()
        }
        await pipeline.waitUntilIdle()
        #expect(pipeline.isIdle)
        #expect(origin.waitingCount == 0)
    }
}

/// Answers requests when and in which order the test says, each with an image of one color; some go stale at once.
private final class Origin: HTTPTransport {
    private struct State {
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        var nextID = 0
        var isOpen = false
    }

    private static let images = (0..<12).map { TestImages.solidPNG(width: 8, height: 8, color: color($0)) }
    private let state = Mutex(State())

    private static func color(_ number: Int) -> PixelColor {
        PixelColor(UInt8(20 * number), UInt8(255 - 20 * number), 7)
    }

    static func color(of request: ImageRequest) -> PixelColor? {
        request.url.flatMap { Int($0.lastPathComponent) }.map(color)
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The picture of that number, in an account of its own for some.
    func request(_ number: Int, side: Int = 8) throws -> ImageRequest {
        ImageRequest(
            url: try #require(URL(string: "http://img.example.com/\(number)")), size: .pixels(side, side),
            partition: number.isMultiple(of: 3) ? Partition("account") : nil)
    }

    func anyRequest(_ random: inout SeededGenerator) throws -> ImageRequest {
        try request(Int.random(in: 0..<12, using: &random), side: [2, 5, 8].randomElement(using: &random) ?? 8)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await waitForTurn()
        let number = try #require(Int(request.url.lastPathComponent))
        let cacheControl = number.isMultiple(of: 2) ? "max-age=60" : "max-age=0, stale-while-revalidate=60"
        return HTTPResponse(
            status: 200, fields: ["Cache-Control": cacheControl, "Content-Type": "image/png"],
            body: HTTPBody(Self.images[number]))
    }

    private func waitForTurn() async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waits = state.withLock { state in
                    guard !state.isOpen, !Task.isCancelled else { return false }
                    state.waiting.append((id, continuation))
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            let left = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            left?.resume(throwing: CancellationError())
        }
    }

    func finishOne(_ random: inout SeededGenerator, fails: Bool) {
        let one = state.withLock { state in
            state.waiting.indices.randomElement(using: &random).map { state.waiting.remove(at: $0).continuation }
        }
        if fails { one?.resume(throwing: HTTPTransportError(.cannotConnect)) } else { one?.resume() }
    }

    func finishAllFromNowOn() {
        let all = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting.map(\.continuation)
        }
        for continuation in all { continuation.resume() }
    }
}
