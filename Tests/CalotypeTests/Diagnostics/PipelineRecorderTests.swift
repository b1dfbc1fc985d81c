import Calotype
import CalotypeTesting
import Foundation
import Testing

@Suite("The flight recorder: the last loads, within limits")
struct PipelineRecorderTests {
    private static let png = TestImages.solidPNG(width: 8, height: 8, color: .red)

    @Test("every load that has ended is kept, with what its report says")
    func reports() async throws {
        let run = try RecordedRun()
        try await run.run()
        let recorded = try run.recorder.recorded()
        let reports = run.reports
        #expect(recorded.loads.count == reports.count + 2)
        #expect(recorded.loads.map(\.start) == recorded.loads.map(\.start).sorted())
        for report in reports {
            let load = try #require(recorded.loads.first { $0.number == report.number && $0.report != nil })
            #expect(load.outcome == report.layer.rawValue && load.reason == report.explanation)
            #expect(load.duration == report.duration.microseconds)
            let numbers = try #require(load.report)
            #expect(numbers.pixels == [report.pixelSize.width, report.pixelSize.height])
            #expect(numbers.originalPixels == [report.originalPixelSize.width, report.originalPixelSize.height])
            #expect(numbers.fileBytes == report.bodyByteCount && numbers.receivedBytes == report.receivedByteCount)
            #expect(numbers.waiters == report.waiterCount && numbers.priority == "\(report.priority)")
            #expect(numbers.priorityChanges == report.priorityChangeCount && numbers.retries == report.retryCount)
            let stages = report.timeline.map { interval in
                [
                    Int64(LoadReport.Stage.allCases.firstIndex(of: interval.stage)!), interval.start.microseconds,
                    interval.duration.microseconds,
                ]
            }
            #expect(load.stages == stages)
        }
        let ended = recorded.loads.filter { $0.report == nil }
        #expect(Set(ended.map(\.outcome)) == ["failed", "cancelled"])
        let failed = try #require(ended.first { $0.outcome == "failed" })
        #expect(failed.reason.hasSuffix("the server answered with status 404."))
        #expect(recorded.remarks.count == 1)
        #expect(recorded.remarks[0].text.hasPrefix("Attempt 2 follows in "))
        #expect(recorded.remarks[0].load == reports.last?.number)
    }

    @Test("a download that loads shared is in one lane, and is one load's; so is a decode")
    func sharing() async throws {
        let run = try RecordedRun()
        try await run.run()
        let shared = try run.recorder.recorded().loads.filter { $0.report?.originalPixels == [300, 200] }
        #expect(shared.count == 3)
        #expect(Set(shared.map(\.connection)).count == 1 && shared[0].connection != nil)
        #expect(shared.filter { $0.sharesDownload == true }.count == 2)
        #expect(shared.filter { $0.sharesDecode == true }.count == 1)
        #expect(Set(shared.compactMap(\.report?.priorityChanges)) == [0, 1])
    }

    @Test("downloads that overlap have lanes of their own, and the lanes of one host are numbered")
    func lanes() async throws {
        let recorder = PipelineRecorder()
        let fixture = try Fixture { $0.recorder = recorder }
        let gate = LoopbackServer.Gate()
        fixture.server.fallback { _ in .ok(Self.png, type: "image/png").gated(gate) }
        let loads = (0..<3).map { fixture.pipeline.load(ImageRequest(url: fixture.server.url("/\($0)"))) }
        try await gate.waitUntilHeld(count: 3)
        gate.open()
        for load in loads { _ = try await load.result }
        let recorded = try recorder.recorded()
        let origin = String(fixture.server.url("/").absoluteString.dropLast())
        #expect(recorded.connections == (1...3).map { "\(origin) · \($0)" })
        #expect(Set(recorded.loads.map(\.connection)) == [0, 1, 2])
        // One after another they go over one of them.
        for index in 3..<5 { _ = try await fixture.pipeline.image(for: fixture.server.url("/\(index)")) }
        #expect(try recorder.recorded().connections.count == 3)
    }

    @Test("of more loads than the limit the newest stay, and the page says how many had to go")
    func countLimit() async throws {
        let recorder = PipelineRecorder(countLimit: 10)
        let fixture = try Fixture { $0.recorder = recorder }
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=600"])
        var numbers: [UInt64] = []
        for _ in 0..<25 { numbers.append(try await fixture.pipeline.result(for: ImageRequest(url: url)).report.number) }
        #expect(recorder.count == 10)
        let recorded = try recorder.recorded()
        #expect(recorded.loads.map(\.number) == Array(numbers.suffix(10)))
        #expect(recorded.dropped == 15)
        recorder.removeAll()
        #expect(recorder.count == 0 && recorder.byteCount == 0)
        #expect(try recorder.recorded().dropped == 0)
    }

