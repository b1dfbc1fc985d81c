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
        "at any step of completions, failures, cancellations, evictions and changes of identity, no image is shown under another identity, no cancellation as a failure, and no load is lost",
        arguments: [1, 2, 3] as [UInt64])
    func interleavings(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let origin = Origin()
        // Room for a few images alone, so that they come and go.
        var configuration = ImagePipeline.Configuration(memory: MemoryCache(costLimit: 4 * 8 * 8 * 4), store: nil)
        configuration.decodeLimit = 2
        let pipeline = ImagePipeline(configuration)
        let views = (0..<3).map { ModelView(origin.request($0), in: pipeline) }

        for step in 0..<Self.stepCount {
            let view = views[Int.random(in: 0..<views.count, using: &random)]
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<25: view.change(to: origin.anyRequest(&random))
            case 25..<40: view.appear()
            case 40..<50: view.disappear()
            case 50..<75: origin.finishOne(&random, fails: Int.random(in: 0..<8, using: &random) == 0)
            case 75..<80: view.model.retry()
            case 80..<82: pipeline.configuration.memory.removeAll()
            case 82: await pipeline.invalidate(view.request.id)
            case 83: await pipeline.removeAll()
            case 84: if let partition = view.request.partition { await pipeline.removePartition(partition) }
            default: for _ in 0..<Int.random(in: 1...4, using: &random) { await Task.yield() }
            }
            for view in views {
                let expected = Origin.color(of: view.request)
                if let color = view.color { try #require(color == expected, "step \(step), seed \(seed)") }
                if let error = view.phase.error { try #require(error.reason == .sourceFailed, "step \(step)") }
            }
        }

        // Everything that is asked for arrives in the end.
        origin.finishAllFromNowOn()
        for view in views {
            view.disappear()
            view.appear()
            #expect(await view.waitForImage() == Origin.color(of: view.request), "seed \(seed)")
            await view.end()
        }
        await pipeline.waitUntilIdle()
        #expect(pipeline.isIdle)
        #expect(origin.waitingCount == 0)
    }
}

/// Brings images of one color each, when and in which order the test says.
private final class Origin: Sendable {
    private struct Failure: Error {}

    private struct State {
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        var nextID = 0
        var isOpen = false
    }

    private static let images = (0..<12).map { TestImages.solidPNG(width: 8, height: 8, color: color($0)) }
    private let state = Mutex(State())

    static func color(_ number: Int) -> PixelColor { PixelColor(UInt8(20 * number), UInt8(255 - 20 * number), 7) }

    private static func id(_ number: Int) -> ResourceID { ResourceID("picture \(number)") }

    static func color(of request: ImageRequest) -> PixelColor? {
        (0..<12).first { id($0) == request.id }.map(color)
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The picture of that number, in an account of its own for some.
    func request(_ number: Int, side: Int = 8) -> ImageRequest {
        ImageRequest(
            id: Self.id(number), size: .pixels(side, side),
            partition: number.isMultiple(of: 3) ? Partition("account") : nil
        ) { [self] in
            try await waitForTurn()
            return Self.images[number]
        }
    }

    func anyRequest(_ random: inout SeededGenerator) -> ImageRequest {
        request(Int.random(in: 0..<12, using: &random), side: [2, 5, 8].randomElement(using: &random) ?? 8)
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
        if fails { one?.resume(throwing: Failure()) } else { one?.resume() }
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
