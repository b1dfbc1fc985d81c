import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Server-made thumbnails: when there is none, and what the image server may see")
struct ThumbnailRefusalTests {
    let origin: ThumbnailOrigin
    let fixture: Fixture
    let url: URL

    init() throws {
        let origin = try ThumbnailOrigin()
        self.origin = origin
        fixture = try Fixture { $0.serverThumbnails = origin.thumbnails() }
        url = fixture.serve("/a", width: 800, height: 600)
    }

    private func request(_ width: Int, partition: Partition? = nil) -> ImageRequest {
        ImageRequest(url: url, size: .pixels(width, nil), partition: partition)
    }

    private static func refusals(_ fixture: Fixture) -> [ImageError.Reason] {
        fixture.events.all.compactMap { if case .refusedThumbnail(_, let error) = $0 { error.reason } else { nil } }
    }

    // MARK: Refusals

    struct Row: Sendable, CustomTestStringConvertible {
        let title: String
        let response: LoopbackServer.Response
        let reason: ImageError.Reason
        var isRemembered = true
        var testDescription: String { title }

        static let all: [Row] = [
            Row(title: "400", response: .status(400), reason: .status(400)),
            Row(title: "403", response: .status(403), reason: .status(403)),
            Row(title: "404", response: .status(404), reason: .status(404)),
            Row(title: "429 passes", response: .status(429), reason: .status(429), isRemembered: false),
            Row(
                title: "a page with status 200", response: .ok(Data("<p>No".utf8), type: "text/html"),
                reason: .contentType("text/html")),
            Row(
                title: "a damaged image",
                response: .ok(
                    TestImages.solidPNG(width: 320, height: 240, color: .blue).prefix(120), type: "image/png"),
                reason: .incomplete(.png)),
        ]
    }

    @Test("the original is loaded, and the server isn't asked for that URL again for a while", arguments: Row.all)
    func refusal(_ row: Row) async throws {
        origin.server.route(prefix: "/t/") { _ in row.response }
        let result = try await fixture.pipeline.result(for: request(300))
        #expect(result.image.bitmap.pixel(0, 0) == .red)
        #expect(result.report.alternative == nil)
        #expect(Self.refusals(fixture) == [row.reason])
        #expect(!fixture.events.all.contains { if case .failed = $0 { true } else { false } })
        fixture.memory.removeAll()
        _ = try await fixture.pipeline.image(for: request(100))
        #expect(origin.server.requestCount == (row.isRemembered ? 1 : 2))
        // Others have not been refused it: another partition, another URL.
        fixture.memory.removeAll()
        _ = try await fixture.pipeline.image(for: request(300, partition: "p"))
        _ = try await fixture.pipeline.image(for: ImageRequest(url: fixture.serve("/b"), size: .pixels(300, nil)))
        #expect(origin.server.requestCount == (row.isRemembered ? 3 : 4))
        fixture.clock.advance(by: .seconds(601))
        fixture.memory.removeAll()
        _ = try await fixture.pipeline.image(for: request(300))
        #expect(origin.server.requestCount == (row.isRemembered ? 4 : 5))
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
    }

