import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

@Suite("Events: whatever is done to loads in whatever order")
struct ImageEventStressTests {
    /// Loads that are under way, and a handler of events that meddles with them.
    private final class Meddler: Sendable {
        private let state = Mutex<(loads: [ImageLoad], turn: UInt64)>(([], 0))

        func add(_ load: ImageLoad) { state.withLock { $0.loads.append(load) } }

        /// Cancels a load at some events, and changes the priority of one at others.
        func meddle() {
            let (load, turn) = state.withLock { state in
                state.turn += 1
                let count = UInt64(state.loads.count)
                return (count == 0 ? nil : state.loads[Int(state.turn &* 2_654_435_761 % count)], state.turn)
            }
            if turn % 7 == 0 { load?.cancel() } else if turn % 5 == 0 { load?.priority = turn % 2 == 0 ? .high : .low }
        }
    }

    @Test("each load begins once, and ends as its caller sees it: once, or once more after a stale answer")
    func ends() async throws {
        let meddler = Meddler()
        let events = EventLog(keepsSteps: true)
        let fixture = try Fixture {
            $0.onEvent = { event in
                events.append(event)
                if case .priorityChanged = event { return }
                meddler.meddle()
            }
        }
        let urls = serve(fixture.server)
        var outcomes: [UInt64: String] = [:]
        for round in 0..<20 {
            if round % 3 == 1 { fixture.clock.advance(by: .seconds(90)) }
            if round % 4 == 2 { fixture.memory.removeAll() }
            var loads: [ImageLoad] = []
            for index in 0..<24 {
                var request = ImageRequest(
                    url: urls[index % urls.count], size: index % 3 == 0 ? .original : .pixels(8 + index % 2, 8))
                if index % 4 == 0 { request.partition = "account" }
                if index % 5 == 0 { request.fallbackURLs = [urls[0]] }
                let load = fixture.pipeline.load(request)
                meddler.add(load)
                loads.append(load)
            }
            if round % 5 == 4 { await fixture.pipeline.removePartition("account") }
            for load in loads {
                outcomes[load.number] =
                    switch await load.outcome {
                    case .success: "loaded"
                    case .failure(let error): error is CancellationError ? "cancelled" : "failed"
                    }
            }
        }
        await fixture.pipeline.waitUntilIdle()
        check(events.all, outcomes)
    }

    /// Pictures that last, go stale, are confirmed, moved, missing and broken.
    private func serve(_ server: LoopbackServer) -> [URL] {
        let png = TestImages.solidPNG(width: 64, height: 48, color: .red)
        server.route("/lasting") { _ in .ok(png, type: "image/png", fields: ["Cache-Control": "max-age=600"]) }
        server.route("/stale") { _ in
            .ok(png, type: "image/png", fields: ["Cache-Control": "max-age=1, stale-while-revalidate=9999"])
        }
        server.route("/confirmed") { request in
            let response: LoopbackServer.Response =
                request.fields["If-None-Match"] == nil ? .ok(png, type: "image/png") : .status(304)
            return response.field("ETag", "\"1\"").field("Cache-Control", "no-cache")
        }
        server.route("/moved") { _ in .redirect(to: "/stale") }
        server.route("/broken") { _ in .ok(png.prefix(png.count / 2), type: "image/png") }
        return ["/lasting", "/stale", "/confirmed", "/moved", "/missing", "/broken"].map { server.url($0) }
    }

    private func check(_ events: [ImageEvent], _ outcomes: [UInt64: String]) {
        var begun: Set<UInt64> = []
        var ends: [UInt64: [String]] = [:]
        for event in events {
            switch event {
            case .began(let load, _): #expect(begun.insert(load.number).inserted)
            case .loaded(let report): ends[report.number, default: []].append("loaded")
            case .failed(let load, _): ends[load.number, default: []].append("failed")
            case .cancelled(let load): ends[load.number, default: []].append("cancelled")
            default: break
            }
        }
        #expect(Set(ends.keys) == begun)
        for (number, told) in ends {
            if let outcome = outcomes[number] { #expect(told[0] == outcome, "#\(number): \(told)") }
            #expect(told.count == 1 || (told.count == 2 && told[0] == "loaded" && told[1] != "cancelled"), "\(told)")
        }
    }
}
