import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@Suite("Events: each step of a load is told once, in order")
struct ImageEventTests {
    /// What happened, without numbers and times.
    private static func step(_ event: ImageEvent) -> String {
        switch event {
        case .began(_, let priority): "began \(priority)"
        case .joined: "joined"
        case .priorityChanged(_, let priority): "priority \(priority)"
        case .lookedUp(_, let reason): "looked up: \(reason.map { "\($0)" } ?? "not asked")"
        case .requested: "requested"
        case .responded(_, let status, _): "responded \(status)"
        case .received(_, let byteCount): "received \(byteCount)"
        case .decoding: "decoding"
        case .decoded: "decoded"
        case .loaded(let report): "loaded from \(report.layer)"
        case .failed(_, let error): "failed: \(error.reason)"
        case .cancelled: "cancelled"
        case .retrying: "retrying"
        case .resorted(_, let other, _): "resorted to \(other)"
        case .refusedThumbnail: "refused a thumbnail"
        case .cacheFault(let operation, _): "cache fault: \(operation)"
        case .removedDamaged: "removed damaged"
        }
    }

    @Test("a load from the network tells of every step, one from memory of its beginning and its end")
    func network() async throws {
        let fixture = try Fixture(keepsSteps: true)
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=600"])
        let byteCount = TestImages.solidPNG(width: 64, height: 48, color: .red).count
        _ = try await fixture.pipeline.image(for: url)
        #expect(
            fixture.events.all.map(Self.step) == [
                "began normal", "looked up: nothing stored", "requested", "responded 200", "received \(byteCount)",
                "decoding", "decoded", "loaded from network",
            ])
        _ = try await fixture.pipeline.image(for: url)
        #expect(fixture.events.all.dropFirst(8).map(Self.step) == ["began normal", "loaded from memory"])
    }

    @Test("a redirect, a failure and a fallback URL are told, all by the label of the one load")
    func detours() async throws {
        let fixture = try Fixture(keepsSteps: true)
        let good = fixture.serve("/good")
        fixture.server.route("/a") { _ in .redirect(to: "/missing") }
        fixture.server.route("/missing") { _ in .status(404) }
        var request = ImageRequest(url: fixture.server.url("/a"))
        request.fallbackURLs = [good]
        _ = try await fixture.pipeline.image(for: request)
        let steps = fixture.events.all.map(Self.step).filter { !$0.hasPrefix("received") }
        #expect(
            steps == [
                "began normal", "looked up: nothing stored", "requested", "responded 302", "requested", "responded 404",
                "resorted to fallback(0)", "looked up: nothing stored", "requested", "responded 200", "decoding",
                "decoded", "loaded from network",
            ])
        // All of it is told by the label of the one load there is.
        #expect(Set(fixture.events.all.map { "\($0)".prefix { $0 != " " } }).count == 1)
    }

    @Test("a load that joins another says whose work it shares; its cancellation is told once")
    func joins() async throws {
        let fixture = try Fixture(keepsSteps: true)
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png").gated(gate) }
        let url = fixture.server.url("/a")
        let first = fixture.pipeline.load(ImageRequest(url: url))
        let same = fixture.pipeline.load(ImageRequest(url: url))
        let smaller = fixture.pipeline.load(ImageRequest(url: url, size: .pixels(8, 8)))
        try await gate.waitUntilHeld()
        let joined = fixture.events.all.compactMap { event -> (UInt64, UInt64)? in
            if case .joined(let load, let work) = event { (load.number, work) } else { nil }
        }
        let numbers = fixture.events.all.compactMap { event -> UInt64? in
            if case .began(let load, _) = event { load.number } else { nil }
        }
        #expect(joined.map(\.0) == Array(numbers.dropFirst()))
        #expect(joined.allSatisfy { $0.1 == numbers[0] })
        same.priority = .high
        same.cancel()
        same.cancel()
        #expect(fixture.events.all.suffix(2).map(Self.step) == ["priority high", "cancelled"])
        gate.open()
        _ = try await (first.result, smaller.result)
    }

    @Test("removing a partition tells of the cancellation of its loads")
    func removal() async throws {
        let fixture = try Fixture(keepsSteps: true)
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png").gated(gate) }
        let load = fixture.pipeline.load(ImageRequest(url: fixture.server.url("/a"), partition: "account"))
        try await gate.waitUntilHeld()
        await fixture.pipeline.removePartition("account")
        _ = await failure { try await load.result }
        #expect(fixture.events.all.map(Self.step).suffix(2) == ["requested", "cancelled"])
    }

    @Test(
        "who cancels loads as they are told to have ended changes nothing of that: each ends once, and as it was told",
        arguments: [200, 404])
    func cancelledWhileEnding(status: Int) async throws {
        let loads = Mutex<[ImageLoad]>([])
        let events = EventLog(keepsSteps: true)
        let fixture = try Fixture {
            $0.onEvent = { event in
                events.append(event)
                switch event {
                case .loaded, .failed: for load in loads.withLock({ $0 }) { load.cancel() }
                default: break
                }
            }
        }
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.route("/a") { _ in
            let response: LoopbackServer.Response = status == 200 ? .ok(data, type: "image/png") : .status(status)
            return response.gated(gate)
        }
        let request = ImageRequest(url: fixture.server.url("/a"))
        let waiting = (0..<3).map { _ in fixture.pipeline.load(request) }
        loads.withLock { $0 = waiting }
        try await gate.waitUntilHeld()
        gate.open()
        var outcomes: [String] = []
        for load in waiting {
            switch await load.outcome {
            case .success: outcomes.append("loaded")
            case .failure(let error): outcomes.append(error is CancellationError ? "cancelled" : "failed")
            }
        }
        await fixture.pipeline.waitUntilIdle()
        loads.withLock { $0 = [] }
        var told: [String] = []
        for event in events.all {
            switch event {
            case .loaded: told.append("loaded")
            case .failed: told.append("failed")
            case .cancelled: told.append("cancelled")
            default: break
            }
        }
        #expect(told.sorted() == outcomes.sorted())
        #expect(outcomes == [status == 200 ? "loaded" : "failed", "cancelled", "cancelled"])
    }

    @Test("a stale answer that is cancelled as it is told ends the load: nothing asks its server for it")
    func cancelledWhileAnswered() async throws {
        let loads = Mutex<[ImageLoad]>([])
        let events = EventLog(keepsSteps: true)
        let fixture = try Fixture {
            $0.onEvent = { event in
                events.append(event)
                if case .loaded = event { for load in loads.withLock({ $0 }) { load.cancel() } }
            }
        }
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=60, stale-while-revalidate=600"])
        _ = try await fixture.pipeline.image(for: url)
        fixture.clock.advance(by: .seconds(120))
        fixture.memory.removeAll()
        let gate = ProcessingGate()
        fixture.decoder.hold(at: gate)
        let load = fixture.pipeline.load(ImageRequest(url: url))
        loads.withLock { $0 = [load] }
        gate.open()
        #expect(try await load.result.report.layer == .storage)
        for await _ in load.updates {}
        await fixture.pipeline.waitUntilIdle()
        loads.withLock { $0 = [] }
        #expect(fixture.server.requestCount == 1)
        #expect(events.all.map(Self.step).count { $0.hasPrefix("loaded") || $0 == "cancelled" } == 2)
    }

    @Test("a priority that is set to what it is, or after the end, hasn't changed: nothing is told")
    func samePriority() async throws {
        let fixture = try Fixture(keepsSteps: true)
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png").gated(gate) }
        let load = fixture.pipeline.load(ImageRequest(url: fixture.server.url("/a")))
        try await gate.waitUntilHeld()
        for priority in [ImageRequest.Priority.normal, .high, .high, .low] { load.priority = priority }
        gate.open()
        _ = try await load.result
        load.priority = .veryHigh
        #expect(load.priority == .veryHigh)
        let told = fixture.events.all.map(Self.step).filter { $0.hasPrefix("priority") }
        #expect(told == ["priority high", "priority low"])
    }

    @Test("a log gets the events that matter enough, as lines with the scheme and host, and the load's number")
    func log() async throws {
        let lines = Mutex<[(ImageEvent.Level, String)]>([])
        let fixture = try Fixture {
            $0.onEvent = ImageEvent.log(from: .info) { level, line in lines.withLock { $0.append((level, line)) } }
        }
        _ = try await fixture.pipeline.image(for: fixture.serve("/a"))
        _ = await failure { try await fixture.pipeline.image(for: fixture.server.url("/missing")) }
        let (levels, texts) = (lines.withLock { $0.map(\.0) }, lines.withLock { $0.map(\.1) })
        #expect(levels == [.info, .error])
        let origin = fixture.server.url("/").absoluteString.dropLast()
        #expect(texts[0].contains(" \(origin) network (nothing stored) 64 x 48 -> 64 x 48 in "))
        #expect(
            texts[1].hasSuffix(
                "\(origin) failed. Couldn't accept the response for an image from \(origin): "
                    + "the server answered with status 404."))
        #expect(texts.allSatisfy { $0.hasPrefix("#") })
    }
}
