import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@MainActor
@Suite("The model: tasks that come late, and requests that change")
struct ModelRenewalTests {
    @Test("a task that was cancelled before it began takes nobody's place")
    func cancelledBeforehand() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.route("/b") { _ in .ok(data, type: "image/png").gated(gate) }
        let former = ImageRequest(url: fixture.serve("/a"))
        let view = ModelView(ImageRequest(url: fixture.server.url("/b")), in: fixture.pipeline)
        view.appear()
        try await gate.waitUntilHeld()
        let late = Task { [model = view.model] in await model.show(former, in: fixture.pipeline) }
        late.cancel()
        await late.value
        gate.open()
        #expect(await view.waitForImage() == .green)
        #expect(fixture.server.requests.map(\.path) == ["/b"])
        await view.end()
    }

    @Test("another try is made with what the request says by then")
    func renewedCredentials() async throws {
        let fixture = try Fixture()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.route("/a") { request in
            request.fields["Authorization"] == "Bearer new" ? .ok(data, type: "image/png") : .init(status: 401)
        }
        func request(_ token: String, partition: Partition) -> ImageRequest {
            var request = URLRequest(url: fixture.server.url("/a"))
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            return ImageRequest(urlRequest: request, partition: partition)
        }
        let view = ModelView(request("old", partition: "me"), in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForFailure() == .status(401))
        // Another account's are none of its business.
        view.model.renew(request("new", partition: "you"))
        view.model.retry()
        view.model.retry()
        #expect(await view.waitForFailure() == .status(401))
        view.model.renew(request("new", partition: "me"))
        view.model.retry()
        #expect(await view.waitForImage() == .green)
        #expect(fixture.server.requestCount == 3)
        await view.end()
    }

    @Test("a view that rests holds neither an image nor a failure, and what it begins anew arrives")
    func rests() async throws {
        let fixture = try Fixture()
        let request = ImageRequest(url: fixture.serve("/a", color: .green))
        let view = ModelView(request, in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForImage() == .green)
        // What is remembered of it is made behind the image.
        await fixture.pipeline.waitUntilIdle()
        view.model.rest()
        await view.end()
        fixture.memory.removeAll()
        guard case .loading(nil, _) = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        view.appear()
        #expect(await view.waitForImage() == .green)
        await view.end()

        let failing = ModelView(ImageRequest(url: fixture.server.url("/nothing")), in: fixture.pipeline)
        failing.appear()
        #expect(await failing.waitForFailure() == .status(404))
        failing.model.rest()
        guard case .empty = failing.phase else { return #expect(Bool(false), "\(failing.phase)") }
        await failing.end()
    }
}
