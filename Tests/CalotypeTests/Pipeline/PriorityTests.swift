import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

/// With a transport whose limits on connections are the platform's default: six to a host, four of them for what nobody
/// waits for.
@Suite("Priorities: what is visible comes first, from the queue to the decoder")
struct PriorityTests {
    private static let picture = TestImages.solidPNG(width: 8, height: 8, color: .red)

    private static func request(
        _ fixture: Fixture, _ path: String, _ priority: ImageRequest.Priority = .normal
    ) -> ImageRequest {
        ImageRequest(url: fixture.server.url(path), size: .original, priority: priority)
    }

    /// The paths that the server has been asked for, in that order.
    private static func paths(_ fixture: Fixture) -> [String] { fixture.server.requests.map(\.path) }

    /// Whether the path is that of one of the last ten of 1,000 rows.
    private static func isVisible(_ path: String) -> Bool { (Int(path.dropFirst()) ?? 0) >= 990 }

    @Test("a prefetch joined by a visible request finishes before 50 other queued prefetches")
    func joined() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        fixture.server.fallback { _ in .ok(Self.picture, type: "image/png").gated(gate) }
        let loads = (0..<51).map { fixture.pipeline.load(Self.request(fixture, "/\($0)", .low)) }
        try await gate.waitUntilHeld(count: 4)
        #expect(fixture.server.requestCount == 4)
        // The oldest that waits: the newest go first among equals, so it would be the last.
        let started = Set(Self.paths(fixture))
        let last = try #require((0..<51).first { !started.contains("/\($0)") })
        let visible = fixture.pipeline.load(Self.request(fixture, "/\(last)", .high))
        // It doesn't even wait for one of the four: a place and a connection were kept free.
        let request = try await fixture.server.nextRequest(to: "/\(last)")
        #expect(request.number == 5)
        gate.open()
        _ = try await visible.result
        for load in loads { _ = try await load.result }
        #expect(fixture.server.requestCount == 51)
    }

    @Test("a prefetch under way that is joined by a visible request stops counting as one")
    func joinedUnderWay() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        fixture.server.fallback { _ in .ok(Self.picture, type: "image/png").gated(gate) }
        let loads = (0..<6).map { fixture.pipeline.load(Self.request(fixture, "/\($0)", .low)) }
        try await gate.waitUntilHeld(count: 4)
        let running = Self.paths(fixture)
        let visible = fixture.pipeline.load(Self.request(fixture, try #require(running.first), .high))
        // Its place among the prefetches goes to another one.
        try await gate.waitUntilHeld(count: 5)
        // Lowered again it counts: no place for the last one.
        visible.cancel()
        let other = fixture.pipeline.load(Self.request(fixture, "/other"))
        try await gate.waitUntilHeld(count: 6)
        #expect(Self.paths(fixture).last == "/other")
        gate.open()
        _ = try await other.result
        for load in loads { _ = try await load.result }
    }

    @Test(
        "a fast scroll over 1,000 rows settles on the visible rows first",
        arguments: [ImageRequest.Priority.normal, .high], [true, false])
    func scroll(priority: ImageRequest.Priority, cancels: Bool) async throws {
        #if os(Linux)
        let transport = CurlTransport()
        #else
        let transport = Fixture.transport()
        #endif
        let fixture = try Fixture { $0.transport = transport }
        let gate = LoopbackServer.Gate()
        fixture.server.fallback { _ in .ok(Self.picture, type: "image/png").gated(gate) }
        // Row after row comes into view; ten are visible, and those that have left it are cancelled or lowered.
        var loads: [ImageLoad] = []
        for row in 0..<1_000 {
            loads.append(fixture.pipeline.load(Self.request(fixture, "/\(row)", priority)))
            guard row >= 10 else { continue }
            if cancels { loads[row - 10].cancel() } else { loads[row - 10].priority = .low }
        }
        if cancels { #expect(fixture.pipeline.jobCounts.renditions == 10) }
        try await gate.waitUntilHeld(count: 6)
        #if os(Linux)
        // Until all that has begun has come to the transport; each turn waits for its answer.
        while case let counts = await transport.counts(), counts.running + counts.waiting < (cancels ? 10 : 1_000) {}
        #endif
        if cancels {
            // Without a transfer that ends: the cancelled have given their connections to visible rows. The server may come to
            // the requests of several connections in any order, so it is waited for until there is nothing else that it sees.
            try await waitUntil {
                let visibleCount = Self.paths(fixture).count(where: Self.isVisible)
                #if os(Linux)
                return visibleCount == 6 && fixture.server.openConnectionCount == 6
                #else
                // URLSession may keep connections that it doesn't use.
                return visibleCount == 6 && gate.heldCount == 6
                #endif
            }
            #expect(gate.heldCount == 6)
        }
        let settledCount = fixture.server.requestCount
        gate.open()
        for load in loads[990...] { _ = try await load.result }
        if cancels {
            // Nothing comes any more but the other visible rows.
            let late = Self.paths(fixture)[settledCount...]
            #expect(late.count == 4 && late.allSatisfy(Self.isVisible), "\(late)")
            for load in loads[..<990] { await #expect(throws: CancellationError.self) { _ = try await load.result } }
        } else {
            let arrivals = Self.paths(fixture).compactMap { Int($0.dropFirst()) }
            let lastVisible = try #require(arrivals.lastIndex { $0 >= 990 })
            // Before the last visible row came none but those that had a connection already, and those that were sent right
            // after it on the other five connections: the server may see those first.
            let strangers = arrivals[..<lastVisible].filter { $0 < 990 }
            #expect(strangers.count <= 6 + 5, "\(strangers)")
            for load in loads { _ = try await load.result }
            #expect(Set(arrivals).isSubset(of: 0..<1_000) && fixture.server.requestCount == 1_000)
        }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
    }

    @Test("prefetching 1,000 URLs does not delay a visible request by more than one transfer")
    func thousand() async throws {
        let fixture = try Fixture()
        let held = LoopbackServer.Gate()
        fixture.server.fallback { _ in .ok(Self.picture, type: "image/png").gated(held) }
        fixture.server.route("/visible") { _ in .ok(Self.picture, type: "image/png") }
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
        prefetcher.start((0..<1_000).map { fixture.server.url("/\($0)") }, size: .pixels(8, 8))
        try await held.waitUntilHeld(count: 4)
        // No transfer ends before the visible one: it needs none of them to end.
        _ = try await fixture.pipeline.image(for: Self.request(fixture, "/visible", .high))
        #expect(fixture.server.requestCount == 5 && held.heldCount == 4)
        #expect(prefetcher.pendingCount == 996 && prefetcher.runningCount == 4)
        prefetcher.stopAll()
        await prefetcher.finished()
        #expect(fixture.server.requestCount == 5)
    }

    #if os(Linux)
    @Test("pipelines that share a transport and prefetch from one host leave connections to a visible request together")
    func sharedTransport() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.fallback { _ in .ok(Self.picture, type: "image/png").gated(gate) }
        server.route("/visible") { _ in .ok(Self.picture, type: "image/png") }
        let transport = CurlTransport()
        let pipelines = (0..<4).map { _ in
            ImagePipeline(
                .init(transport: transport, memory: MemoryCache(costLimit: 1 << 20), store: MemoryStore()))
        }
        let prefetchers = pipelines.map { ImagePrefetcher(pipeline: $0) }
        for (number, prefetcher) in prefetchers.enumerated() {
            prefetcher.start((0..<10).map { server.url("/\(number)/\($0)") })
        }
        try await gate.waitUntilHeld(count: 4)
        _ = try await pipelines[0].image(for: server.url("/visible"))
        #expect(gate.heldCount == 4)
        for prefetcher in prefetchers { prefetcher.stopAll() }
        for prefetcher in prefetchers { await prefetcher.finished() }
    }
    #endif

    @Test("a change of a load's priority reaches the running transfer")
    func transfer() async throws {
        let transport = PriorityTransport()
        let pipeline = ImagePipeline(
            .init(transport: transport, memory: MemoryCache(costLimit: 1 << 20), store: MemoryStore()))
        let url = try #require(URL(string: "http://127.0.0.1/a"))
        let load = pipeline.load(ImageRequest(url: url, priority: .low))
        let priority = await transport.priority()
        #expect(priority.value == .low)
        load.priority = .veryHigh
        #expect(priority.value == .veryHigh)
        // The highest among those who wait counts, and when its owner leaves, the next.
        let other = pipeline.load(ImageRequest(url: url, priority: .normal))
        load.cancel()
        #expect(priority.value == .normal)
        other.cancel()
    }

    // The decode queue is entered by what is made of pixels in memory as well, and by that at once: so that a test knows
    // what waits there and in which order.

    @Test("a change of a load's priority reaches the decode queue")
    func decodeQueue() async throws {
        let (fixture, log) = try decoding { $0.decodeLimit = 1 }
        let loads = (0..<6).map { load(fixture, log, "\($0)") }
        loads[1].priority = .veryHigh
        loads[4].priority = .low
        #expect(fixture.pipeline.jobCounts.running == 1)
        log.gate.open()
        for load in loads { _ = try await load.result }
        // The newest first, but for the one that was raised and the one that was lowered.
        #expect(log.started == ["0", "1", "5", "3", "2", "4"])
    }

    @Test("decodes that nobody is in a hurry for leave half of the decoders to others")
    func decodeShare() async throws {
        let (fixture, log) = try decoding { $0.decodeLimit = 4 }
        let low = (0..<4).map { load(fixture, log, "low \($0)", priority: .low) }
        #expect(fixture.pipeline.jobCounts.running == 2)
        let high = (0..<3).map { load(fixture, log, "high \($0)", priority: .high) }
        #expect(fixture.pipeline.jobCounts.running == 4)
        // Promoted, a decode makes room in the share, but there is no decoder free.
        low[0].priority = .high
        #expect(fixture.pipeline.jobCounts.running == 4)
        log.gate.open()
        for load in low + high { _ = try await load.result }
        #expect(log.mostAtOnce <= 4)
    }

    @Test("a single decoder works for the background as well, when nobody else wants it")
    func singleDecoder() async throws {
        let (fixture, log) = try decoding { $0.decodeLimit = 1 }
        let loads = [load(fixture, log, "a", priority: .veryLow), load(fixture, log, "b", priority: .low)]
        let visible = load(fixture, log, "c")
        log.gate.open()
        for load in loads + [visible] { _ = try await load.result }
        #expect(log.started == ["a", "c", "b"])
    }

    @Test("decodes run together as far as their bytes fit the budget, and one beyond it runs alone")
    func budget() async throws {
        // The result twice, as there is a processor: 8,192 bytes for a side of 32, 32,768 for one of 64.
        let (fixture, log) = try decoding {
            $0.decodeLimit = 8
            $0.decodeByteBudget = 20_000
        }
        var loads = [load(fixture, log, "a", side: 32), load(fixture, log, "b", side: 32)]
        #expect(fixture.pipeline.jobCounts.running == 2)
        loads.append(load(fixture, log, "large", side: 64))
        // It would fit, but mustn't overtake the large one.
        loads.append(load(fixture, log, "small", side: 16))
        #expect(fixture.pipeline.jobCounts.running == 2)
        // What is more urgent may.
        loads.append(load(fixture, log, "urgent", side: 16, priority: .high))
        #expect(fixture.pipeline.jobCounts.running == 3)
        log.gate.open()
        for load in loads { _ = try await load.result }
        #expect(log.together.filter { $0.contains("large") } == [["large"]])
        #expect(log.started.suffix(2) == ["large", "small"])
    }

    /// A pipeline with a large picture in memory, and the log of what is made of it.
    private func decoding(
        _ change: (inout ImagePipeline.Configuration) -> Void
    ) throws -> (Fixture, DecodeLog) {
        let fixture = try Fixture(change)
        let bitmap = TestImages.solidBitmap(width: 128, height: 128, color: .red)
        fixture.pipeline.insert(DecodedImage(bitmap: bitmap), for: Self.request(fixture, "/picture"))
        return (fixture, DecodeLog())
    }

    /// Begins to make a smaller one of it, held at the log's gate.
    private func load(
        _ fixture: Fixture, _ log: DecodeLog, _ name: String, side: Int = 16,
        priority: ImageRequest.Priority = .normal
    ) -> ImageLoad {
        var request = Self.request(fixture, "/picture", priority)
        request.size = .pixels(side, side)
        request.processors = [LoggedProcessor(identifier: name, log: log)]
        return fixture.pipeline.load(request)
    }
}

/// What has begun in the decode queue, and what has run together.
private final class DecodeLog: Sendable {
    private struct State {
        var started: [String] = []
        var running: [String] = []
        var together: [[String]] = []
    }

    let gate = ProcessingGate()
    private let state = Mutex(State())

    /// The names of what has begun, in that order.
    var started: [String] { state.withLock { $0.started } }
    /// What ran at once, after each beginning.
    var together: [[String]] { state.withLock { $0.together } }
    var mostAtOnce: Int { together.map(\.count).max() ?? 0 }

    func run(_ name: String) {
        state.withLock { state in
            state.started.append(name)
            state.running.append(name)
            state.together.append(state.running)
        }
        gate.pass()
        state.withLock { $0.running.removeAll { $0 == name } }
    }
}

/// Leaves the pixels as they are, and passes the log's gate.
private struct LoggedProcessor: ImageProcessor {
    let identifier: String
    let log: DecodeLog
    let dependsOnPixelSize = false

    func process(_ image: DecodedImage, cancellation: DecodeCancellation) throws -> DecodedImage {
        log.run(identifier)
        return image
    }
}

/// Hands out the priority of the first request, and answers none.
private final class PriorityTransport: HTTPTransport {
    private let priorities = AsyncStream<TransferPriority>.makeStream()

    func priority() async -> TransferPriority {
        var iterator = priorities.stream.makeAsyncIterator()
        return await iterator.next() ?? TransferPriority(.veryLow)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        priorities.continuation.yield(request.priority)
        // Ends with the task alone.
        for await _ in AsyncStream<Never>.makeStream().stream {}
        throw CancellationError()
    }
}