    @Test("the limit of bytes holds after every load, however long URLs are; a data URL's bytes aren't kept")
    func byteCountLimit() async throws {
        let recorder = PipelineRecorder(countLimit: 1_000, byteCountLimit: 20_000)
        let fixture = try Fixture { $0.recorder = recorder }
        fixture.server.fallback { _ in .ok(Self.png, type: "image/png") }
        for index in 0..<40 {
            let path = "/" + String(repeating: "x", count: 90 * index)
            _ = try await fixture.pipeline.image(for: fixture.server.url(path))
            #expect(recorder.byteCount <= 20_000 && recorder.count > 0)
        }
        #expect(recorder.count < 15)
        recorder.removeAll()
        let noise = TestImages.png(width: 300, height: 300) { x, y in PixelColor(UInt8(x & 255), UInt8(y & 255), 7) }
        let url = try #require(URL(string: "data:image/png;base64,\(noise.base64EncodedString())"))
        _ = try await fixture.pipeline.image(for: url)
        #expect(recorder.count == 1 && recorder.byteCount < 1_000)
        #expect(try recorder.recorded(showsURLs: true).loads.map(\.source) == ["data"])
    }

    @Test("the limit of bytes holds for what failures say as well")
    func failureByteCount() async throws {
        let recorder = PipelineRecorder(byteCountLimit: 100_000)
        let fixture = try Fixture { $0.recorder = recorder }
        // A message names the scheme, which anybody may make as long as they like.
        let scheme = String(repeating: "x", count: 20_000)
        let url = try #require(URL(string: "\(scheme)://a"))
        for _ in 0..<20 {
            _ = await failure { try await fixture.pipeline.image(for: url) }
            #expect(recorder.byteCount <= 100_000)
        }
        #expect(recorder.page().count - PipelineRecorder().page().count < 120_000)
    }

    @Test("what has no host is named by its scheme, however long it is, and a URL without a scheme shows nothing")
    func namesWithoutHost() async throws {
        let recorder = PipelineRecorder()
        let fixture = try Fixture { $0.recorder = recorder }
        let png = Self.png.base64EncodedString()
        let long = String(repeating: "secret/", count: 2_000)
        let texts = [
            "data:image/png;base64,\(png)", "file:///secret.png", "file:///\(long)", "other:secret", "secret/a",
            "http://[::1]:9/secret",
        ]
        for text in texts {
            _ = try? await fixture.pipeline.image(for: try #require(URL(string: text)))
        }
        let names = try recorder.recorded().loads.map(\.source)
        #expect(names == ["data", "file", "file", "other", "relative", "http://[::1]:9"])
        for output in [recorder.page(), recorder.trace()] {
            #expect(!String(decoding: output, as: UTF8.self).contains("secret"))
        }
        let shown = try recorder.recorded(showsURLs: true).loads.map(\.source)
        #expect(shown == [["data"], ["file:///secret.png", "file"], texts[3...]].flatMap { $0 })
    }

    @Test("nothing is held of what a load was for but its URL")
    func holdsNothing() async throws {
        final class Token: Sendable {}
        let recorder = PipelineRecorder()
        let fixture = try Fixture { $0.recorder = recorder }
        weak var token: Token?
        do {
            let held = Token()
            token = held
            let request = ImageRequest(id: "closure") {
                withExtendedLifetime(held) { Self.png }
            }
            _ = try await fixture.pipeline.image(for: request)
            fixture.memory.removeAll()
            await fixture.pipeline.waitUntilIdle()
        }
        #expect(recorder.count == 1)
        fixture.events.removeAll()
        try await waitUntil { token == nil }
    }

    @Test("many threads record at once, and nothing is lost")
    func threads() async throws {
        let recorder = PipelineRecorder(countLimit: 500)
        let fixture = try Fixture {
            $0.recorder = recorder
            $0.onEvent = nil
        }
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=600"])
        _ = try await fixture.pipeline.image(for: url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<100 { _ = try await fixture.pipeline.image(for: url) } }
            }
            for _ in 0..<20 { _ = recorder.page() }
            try await group.waitForAll()
        }
        #expect(recorder.count == 500)
        #expect(try recorder.recorded().dropped == 301)
    }
}

extension Duration {
    /// Rounded down.
    var microseconds: Int64 { Int64((self / .microseconds(1)).rounded(.down)) }
}
