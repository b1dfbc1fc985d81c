import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("Load reports: what a load did, and how long each stage took")
struct LoadReportTests {
    private static let lasting: HTTPFields = ["Cache-Control": "max-age=600", "ETag": "\"a\""]

    /// What `work` has in order, without the gaps.
    private func stages(_ report: LoadReport) -> [LoadReport.Stage] { report.timeline.map(\.stage) }

    @Test("the stages of a load follow one another within it, and the times are theirs")
    func timeline() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 400, height: 300, fields: Self.lasting)
        let request = ImageRequest(
            url: url, size: .pixels(40, 30), processors: [.crop(to: PixelSize(width: 20, height: 20))])
        let report = try await fixture.pipeline.result(for: request).report
        #expect(
            stages(report) == [
                .queue, .lookup, .connect, .firstByte, .body, .store, .decodeQueue, .decode, .process, .memory,
            ])
        var end = Duration.zero
        for interval in report.timeline {
            #expect(interval.start >= end && interval.duration >= .zero, "\(interval)")
            end = interval.start + interval.duration
        }
        #expect(end == report.duration)
        let times = report.times
        func time(_ stage: LoadReport.Stage) -> Duration? { report.timeline.first { $0.stage == stage }?.duration }
        #expect(times.queue == time(.queue) && times.lookup == time(.lookup) && times.body == time(.body))
        #expect(times.decode == time(.decode) && times.process == time(.process) && times.memory == time(.memory))
        #expect(times.store == time(.store) && times.connect == time(.connect) && times.attempts == nil)
        // The first byte is counted from the request, the connection included.
        let (connect, answer) = (try #require(time(.connect)), try #require(time(.firstByte)))
        #expect(times.firstByte == connect + answer)
    }

    @Test("an open connection takes no time to connect, and both loads name it")
    func reusedConnection() async throws {
        let fixture = try Fixture()
        let first = try await fixture.pipeline.result(for: ImageRequest(url: fixture.serve("/a"))).report
        let second = try await fixture.pipeline.result(for: ImageRequest(url: fixture.serve("/b"))).report
        #expect(second.times.connect == nil && !stages(second).contains(.connect))
        #if os(Linux)
        #expect(first.times.connect != nil)
        #expect(second.exchange?.reusedConnection == true)
        #expect(first.exchange?.connectionID == second.exchange?.connectionID)
        #expect(first.exchange?.connectionID != nil && first.exchange?.networkProtocol == "http/1.1")
        #endif
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let layer: LoadReport.Layer
        let stages: [LoadReport.Stage]
        let explanation: String
        /// How long after the first load.
        var age: Duration = .zero
        var forgetsMemory = true
        var url: @Sendable (Fixture) -> URL = { $0.serve("/a", fields: LoadReportTests.lasting) }
    }

    static let rows = [
        Row(
            testDescription: "from memory", layer: .memory, stages: [.memory],
            explanation: "Its pixels were in memory.",
            forgetsMemory: false),
        Row(
            testDescription: "from the store", layer: .storage,
            stages: [.queue, .lookup, .store, .decodeQueue, .decode, .memory],
            explanation: "It was stored, and good without asking the server "
                + "(fresh: age 20 s of 600 s by max-age (RFC 9111, 5.2.2.1)).",
            age: .seconds(20)),
        Row(
            testDescription: "confirmed by the server", layer: .revalidation,
            stages: [.queue, .lookup, .firstByte, .store, .decodeQueue, .decode, .memory],
            explanation: "It was stored, and the server confirmed it "
                + "(stale: age 700 s of 600 s by max-age (RFC 9111, 5.2.2.1)).",
            age: .seconds(700)),
        Row(
            testDescription: "from a data URL", layer: .source,
            stages: [.queue, .body, .decodeQueue, .decode, .memory],
            explanation: "It was read from a file, a data URL, memory or the app's own closure.",
            url: { _ in
                let png = TestImages.solidPNG(width: 8, height: 8, color: .red).base64EncodedString()
                return URL(string: "data:image/png;base64,\(png)")!
            }),
    ]

    @Test("a second load says which layer served it, and by which rule with which numbers", arguments: rows)
    func layers(_ row: Row) async throws {
        let fixture = try Fixture()
        let url = row.url(fixture)
        if row.layer == .revalidation {
            let data = TestImages.solidPNG(width: 64, height: 48, color: .red)
            fixture.server.route("/a") { request in
                let isConditional = request.fields["If-None-Match"] != nil
                let response: LoopbackServer.Response =
                    isConditional ? .status(304) : .ok(data, type: "image/png")
                return response.field("Cache-Control", "max-age=600").field("ETag", "\"a\"")
            }
        }
        _ = try await fixture.pipeline.image(for: url)
        fixture.clock.advance(by: row.age)
        if row.forgetsMemory { fixture.memory.removeAll() }
        let report = try await fixture.pipeline.result(for: ImageRequest(url: url)).report
        #expect(report.layer == row.layer)
        #expect(report.explanation == row.explanation)
        // Which connection it is doesn't matter here.
        #expect(stages(report).filter { $0 != .connect } == row.stages)
    }

    @Test("a first load says that nothing was stored")
    func first() async throws {
        let fixture = try Fixture()
        let report = try await fixture.pipeline.result(for: ImageRequest(url: fixture.serve("/a"))).report
        #expect(report.explanation == "The server sent it (nothing stored).")
        #expect(report.waiterCount == 1 && report.priority == .normal && report.priorityChangeCount == 0)
    }

    @Test("what failed before and what was redirected is a stage of its own")
    func attempts() async throws {
        let fixture = try Fixture()
        let target = fixture.serve("/b")
        fixture.server.route("/a") { _ in .redirect(to: target.absoluteString) }
        let report = try await fixture.pipeline.result(for: ImageRequest(url: fixture.server.url("/a"))).report
        #expect(report.redirectCount == 1)
        #expect(try #require(report.times.attempts) > .zero)
        #expect(stages(report).contains(.attempts))
    }

    @Test("who joins, and who changes a priority, is counted; the one who joined began later than the work")
    func waiters() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .red)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png").gated(gate) }
        let request = ImageRequest(url: fixture.server.url("/a"), priority: .low)
        let first = fixture.pipeline.load(request)
        try await gate.waitUntilHeld()
        let second = fixture.pipeline.load(request)
        second.priority = .high
        first.priority = .normal
        second.priority = .veryHigh
        gate.open()
        let reports = try await [first.result.report, second.result.report]
        for report in reports {
            #expect(report.waiterCount == 2 && report.priority == .veryHigh && report.priorityChangeCount == 2)
        }
        // Stages that others had begun are before its own beginning.
        #expect(try #require(reports[1].timeline.first).start < .zero)
        #expect(try #require(reports[0].timeline.first).start >= .zero)
        #expect(reports[0].duration > reports[1].duration)
    }

    @Test("an image made of larger pixels in memory says so")
    func largerPixels() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 400, height: 300, fields: Self.lasting)
        _ = try await fixture.pipeline.image(for: url)
        let request = ImageRequest(url: url, size: .pixels(40, 30))
        let report = try await fixture.pipeline.result(for: request).report
        #expect(report.layer == .memory)
        #expect(report.explanation == "It was made from larger pixels in memory.")
        #expect(stages(report) == [.decodeQueue, .decode, .memory])
    }
}
