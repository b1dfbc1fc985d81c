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
    func fixture(
        attempts: Int = 3, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) throws -> Fixture {
        try Fixture {
            $0.retry = RetryPolicy(attemptLimit: attempts, baseDelay: .zero)
            change(&$0)
        }
    }

    func resource(etag: String? = "\"v1\"", fields: HTTPFields = ["Cache-Control": "max-age=60"]) -> Resource {
        Resource(Self.file, type: "image/png", etag: etag, fields: fields)
    }

    /// What the store has, as a later load would use it.
    func stored(_ fixture: Fixture, _ path: String = "/a") async -> Data? {
        try? await fixture.pipeline.data(for: ImageRequest(url: fixture.server.url(path), cachePolicy: .storedOnly))
    }

    func ranges(_ fixture: Fixture, _ path: String = "/a") -> [String?] {
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

    @Test("what has taken too long goes on, and has all of the time once more")
    func late() async throws {
        let fixture = try fixture { $0.timeouts.total = .milliseconds(300) }
        let resource = resource()
        fixture.server.route("/a") { request in
            let response = resource.response(to: request)
            return request.number < 3 ? response.paced(byteCount: 1_000, every: .milliseconds(60)) : response
        }
        let result = try await fixture.pipeline.result(for: ImageRequest(url: fixture.server.url("/a")))
        #expect(result.report.retryCount == 2)
        #expect(ranges(fixture).map { $0 == nil } == [true, false, false])
        #expect(result.report.receivedByteCount == Int64(Self.file.count))
        #expect(await stored(fixture) == Self.file)
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
