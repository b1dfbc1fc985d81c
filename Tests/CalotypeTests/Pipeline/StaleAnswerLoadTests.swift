import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Loads that the server can't answer, and a stored response can")
struct StaleAnswerLoadTests {
    /// What the server does once the response is stale.
    enum Trouble: String, CaseIterable, Sendable {
        case connectionDropped, unavailable, notFound
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let trouble: Trouble
        let control: String
        /// Whether the stale picture is the answer.
        let isAnswered: Bool
        var policy = ImageRequest.CachePolicy.http

        var testDescription: String { "\(trouble.rawValue), \(control), \(policy): \(isAnswered ? "stale" : "fails")" }

        static let all = [
            Row(trouble: .connectionDropped, control: "max-age=60", isAnswered: true),
            Row(trouble: .connectionDropped, control: "max-age=60, must-revalidate", isAnswered: false),
            Row(trouble: .connectionDropped, control: "no-cache", isAnswered: false),
            Row(trouble: .connectionDropped, control: "max-age=60, stale-if-error=100", isAnswered: true),
            Row(trouble: .connectionDropped, control: "max-age=60, stale-if-error=10", isAnswered: false),
            Row(trouble: .unavailable, control: "max-age=60", isAnswered: false),
            Row(trouble: .unavailable, control: "max-age=60, stale-if-error=100", isAnswered: true),
            Row(trouble: .unavailable, control: "max-age=60, stale-if-error=100, must-revalidate", isAnswered: false),
            Row(trouble: .notFound, control: "max-age=60, stale-if-error=100", isAnswered: false),
            Row(trouble: .connectionDropped, control: "max-age=60", isAnswered: false, policy: .revalidate),
            Row(trouble: .connectionDropped, control: "max-age=60", isAnswered: false, policy: .reload),
        ]
    }

    @Test("a stale picture is better than none, where HTTP allows it", arguments: Row.all, ["\"v1\"", nil])
    func stale(_ row: Row, tag: String?) async throws {
        let fixture = try Fixture()
        var fields: HTTPFields = ["Cache-Control": row.control]
        if let tag { fields.append("ETag", tag) }
        let url = fixture.serve("/a", fields: fields)
        _ = try await fixture.pipeline.image(for: url)
        fixture.memory.removeAll()
        fixture.clock.advance(by: .seconds(100))
        fixture.server.route("/a") { _ in
            switch row.trouble {
            case .connectionDropped: .dropped()
            case .unavailable: .status(503)
            case .notFound: .status(404)
            }
        }
        let request = ImageRequest(url: url, cachePolicy: row.policy)
        guard row.isAnswered else {
            #expect(await failure { try await fixture.pipeline.image(for: request) } != nil)
            return
        }
        let result = try await fixture.pipeline.result(for: request)
        #expect(result.layer == .storage)
        let reason = try #require(result.report.cacheReason).description
        #expect(reason.contains("stale: age 100 s of 60 s by max-age"))
        // It was asked for, and stays stale: the next load asks again, and nothing does so by itself.
        await fixture.pipeline.waitUntilIdle()
        let count = fixture.server.requestCount
        #expect(count >= 2)
        fixture.memory.removeAll()
        fixture.serve("/a", color: .blue, fields: ["Cache-Control": "max-age=60"])
        #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .blue)
        #expect(fixture.server.requestCount == count + 1)
    }

    @Test("it is the answer at once, before anything is attempted again")
    func beforeRetries() async throws {
        let fixture = try Fixture { $0.retry = .standard }
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=60, stale-if-error=1000"])
        _ = try await fixture.pipeline.image(for: url)
        fixture.memory.removeAll()
        fixture.clock.advance(by: .seconds(100))
        fixture.server.respond(to: "/a", with: .status(503))
        // The clock stands still: a retry would wait for ever.
        #expect(try await fixture.pipeline.result(for: ImageRequest(url: url)).layer == .storage)
        #expect(fixture.server.requestCount == 2)
    }

    @Test("a network that may not be used is no way to the server")
    func restricted() async throws {
        let network = ManualNetworkMonitor()
        let fixture = try Fixture {
            $0.network = network
            $0.allowsConstrainedNetwork = false
        }
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=60"])
        _ = try await fixture.pipeline.image(for: url)
        fixture.memory.removeAll()
        fixture.clock.advance(by: .seconds(100))
        var status = network.status
        status.isConstrained = true
        network.status = status
        #expect(try await fixture.pipeline.result(for: ImageRequest(url: url)).layer == .storage)
        #expect(fixture.server.requestCount == 1)
    }

    @Test("a 304 that speaks of another response is no answer: all of it is asked for")
    func mismatched() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=60", "ETag": "\"v1\""])
        _ = try await fixture.pipeline.image(for: url)
        fixture.memory.removeAll()
        fixture.clock.advance(by: .seconds(100))
        let blue = TestImages.solidPNG(width: 8, height: 8, color: .blue)
        fixture.server.route("/a") { request in
            request.fields["If-None-Match"] == nil
                ? .ok(blue, type: "image/png") : .status(304, fields: ["ETag": "\"v2\""])
        }
        #expect(try await fixture.pipeline.image(for: url).bitmap.pixel(0, 0) == .blue)
        #expect(fixture.server.requestCount == 3)
    }

    @Test("a picture that was posted makes what is stored for its URL stale", arguments: [200, 500])
    func posted(_ status: Int) async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=600"])
        let other = fixture.serve("/b", fields: ["Cache-Control": "max-age=600"])
        _ = try await fixture.pipeline.image(for: url)
        _ = try await fixture.pipeline.image(for: ImageRequest(url: other, id: "named"))
        let png = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.route("/a") { request in
            request.method == "POST"
                ? .status(status, fields: ["Content-Type": "image/png", "Content-Location": "/b"], body: png)
                : .ok(png, type: "image/png")
        }
        var post = URLRequest(url: url)
        post.httpMethod = "POST"
        let reason = await failure { try await fixture.pipeline.image(for: ImageRequest(urlRequest: post)) }
        #expect(reason == (status == 200 ? nil : .status(500)))
        #expect(try await fixture.store.usage().responseCount == (status == 200 ? 0 : 2))
        fixture.memory.removeAll()
        _ = try await fixture.pipeline.image(for: url)
        #expect(fixture.server.requestCount == (status == 200 ? 4 : 3))
    }
}
