import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Alternatives: a picture that can't be had from one URL comes from another one of its request")
struct AlternativeTests {
    static let blue = TestImages.solidPNG(width: 40, height: 40, color: .blue)
    static let red = TestImages.solidPNG(width: 80, height: 80, color: .red)

    struct Row: Sendable, CustomTestStringConvertible {
        let title: String
        let response: LoopbackServer.Response
        let reason: ImageError.Reason
        /// What a caller of `data(for:)` gets, who has nothing decoded.
        var data = AlternativeTests.blue

        var testDescription: String { title }

        static let all: [Row] = [
            Row(title: "404", response: .status(404), reason: .status(404)),
            Row(
                title: "a page with status 200", response: .ok(Data("<p>Sign in".utf8), type: "text/html"),
                reason: .contentType("text/html")),
            Row(
                title: "a damaged image", response: .ok(AlternativeTests.red.prefix(120), type: "image/png"),
                reason: .incomplete(.png), data: AlternativeTests.red.prefix(120)),
            Row(title: "a dropped connection", response: .dropped(), reason: .connectionLost),
        ]
    }

    /// A server with one picture at /blue, fresh for a minute.
    private func fixture(_ change: (inout ImagePipeline.Configuration) -> Void = { _ in }) throws -> Fixture {
        let fixture = try Fixture(change)
        fixture.server.route("/blue") { _ in
            .ok(Self.blue, type: "image/png", fields: ["Cache-Control": "max-age=60"])
        }
        fixture.server.route("/red") { _ in
            .ok(Self.red, type: "image/png", fields: ["Cache-Control": "max-age=60"])
        }
        return fixture
    }

    private func request(_ fixture: Fixture, _ path: String, fallbacks: String...) -> ImageRequest {
        var request = ImageRequest(url: fixture.server.url(path))
        request.fallbackURLs = fallbacks.map(fixture.server.url)
        return request
    }

    // MARK: Fallbacks

    @Test("the next URL is loaded, and the report and an event say so", arguments: Row.all)
    func fallback(_ row: Row) async throws {
        let fixture = try fixture()
        fixture.server.route("/a") { _ in row.response }
        let request = request(fixture, "/a", fallbacks: "/missing", "/blue")
        let result = try await fixture.pipeline.result(for: request)
        #expect(result.image.bitmap.pixel(0, 0) == .blue)
        #expect(result.report.alternative == .fallback(1))
        let resorts = fixture.events.all.compactMap { event in
            if case .resorted(_, let next, let error) = event { (next, error.reason) } else { nil }
        }
        #expect(resorts.map(\.0) == [.fallback(0), .fallback(1)])
        #expect(resorts.map(\.1) == [row.reason, .status(404)])
        #expect(!fixture.events.all.contains { if case .failed = $0 { true } else { false } })
        // It is stored under its own URL alone.
        #expect(try await fixture.store.usage().responseCount == 1)
        #expect(try await fixture.store.responses(for: FetchKey(url: fixture.server.url("/blue"))).count == 1)
        #expect(try await fixture.pipeline.data(for: request) == row.data)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
    }

    @Test("a refused connection falls back as well")
    func refused() async throws {
        let fixture = try fixture()
        let port = try RefusingPort()
        defer { port.release() }
        var request = ImageRequest(url: port.url("/a"))
        request.fallbackURLs = [fixture.server.url("/blue")]
        #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .blue)
        #expect(try await fixture.pipeline.data(for: request) == Self.blue)
    }

