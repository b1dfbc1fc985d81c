import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@MainActor
@Suite("The model: what is removed leaves the screen")
struct ModelRemovalTests {
    @Test("removing a partition blanks what shows it, in view or not, and nothing else")
    func partition() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", color: .green, fields: ["Cache-Control": "max-age=60"])
        let views = ["first-account", "first-account", "second-account"].map {
            ModelView(ImageRequest(url: url, partition: Partition($0)), in: fixture.pipeline)
        }
        for view in views {
            view.appear()
            #expect(await view.waitForImage() == .green)
        }
        await views[1].end()
        await fixture.pipeline.removePartition(Partition("first-account"))
        #expect(views.map(\.phase.isSuccess) == [false, false, true])
        #expect(views.map { $0.phase.image == nil } == [true, true, false])
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.isIdle)
        // Signed in again: the next time it is shown, it loads.
        await views[0].end()
        views[0].appear()
        #expect(await views[0].waitForImage() == .green)
        for view in views { await view.end() }
    }

    @Test("removing a partition while its image is on the way: the image doesn't come, and that is no failure")
    func partitionUnderWay() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .blue)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png").gated(gate) }
        let request = ImageRequest(url: fixture.server.url("/a"), partition: Partition("first-account"))
        let view = ModelView(request, in: fixture.pipeline)
        view.appear()
        try await gate.waitUntilHeld()
        await fixture.pipeline.removePartition(Partition("first-account"))
        gate.open()
        await fixture.pipeline.waitUntilIdle()
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        await view.end()
    }

    @Test("what a late load finds of a partition before it is erased is shown to nobody who was blanked")
    func partitionFoundMeanwhile() async throws {
        let store = OddStore(failing: nil, with: OddStore.Fault())
        let fixture = try Fixture { $0.store = store }
        let url = fixture.serve("/a", color: .green, fields: ["Cache-Control": "max-age=60"])
        let request = ImageRequest(url: url, partition: Partition("first-account"))
        let view = ModelView(request, in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForImage() == .green)
        let layers = Mutex<[LoadReport.Layer]>([])
        store.beforeRemoval.withLock {
            $0 = { [pipeline = fixture.pipeline] in
                let result = try? await pipeline.result(for: request)
                layers.withLock { $0 += [result?.layer].compactMap(\.self) }
                let phase = await view.phase
                guard case .empty = phase else { return #expect(Bool(false), "\(phase)") }
            }
        }
        await fixture.pipeline.removePartition(Partition("first-account"))
        #expect(layers.withLock { $0 } == [.storage])
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        #expect(fixture.memory.count == 0)
        await view.end()
    }

    @Test("what failed offline for a partition that has been removed isn't loaded when the network is back")
    func partitionOffline() async throws {
        let network = ManualNetworkMonitor(NetworkStatus(isAvailable: false))
        let data = TestImages.solidPNG(width: 8, height: 8, color: .blue)
        let transport = ScriptedTransport([.fail(.cannotConnect), .respond(200, [:], data)])
        let fixture = try Fixture {
            $0.transport = transport
            $0.network = network
        }
        let url = try #require(URL(string: "http://img.example.com/a.png"))
        let view = ModelView(ImageRequest(url: url, partition: Partition("first-account")), in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForFailure() == .cannotConnect)
        await fixture.pipeline.removePartition(Partition("first-account"))
        network.status.isAvailable = true
        // The task has nothing to wait for any more.
        await view.task?.value
        await fixture.pipeline.waitUntilIdle()
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        #expect(transport.requests.count == 1)
    }

    @Test("removing everything blanks, and loads anew what is in view")
    func everything() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", color: .green, fields: ["Cache-Control": "max-age=60"])
        let view = ModelView(ImageRequest(url: url), in: fixture.pipeline)
        let other = ModelView(ImageRequest(url: url), in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForImage(from: .network) == .green)
        other.appear()
        #expect(await other.waitForImage() == .green)
        await other.end()
        await fixture.pipeline.removeAll()
        #expect(await view.waitForImage() == .green)
        #expect(fixture.server.requestCount == 2)
        await view.end()
    }

    @Test("removing everything while an image is on the way: it is fetched again")
    func everythingUnderWay() async throws {
        let fixture = try Fixture()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .blue)
        fixture.server.respond(to: "/a", with: .hanging, .ok(data, type: "image/png"))
        let view = ModelView(ImageRequest(url: fixture.server.url("/a")), in: fixture.pipeline)
        view.appear()
        _ = try await fixture.server.nextRequest(to: "/a")
        await fixture.pipeline.removeAll()
        #expect(await view.waitForImage() == .blue)
        await view.end()
    }

    @Test("an outdated resource is loaded anew wherever it is in view, and its old picture stays until then")
    func invalidate() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let old = TestImages.solidPNG(width: 8, height: 8, color: .red)
        let new = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.respond(
            to: "/a", with: .ok(old, type: "image/png", fields: ["Cache-Control": "max-age=3600"]),
            .ok(new, type: "image/png").gated(gate))
        let request = ImageRequest(url: fixture.server.url("/a"))
        let view = ModelView(request, in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForImage(from: .network) == .red)
        await fixture.pipeline.invalidate(request.id)
        try await gate.waitUntilHeld()
        #expect(view.phase.isSuccess && view.color == .red)
        gate.open()
        await view.wait { $0.image?.bitmap.pixel(0, 0) == .green }
        await view.end()
    }

    @Test("a pipeline doesn't keep the models that it tells")
    func ownership() async throws {
        let fixture = try Fixture()
        let request = ImageRequest(url: fixture.serve("/a"))
        weak var model: RemoteImageModel?
        do {
            let view = ModelView(request, in: fixture.pipeline)
            model = view.model
            view.appear()
            _ = await view.waitForImage()
            await view.end()
        }
        #expect(model == nil)
        await fixture.pipeline.removeAll()
    }
}
