import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Used otherwise than meant: nothing traps, and nobody waits for ever", .timeLimit(.minutes(5)))
struct MisuseTests {
    @Test("the newest reader of a load's updates gets them, and the reading of the one before ends")
    func twoReaders() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let png = TestImages.solidPNG(width: 8, height: 8, color: .red)
        fixture.server.respond(to: "/a", with: .ok(png, type: "image/png").gated(gate, afterBodyBytes: 20))
        let load = fixture.pipeline.load(ImageRequest(url: fixture.server.url("/a")))
        let first = load.updates
        let second = load.updates
        for await update in first { if case .image = update { Issue.record("The first reader has the image.") } }
        // It has ended before there is anything to end it, and cancelled nothing.
        try await gate.waitUntilHeld()
        gate.open()
        #expect(await images(in: second) == 1)
        #expect(try await load.result.image.pixelSize == PixelSize(width: 8, height: 8))
        // What is over is told to whoever asks, as often as they ask.
        #expect(await images(in: load.updates) == 1)
        #expect(await images(in: load.updates) == 1)
        load.priority = .veryHigh
        load.cancel()
        load.cancel()
        #expect(try await load.result.image.pixelSize == PixelSize(width: 8, height: 8))
    }

    private func images(in updates: AsyncStream<ImageLoad.Update>) async -> Int {
        var count = 0
        for await case .image in updates { count += 1 }
        return count
    }

    @Test("however readers, cancellations and the end of a load meet, everybody goes on")
    func meeting() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a")
        for round in 0..<300 {
            let load = fixture.pipeline.load(ImageRequest(url: url, cachePolicy: .reload))
            await withTaskGroup(of: Void.self) { group in
                for reader in 0..<3 {
                    group.addTask {
                        for await update in load.updates {
                            // Some leave early, which cancels; some change their mind.
                            if case .progress = update, (round + reader).isMultiple(of: 5) { break }
                            load.priority = reader == 0 ? .high : .low
                        }
                    }
                }
                if round.isMultiple(of: 3) { group.addTask { load.cancel() } }
                group.addTask { _ = await load.outcome }
            }
        }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
        #expect(fixture.pipeline.coordinator.followerCount.load(ordering: .relaxed) == 0)
    }

    @Test("updates go on when everything else has been let go of: the load, and the pipeline")
    func updatesAlone() async throws {
        let server = try LoopbackServer()
        let png = TestImages.solidPNG(width: 8, height: 8, color: .red)
        server.respond(to: "/a", with: .ok(png, type: "image/png"))
        var configuration = ImagePipeline.Configuration(transport: Fixture.transport(), store: nil)
        configuration.memory = MemoryCache(costLimit: 1 << 20, reactsToMemoryPressure: false)
        let updates = ImagePipeline(configuration).load(ImageRequest(url: server.url("/a"))).updates
        #expect(await images(in: updates) == 1)
    }

    /// What an app does within its own closures.
    enum Reentry: String, Sendable, CaseIterable {
        case invalidate, removeAll, removePartition, loadAnother, prefetch, cancelOthers
    }

    @Test("an authorize closure may use the pipeline that asks it", arguments: Reentry.allCases)
    func authorize(_ reentry: Reentry) async throws {
        let holder = PipelineHolder()
        let calls = Counter()
        let fixture = try Fixture {
            $0.authorize = { request in
                // The first request alone: what is begun here asks here as well, some of it after it has been cancelled, and
                // would begin more whenever it comes to that.
                guard calls.increment() == 1, let url = request.url, let pipeline = holder.pipeline else {
                    return request
                }
                switch reentry {
                case .invalidate: await pipeline.invalidate(ResourceID(url: url))
                case .removeAll: await pipeline.removeAll()
                case .removePartition: await pipeline.removePartition("p")
                case .loadAnother:
                    _ = try await pipeline.image(for: url.deletingLastPathComponent().appending(path: "b"))
                case .prefetch: ImagePrefetcher(pipeline: pipeline).start([ImageRequest(url: url)])
                case .cancelOthers: pipeline.load(ImageRequest(url: url)).cancel()
                }
                return request
            }
        }
        holder.pipeline = fixture.pipeline
        let request = ImageRequest(url: fixture.serve("/a"), partition: "p")
        fixture.serve("/b")
        let isCancelled = reentry == .removeAll || reentry == .removePartition
        do {
            _ = try await fixture.pipeline.image(for: request)
            #expect(!isCancelled)
        } catch {
            #expect(error is CancellationError)
            #expect(isCancelled)
        }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
        // What was removed while it was under way isn't kept.
        let isKept = !isCancelled && reentry != .invalidate
        #expect(fixture.pipeline.contains(request) == isKept)
    }

    @Test("a processor may use the pipeline that runs it")
    func processor() async throws {
        let holder = PipelineHolder()
        let fixture = try Fixture { $0.decodeLimit = 1 }
        holder.pipeline = fixture.pipeline
        let plain = ImageRequest(url: fixture.serve("/a"))
        let hits = Counter()
        var request = plain
        request.processors = [
            .custom(identifier: "own") { image in
                guard let pipeline = holder.pipeline else { return image }
                pipeline.load(plain).cancel()
                pipeline.insert(image, for: plain)
                if pipeline.cachedImage(for: plain) === image { hits.increment() }
                return image
            }
        ]
        _ = try await fixture.pipeline.image(for: request)
        #expect(hits.value == 1)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
    }

    struct Extreme: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout ImagePipeline.Configuration) -> Void
        /// What the load fails with; `nil` if it loads.
        var reason: ImageError.Reason?
        /// Whether memory holds the image afterwards.
        var isKept = true

        init(
            _ title: String, _ reason: ImageError.Reason? = nil, isKept: Bool = true,
            _ change: @escaping @Sendable (inout ImagePipeline.Configuration) -> Void
        ) {
            testDescription = title
            self.change = change
            self.reason = reason
            self.isKept = isKept && reason == nil
        }

        private static let numbers = [Int.min, -1, 0, 1, 10_000, .max]

        static let all: [Extreme] =
            numbers.map { number in
                Extreme("\(number) at once") {
                    $0.fetchLimit = number
                    $0.prefetchLimit = number
                    $0.decodeLimit = number
                    $0.decodeByteBudget = number
                }
            }
            + numbers.map { number in
                Extreme("\(number) bytes of memory", isKept: number > 12_288) {
                    $0.memory = MemoryCache(costLimit: number, reactsToMemoryPressure: false)
                }
            }
            + numbers.map { number in
                Extreme("\(number) images in memory", isKept: number > 0) {
                    $0.memory = MemoryCache(countLimit: number, reactsToMemoryPressure: false)
                }
            }
            + numbers.map { number in
                Extreme("\(number) bytes stored, \(number) impressions") {
                    $0.store = MemoryStore(byteLimit: number)
                    $0.impressions = ImpressionTable(capacity: number)
                }
            }
            + [Int.min, -1, 0, 1].map { number in
                Extreme("\(number) bytes allowed", .bodyTooLarge(byteCount: 0, limit: Int64(number))) {
                    $0.limits.bodyByteCount = number
                }
            }
            + [Int.min, -1, 0, 1].map { number in
                Extreme("\(number) pixels allowed", .tooManyPixels(PixelSize(width: 64, height: 48), limit: number)) {
                    $0.limits.pixelCount = number
                }
            }
            + [
                Extreme("no limits") {
                    $0.limits = ImageLimits(
                        bodyByteCount: .max, pixelCount: .max, frameCount: .max, scanCount: .max,
                        profileByteCount: .max, metadataByteCount: .max, decodeTime: .seconds(Int64.max))
                },
                Extreme("time that never ends") {
                    let time = Duration.seconds(Int64.max)
                    $0.timeouts = HTTPTimeouts(connect: time, idle: time, total: time)
                    $0.retry = RetryPolicy(
                        attemptLimit: .max, baseDelay: .seconds(Int64.max), maximumDelay: .seconds(Int64.max),
                        longestRetryAfter: .seconds(Int64.max))
                },
                Extreme("a random number that is none") { $0.random = { .nan } },
            ]
    }

    @Test("every number in a configuration is taken, or refused with its reason", arguments: Extreme.all)
    func configuration(_ row: Extreme) async throws {
        let fixture = try Fixture(row.change)
        let request = ImageRequest(url: fixture.serve("/a"))
        switch (await failure { try await fixture.pipeline.image(for: request) }, row.reason) {
        case (.bodyTooLarge(let count, let limit)?, .bodyTooLarge(_, let expected)?):
            #expect(limit == expected && count > 1)
        case (let found, let expected):
            #expect(found == expected)
        }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
        // Held: what somebody still shows is found all the same.
        #expect((fixture.pipeline.configuration.memory.count > 0) == row.isKept)
    }

    @Test("a wait has no length that ends the program", arguments: [Duration.seconds(Int64.max), .seconds(1 << 40)])
    func longWait(_ duration: Duration) async {
        let task = Task { try await SystemClock().sleep(for: duration) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let event = ImageEvent.retrying(
            LoadLabel(1, nil), after: ImageError(.network, .timedOut), attempt: 2, delay: duration)
        #expect(event.description.contains("attempt 2 follows in "))
    }

    @Test(
        "a backoff is never negative, and never more than the longest",
        arguments: [
            (Duration.seconds(-1), Duration.seconds(10), Duration.zero), (.seconds(1), .seconds(-1), .zero),
            (.seconds(1), .seconds(10), .seconds(10)),
            (.seconds(Int64.max), .seconds(Int64.max), .seconds(Int64.max)),
        ])
    func backoff(_ base: Duration, _ maximum: Duration, _ longest: Duration) {
        let policy = RetryPolicy(attemptLimit: .max, baseDelay: base, maximumDelay: maximum)
        for count in [0, 1, 2, 1_000, .max] {
            for random in [-1, 0, 1, 2, Double.infinity, .nan] {
                let delay = policy.backoff(afterFailures: count, random: random)
                #expect(delay >= .zero && delay <= max(longest, .zero))
            }
        }
    }

    @Test("a store on disk without room keeps nothing, and the images come all the same", arguments: [Int.min, -1, 0])
    func noRoom(_ limit: Int) async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore(directory: folder.url, options: .init(byteLimit: limit, entryLimit: limit))
        let fixture = try Fixture { $0.store = store }
        let request = ImageRequest(url: fixture.serve("/a", fields: ["Cache-Control": "max-age=60"]))
        for _ in 0..<2 {
            _ = try await fixture.pipeline.image(for: request)
            fixture.memory.removeAll()
        }
        await fixture.pipeline.waitUntilIdle()
        #expect(try await store.usage().responseCount == 0)
        await store.close()
    }

    @Test("a store on disk that has lost its room empties itself, and is no worse for it", arguments: [Int.min, -1, 0])
    func lostRoom(_ limit: Int) async throws {
        let folder = try TemporaryFolder()
        let key = FetchKey(url: try #require(URL(string: "http://img.example.com/a")))
        let before = SQLiteStore(directory: folder.url)
        let stored = try await before.add(
            Data(count: 100), for: key, resource: "a", metadata: Data(count: 10), replacing: nil, since: before.epoch())
        await before.close()
        let faults = EventLog()
        let store = SQLiteStore(
            directory: folder.url, options: .init(byteLimit: limit, entryLimit: limit), onEvent: faults.append)
        #expect(try await store.updateMetadata(of: try #require(stored).id, to: Data(count: 20)) == false)
        #expect(try await store.usage().responseCount == 0)
        #expect(try await store.verify().isWhole)
        #expect(faults.all.isEmpty)
        await store.close()
    }
}

/// The pipeline that a closure of its own configuration uses.
private final class PipelineHolder: @unchecked Sendable {
    /// Set once, before anything is loaded.
    var pipeline: ImagePipeline?
}
