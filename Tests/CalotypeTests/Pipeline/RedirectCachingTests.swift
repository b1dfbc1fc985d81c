import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Redirects and caches: a response answers for a URL as long as the redirects do")
struct RedirectCachingTests {
    private static let red = TestImages.solidPNG(width: 8, height: 8, color: .red)
    private static let blue = TestImages.solidPNG(width: 8, height: 8, color: .blue)

    /// Serves a redirect from /a to /b, and a picture there.
    private func serve(
        _ fixture: Fixture, redirect control: String?, to target: String = "/b", picture: HTTPFields = [:]
    ) -> URL {
        var fields: HTTPFields = ["Location": target]
        if let control { fields.append("Cache-Control", control) }
        let redirect = fields
        fixture.server.route("/a") { _ in .status(302, fields: redirect) }
        var resource = LoopbackServer.Resource(
            Self.red, type: "image/png", etag: "\"red\"", fields: ["Cache-Control": "max-age=600"])
        for field in picture { resource.fields.append(field.name, field.value) }
        fixture.server.serve(resource, at: "/b")
        return fixture.server.url("/a")
    }

    private func layer(_ fixture: Fixture, _ url: URL) async throws -> LoadReport.Layer {
        fixture.memory.removeAll()
        return try await fixture.pipeline.result(for: ImageRequest(url: url)).layer
    }

    @Test("within the redirect's lifetime nobody is asked; after it both are, and the second confirms what is stored")
    func lifetime() async throws {
        let fixture = try Fixture()
        let url = serve(fixture, redirect: "max-age=60")
        _ = try await fixture.pipeline.image(for: url)
        fixture.clock.advance(by: .seconds(59))
        #expect(try await layer(fixture, url) == .storage)
        fixture.clock.advance(by: .seconds(2))
        let result = try await {
            fixture.memory.removeAll()
            return try await fixture.pipeline.result(for: ImageRequest(url: url))
        }()
        #expect(result.layer == .revalidation)
        #expect(result.report.cacheReason?.description.contains("redirect") == true)
        #expect(fixture.server.requests.map(\.path) == ["/a", "/b", "/a", "/b"])
        // The validator is /b's, and /a never sees it.
        #expect(fixture.server.requests.map { $0.fields["If-None-Match"] } == [nil, nil, nil, "\"red\""])
        // The chain is fresh again.
        fixture.clock.advance(by: .seconds(59))
        #expect(try await layer(fixture, url) == .storage)
    }

    @Test("a redirect that says nothing is asked every time")
    func unstated() async throws {
        let fixture = try Fixture()
        let url = serve(fixture, redirect: nil)
        _ = try await fixture.pipeline.image(for: url)
        #expect(try await layer(fixture, url) == .revalidation)
        #expect(fixture.server.requestCount == 4)
    }

    @Test("behind a redirect with no-store nothing is stored, in memory neither")
    func noStore() async throws {
        let fixture = try Fixture()
        let url = serve(fixture, redirect: "no-store")
        _ = try await fixture.pipeline.image(for: url)
        #expect(try await fixture.store.usage().responseCount == 0)
        #expect(fixture.memory.count == 0)
        #expect(try await layer(fixture, url) == .network)
    }

    @Test("a URL that has come to redirect elsewhere isn't asked there what it was asked itself")
    func movedAway() async throws {
        let fixture = try Fixture()
        let other = try LoopbackServer()
        fixture.server.serve(
            .init(
                Self.red, type: "image/png", etag: "\"1\"", lastModified: Date(timeIntervalSince1970: 1_700_000_000),
                fields: ["Cache-Control": "max-age=60"]), at: "/a")
        let url = fixture.server.url("/a")
        _ = try await fixture.pipeline.image(for: url)
        fixture.clock.advance(by: .seconds(61))
        // An older file, with the same tag by chance: to a conditional request its server would say "not modified".
        other.serve(
            .init(
                Self.blue, type: "image/png", etag: "\"1\"", lastModified: Date(timeIntervalSince1970: 1_600_000_000)),
            at: "/b")
        fixture.server.respond(to: "/a", with: .redirect(to: other.url("/b").absoluteString, status: 301))
        fixture.memory.removeAll()
        #expect(try await fixture.pipeline.image(for: url).bitmap.pixel(0, 0) == .blue)
        #expect(fixture.server.requests.last?.fields["If-None-Match"] == "\"1\"")
        let asked = try #require(other.requests.last)
        #expect(asked.fields["If-None-Match"] == nil && asked.fields["If-Modified-Since"] == nil)
    }

    @Test("a redirect that leads to another place by now brings what is there")
    func movedTarget() async throws {
        let fixture = try Fixture()
        let url = serve(fixture, redirect: nil)
        _ = try await fixture.pipeline.image(for: url)
        _ = serve(fixture, redirect: nil, to: "/c")
        fixture.server.serve(.init(Self.blue, type: "image/png", etag: "\"red\""), at: "/c")
        fixture.memory.removeAll()
        #expect(try await fixture.pipeline.image(for: url).bitmap.pixel(0, 0) == .blue)
        #expect(fixture.server.requests.last?.path == "/c")
        #expect(fixture.server.requests.last?.fields["If-None-Match"] == nil)
    }

    @Test("a redirect may sign its target anew: it is the same place")
    func signedTarget() async throws {
        let fixture = try Fixture()
        func target(_ signature: String) -> String {
            "/b?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k&X-Amz-Date=20260101T000000Z&X-Amz-Expires=60"
                + "&X-Amz-SignedHeaders=host&X-Amz-Signature=\(signature)"
        }
        let url = serve(fixture, redirect: nil, to: target("aaaa"))
        _ = try await fixture.pipeline.image(for: url)
        _ = serve(fixture, redirect: nil, to: target("bbbb"))
        #expect(try await layer(fixture, url) == .revalidation)
    }

    @Test("cut off from the server, what is behind a redirect is still shown")
    func disconnected() async throws {
        let fixture = try Fixture()
        let url = serve(fixture, redirect: nil)
        _ = try await fixture.pipeline.image(for: url)
        fixture.server.respond(to: "/a", with: .dropped())
        #expect(try await layer(fixture, url) == .storage)
    }

    @Test("fields that authorize adds select no variant: the pipeline's partition keeps apart who asks")
    func authorized() async throws {
        let token = Counter()
        let fixture = try Fixture {
            $0.authorize = { request in
                var request = request
                request.setValue("Bearer \(token.increment())", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=600", "Vary": "Authorization"])
        _ = try await fixture.pipeline.image(for: url)
        #expect(try await layer(fixture, url) == .storage)
        #expect(fixture.server.requestCount == 1)
    }
}
