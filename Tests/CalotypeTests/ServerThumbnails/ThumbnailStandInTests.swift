import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Server-made thumbnails: a stored original stands in when the image server can't be reached or fails")
struct ThumbnailStandInTests {
    let origin: ThumbnailOrigin
    let network = ManualNetworkMonitor()
    let fixture: Fixture

    init() throws {
        let (origin, network) = (try ThumbnailOrigin(), network)
        self.origin = origin
        fixture = try Fixture {
            $0.serverThumbnails = origin.thumbnails()
            $0.retry = RetryPolicy(attemptLimit: 2, baseDelay: .zero)
            $0.network = network
        }
    }

    /// What the image server does.
    enum Trouble: String, Sendable {
        case dropped, unavailable

        var reason: ImageError.Reason { self == .dropped ? .connectionLost : .status(503) }
    }

    private func begin(_ trouble: Trouble) {
        origin.server.route(prefix: "/t/") { _ in trouble == .dropped ? .dropped() : .status(503) }
    }

    /// Stores an original, which is 100 seconds old from then on.
    private func store(_ control: String, at path: String = "/a") async throws -> ImageRequest {
        let url = fixture.serve(path, width: 800, height: 600, fields: ["Cache-Control": control])
        _ = try await fixture.pipeline.data(for: url)
        fixture.clock.advance(by: .seconds(100))
        return ImageRequest(url: url, size: .pixels(300, nil))
    }

    private var refusals: [ImageError.Reason] {
        fixture.events.all.compactMap { if case .refusedThumbnail(_, let error) = $0 { error.reason } else { nil } }
    }

    /// Not what the image server counts: a session may send once more by itself what was dropped.
    private var retryCount: Int {
        fixture.events.all.count { if case .retrying = $0 { true } else { false } }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let trouble: Trouble
        let control: String
        /// How the stored original may be used; `nil` if it may not.
        let reason: String?
        var policy = ImageRequest.CachePolicy.http

        var testDescription: String { "\(trouble.rawValue), \(control), \(policy): \(reason ?? "fails")" }

        static let all = [
            Row(trouble: .dropped, control: "max-age=600", reason: "fresh: "),
            Row(trouble: .dropped, control: "max-age=60", reason: "stale: "),
            Row(trouble: .dropped, control: "max-age=60, must-revalidate", reason: nil),
            Row(trouble: .dropped, control: "no-cache", reason: nil),
            Row(trouble: .dropped, control: "max-age=60, stale-if-error=100", reason: "stale: "),
            Row(trouble: .dropped, control: "max-age=60, stale-if-error=10", reason: nil),
            Row(trouble: .unavailable, control: "max-age=600", reason: "fresh: "),
            Row(trouble: .unavailable, control: "max-age=60", reason: nil),
            Row(trouble: .unavailable, control: "max-age=60, stale-if-error=100", reason: "stale: "),
            Row(trouble: .dropped, control: "max-age=60", reason: "", policy: .storedElseLoad),
            Row(trouble: .dropped, control: "max-age=60", reason: "", policy: .immutable),
            Row(trouble: .dropped, control: "max-age=600", reason: nil, policy: .revalidate),
            Row(trouble: .dropped, control: "max-age=600", reason: nil, policy: .reload),
            Row(trouble: .dropped, control: "max-age=600", reason: nil, policy: .noStore),
        ]
    }

