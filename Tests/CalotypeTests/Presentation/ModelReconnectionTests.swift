import Calotype
import CalotypeTesting
import Foundation
import Testing

@MainActor
@Suite("The model: offline, then online")
struct ModelReconnectionTests {
    /// A red image that has gone stale, without a network, whose server will fail once more and then give a green one.
    private static func staleImage(
        _ fields: HTTPFields
    ) async throws -> (Fixture, ScriptedTransport, ManualNetworkMonitor, ImageRequest) {
        let network = ManualNetworkMonitor(NetworkStatus(isAvailable: false))
        let old = TestImages.solidPNG(width: 8, height: 8, color: .red)
        let new = TestImages.solidPNG(width: 8, height: 8, color: .green)
        let transport = ScriptedTransport([
            .respond(200, fields, old), .fail(.cannotConnect), .respond(200, fields, new),
        ])
        let fixture = try Fixture {
            $0.transport = transport
            $0.network = network
        }
        let request = ImageRequest(url: try #require(URL(string: "http://img.example.com/a.png")))
        _ = try await fixture.pipeline.image(for: request)
        fixture.clock.advance(by: .seconds(60))
        return (fixture, transport, network, request)
    }

    @Test("a stale image that can't be validated offline is, once the network is back")
    func staleOffline() async throws {
        let (fixture, _, network, request) = try await Self.staleImage(
            ["Cache-Control": "max-age=10, stale-while-revalidate=1000"])
        let view = ModelView(request, in: fixture.pipeline)
        view.appear()
        await fixture.events.wait { if case .failed = $0 { true } else { false } }
        #expect(view.phase.isSuccess && view.color == .red)
        network.status.isAvailable = true
        await view.wait { $0.image?.bitmap.pixel(0, 0) == .green }
        #expect(view.phase.isSuccess)
        await view.end()
    }

    @Test("an old image that stands in while there is no network gives way to the new one when there is")
    func standIn() async throws {
        let (fixture, transport, network, request) = try await Self.staleImage(["Cache-Control": "max-age=10"])
        fixture.memory.removeAll()
        let view = ModelView(request, in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForImage(from: .storage) == .red)
        network.status.isAvailable = true
        await view.wait { $0.image?.bitmap.pixel(0, 0) == .green }
        #expect(view.phase.isSuccess)
        await view.end()
        #expect(transport.requests.count == 3)
    }

    @Test("what failed offline loads when the network is back, with the view that has been there all the time")
    func reconnection() async throws {
        let network = ManualNetworkMonitor(NetworkStatus(isAvailable: false))
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        let transport = ScriptedTransport([.fail(.cannotConnect), .fail(.hostNotFound), .respond(200, [:], data)])
        let fixture = try Fixture {
            $0.transport = transport
            $0.network = network
        }
        let url = try #require(URL(string: "http://img.example.com/a.png"))
        let view = ModelView(ImageRequest(url: url), in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForFailure() == .cannotConnect)
        // Back, but not really; and then it is.
        network.status.isAvailable = true
        await view.wait { $0.error?.reason == .hostNotFound }
        network.status.isAvailable = false
        network.status.isAvailable = true
        #expect(await view.waitForImage(from: .network) == .green)
        await view.end()
        #expect(transport.requests.count == 3)
    }

    @Test("a server that comes back is told by another image's success")
    func serverComesBack() async throws {
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        let transport = ScriptedTransport([.fail(.connectionLost), .respond(200, [:], data)])
        let fixture = try Fixture { $0.transport = transport }
        let first = ModelView(
            ImageRequest(url: try #require(URL(string: "http://img.example.com/a.png"))), in: fixture.pipeline)
        first.appear()
        #expect(await first.waitForFailure() == .connectionLost)
        _ = try await fixture.pipeline.image(for: try #require(URL(string: "http://img.example.com/b.png")))
        #expect(await first.waitForImage(from: .network) == .green)
        await first.end()
    }

    @Test("what fails again and again while its server answers others isn't tried each time")
    func persistentFailure() async throws {
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        let fixture = try Fixture()
        fixture.server.route("/broken") { _ in .ok(data, type: "image/png").truncated(afterBodyBytes: 10) }
        for number in 0..<10 {
            fixture.server.route("/\(number)") { _ in .ok(data, type: "image/png") }
        }
        let view = ModelView(ImageRequest(url: fixture.server.url("/broken")), in: fixture.pipeline)
        view.appear()
        for number in 0..<10 {
            _ = await view.waitForFailure()
            _ = try await fixture.pipeline.image(for: fixture.server.url("/\(number)"))
            await fixture.pipeline.waitUntilIdle()
        }
        await view.end()
        #expect(2...4 ~= fixture.server.requests(to: "/broken").count)
    }
}
