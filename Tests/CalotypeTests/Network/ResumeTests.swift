import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Resume: a body that breaks off goes on where it broke, or starts over; it is never joined wrongly")
struct ResumeTests {
    typealias Resource = LoopbackServer.Resource

    static let file = TestImages.gradientPNG(width: 200, height: 150)
    static let half = file.count / 2
    static let now = Date(timeIntervalSince1970: 1_735_689_600)

    /// Attempts follow each other without a wait.
    private func fixture(
        attempts: Int = 3, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) throws -> Fixture {
        try Fixture {
            $0.retry = RetryPolicy(attemptLimit: attempts, baseDelay: .zero)
            change(&$0)
        }
    }

    private func resource(etag: String? = "\"v1\"", fields: HTTPFields = ["Cache-Control": "max-age=60"]) -> Resource {
        Resource(Self.file, type: "image/png", etag: etag, fields: fields)
    }

    /// What the store has, as a later load would use it.
    private func stored(_ fixture: Fixture, _ path: String = "/a") async -> Data? {
        try? await fixture.pipeline.data(for: ImageRequest(url: fixture.server.url(path), cachePolicy: .storedOnly))
    }

    private func ranges(_ fixture: Fixture, _ path: String = "/a") -> [String?] {
        fixture.server.requests(to: path).map { $0.fields["Range"] }
    }

    // MARK: Going on

    @Test("the rest alone is asked for, and comes once")
    func rest() async throws {
        let fixture = try fixture()
        let resource = resource()
        fixture.server.route("/a") { request in
            let response = resource.response(to: request)
            return request.number == 1 ? response.truncated(afterBodyBytes: Self.half) : response
        }
        let result = try await fixture.pipeline.result(for: ImageRequest(url: fixture.server.url("/a")))
        let requests = fixture.server.requests
        #expect(requests.count == 2)
        #expect(requests.last?.fields["Range"] == "bytes=\(Self.half)-")
        #expect(requests.last?.fields["If-Range"] == "\"v1\"")
        #expect(result.report.receivedByteCount == Int64(Self.file.count))
        #expect(result.report.bodyByteCount == Int64(Self.file.count))
        #expect(result.report.retryCount == 1)
        #expect(await stored(fixture) == Self.file)
        #expect(try await fixture.store.usage().responseCount == 1)
    }

    @Test("what breaks off twice goes on twice; an unwilling server in between costs an attempt and no bytes")
    func twice() async throws {
        let fixture = try fixture(attempts: 4)
        let resource = resource()
        fixture.server.route("/a") { request in
            switch request.number {
            case 1, 2: resource.response(to: request).truncated(afterBodyBytes: 5_000)
            case 3: .status(503)
            default: resource.response(to: request)
            }
        }
        let result = try await fixture.pipeline.result(for: ImageRequest(url: fixture.server.url("/a")))
        #expect(ranges(fixture) == [nil, "bytes=5000-", "bytes=10000-", "bytes=10000-"])
        #expect(result.report.receivedByteCount == Int64(Self.file.count))
        #expect(result.report.retryCount == 3)
        #expect(await stored(fixture) == Self.file)
    }

