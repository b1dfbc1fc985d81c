import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

/// A pipeline with caches and a transport of its own, and the server it talks to.
struct Fixture {
    let server: LoopbackServer
    let memory: MemoryCache
    let store: MemoryStore
    let decoder: CountingDecoder
    let clock: ManualClock
    let events: EventLog
    let pipeline: ImagePipeline

    /// - Parameter keepsSteps: Whether the events kept are all of them, rather than those that matter without being asked.
    init(
        memory: MemoryCache = MemoryCache(costLimit: 64 << 20, reactsToMemoryPressure: false),
        keepsSteps: Bool = false, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) throws {
        server = try LoopbackServer()
        self.memory = memory
        store = MemoryStore()
        decoder = CountingDecoder()
        clock = ManualClock(now: Date())
        events = EventLog(keepsSteps: keepsSteps)
        var configuration = ImagePipeline.Configuration(
            transport: Self.transport(), memory: memory, store: store)
        configuration.decoders = ImageDecoders([decoder])
        configuration.clock = clock
        // Time stands still, so a retry would wait for ever. Tests of retries choose a policy.
        configuration.retry = .none
        configuration.random = { 1 }
        configuration.network = ManualNetworkMonitor()
        configuration.onEvent = events.append
        change(&configuration)
        pipeline = ImagePipeline(configuration)
    }

    /// The platform's own transport, with connections of its own.
    static func transport() -> any HTTPTransport {
        #if os(Linux)
        CurlTransport()
        #else
        URLSessionTransport()
        #endif
    }

    /// A PNG of that size, served at that path with those fields.
    @discardableResult
    func serve(
        _ path: String, width: Int = 64, height: Int = 48, color: PixelColor = .red, fields: HTTPFields = [:]
    ) -> URL {
        let data = TestImages.solidPNG(width: width, height: height, color: color)
        server.route(path) { _ in .ok(data, type: "image/png", fields: fields) }
        return server.url(path)
    }
}

/// Counts what it passes on to the system's decoder, and can hold it up.
final class CountingDecoder: ImageDecoder {
    private let system = SystemImageDecoder()
    private let state = Mutex<(count: Int, gate: ProcessingGate?)>((0, nil))

    var count: Int { state.withLock { $0.count } }

    func hold(at gate: ProcessingGate) {
        state.withLock { $0.gate = gate }
    }

    func supports(_ format: ImageFormat) -> Bool { system.supports(format) }

    func estimatedByteCount(
        of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget
    ) -> Int {
        system.estimatedByteCount(of: data, format: format, pixelSize: pixelSize, target: target)
    }

    func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
        let gate = state.withLock { state in
            state.count += 1
            return state.gate
        }
        gate?.pass()
        return try system.decode(data, format: format, options: options)
    }
}

/// Holds a thread that may block until the test lets it go.
final class ProcessingGate: Sendable {
    private let arrivals = DispatchSemaphore(value: 0)
    private let opening = DispatchSemaphore(value: 0)

    func pass() {
        arrivals.signal()
        opening.wait()
        opening.signal()
    }

    func waitUntilReached() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [arrivals] in
                arrivals.wait()
                continuation.resume()
            }
        }
    }

    func open() {
        opening.signal()
    }
}

/// The events of a pipeline, to be looked at or awaited.
final class EventLog: Sendable {
    private struct State {
        var events: [ImageEvent] = []
        var waiting: [(condition: @Sendable (ImageEvent) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    /// Whether each step of a load is kept. There are many.
    private let keepsSteps: Bool

    init(keepsSteps: Bool = false) { self.keepsSteps = keepsSteps }

    var all: [ImageEvent] { state.withLock { $0.events } }

    func removeAll() { state.withLock { $0.events = [] } }

    var append: @Sendable (ImageEvent) -> Void {
        { [self] event in
            guard keepsSteps || event.level > .debug else { return }
            let ready = state.withLock { state in
                state.events.append(event)
                defer { state.waiting.removeAll { $0.condition(event) } }
                return state.waiting.filter { $0.condition(event) }
            }
            for waiter in ready { waiter.continuation.resume() }
        }
    }

    /// Returns once an event fulfils the condition, at once if one has.
    func wait(for condition: @escaping @Sendable (ImageEvent) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.events.contains(where: condition) { return true }
                state.waiting.append((condition, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Returns once a load has been served by that layer.
    func waitForLoad(from layer: LoadReport.Layer) async {
        await wait { if case .loaded(let report) = $0 { report.layer == layer } else { false } }
    }
}

extension ImagePipeline {
    /// Whether nothing is under way any more.
    var isIdle: Bool { jobCounts == (0, 0, 0) }
}

/// The reason of the `ImageError` that `body` throws.
func failure(_ body: () async throws -> some Any) async -> ImageError.Reason? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? ImageError)?.reason
    }
}

/// A number that any thread may count up.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    @discardableResult
    func increment() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

/// Returns once a condition holds that nobody announces: that what was cancelled has been put away, say, which happens
/// after its caller has gone on.
func waitUntil(_ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, "It hasn't come true in 60 seconds.")
        await Task.yield()
    }
}
