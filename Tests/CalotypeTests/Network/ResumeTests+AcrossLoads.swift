import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

extension ResumeTests {
    /// Cancels a load once half the file has come, and waits until nothing of it runs.
    private func cancelHalfway(_ fixture: Fixture, _ request: ImageRequest, bytes: Int = half) async throws {
        let load = fixture.pipeline.load(request)
        for await case .progress(let progress) in load.updates where progress.receivedByteCount >= Int64(bytes) {
            // Nothing of an unfinished body is ever seen in the store.
            #expect(try await fixture.store.usage().responseCount == 0)
            break
        }
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.result }
        await fixture.pipeline.waitUntilIdle()
    }

    private func serveHeld(_ fixture: Fixture, _ resource: Resource, bytes: Int = half) {
        fixture.server.route("/a") { request in
            let response = resource.response(to: request)
            return request.number == 1 ? response.gated(LoopbackServer.Gate(), afterBodyBytes: bytes) : response
        }
    }

    @Test("the load after a cancelled one goes on with what that had received")
    func acrossLoads() async throws {
        let fixture = try fixture(attempts: 1)
        serveHeld(fixture, resource())
        let request = ImageRequest(url: fixture.server.url("/a"))
        try await cancelHalfway(fixture, request)
        let result = try await fixture.pipeline.result(for: request)
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-"])
        #expect(result.report.receivedByteCount == Int64(Self.file.count - Self.half))
        #expect(result.report.retryCount == 0)
        #expect(await stored(fixture) == Self.file)
    }

    @Test("the load after a failed one goes on as well; if the server's part is wrong, it is as if there were nothing")
    func acrossFailures() async throws {
        let fixture = try fixture(attempts: 1)
        let resource = resource()
        fixture.server.route("/a") { request in
            switch request.number {
            case 1: resource.response(to: request).truncated(afterBodyBytes: Self.half)
            case 2: .status(206, body: Self.file.suffix(from: Self.half))
            default: resource.response(to: request)
            }
        }
        let url = fixture.server.url("/a")
        guard case .truncated? = await failure({ try await fixture.pipeline.image(for: url) }) else {
            Issue.record("The first load didn't break off.")
            return
        }
        _ = try await fixture.pipeline.image(for: url)
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-", nil])
        #expect(await stored(fixture) == Self.file)
    }

    @Test(
        "a load that fails without refuting what there is leaves it to the next one",
        arguments: [
            ScriptedTransport.Step.fail(.hostNotFound), .fail(.networkRestricted), .fail(.secureConnectionFailed),
            .fail(.other), .respond(403), .respond(302, ["Location": "ftp://example.com/"]),
        ])
    func keptThroughFailure(_ failing: ScriptedTransport.Step) async throws {
        let (half, count) = (Self.half, Self.file.count)
        let head: HTTPFields = ["ETag": "\"v1\"", "Content-Length": "\(count)", "Cache-Control": "max-age=60"]
        let transport = ScriptedTransport([
            .respond(200, head, Self.file.prefix(half)), failing, failing,
            .respond(206, ["Content-Range": "bytes \(half)-\(count - 1)/\(count)"], Self.file.suffix(from: half)),
        ])
        let fixture = try fixture(attempts: 1) { $0.transport = transport }
        let url = URL(string: "http://img.example.com/a.png")!
        for _ in 0..<3 { #expect(await failure { try await fixture.pipeline.image(for: url) } != nil) }
        _ = try await fixture.pipeline.image(for: url)
        #expect(transport.requests.map { $0.fields["Range"] } == [nil] + Array(repeating: "bytes=\(half)-", count: 3))
        #expect(await fixture.store.body(of: url) == Self.file)
    }

    enum Forgetting: String, CaseIterable, Sendable {
        case invalidation, removalOfThePartition, removalOfAll, noStoreResponse, noStoreRequest, reload, fewBytes
        case otherPartition
    }

    @Test(
        "what is removed, mustn't be stored, is another's or isn't worth it isn't continued",
        arguments: Forgetting.allCases)
    func forgotten(_ reason: Forgetting) async throws {
        let fixture = try fixture(attempts: 1)
        let bytes = reason == .fewBytes ? 9_000 : Self.half
        serveHeld(
            fixture,
            resource(fields: ["Cache-Control": reason == .noStoreResponse ? "no-store" : "max-age=60"]), bytes: bytes)
        var request = ImageRequest(url: fixture.server.url("/a"), partition: "first-account")
        if reason == .noStoreRequest { request.cachePolicy = .noStore }
        try await cancelHalfway(fixture, request, bytes: bytes)
        switch reason {
        case .invalidation: await fixture.pipeline.invalidate(request.id)
        case .removalOfThePartition: await fixture.pipeline.removePartition("first-account")
        case .removalOfAll: await fixture.pipeline.removeAll()
        case .reload: request.cachePolicy = .reload
        case .otherPartition: request.partition = "second-account"
        case .noStoreResponse, .noStoreRequest, .fewBytes: break
        }
        _ = try await fixture.pipeline.image(for: request)
        #expect(ranges(fixture) == [nil, nil])
    }

    @Test(
        "the beginning of a body goes when memory is critically short, and stays at a warning",
        arguments: MemoryPressure.Level.allCases)
    func memoryPressure(_ level: MemoryPressure.Level) async throws {
        let fixture = try fixture(attempts: 1)
        serveHeld(fixture, resource())
        let request = ImageRequest(url: fixture.server.url("/a"))
        try await cancelHalfway(fixture, request)
        fixture.pipeline.loader.http.partials.respondToMemoryPressure(level)
        _ = try await fixture.pipeline.image(for: request)
        #expect(ranges(fixture) == [nil, level == .critical ? nil : "bytes=\(Self.half)-"])
    }

    @Test("beginnings of bodies are told of memory pressure from the first one on, once")
    func memoryPressureCenter() async throws {
        let center = MemoryPressureCenter { _ in nil }
        let partials = PartialBodies(center)
        let key = FetchKey(url: URL(string: "http://img.example.com/a.png")!)
        let body = try #require(try Self.partialBody())
        #expect(center.listenerCount == 0)
        for _ in 0..<2 { partials.keep(body, for: key, resource: "a", since: partials.epoch) }
        #expect(center.listenerCount == 1 && !partials.isEmpty)
        center.report(.warning)
        #expect(!partials.isEmpty)
        center.report(.critical)
        #expect(partials.isEmpty && partials.take(key, fields: [:]) == nil)
    }

    private static func partialBody() throws -> PartialBody? {
        let fields: HTTPFields = [
            "ETag": "\"v1\"", "Content-Length": "\(file.count)", "Cache-Control": "max-age=60",
        ]
        let exchange = HTTPLoader.Exchange(
            response: HTTPResponse(status: 200, fields: fields), requestTime: now, responseTime: now, start: .now,
            redirectCount: 0, retryCount: 0, redirection: nil)
        let reception = try BodyReception(
            exchange, method: "GET", StoreLookup([], RequestFields([:]), .http, now: now, since: .now),
            expectedByteCount: Int64(file.count), BodyValidation(ImageLimits(), .system))
        _ = try reception.take(file.prefix(half))
        return PartialBody(reception)
    }

    @Test("a load that is under way when its resource is invalidated leaves nothing to go on with")
    func invalidatedUnderWay() async throws {
        let fixture = try fixture(attempts: 1)
        serveHeld(fixture, resource())
        let request = ImageRequest(url: fixture.server.url("/a"))
        let load = fixture.pipeline.load(request)
        for await case .progress(let progress) in load.updates where progress.receivedByteCount >= Int64(Self.half) {
            await fixture.pipeline.invalidate(request.id)
            break
        }
        load.cancel()
        await fixture.pipeline.waitUntilIdle()
        _ = try await fixture.pipeline.image(for: request)
        #expect(ranges(fixture) == [nil, nil])
    }
}