    @Test("a body that breaks off for good is the caller's failure, with what came of the whole")
    func exhausted() async throws {
        let fixture = try fixture(attempts: 2)
        let resource = resource()
        fixture.server.route("/a") { resource.response(to: $0).truncated(afterBodyBytes: 5_000) }
        #expect(
            await failure { try await fixture.pipeline.image(for: fixture.server.url("/a")) }
                == .truncated(received: 10_000, expected: Int64(Self.file.count)))
        #expect(fixture.server.requestCount == 2)
        #expect(try await fixture.store.usage().responseCount == 0)
    }

    @Test("progress goes on from where the body broke off")
    func progress() async throws {
        let fixture = try fixture()
        let resource = resource()
        fixture.server.route("/a") { request in
            let response = resource.response(to: request)
            return request.number == 1 ? response.truncated(afterBodyBytes: Self.half) : response
        }
        let load = fixture.pipeline.load(ImageRequest(url: fixture.server.url("/a")))
        var counts: [Int64] = []
        for await case .progress(let progress) in load.updates { counts.append(progress.receivedByteCount) }
        #expect(counts == counts.sorted())
        #expect(counts.last == Int64(Self.file.count))
    }

    @Test("a redirect and a signature apply to the request for the rest as to the first")
    func redirected() async throws {
        let fixture = try fixture {
            $0.authorize = { request in
                var signed = request
                signed.setValue("Bearer x", forHTTPHeaderField: "Authorization")
                return signed
            }
        }
        let resource = resource()
        fixture.server.route("/old") { _ in .redirect(to: "/a") }
        fixture.server.route("/a") { request in
            let response = resource.response(to: request)
            return request.fields["Range"] == nil ? response.truncated(afterBodyBytes: Self.half) : response
        }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/old"))
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-"])
        #expect(fixture.server.requests.map { $0.fields["Authorization"] } == Array(repeating: "Bearer x", count: 4))
    }

    // MARK: When the rest is asked for

    struct Validity: Sendable, CustomTestStringConvertible {
        let title: String
        let fields: HTTPFields
        let condition: String?

        var testDescription: String { title }

        static let date = "Wed, 01 Jan 2025 00:00:00 GMT"

        static let all: [Validity] = [
            Validity(title: "a strong tag", fields: ["ETag": "\"v1\""], condition: "\"v1\""),
            Validity(
                title: "a strong tag, beside a date", fields: ["ETag": "\"v1\"", "Last-Modified": date],
                condition: "\"v1\""),
            Validity(title: "a weak tag", fields: ["ETag": "W/\"v1\""], condition: nil),
            Validity(title: "a tag without quotes", fields: ["ETag": "v1"], condition: nil),
            Validity(title: "no validator", fields: [:], condition: nil),
            Validity(
                title: "a change a minute before",
                fields: ["Last-Modified": date, "Date": "Wed, 01 Jan 2025 00:01:00 GMT"],
                condition: date),
            Validity(
                title: "a change 59 seconds before",
                fields: ["Last-Modified": date, "Date": "Wed, 01 Jan 2025 00:00:59 GMT"], condition: nil),
            Validity(title: "a change, without Date", fields: ["Last-Modified": date], condition: nil),
            Validity(
                title: "a change long before, beside a weak tag",
                fields: ["ETag": "W/\"v1\"", "Last-Modified": date, "Date": "Thu, 02 Jan 2025 00:00:00 GMT"],
                condition: nil),
            Validity(
                title: "a server without ranges", fields: ["ETag": "\"v1\"", "Accept-Ranges": "none"], condition: nil),
        ]
    }

    @Test("the rest is asked for only with a strong validator (RFC 9110, 8.8)", arguments: Validity.all)
    func validator(_ row: Validity) async throws {
        let fixture = try fixture()
        fixture.server.route("/a") { request in
            let whole = LoopbackServer.Response.ok(Self.file, type: "image/png", fields: row.fields)
            if request.number == 1 { return whole.truncated(afterBodyBytes: Self.half) }
            guard request.fields["Range"] != nil else { return whole }
            return .status(
                206, fields: ["Content-Range": "bytes \(Self.half)-\(Self.file.count - 1)/\(Self.file.count)"],
                body: Self.file.suffix(from: Self.half))
        }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        let second = try #require(fixture.server.requests.last)
        #expect(second.fields["If-Range"] == row.condition)
        #expect(second.fields["Range"] == row.condition.map { _ in "bytes=\(Self.half)-" })
        #expect(await fixture.store.body(of: fixture.server.url("/a")) == Self.file)
    }

    @Test("a body of unknown length starts over: nothing would tell whether the joined one is whole")
    func chunked() async throws {
        let fixture = try fixture()
        fixture.server.route("/a") { request in
            let part = LoopbackServer.Response.chunked([Self.file.prefix(Self.half)], type: "image/png")
            if request.number == 1 { return part.withoutLastChunk().field("ETag", "\"v1\"") }
            return .chunked([Self.file], type: "image/png").field("ETag", "\"v1\"")
        }
        let result = try await fixture.pipeline.result(for: ImageRequest(url: fixture.server.url("/a")))
        #expect(ranges(fixture) == [nil, nil])
        #expect(result.report.receivedByteCount == Int64(Self.file.count + Self.half))
    }

    @Test("a file that has changed starts over, and nothing of the old one is left")
    func changed() async throws {
        let fixture = try fixture()
        let old = resource()
        let picture = TestImages.solidPNG(width: 90, height: 90, color: .blue)
        let new = Resource(
            picture, type: "image/png", etag: "\"v2\"", fields: ["Cache-Control": "max-age=60"])
        fixture.server.route("/a") { request in
            request.number == 1
                ? old.response(to: request).truncated(afterBodyBytes: Self.half) : new.response(to: request)
        }
        let image = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(image.bitmap.pixel(0, 0) == .blue)
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-"])
        #expect(await stored(fixture) == picture)
    }

    @Test("416 starts over at once, whatever attempts are left")
    func unsatisfiable() async throws {
        let fixture = try fixture(attempts: 2)
        let resource = resource()
        fixture.server.route("/a") { request in
            switch request.number {
            case 1: resource.response(to: request).truncated(afterBodyBytes: Self.half)
            case 2: .status(416, fields: ["Content-Range": "bytes */10"])
            default: resource.response(to: request)
            }
        }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-", nil])
        #expect(await stored(fixture) == Self.file)
    }

    // MARK: Wrong parts

    struct WrongPart: Sendable, CustomTestStringConvertible {
        let title: String
        let fields: HTTPFields
        var body = ResumeTests.file.suffix(from: ResumeTests.half)

        var testDescription: String { title }

        static func range(_ title: String, _ range: String?, _ fields: HTTPFields = [:]) -> WrongPart {
            var fields = fields
            fields["Content-Range"] = range
            return WrongPart(title: title, fields: fields)
        }

        static let all: [WrongPart] = {
            let (half, count) = (ResumeTests.half, ResumeTests.file.count)
            return [
                range("no Content-Range", nil),
                range("another unit", "seconds \(half)-\(count - 1)/\(count)"),
                range("no numbers", "bytes rest"),
                range("no length", "bytes \(half)-\(count - 1)"),
                range("a sign", "bytes +\(half)-\(count - 1)/\(count)"),
                range("a number beyond all", "bytes \(half)-99999999999999999999/999999999999999999999"),
                range("an unsatisfied range", "bytes */\(count)"),
                range("two ranges", "bytes \(half)-\(count - 1)/\(count), bytes 0-1/\(count)"),
                range("an earlier part", "bytes \(half - 1)-\(count - 2)/\(count)"),
                range("a later part", "bytes \(half + 1)-\(count)/\(count + 1)"),
                range("the beginning", "bytes 0-\(count - half - 1)/\(count)"),
                range("a longer body", "bytes \(half)-\(count - 1)/\(count + 1)"),
                range("a shorter body", "bytes \(half)-\(count - 2)/\(count - 1)"),
                range("an end beyond the body", "bytes \(half)-\(count)/\(count)"),
                range("an end before its beginning", "bytes \(half)-\(half - 1)/\(count)"),
                range("a range of another length than the part", "bytes \(half)-\(half + 9)/\(count)"),
                range("another tag", "bytes \(half)-\(count - 1)/\(count)", ["ETag": "\"v2\""]),
                range("the same tag, but weak", "bytes \(half)-\(count - 1)/\(count)", ["ETag": "W/\"v1\""]),
                range("an encoding", "bytes \(half)-\(count - 1)/\(count)", ["Content-Encoding": "gzip"]),
            ]
        }()
    }

    @Test("a part that isn't the rest is never joined: the next attempt asks for everything", arguments: WrongPart.all)
    func wrongPart(_ row: WrongPart) async throws {
        let fixture = try fixture()
        let resource = resource()
        fixture.server.route("/a") { request in
            switch request.number {
            case 1: resource.response(to: request).truncated(afterBodyBytes: Self.half)
            case 2: .status(206, fields: row.fields, body: row.body)
            default: resource.response(to: request)
            }
        }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-", nil])
        #expect(await stored(fixture) == Self.file)
    }

    @Test("without an attempt left, a part that isn't the rest is the caller's failure", arguments: WrongPart.all)
    func wrongPartAtLast(_ row: WrongPart) async throws {
        let fixture = try fixture(attempts: 2)
        let resource = resource()
        fixture.server.route("/a") { request in
            request.number == 1
                ? resource.response(to: request).truncated(afterBodyBytes: Self.half)
                : .status(206, fields: row.fields, body: row.body)
        }
        guard
            case .unexpectedPart? = await failure({
                try await fixture.pipeline.image(for: fixture.server.url("/a"))
            })
        else {
            Issue.record("It wasn't refused for that reason.")
            return
        }
        #expect(fixture.server.requestCount == 2)
        #expect(try await fixture.store.usage().responseCount == 0)
    }

    @Test("more bytes than the part has are refused before they are joined")
    func longPart() async throws {
        let fixture = try fixture()
        let resource = resource()
        fixture.server.route("/a") { request in
            let last = Self.file.count - 1
            return switch request.number {
            case 1: resource.response(to: request).truncated(afterBodyBytes: Self.half)
            case 2:
                LoopbackServer.Response.status(
                    206, fields: ["Content-Range": "bytes \(Self.half)-\(last)/\(last + 1)"],
                    body: Self.file.suffix(from: Self.half) + Data([0])
                ).framed(.chunked(sizes: []))
            default: resource.response(to: request)
            }
        }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-", nil])
        #expect(await stored(fixture) == Self.file)
    }

    @Test("a part that is shorter than the rest is joined, and the rest of it asked for")
    func shortPart() async throws {
        let fixture = try fixture()
        let resource = resource()
        fixture.server.route("/a") { request in
            request.number == 1
                ? resource.response(to: request).truncated(afterBodyBytes: Self.half)
                : request.number > 2
                    ? resource.response(to: request)
                    : .status(
                        206,
                        fields: ["Content-Range": "bytes \(Self.half)-\(Self.half + 99)/*"],
                        body: Self.file[Self.half..<Self.half + 100])
        }
        _ = try await fixture.pipeline.image(for: fixture.server.url("/a"))
        #expect(ranges(fixture) == [nil, "bytes=\(Self.half)-", "bytes=\(Self.half + 100)-"])
        #expect(await stored(fixture) == Self.file)
    }

    // MARK: Across loads

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
        var request = ImageRequest(url: fixture.server.url("/a"), partition: "ann")
        if reason == .noStoreRequest { request.cachePolicy = .noStore }
        try await cancelHalfway(fixture, request, bytes: bytes)
        switch reason {
        case .invalidation: await fixture.pipeline.invalidate(request.id)
        case .removalOfThePartition: await fixture.pipeline.removePartition("ann")
        case .removalOfAll: await fixture.pipeline.removeAll()
        case .reload: request.cachePolicy = .reload
        case .otherPartition: request.partition = "bob"
        case .noStoreResponse, .noStoreRequest, .fewBytes: break
        }
        _ = try await fixture.pipeline.image(for: request)
        #expect(ranges(fixture) == [nil, nil])
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

extension MemoryStore {
    /// The one body stored for a URL, whatever its head says.
    func body(of url: URL) async -> Data? {
        guard let response = try? await responses(for: FetchKey(url: url)).first,
            let body = try? await body(of: response.id), case .data(let data) = body
        else { return nil }
        return data
    }
}