    @Test("a server that fails is asked again as the policy says, and then the load fails: the original isn't loaded")
    func failingServer() async throws {
        let fixture = try Fixture {
            $0.serverThumbnails = origin.thumbnails()
            $0.retry = RetryPolicy(attemptLimit: 3, baseDelay: .zero)
        }
        let url = fixture.serve("/a")
        origin.server.route(prefix: "/t/") { _ in .status(503) }
        let request = ImageRequest(url: url, size: .pixels(300, nil))
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .status(503))
        #expect(origin.server.requestCount == 3)
        #expect(fixture.server.requests.isEmpty)
        #expect(Self.refusals(fixture).isEmpty)
    }

    @Test("for want of a connection the original isn't loaded, but the request's own fallbacks are")
    func noConnection() async throws {
        let port = try RefusingPort()
        defer { port.release() }
        let base = port.url("/t")
        let fixture = try Fixture {
            $0.serverThumbnails = ServerThumbnails(
                .custom("refusing") { original, _, _ in base.appending(path: original.path()) }, for: ["127.0.0.1"])
        }
        var request = ImageRequest(url: fixture.serve("/a"), size: .pixels(300, nil))
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .cannotConnect)
        #expect(fixture.server.requests.isEmpty)
        request.fallbackURLs = [fixture.serve("/b")]
        #expect(try await fixture.pipeline.result(for: request).report.alternative == .fallback(0))
        #expect(fixture.server.requests.map(\.path) == ["/b"])
    }

    @Test("if the original fails as well, callers see how, and its own fallbacks come after it")
    func bothFail() async throws {
        origin.server.route(prefix: "/t/") { _ in .status(404) }
        var request = ImageRequest(url: fixture.server.url("/gone"), size: .pixels(300, nil))
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .status(404))
        #expect(fixture.server.requests.map(\.path) == ["/gone"])
        request.fallbackURLs = [url]
        #expect(try await fixture.pipeline.result(for: request).report.alternative == .fallback(0))
    }

    @Test("a panorama that a server can only fit into a box has too few pixels to cover: the original is loaded")
    func panorama() async throws {
        let originals = PixelSize(width: 4_000, height: 400)
        let origin = try ThumbnailOrigin(originals: originals, coversWithoutCropping: false)
        let fixture = try Fixture { $0.serverThumbnails = origin.thumbnails() }
        let url = fixture.serve("/a", width: originals.width, height: originals.height)
        let image = try await fixture.pipeline.image(for: ImageRequest(url: url, size: .pixels(256, 256)))
        #expect(image.pixelSize == PixelSize(width: 2_560, height: 256))
        #expect(origin.paths == ["/t/fit/456x456/a"])
        #expect(Self.refusals(fixture) == [.tooFewPixels(PixelSize(width: 456, height: 46))])
        // Of a common shape, what fits covers.
        let common = try ThumbnailOrigin(coversWithoutCropping: false)
        let other = try Fixture { $0.serverThumbnails = common.thumbnails() }
        let covered = try await other.pipeline.image(for: ImageRequest(url: other.serve("/a"), size: .pixels(256, 256)))
        #expect(covered.pixelSize == PixelSize(width: 341, height: 256))
        #expect(other.server.requests.isEmpty)
    }

    @Test("two loads of one refused thumbnail share its refusal and the original")
    func sharing() async throws {
        let gate = LoopbackServer.Gate()
        origin.server.route(prefix: "/t/") { _ in .status(404).gated(gate) }
        let loads = [300, 310, 300].map { fixture.pipeline.load(request($0)) }
        try await gate.waitUntilHeld()
        gate.open()
        for load in loads { #expect(try await load.result.image.bitmap.pixel(0, 0) == .red) }
        #expect(origin.server.requestCount == 1)
        #expect(fixture.server.requestCount == 1)
    }

    @Test("where only what is stored may be used, a stored original will do")
    func storedOnly() async throws {
        _ = try await fixture.pipeline.data(for: url)
        var request = request(300)
        request.cachePolicy = .storedOnly
        #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .red)
        #expect(origin.server.requests.isEmpty)
    }

    // MARK: Credentials

    /// Requests with credentials of every kind.
    private func credentialed(_ thumbnails: ServerThumbnails) throws -> (Fixture, ImageRequest) {
        let fixture = try Fixture {
            $0.serverThumbnails = thumbnails
            $0.fields = ["Accept": "image/*", "X-Api-Key": "SECRET-1"]
            $0.authorize = { request in
                var request = request
                request.setValue("SECRET-2", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        var message = URLRequest(url: fixture.serve("/a", width: 800, height: 600))
        message.setValue("SECRET-3", forHTTPHeaderField: "Cookie")
        return (fixture, ImageRequest(urlRequest: message, size: .pixels(320, nil)))
    }

    @Test("a server on another origin sees no credentials, unless the app says so", arguments: [false, true])
    func credentials(_ sendsCredentials: Bool) async throws {
        var thumbnails = origin.thumbnails()
        thumbnails.sendsCredentials = sendsCredentials
        let (fixture, request) = try credentialed(thumbnails)
        #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .blue)
        let seen = try #require(origin.server.requests.first)
        #expect(seen.fields["Accept"] == "image/*")
        for (name, value) in [("X-Api-Key", "SECRET-1"), ("Authorization", "SECRET-2"), ("Cookie", "SECRET-3")] {
            #expect(seen.fields[name] == (sendsCredentials ? value : nil))
        }
        // Whoever has other credentials, or none, doesn't get this one's picture.
        #expect(
            fixture.pipeline.cachedImage(for: ImageRequest(url: try #require(request.url), size: request.size)) == nil)
        #expect(try await fixture.store.responses(for: FetchKey(url: origin.server.url("/t/fit/320x0/a"))).isEmpty)
        // When the server refuses, the original's own gets them.
        origin.server.route("/t/fit/640x0/a") { _ in .status(403) }
        var larger = request
        larger.size = .pixels(640, nil)
        #expect(try await fixture.pipeline.image(for: larger).bitmap.pixel(0, 0) == .red)
        #expect(fixture.server.requests.last?.fields["Authorization"] == "SECRET-2")
        #expect(fixture.server.requests.last?.fields["Cookie"] == "SECRET-3")
    }

    @Test("an image server that refuses for want of credentials isn't given any: the app isn't asked to sign again")
    func unauthorized() async throws {
        let (fixture, request) = try credentialed(origin.thumbnails())
        origin.server.route(prefix: "/t/") { _ in .status(401) }
        #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .red)
        #expect(origin.server.requests.map { $0.fields["Authorization"] } == [nil])
    }

    @Test("an image server on the original's own origin sees what that sees")
    func sameOrigin() async throws {
        let (fixture, request) = try credentialed(
            ServerThumbnails(
                .custom("own") { original, size, _ in
                    URL(string: "/thumbs\(original.path())", relativeTo: original)?.absoluteURL
                },
                for: ["127.0.0.1"]))
        fixture.serve("/thumbs/a", width: 320, height: 240, color: .blue)
        #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .blue)
        let seen = try #require(fixture.server.requests.first)
        #expect(seen.fields["Authorization"] == "SECRET-2")
        #expect(seen.fields["X-Api-Key"] == "SECRET-1")
        #expect(seen.fields["Cookie"] == "SECRET-3")
    }

    @Test(
        "a URL that holds credentials isn't given to another origin",
        arguments: [
            "http://user:pw@127.0.0.1/a", "http://user@127.0.0.1/a",
            "http://127.0.0.1/a?X-Amz-Signature=s&X-Amz-Algorithm=a&X-Amz-Credential=c&X-Amz-Date=d",
        ])
    func credentialsInURL(_ text: String) throws {
        let request = ImageRequest(url: try #require(URL(string: text)), size: .pixels(320, nil))
        var configuration = ImagePipeline.Configuration(store: nil)
        configuration.serverThumbnails = origin.thumbnails()
        #expect(ThumbnailRewriter(configuration)?.thumbnail(of: request, original: nil) == nil)
        configuration.serverThumbnails?.sendsCredentials = true
        #expect(ThumbnailRewriter(configuration)?.thumbnail(of: request, original: nil) != nil)
        let plain = ImageRequest(url: try #require(URL(string: "http://127.0.0.1/a?v=1")), size: .pixels(320, nil))
        configuration.serverThumbnails?.sendsCredentials = false
        #expect(ThumbnailRewriter(configuration)?.thumbnail(of: plain, original: nil) != nil)
    }

    @Test("no secret is in a description, a dump, a key, an event or an error")
    func secrets() async throws {
        let base = origin.server.url("/t")
        let secret = "c0ffee5ec2e7"
        for server in [
            try .imgproxy(at: base, key: secret, salt: secret), .thumbor(at: base, key: secret),
            .cloudinary(cloudName: "demo", secret: secret), .imgix(domain: "x", token: secret),
        ] as [ServerThumbnails.Server] {
            let fixture = try Fixture {
                $0.serverThumbnails = ServerThumbnails(server, for: ["127.0.0.1"])
                $0.transport = Unreachable()
            }
            let request = ImageRequest(url: fixture.server.url("/a"), size: .pixels(320, nil))
            var said: [String] = []
            do {
                _ = try await fixture.pipeline.image(for: request)
            } catch {
                said += ["\(error)", String(reflecting: error), error.localizedDescription]
            }
            var text = ""
            dump(fixture.pipeline.configuration.serverThumbnails, to: &text)
            dump(server, to: &text)
            dump(fixture.events.all.map { "\($0)" }, to: &text)
            let thumbnail = ThumbnailRewriter(fixture.pipeline.configuration)?.thumbnail(of: request, original: nil)
            let key = try #require(thumbnail?.fetchKey(.known))
            said += [text, "\(server)", String(reflecting: server), "\(key)", key.url.absoluteString, "\(request)"]
            #expect(said.count > 6)
            #expect(!said.joined().contains(secret))
        }
    }
}

/// Reaches nothing.
private struct Unreachable: HTTPTransport {
    func send(_ request: HTTPRequest) async throws -> HTTPResponse { throw HTTPTransportError(.cannotConnect) }
}