    @Test("if all fail, callers see how the request's own URL failed")
    func allFail() async throws {
        let fixture = try fixture()
        fixture.server.route("/a") { _ in .status(403) }
        fixture.server.route("/b") { _ in .status(500) }
        let request = request(fixture, "/a", fallbacks: "/b", "/missing")
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .status(403))
        #expect(await failure { try await fixture.pipeline.data(for: request) } == .status(403))
        #expect(fixture.server.requestCount == 6)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
    }

    @Test("a miss that may not use the network, and a step of the app's own, are no reason to fall back")
    func noReason() async throws {
        struct Broken: Error {}
        let fixture = try fixture()
        var stored = request(fixture, "/a", fallbacks: "/blue")
        stored.cachePolicy = .storedOnly
        #expect(await failure { try await fixture.pipeline.image(for: stored) } == .notStored)
        var processed = request(fixture, "/red", fallbacks: "/blue")
        processed.processors = [.custom(identifier: "broken") { _ in throw Broken() }]
        #expect(
            await failure { try await fixture.pipeline.image(for: processed) }
                == .processorFailed(identifier: "broken"))
        #expect(fixture.server.requests.map(\.path) == ["/red"])
    }

    @Test("a fallback shares its download with whoever wants that URL itself, and its retries with everybody")
    func sharing() async throws {
        let fixture = try fixture()
        let gate = LoopbackServer.Gate()
        fixture.server.route("/blue") { _ in .ok(Self.blue, type: "image/png").gated(gate) }
        let requests = [
            request(fixture, "/missing", fallbacks: "/blue"), request(fixture, "/missing", fallbacks: "/blue"),
            request(fixture, "/gone", fallbacks: "/blue"), request(fixture, "/blue"),
        ]
        let loads = requests.map(fixture.pipeline.load)
        try await gate.waitUntilHeld()
        try await fixture.server.nextRequest(to: "/missing")
        try await fixture.server.nextRequest(to: "/gone")
        gate.open()
        for load in loads { #expect(try await load.result.image.bitmap.pixel(0, 0) == .blue) }
        #expect(fixture.server.requests(to: "/missing").count == 1)
        #expect(fixture.server.requests(to: "/gone").count == 1)
    }

    @Test("requests that fall back to different URLs share the download that fails, and no more")
    func differentFallbacks() async throws {
        let fixture = try fixture()
        let gate = LoopbackServer.Gate()
        fixture.server.route("/a") { _ in .status(404).gated(gate) }
        let first = fixture.pipeline.load(request(fixture, "/a", fallbacks: "/blue"))
        let second = fixture.pipeline.load(request(fixture, "/a", fallbacks: "/red"))
        try await gate.waitUntilHeld()
        gate.open()
        #expect(try await first.result.image.bitmap.pixel(0, 0) == .blue)
        #expect(try await second.result.image.bitmap.pixel(0, 0) == .red)
        #expect(fixture.server.requests(to: "/a").count == 1)
    }

    @Test("the pixels of a fallback answer later requests only if they are as many as those ask for")
    func memory() async throws {
        let fixture = try fixture()
        fixture.server.respond(to: "/a", with: .status(503), .ok(Self.red, type: "image/png"))
        var small = request(fixture, "/a", fallbacks: "/blue")
        small.size = .pixels(20, 20)
        _ = try await fixture.pipeline.image(for: small)
        #expect(fixture.pipeline.cachedImage(for: small)?.bitmap.pixel(0, 0) == .blue)
        // In its own size it may have more: its own URL is tried again.
        let whole = request(fixture, "/a", fallbacks: "/blue")
        #expect(fixture.pipeline.cachedImage(for: whole) == nil)
        #expect(try await fixture.pipeline.image(for: whole).bitmap.pixel(0, 0) == .red)
    }

    @Test("a stale picture that can't be validated stays: no fallback takes its place")
    func revalidation() async throws {
        let fixture = try fixture()
        fixture.server.respond(to: "/a", with: .ok(Self.red, type: "image/png"), .status(503))
        let request = request(fixture, "/a", fallbacks: "/blue")
        _ = try await fixture.pipeline.image(for: request)
        let load = fixture.pipeline.load(request)
        #expect(try await load.result.image.bitmap.pixel(0, 0) == .red)
        await fixture.events.wait { if case .failed = $0 { true } else { false } }
        #expect(fixture.server.requests.map(\.path) == ["/a", "/a"])
        #expect(fixture.pipeline.cachedImage(for: request)?.bitmap.pixel(0, 0) == .red)
    }

    @Test("credentials and fields of the request don't go to its other URLs, and its partition does")
    func credentials() async throws {
        let fixture = try fixture()
        var message = URLRequest(url: fixture.server.url("/missing"))
        message.setValue("Bearer x", forHTTPHeaderField: "Authorization")
        var request = ImageRequest(urlRequest: message)
        request.fallbackURLs = [fixture.server.url("/blue")]
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.server.requests.map { $0.fields["Authorization"] } == ["Bearer x", nil])
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: fixture.server.url("/missing"))) == nil)
        #expect(try await fixture.store.responses(for: FetchKey(url: fixture.server.url("/blue"))).isEmpty)
    }

    @Test(
        "the configuration's credentials go to other URLs of the same origin alone",
        arguments: ["fallback", "low data", "fallback of bytes in memory"])
    func configuredCredentials(_ kind: String) async throws {
        let network = ManualNetworkMonitor(NetworkStatus(isConstrained: kind == "low data"))
        let fixture = try fixture {
            $0.network = network
            $0.fields = ["Accept": "image/*", "Authorization": "Bearer x", "X-Api-Key": "k"]
        }
        let other = try LoopbackServer()
        other.route("/blue") { _ in .ok(Self.blue, type: "image/png") }
        for (server, isOwn) in [(other, false), (fixture.server, true)] {
            var request =
                kind == "fallback of bytes in memory"
                ? ImageRequest(data: Data("no image".utf8)) : ImageRequest(url: fixture.server.url("/missing"))
            if kind == "low data" {
                request.lowDataURL = server.url("/blue")
            } else {
                request.fallbackURLs = [server.url("/blue")]
            }
            for _ in 0..<2 {
                #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .blue)
                #expect(try await fixture.pipeline.data(for: request) == Self.blue)
                fixture.memory.removeAll()
            }
            let isFirstOrigin = isOwn && kind != "fallback of bytes in memory"
            let seen = try #require(server.requests(to: "/blue").last)
            #expect(seen.fields["Accept"] == "image/*")
            #expect(seen.fields["Authorization"] == (isFirstOrigin ? "Bearer x" : nil))
            #expect(seen.fields["X-Api-Key"] == (isFirstOrigin ? "k" : nil))
        }
    }

    @Test("a request without the configuration's credentials shares no download with one that has them")
    func credentialsAndSharing() async throws {
        let fixture = try fixture { $0.fields["Authorization"] = "Bearer x" }
        let other = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        other.route("/blue") { _ in .ok(Self.blue, type: "image/png").gated(gate) }
        var request = ImageRequest(url: fixture.server.url("/missing"))
        request.fallbackURLs = [other.url("/blue")]
        let loads = [request, ImageRequest(url: other.url("/blue"))].map(fixture.pipeline.load)
        try await gate.waitUntilHeld(count: 2)
        gate.open()
        for load in loads { #expect(try await load.result.image.bitmap.pixel(0, 0) == .blue) }
        #expect(Set(other.requests.map { $0.fields["Authorization"] }) == [nil, "Bearer x"])
    }

    @Test("a load that is cancelled while it uses a fallback is cancelled, and not failed")
    func cancelled() async throws {
        let fixture = try fixture()
        fixture.server.respond(to: "/slow", with: .hanging)
        let request = request(fixture, "/missing", fallbacks: "/slow", "/blue")
        let task = Task { try await fixture.pipeline.data(for: request) }
        let load = fixture.pipeline.load(request)
        try await fixture.server.nextRequest(to: "/slow")
        task.cancel()
        load.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await #expect(throws: CancellationError.self) { try await load.result }
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
        #expect(fixture.server.requests(to: "/blue").isEmpty)
    }

    @Test("damaged bytes that were stored for another URL are fetched from there once more")
    func damagedFallback() async throws {
        let fixture = try fixture()
        let url = fixture.server.url("/blue")
        let head = HTTPCache.StoredHead(
            status: 200, fields: ["Cache-Control": "max-age=600"], requestTime: fixture.clock.now(),
            responseTime: fixture.clock.now(), requestFields: [:])
        let writer = try await fixture.store.writer(
            for: FetchKey(url: url), resource: ResourceID(url: url), metadata: head.encoded(), replacing: nil,
            since: fixture.store.epoch())
        try await writer.append(Self.blue.prefix(120))
        _ = try await writer.commit()
        let result = try await fixture.pipeline.result(for: request(fixture, "/missing", fallbacks: "/blue"))
        #expect(result.image.bitmap.pixel(0, 0) == .blue)
        #expect(fixture.server.requests.map(\.path) == ["/missing", "/blue"])
    }

    // MARK: Low data, restricted networks

    @Test("on a constrained network the URL for that is used, unless the caches have the request's own")
    func lowData() async throws {
        let network = ManualNetworkMonitor(NetworkStatus(isConstrained: true))
        let fixture = try fixture { $0.network = network }
        var request = ImageRequest(url: fixture.server.url("/red"))
        request.lowDataURL = fixture.server.url("/blue")
        let low = try await fixture.pipeline.result(for: request)
        #expect(low.image.bitmap.pixel(0, 0) == .blue)
        #expect(low.report.alternative == .lowData)
        #expect(fixture.server.requests.map(\.path) == ["/blue"])
        #expect(try await fixture.pipeline.data(for: request) == Self.blue)

        network.status.isConstrained = false
        let full = try await fixture.pipeline.result(for: request)
        #expect(full.image.bitmap.pixel(0, 0) == .red)
        #expect(full.report.alternative == nil)

        network.status.isConstrained = true
        fixture.memory.removeAll()
        #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .red)
        #expect(fixture.server.requests.map(\.path) == ["/blue", "/red"])
    }

    @Test("if the URL for constrained networks fails too, its failure is the callers', and fallbacks come after it")
    func lowDataFails() async throws {
        let fixture = try fixture { $0.network = ManualNetworkMonitor(NetworkStatus(isConstrained: true)) }
        var request = ImageRequest(url: fixture.server.url("/red"))
        request.lowDataURL = fixture.server.url("/missing")
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .status(404))
        request.fallbackURLs = [fixture.server.url("/blue")]
        #expect(try await fixture.pipeline.result(for: request).report.alternative == .fallback(0))
    }

    @Test("a request that spares a constrained network shares no download with one that doesn't")
    func lowDataSharing() async throws {
        let fixture = try fixture { $0.network = ManualNetworkMonitor(NetworkStatus(isConstrained: true)) }
        var sparing = ImageRequest(url: fixture.server.url("/red"))
        sparing.lowDataURL = fixture.server.url("/blue")
        let loads = [sparing, ImageRequest(url: fixture.server.url("/red"))].map(fixture.pipeline.load)
        #expect(try await loads[0].result.image.bitmap.pixel(0, 0) == .blue)
        #expect(try await loads[1].result.image.bitmap.pixel(0, 0) == .red)
    }

    @Test(
        "a configuration that keeps off such a network fails what needs it, and the caches still answer",
        arguments: [NetworkStatus(isConstrained: true), NetworkStatus(isExpensive: true)])
    func restricted(_ status: NetworkStatus) async throws {
        let network = ManualNetworkMonitor()
        let fixture = try fixture {
            $0.network = network
            $0.allowsConstrainedNetwork = false
            $0.allowsExpensiveNetwork = false
            $0.retry = RetryPolicy(attemptLimit: 3, baseDelay: .zero)
        }
        let url = fixture.server.url("/red")
        _ = try await fixture.pipeline.image(for: url)
        network.status = status
        fixture.memory.removeAll()
        #expect(try await fixture.pipeline.image(for: url).bitmap.pixel(0, 0) == .red)
        #expect(
            await failure { try await fixture.pipeline.image(for: fixture.server.url("/blue")) } == .networkRestricted)
        #expect(fixture.server.requests.map(\.path) == ["/red"])
        #expect(fixture.clock.requestedSleeps.isEmpty)
    }
}
