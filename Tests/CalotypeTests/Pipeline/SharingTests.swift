import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Sharing: each piece of work is done once for all who want it")
struct SharingTests {
    @Test("1,000 concurrent requests for one URL make one request at the server and one decode")
    func oneURL() async throws {
        let fixture = try Fixture()
        // Fresh for a while: on a slow machine the last ones come after the first has been answered.
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=60"])
        let images = try await withThrowingTaskGroup(of: DecodedImage.self) { group in
            for _ in 0..<1_000 { group.addTask { try await fixture.pipeline.image(for: url) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(images.count == 1_000)
        #expect(Set(images.map(ObjectIdentifier.init)).count == 1)
        #expect(fixture.server.requestCount == 1)
        #expect(fixture.decoder.count == 1)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
    }

    @Test("three sizes of one URL make one download and three decodes")
    func threeSizes() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let data = TestImages.gradientPNG(width: 400, height: 300)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png").gated(gate) }
        let requests = [40, 100, 400].map {
            ImageRequest(url: fixture.server.url("/a"), size: .pixels($0, $0, .fit))
        }
        let loads = requests.map(fixture.pipeline.load)
        try await gate.waitUntilHeld()
        #expect(fixture.pipeline.jobCounts.renditions == 3)
        #expect(fixture.pipeline.jobCounts.fetches == 1)
        gate.open()
        var sizes: [PixelSize] = []
        for load in loads { sizes.append(try await load.result.image.pixelSize) }
        #expect(sizes.map(\.width) == [40, 100, 400])
        #expect(fixture.server.requestCount == 1)
        #expect(fixture.decoder.count == 3)
    }

    @Test("two users' Authorization on one URL: two downloads, and never each other's picture")
    func credentials() async throws {
        let fixture = try Fixture()
        let pictures = ["Bearer a": PixelColor.red, "Bearer b": PixelColor.blue].mapValues {
            TestImages.solidPNG(width: 8, height: 8, color: $0)
        }
        fixture.server.route("/me") { request in
            .ok(pictures[request.fields["Authorization"] ?? ""] ?? Data(), type: "image/png")
                .field("Cache-Control", "max-age=60")
        }
        func request(_ user: String) -> ImageRequest {
            var request = URLRequest(url: fixture.server.url("/me"))
            request.setValue("Bearer \(user)", forHTTPHeaderField: "Authorization")
            return ImageRequest(urlRequest: request)
        }
        // At once, then again from the caches.
        for _ in 0..<2 {
            async let a = fixture.pipeline.image(for: request("a"))
            async let b = fixture.pipeline.image(for: request("b"))
            #expect(try await a.bitmap.pixel(0, 0) == .red)
            #expect(try await b.bitmap.pixel(0, 0) == .blue)
        }
        #expect(fixture.server.requestCount == 2)
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: fixture.server.url("/me"))) == nil)
    }

    @Test("requests that differ in method, body or a field that matters never share; steering fields don't matter")
    func variants() async throws {
        let fixture = try Fixture()
        let languages = ["en": PixelColor.red, "fr": PixelColor.blue]
        fixture.server.route("/a") { request in
            let language = languages[request.fields["Accept-Language"] ?? ""] ?? .black
            let color = request.method == "POST" ? PixelColor.green : language
            return .ok(TestImages.solidPNG(width: 8, height: 8, color: color), type: "image/png")
                .field("Cache-Control", "max-age=60")
        }
        func request(_ method: String, _ fields: [String: String], _ body: Data? = nil) -> ImageRequest {
            var request = URLRequest(url: fixture.server.url("/a"))
            request.httpMethod = method
            request.httpBody = body
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            return ImageRequest(urlRequest: request, size: .pixels(4, 4))
        }
        func color(_ request: ImageRequest) async throws -> PixelColor {
            try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0)
        }
        // At once, then again from the caches. POST comes first: it makes what is stored for GET stale.
        for _ in 0..<2 {
            #expect(try await color(request("POST", [:], Data("1".utf8))) == .green)
            async let english = color(request("GET", ["Accept-Language": "en"]))
            async let french = color(request("GET", ["Accept-Language": "fr"]))
            async let plain = color(request("GET", ["User-Agent": "x"]))
            async let same = color(ImageRequest(url: fixture.server.url("/a"), size: .pixels(4, 4)))
            #expect(try await [english, french, plain, same] == [.red, .blue, .black, .black])
        }
        #expect(fixture.server.requestCount == 4)
    }

    @Test("a URLRequest without a URL, or with another scheme, fails as a request")
    func noURL() async throws {
        let fixture = try Fixture()
        var request = URLRequest(url: fixture.server.url("/a"))
        request.url = nil
        #expect(
            await failure { try await fixture.pipeline.image(for: ImageRequest(urlRequest: request)) }
                == .unsupportedScheme("file"))
    }
}
