import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Redirects: followed where it is safe")
struct RedirectTests {
    private func request(_ url: URL) -> ImageRequest {
        var request = URLRequest(url: url)
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.setValue("key", forHTTPHeaderField: "X-Api-Key")
        request.setValue("image/png", forHTTPHeaderField: "Accept")
        return ImageRequest(urlRequest: request)
    }

    @Test("within one origin everything goes along; to another, only what any server may see")
    func credentials() async throws {
        let fixture = try Fixture()
        let other = try LoopbackServer()
        let png = TestImages.solidPNG(width: 4, height: 4, color: .red)
        fixture.server.respond(to: "/here", with: .redirect(to: "/there"))
        fixture.server.respond(to: "/there", with: .redirect(to: other.url("/far").absoluteString, status: 307))
        other.respond(to: "/far", with: .ok(png, type: "image/png"))
        let result = try await fixture.pipeline.result(for: request(fixture.server.url("/here")))
        #expect(result.report.redirectCount == 2)
        let same = try #require(fixture.server.requests(to: "/there").first)
        #expect(same.fields["Authorization"] == "Bearer secret" && same.fields["X-Api-Key"] == "key")
        let far = try #require(other.requests(to: "/far").first)
        #expect(far.fields["Authorization"] == nil && far.fields["X-Api-Key"] == nil)
        #expect(far.fields["Accept"] == "image/png")
    }

    @Test("ten redirects are followed, an eleventh isn't", arguments: [10, 11])
    func limit(_ count: Int) async throws {
        let fixture = try Fixture()
        for step in 0..<count { fixture.server.respond(to: "/\(step)", with: .redirect(to: "/\(step + 1)")) }
        fixture.server.route("/\(count)") { _ in
            .ok(TestImages.solidPNG(width: 4, height: 4, color: .red), type: "image/png")
        }
        let reason = await failure { try await fixture.pipeline.image(for: fixture.server.url("/0")) }
        #expect(reason == (count == 10 ? nil : .tooManyRedirects(limit: 10)))
    }

    @Test(
        "a redirect is followed or refused by its status and target",
        arguments: [
            (301, "/ok", nil), (302, "/ok", nil), (303, "/ok", nil), (307, "/ok", nil), (308, "/ok", nil),
            (300, "/ok", ImageError.Reason.status(300)),
            (302, "ftp://h/x", .unsafeRedirect(scheme: "ftp")),
            (302, "data:image/png;base64,AAAA", .unsafeRedirect(scheme: "data")),
        ] as [(Int, String, ImageError.Reason?)])
    func targets(_ status: Int, _ location: String, _ reason: ImageError.Reason?) async throws {
        let fixture = try Fixture()
        fixture.serve("/ok")
        fixture.server.respond(to: "/a", with: .redirect(to: location, status: status))
        #expect(await failure { try await fixture.pipeline.image(for: fixture.server.url("/a")) } == reason)
    }
}