    @Test("it does so at once where its policy and HTTP allow it, and its own server isn't asked", arguments: Row.all)
    func rules(_ row: Row) async throws {
        var request = try await store(row.control)
        request.cachePolicy = row.policy
        begin(row.trouble)
        if let reason = row.reason {
            let result = try await fixture.pipeline.result(for: request)
            #expect(result.image.bitmap.pixel(0, 0) == .red)
            #expect(result.image.pixelSize == PixelSize(width: 300, height: 225))
            #expect(result.image.originalPixelSize == PixelSize(width: 800, height: 600))
            #expect(result.layer == .storage)
            #expect(result.report.alternative == nil)
            let told = try #require(result.report.cacheReason).description
            #expect(told.hasPrefix(reason), "\(told)")
            #expect(refusals == [row.trouble.reason])
            #expect(retryCount == 0)
        } else {
            #expect(await failure { try await fixture.pipeline.image(for: request) } == row.trouble.reason)
            #expect(refusals == [])
            #expect(retryCount == 1)
        }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.server.requestCount == 1)
        #expect(fixture.pipeline.isIdle)
    }

    @Test("that is no refusal: once the server is back, it is asked")
    func recovery() async throws {
        let request = try await store("max-age=60")
        begin(.dropped)
        _ = try await fixture.pipeline.image(for: request)
        fixture.memory.removeAll()
        let blue = TestImages.solidPNG(width: 304, height: 228, color: .blue)
        origin.server.route(prefix: "/t/") { _ in .ok(blue, type: "image/png") }
        let result = try await fixture.pipeline.result(for: request)
        #expect(result.image.bitmap.pixel(0, 0) == .blue)
        #expect(result.report.alternative == .serverThumbnail)
    }

    @Test("one that may be shown while it is validated is shown, and the thumbnail is asked for again")
    func revalidation() async throws {
        let request = try await store("max-age=60, stale-while-revalidate=600")
        begin(.dropped)
        let load = fixture.pipeline.load(request)
        #expect(try await load.result.layer == .storage)
        await fixture.pipeline.waitUntilIdle()
        // The picture that there was is the answer still.
        #expect(try await load.result.image.bitmap.pixel(0, 0) == .red)
        #expect(retryCount == 1)
        #expect(fixture.server.requestCount == 1)
    }

    @Test("loads that share a thumbnail share the original, each in its own size")
    func sharing() async throws {
        let request = try await store("max-age=600")
        let gate = LoopbackServer.Gate()
        origin.server.route(prefix: "/t/") { _ in .status(503).gated(gate) }
        let loads = [300, 310, 320].map { width in
            var request = request
            request.size = .pixels(width, nil)
            return fixture.pipeline.load(request)
        }
        try await gate.waitUntilHeld()
        gate.open()
        var widths: [Int] = []
        for load in loads { widths.append(try await load.result.image.pixelSize.width) }
        #expect(widths == [300, 310, 320])
        #expect(origin.server.requestCount == 1)
        #expect(fixture.server.requestCount == 1)
    }

    @Test("another partition's isn't used")
    func partitions() async throws {
        var request = try await store("max-age=600")
        request.partition = "first-account"
        begin(.dropped)
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .connectionLost)
    }

    @Test("where data is to be saved, what is stored comes before the URL for that", arguments: [true, false])
    func lowData(_ isStored: Bool) async throws {
        var request = try await store("max-age=\(isStored ? 600 : 0), must-revalidate")
        request.lowDataURL = fixture.serve("/low", color: .green)
        var status = network.status
        status.isConstrained = true
        network.status = status
        let result = try await fixture.pipeline.result(for: request)
        #expect(result.report.alternative == (isStored ? nil : LoadReport.Alternative.lowData))
        #expect(result.image.bitmap.pixel(0, 0) == (isStored ? .red : .green))
        #expect(fixture.server.requests.map(\.path) == (isStored ? ["/a"] : ["/a", "/low"]))
        #expect(origin.server.requests.isEmpty)
    }

    @Test("it comes before the URLs to fall back to; those come after the thumbnail where it may not be used")
    func fallbacks() async throws {
        begin(.dropped)
        let fallback = fixture.serve("/b", color: .green)
        var request = try await store("max-age=600")
        request.fallbackURLs = [fallback]
        #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .red)
        var other = try await store("no-cache", at: "/c")
        other.fallbackURLs = [fallback]
        #expect(try await fixture.pipeline.result(for: other).report.alternative == .fallback(0))
        // If those fail as well, callers see what was wrong first.
        other.fallbackURLs = [fixture.server.url("/gone")]
        #expect(await failure { try await fixture.pipeline.image(for: other) } == .connectionLost)
        #expect(fixture.server.requests.map(\.path) == ["/a", "/c", "/b", "/gone"])
    }

    @Test("one that is damaged goes, and isn't loaded anew: callers see why there is no thumbnail")
    func damage() async throws {
        let url = fixture.server.url("/a")
        let half = TestImages.solidPNG(width: 800, height: 600, color: .red).prefix(120)
        fixture.server.route("/a") { _ in .ok(half, type: "image/png", fields: ["Cache-Control": "max-age=600"]) }
        _ = try await fixture.pipeline.data(for: url)
        begin(.dropped)
        let request = ImageRequest(url: url, size: .pixels(300, nil))
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .connectionLost)
        #expect(fixture.server.requestCount == 1)
        #expect(try await fixture.store.usage().responseCount == 0)
    }
}
