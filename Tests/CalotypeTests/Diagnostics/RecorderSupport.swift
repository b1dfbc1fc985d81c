import Calotype
import CalotypeTesting
import Foundation
import Testing

/// What a page or a trace of a recorder says, read back.
struct RecordedPage {
    let html: String
    /// The data as it stands in the page.
    let json: String
    let data: RecordedData

    init(_ page: Data) throws {
        html = String(decoding: page, as: UTF8.self)
        let mark = #"<script type="application/json" id="recording">"#
        let start = try #require(html.range(of: mark)).upperBound
        let end = try #require(html[start...].range(of: "</script>")).lowerBound
        json = String(html[start..<end])
        data = try JSONDecoder().decode(RecordedData.self, from: Data(json.utf8))
    }
}

/// The parts of a page's data that tests look at.
struct RecordedData: Decodable {
    struct Load: Decodable {
        var number: UInt64
        var source: String
        var outcome: String
        var start: Int64
        var duration: Int64
        var reason: String
        var report: Report?
        var stages: [[Int64]]
        var connection: Int?
        var decoder: Int?
        var sharesDownload: Bool?
        var sharesDecode: Bool?
    }

    struct Report: Decodable {
        var originalPixels: [Int]
        var pixels: [Int]
        var format: String?
        var fileBytes: Int64
        var receivedBytes: Int64
        var waiters: Int
        var priority: String
        var priorityChanges: Int
        var retries: Int
        var redirects: Int
        var `protocol`: String?
        var reusedConnection: Bool?
    }

    struct Remark: Decodable {
        var load: UInt64?
        var text: String
    }

    var title: String
    var showsURLs: Bool
    var dropped: Int
    var stageNames: [String]
    var layerNames: [String]
    var loads: [Load]
    var remarks: [Remark]
    var connections: [String]
    var decoders: [String]
}

extension PipelineRecorder {
    /// What it has recorded, as its page says.
    func recorded(showsURLs: Bool = false) throws -> RecordedData {
        try RecordedPage(page(showsURLs: showsURLs)).data
    }
}

/// A day in the life of a pipeline: every layer, shared work, a failure, a cancellation and a retry.
struct RecordedRun {
    let fixture: Fixture
    let recorder = PipelineRecorder()

    init() throws {
        let recorder = recorder
        fixture = try Fixture {
            $0.recorder = recorder
            $0.retry = RetryPolicy(attemptLimit: 2)
        }
        let data = TestImages.gradientPNG(width: 120, height: 90)
        fixture.server.route("/confirmed") { request in
            let response: LoopbackServer.Response =
                request.fields["If-None-Match"] == nil ? .ok(data, type: "image/png") : .status(304)
            return response.field("ETag", "\"1\"").field("Cache-Control", "max-age=60")
        }
    }

    func run() async throws {
        let (pipeline, server) = (fixture.pipeline, fixture.server)
        let lasting: HTTPFields = ["Cache-Control": "max-age=600"]
        let urls = (0..<4).map { fixture.serve("/pictures/\($0)", width: 200, height: 150, fields: lasting) }
        for url in urls { _ = try await pipeline.image(for: url) }
        for url in urls + urls { _ = try await pipeline.image(for: url) }
        _ = try await pipeline.image(for: server.url("/confirmed"))
        // Two loads of one picture, and one in another size, share a download.
        let gate = LoopbackServer.Gate()
        let data = TestImages.gradientPNG(width: 300, height: 200)
        server.route("/shared") { _ in .ok(data, type: "image/png").gated(gate) }
        let sharing = [ImageRequest.Size.original, .original, .pixels(30, 20)].map {
            pipeline.load(ImageRequest(url: server.url("/shared"), size: $0))
        }
        try await gate.waitUntilHeld()
        sharing[1].priority = .high
        gate.open()
        for load in sharing { _ = try await load.result }
        fixture.clock.advance(by: .seconds(120))
        fixture.memory.removeAll()
        for url in urls.prefix(2) { _ = try await pipeline.image(for: url) }
        _ = try await pipeline.image(for: server.url("/confirmed"))
        let png = TestImages.solidPNG(width: 8, height: 8, color: .red)
        _ = try await pipeline.image(for: ImageRequest(data: png))
        _ = await failure { try await pipeline.image(for: server.url("/missing")) }
        // An attempt that fails, and one that doesn't.
        server.respond(to: "/flaky", with: .status(503), .ok(png, type: "image/png"))
        async let flaky = pipeline.image(for: server.url("/flaky"))
        try await fixture.clock.waitForSleepers(count: 1)
        fixture.clock.advance(by: .seconds(60))
        _ = try await flaky
        server.route("/slow") { _ in .ok(png, type: "image/png").gated(LoopbackServer.Gate()) }
        let cancelled = pipeline.load(ImageRequest(url: server.url("/slow")))
        cancelled.cancel()
        await pipeline.waitUntilIdle()
    }

    /// The reports that the pipeline's events brought, which go another way than the recorder's.
    var reports: [LoadReport] {
        fixture.events.all.compactMap { if case .loaded(let report) = $0 { report } else { nil } }
    }
}
