import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

// The line of what has been asked for: its order, and what comes and goes.
extension PrefetcherTests {
    @Test("the server is asked in list order, by no more than the limit at a time")
    func order() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let urls = (0..<20).map { fixture.serve("/\($0)", fields: Self.fresh) }
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
        prefetcher.start(Array(urls[..<10]), size: Self.size)
        prefetcher.start(Array(urls[10...]), size: Self.size)
        await prefetcher.finished()
        #expect(fixture.server.requests.map(\.path) == (0..<20).map { "/\($0)" })
    }

    @Test("what is pending or under way is one request, however often it is asked for; another size is another")
    func duplicates() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let urls = ["/a", "/b"].map(fixture.server.url)
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, onOutcome: log.append)
        prefetcher.start(urls, size: Self.size)
        try await gate.waitUntilHeld()
        for _ in 0..<3 { prefetcher.start(urls, size: Self.size) }
        #expect(prefetcher.pendingCount == 1 && prefetcher.runningCount == 1)
        prefetcher.start(urls, size: .original)
        #expect(prefetcher.pendingCount == 3)
        gate.open()
        await prefetcher.finished()
        #expect(log.results.count == 4)
        // What is over may be asked for again.
        prefetcher.start(urls, size: Self.size)
        await prefetcher.finished()
        #expect(log.results.suffix(2) == ["already there", "already there"])
    }

    @Test("stopping takes back what waits and what is under way; the rest goes on")
    func stop() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let urls = ["/a", "/b", "/c", "/d"].map(fixture.server.url)
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, to: .disk, onOutcome: log.append)
        prefetcher.start(urls)
        try await gate.waitUntilHeld()
        prefetcher.stop([urls[2]])
        #expect(log["/c"] == ["cancelled"])
        prefetcher.stop([urls[0]])
        _ = try await fixture.server.nextRequest(to: "/b")
        // Stopped and started again it goes to the end of the line.
        prefetcher.stop([urls[3]])
        prefetcher.start([urls[0], urls[3]])
        gate.open()
        await prefetcher.finished()
        #expect(fixture.server.requests.map(\.path) == ["/a", "/b", "/a", "/d"])
        #expect(log["/a"].sorted() == ["cancelled", "stored"] && log["/b"] == ["stored"])
        #expect(log["/c"] == ["cancelled"] && log["/d"] == ["cancelled", "stored"])
    }

    @Test("pausing holds the line and lets what is under way end; going on goes on where it stood")
    func pause() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 2 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let told = AsyncStream<Void>.makeStream()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline) { _ in told.continuation.yield() }
        prefetcher.start((0..<5).map { fixture.server.url("/\($0)") }, size: Self.size)
        try await gate.waitUntilHeld(count: 2)
        prefetcher.isPaused = true
        gate.open()
        var iterator = told.stream.makeAsyncIterator()
        for _ in 0..<2 { await iterator.next() }
        #expect(prefetcher.isPaused && prefetcher.pendingCount == 3 && prefetcher.runningCount == 0)
        #expect(fixture.server.requestCount == 2)
        prefetcher.start([fixture.server.url("/5")], size: Self.size)
        #expect(prefetcher.pendingCount == 4)
        // Waiting for the end of a line that stands can be given up.
        let waiting = Task { await prefetcher.finished() }
        waiting.cancel()
        await waiting.value
        prefetcher.isPaused = false
        await prefetcher.finished()
        #expect(fixture.server.requestCount == 6 && prefetcher.pendingCount == 0)
    }

    @Test("a visible request joins a prefetch under way, and stays when the prefetcher stops or goes")
    func joined() async throws {
        for destination in [ImagePrefetcher.Destination.memory, .disk] {
            let fixture = try Fixture()
            let gate = LoopbackServer.Gate()
            let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
            fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
            let urls = ["/a", "/b"].map(fixture.server.url)
            var prefetcher: ImagePrefetcher? = ImagePrefetcher(pipeline: fixture.pipeline, to: destination)
            prefetcher?.start(urls, size: Self.size)
            try await gate.waitUntilHeld(count: 2)
            let loads = urls.map { fixture.pipeline.load(ImageRequest(url: $0, size: Self.size, priority: .high)) }
            prefetcher?.stop([urls[0]], size: Self.size)
            prefetcher = nil
            gate.open()
            for load in loads { #expect(try await load.result.image.pixelSize.width == 11) }
            #expect(fixture.server.requestCount == 2)
        }
    }

    @Test("what stands in the line and is loaded for a visible request meanwhile is found")
    func overtaken() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let urls = [fixture.server.url("/a"), fixture.serve("/b", fields: Self.fresh)]
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, onOutcome: log.append)
        prefetcher.start(urls, size: Self.size)
        try await gate.waitUntilHeld()
        _ = try await fixture.pipeline.image(for: ImageRequest(url: urls[1], size: Self.size))
        gate.open()
        await prefetcher.finished()
        #expect(log.results == ["loaded from network", "already there"])
        #expect(fixture.server.requestCount == 2)
    }

    @Test("letting go of a prefetcher stops it; removing a partition does so for what stands in the line, too")
    func ends() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        fixture.server.fallback { _ in .hanging }
        let requests = (0..<3).map {
            ImageRequest(url: fixture.server.url("/\($0)"), size: Self.size, partition: $0 == 2 ? nil : "account")
        }
        let log = OutcomeLog()
        var prefetcher: ImagePrefetcher? = ImagePrefetcher(pipeline: fixture.pipeline, onOutcome: log.append)
        prefetcher?.start(requests)
        _ = try await fixture.server.nextRequest(to: "/0")
        await fixture.pipeline.removePartition("account")
        _ = try await fixture.server.nextRequest(to: "/2")
        #expect(log["/0"] == ["cancelled"] && log["/1"] == ["cancelled"])
        prefetcher = nil
        try await fixture.server.waitForOpenConnections(count: 0)
        #expect(fixture.pipeline.jobCounts.renditions == 0)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.server.requestCount == 2)
    }

    @Test("what is asked for again after its partition was removed is brought, and what stood in the line is cancelled")
    func removedAndAskedForAgain() async throws {
        let fixture = try Fixture { $0.prefetchLimit = 1 }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.fallback { _ in .ok(data, type: "image/png", fields: Self.fresh).gated(gate) }
        let requests = (0..<3).map {
            ImageRequest(url: fixture.server.url("/\($0)"), size: Self.size, partition: $0 == 1 ? "account" : nil)
        }
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, onOutcome: log.append)
        // Of another partition, so that it stays.
        prefetcher.start(requests)
        try await gate.waitUntilHeld()
        await fixture.pipeline.removePartition("account")
        prefetcher.start(requests)
        #expect(log.all.map(\.path) == ["/1"] && log.results == ["cancelled"])
        #expect(prefetcher.pendingCount == 2 && prefetcher.runningCount == 1)
        gate.open()
        await prefetcher.finished()
        #expect(log["/1"] == ["cancelled", "loaded from network"])
        #expect(fixture.server.requests.map(\.path) == ["/0", "/2", "/1"])
        #expect(fixture.pipeline.cachedImage(for: requests[1]) != nil)
    }

    @Test("an outcome's handler may start and stop, and is told of everything before the end")
    func handler() async throws {
        let fixture = try Fixture()
        fixture.server.respond(
            to: "/a", with: .status(503), .status(503),
            .ok(
                TestImages.solidPNG(width: 8, height: 8, color: .red), type: "image/png", fields: Self.fresh))
        let box = Mutex<ImagePrefetcher?>(nil)
        let log = OutcomeLog()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline) { outcome in
            log.append(outcome)
            if case .failed = outcome.result { box.withLock { $0 }?.start([outcome.request]) }
        }
        box.withLock { $0 = prefetcher }
        prefetcher.start([fixture.server.url("/a")], size: Self.size)
        await prefetcher.finished()
        let failure = ImageError.Reason.status(503).description
        #expect(log.results == [failure, failure, "loaded from network"])
        box.withLock { $0 = nil }
    }

    @Test("10,000 requests started and stopped again and again take constant time each, and leave nothing")
    func many() async throws {
        let fixture = try Fixture()
        fixture.server.fallback { _ in .hanging }
        let requests = (0..<10_000).map { ImageRequest(url: fixture.server.url("/\($0)"), size: Self.size) }
        let told = Counter()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline) { _ in told.increment() }
        prefetcher.start([requests[0]])
        // As a list calls: a few rows come into reach, others go out of it. Each call in a line of 10,000.
        prefetcher.start(requests)
        let count = 20_000
        for step in 0..<count {
            let rows = [requests[5_000 + step % 4_000]]
            prefetcher.stop(rows)
            prefetcher.start(rows)
        }
        #expect(prefetcher.pendingCount + prefetcher.runningCount == 10_000)
        prefetcher.stopAll()
        await prefetcher.finished()
        #expect(told.value == 10_000 + count)
        #expect(prefetcher.pendingCount == 0 && prefetcher.runningCount == 0)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
        #expect(fixture.server.requestCount <= 4)
    }
}
