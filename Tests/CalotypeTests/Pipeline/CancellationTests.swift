import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Cancellation: a waiter that leaves stops waiting, and the last one out ends the work")
struct CancellationTests {
    @Test("of two waiters one cancels: the other gets its image")
    func oneOfTwo() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png").gated(gate) }
        let request = ImageRequest(url: fixture.server.url("/a"))
        let first = fixture.pipeline.load(request)
        let second = fixture.pipeline.load(request)
        try await gate.waitUntilHeld()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.result }
        gate.open()
        #expect(try await second.result.image.bitmap.pixel(0, 0) == .green)
        #expect(fixture.server.requestCount == 1)
    }

    @Test("both cancel: the server sees the connection close, and no job is left")
    func both() async throws {
        let fixture = try Fixture()
        fixture.server.respond(to: "/a", with: .hanging)
        let request = ImageRequest(url: fixture.server.url("/a"))
        let loads = [fixture.pipeline.load(request), fixture.pipeline.load(request)]
        _ = try await fixture.server.nextRequest(to: "/a")
        for load in loads { load.cancel() }
        #expect(fixture.pipeline.jobCounts.renditions == 0)
        #expect(fixture.pipeline.jobCounts.fetches == 0)
        _ = try await fixture.server.waitForConnectionEvent {
            if case .closedByClient = $0 { true } else { false }
        }
    }

    @Test("a task that is cancelled while it waits for an image throws CancellationError and ends the work")
    func task() async throws {
        let fixture = try Fixture()
        fixture.server.respond(to: "/a", with: .hanging)
        let url = fixture.server.url("/a")
        let task = Task { try await fixture.pipeline.image(for: url) }
        _ = try await fixture.server.nextRequest(to: "/a")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        _ = try await fixture.server.waitForConnectionEvent {
            if case .closedByClient = $0 { true } else { false }
        }
        try await fixture.server.waitForOpenConnections(count: 0)
        let events = fixture.events.all
        #expect(events.count == 1 && events.allSatisfy { if case .cancelled = $0 { true } else { false } })
    }

    @Test("the next request after a cancellation begins anew, even in the same moment")
    func anew() async throws {
        let fixture = try Fixture()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .blue)
        fixture.server.respond(to: "/a", with: .hanging, .ok(data, type: "image/png"))
        let request = ImageRequest(url: fixture.server.url("/a"))
        let first = fixture.pipeline.load(request)
        _ = try await fixture.server.nextRequest(to: "/a")
        first.cancel()
        let image = try await fixture.pipeline.image(for: request)
        #expect(image.bitmap.pixel(0, 0) == .blue)
        #expect(fixture.server.requestCount == 2)
    }

    @Test("a load cancelled while it decodes leaves nothing in memory")
    func whileDecoding() async throws {
        let fixture = try Fixture()
        let gate = ProcessingGate()
        fixture.decoder.hold(at: gate)
        let request = ImageRequest(url: fixture.serve("/a"))
        let load = fixture.pipeline.load(request)
        await gate.waitUntilReached()
        load.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await load.result }
        // One more decode on the same queue: it is done after the one that was cancelled.
        _ = try await fixture.pipeline.image(for: fixture.serve("/b"))
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
        #expect(fixture.memory.count == 1)
    }

    @Test("ending the reading of updates cancels the load")
    func updates() async throws {
        let fixture = try Fixture()
        fixture.server.respond(to: "/a", with: .hanging)
        let load = fixture.pipeline.load(ImageRequest(url: fixture.server.url("/a")))
        let reader = Task { for await _ in load.updates {} }
        _ = try await fixture.server.nextRequest(to: "/a")
        reader.cancel()
        await reader.value
        await #expect(throws: CancellationError.self) { try await load.result }
        #expect(fixture.pipeline.jobCounts.fetches == 0)
    }

    #if os(Linux)
    @Test("10,000 loads started and cancelled, again and again: nothing is left, and the peak doesn't go on rising")
    func manyRounds() async {
        await #expect(processExitsWith: .success) {
            let fixture = try Fixture { $0.onEvent = nil }
            fixture.server.fallback { _ in .hanging }
            // The transport opens what it needs for itself once its thread runs: for the first exchange at the latest.
            fixture.server.route("/first") { _ in .status(404).closing() }
            await #expect(throws: ImageError.self) {
                try await fixture.pipeline.image(for: fixture.server.url("/first"))
            }
            try await fixture.server.waitForOpenConnections(count: 0)
            let descriptors = try openDescriptorCount()
            func round() async throws -> Int {
                let loads = (0..<10_000).map { number in
                    fixture.pipeline.load(ImageRequest(url: fixture.server.url("/\(number)")))
                }
                _ = try await fixture.server.nextRequest()
                for load in loads { load.cancel() }
                for load in loads {
                    guard case .failure(let error) = await load.outcome else { throw ImageError(.request, .notAnImage) }
                    #expect(error is CancellationError)
                }
                #expect(fixture.pipeline.jobCounts.renditions == 0)
                #expect(fixture.pipeline.jobCounts.fetches == 0)
                try await fixture.server.waitForOpenConnections(count: 0)
                return try peakResidentByteCount()
            }
            // How many of them run at once depends on the machine's other work, and so does a round's peak. A leak would
            // raise the peak of each round; so one that stays within 3 %, for the server's log, shows that there is none.
            // The address sanitizer keeps what is freed.
            let keepsFreed = ProcessInfo.processInfo.environment["CALOTYPE_SANITIZE"] != nil
            func isRising(_ peaks: [Int]) -> Bool { peaks[peaks.count - 1] > peaks[peaks.count - 2] * 103 / 100 }
            var peaks = [try await round(), try await round()]
            if !keepsFreed {
                while isRising(peaks), peaks.count < 6 { peaks.append(try await round()) }
                #expect(!isRising(peaks), "peaks of \(peaks) bytes")
            }
            await fixture.pipeline.waitUntilIdle()
            #expect(fixture.pipeline.isIdle)
            try await waitUntil { try openDescriptorCount() <= descriptors + 2 }
        }
    }
    #endif
}

#if os(Linux)
/// The descriptors that this process has open.
func openDescriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

/// The most memory that this process has had in use, in bytes.
func peakResidentByteCount() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(separator: " ").dropFirst().first ?? "")) * 1_024
}
#endif
