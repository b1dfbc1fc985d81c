import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Heat and battery: what the device can't spare isn't begun")
struct PowerTests {
    @Test(
        "a hot device decodes fewer images at once, and one that saves power as well",
        arguments: [
            (PowerStatus(heat: .nominal), 8), (PowerStatus(heat: .fair), 8),
            (PowerStatus(heat: .fair, isLowPowerModeEnabled: true), 4), (PowerStatus(heat: .serious), 4),
            (PowerStatus(heat: .serious, isLowPowerModeEnabled: true), 4), (PowerStatus(heat: .critical), 1),
        ])
    func limits(status: PowerStatus, count: Int) {
        #expect(status.decodeLimit(of: 8) == count)
        #expect(status.decodeLimit(of: 1) == 1)
        #expect(status.permitsPrefetch == (status.heat < .serious))
    }

    private final class Work: WorkItem, @unchecked Sendable {
        let onStart: @Sendable () -> Void
        init(_ onStart: @escaping @Sendable () -> Void) { self.onStart = onStart }
        override func start() { onStart() }
    }

    @Test("a queue whose limit falls lets what runs end, and starts no more than it may, until the limit rises")
    func queue() {
        let started = Counter()
        let queue = WorkQueue(.init(count: 3, backgroundCount: 1))
        let items = (0..<8).map { _ in Work { started.increment() } }
        var startedAtOnce = 0
        for item in items where queue.add(item, priority: .normal) { startedAtOnce += 1 }
        #expect(startedAtOnce == 3)
        queue.setLimits(.init(count: 1, backgroundCount: 1))
        queue.finish(items[0])
        queue.finish(items[1])
        #expect(started.value == 0 && queue.counts.running == 1)
        queue.finish(items[2])
        #expect(started.value == 1 && queue.counts.running == 1)
        queue.setLimits(.init(count: 3, backgroundCount: 1))
        #expect(started.value == 3 && queue.counts.running == 3)
    }

    @Test("a pipeline's decodes follow the device: one at a time when it is critically hot, then as many as ever")
    func decodes() async throws {
        let power = ManualPowerMonitor(PowerStatus(heat: .critical))
        let gate = ProcessingGate()
        let fixture = try Fixture {
            $0.decodeLimit = 3
            $0.power = power
        }
        fixture.decoder.hold(at: gate)
        let urls = (0..<3).map { fixture.serve("/\($0).png") }
        let loads = urls.map { fixture.pipeline.load(ImageRequest(url: $0)) }
        await gate.waitUntilReached()
        let queue = fixture.pipeline.coordinator.decodeQueue
        try await waitUntil { queue.counts.waiting == 2 }
        #expect(fixture.decoder.count == 1 && queue.counts.running == 1)
        power.status = PowerStatus()
        for _ in 0..<2 { await gate.waitUntilReached() }
        #expect(fixture.decoder.count == 3)
        gate.open()
        for load in loads { _ = try await load.result }
    }

    @Test("nothing is prefetched while the device is hot; what is under way ends, and the rest follows when it is cool")
    func prefetch() async throws {
        let power = ManualPowerMonitor()
        let fixture = try Fixture {
            $0.prefetchLimit = 1
            $0.power = power
        }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .red)
        fixture.server.route("/0") { _ in .ok(data, type: "image/png").gated(gate) }
        let urls = [fixture.server.url("/0")] + (1..<4).map { fixture.serve("/\($0)", width: 8, height: 8) }
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
        prefetcher.start(urls, size: .pixels(8, 8))
        try await gate.waitUntilHeld()
        power.status.heat = .serious
        gate.open()
        try await waitUntil { prefetcher.runningCount == 0 }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.server.requestCount == 1 && prefetcher.pendingCount == 3)
        // What somebody waits for is loaded all the same.
        _ = try await fixture.pipeline.image(for: urls[1])
        #expect(fixture.server.requestCount == 2)
        // It was told to pause meanwhile, and cooling down doesn't change that.
        prefetcher.isPaused = true
        power.status.heat = .fair
        #expect(prefetcher.runningCount == 0)
        prefetcher.isPaused = false
        await prefetcher.finished()
        #expect(prefetcher.pendingCount == 0)
        #expect(urls.allSatisfy { fixture.pipeline.contains(ImageRequest(url: $0, size: .pixels(8, 8))) })
    }

    @Test("a prefetcher that is made on a hot device waits as well, and one that is let go observes nothing")
    func lifetime() async throws {
        let power = ManualPowerMonitor(PowerStatus(heat: .critical))
        let fixture = try Fixture { $0.power = power }
        let count = power.observerCount
        var prefetcher: ImagePrefetcher? = ImagePrefetcher(pipeline: fixture.pipeline)
        prefetcher?.start([fixture.serve("/a")], size: .pixels(8, 8))
        #expect(prefetcher?.pendingCount == 1 && prefetcher?.runningCount == 0)
        #expect(power.observerCount == count + 1)
        prefetcher = nil
        #expect(power.observerCount == count && fixture.server.requestCount == 0)
    }
}
