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
        fixture.server.route("/a") { _ in .hanging }
        let load = fixture.pipeline.load(ImageRequest(url: fixture.server.url("/a"), partition: "account"))
        await fixture.events.wait { if case .requested = $0 { true } else { false } }
        await fixture.pipeline.removePartition("account")
        _ = await failure { try await load.result }
        #expect(fixture.events.all.filter { Self.step($0) == "cancelled" }.count == 1)
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
