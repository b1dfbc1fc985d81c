import Calotype
import CalotypeTesting
import Foundation
import Testing

@MainActor
@Suite("The model: one phase of what a pipeline brings")
struct RemoteImageModelTests {
    @Test("an image in memory is a success in the first evaluation of the body, without a task")
    func memoryHit() async throws {
        let fixture = try Fixture()
        let request = ImageRequest(url: fixture.serve("/a", color: .green))
        _ = try await fixture.pipeline.image(for: request)
        let view = ModelView(request, in: fixture.pipeline)
        guard case .success(let image, .memory) = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        #expect(image === fixture.pipeline.cachedImage(for: request))
    }

    @Test("showing an image in memory is a success before the first suspension")
    func memoryHitBeforeSuspension() async throws {
        let fixture = try Fixture()
        let request = ImageRequest(url: fixture.serve("/a", color: .green))
        _ = try await fixture.pipeline.image(for: request)
        let model = RemoteImageModel()
        let task = Task.immediate { await model.show(request, in: fixture.pipeline) }
        fixture.memory.removeAll()
        // Only the model can have it now: its task has got as far as it could without waiting.
        #expect(model.phase(for: request, in: fixture.pipeline).isSuccess)
        task.cancel()
        await task.value
    }

    @Test("asking for the phase begins nothing")
    func pureQuery() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", fields: ["Cache-Control": "max-age=1, stale-while-revalidate=60"])
        let request = ImageRequest(url: url)
        let view = ModelView(request, in: fixture.pipeline)
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.waitUntilIdle()
        fixture.clock.advance(by: .seconds(10))
        #expect(view.phase.isSuccess)
        #expect(fixture.pipeline.isIdle)
        #expect(fixture.server.requestCount == 1)
    }

    @Test("empty, then loading, then the image with the layer that it came from")
    func phases() async throws {
        let fixture = try Fixture()
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .blue)
        fixture.server.route("/a") { _ in .ok(data, type: "image/png").gated(gate, afterBodyBytes: data.count / 2) }
        let view = ModelView(ImageRequest(url: fixture.server.url("/a")), in: fixture.pipeline)
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        view.appear()
        await view.wait { $0.progress != nil }
        #expect(view.phase.progress?.expectedByteCount == Int64(data.count))
        #expect(view.phase.image == nil)
        gate.open()
        #expect(await view.waitForImage(from: .network) == .blue)
        await view.end()
        #expect(view.phase.isSuccess)
    }

    @Test("cancelling goes back to what was shown before and is no failure; coming back loads")
    func cancellation() async throws {
        let fixture = try Fixture()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .blue)
        fixture.server.respond(to: "/a", with: .hanging, .ok(data, type: "image/png"))
        let view = ModelView(ImageRequest(url: fixture.server.url("/a")), in: fixture.pipeline)
        view.appear()
        _ = try await fixture.server.nextRequest(to: "/a")
        await view.end()
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        try await fixture.server.waitForOpenConnections(count: 0)
        view.appear()
        #expect(await view.waitForImage() == .blue)
        await view.end()
    }

    @Test("cancelling a retry doesn't bring the failure back")
    func cancelledRetry() async throws {
        let fixture = try Fixture()
        fixture.server.respond(to: "/a", with: .status(404), .hanging)
        let view = ModelView(ImageRequest(url: fixture.server.url("/a")), in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForFailure() == .status(404))
        _ = try await fixture.server.nextRequest(to: "/a")
        view.model.retry()
        _ = try await fixture.server.nextRequest(to: "/a")
        await view.end()
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
    }

    @Test("a failure stays until it is retried, and then the image comes")
    func retry() async throws {
        let fixture = try Fixture()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.respond(to: "/a", with: .status(403), .ok(data, type: "image/png"))
        let view = ModelView(ImageRequest(url: fixture.server.url("/a")), in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForFailure() == .status(403))
        view.model.retry()
        guard case .loading = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        #expect(await view.waitForImage() == .green)
        // Nothing to retry: this does nothing.
        view.model.retry()
        #expect(view.phase.isSuccess)
        await view.end()
        #expect(fixture.server.requestCount == 2)
    }

    @Test("a row that failed and comes back loads again")
    func failedRowComesBack() async throws {
        let fixture = try Fixture()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.respond(to: "/a", with: .status(404), .ok(data, type: "image/png"))
        let view = ModelView(ImageRequest(url: fixture.server.url("/a")), in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForFailure() == .status(404))
        await view.end()
        #expect(view.phase.error != nil)
        view.appear()
        #expect(await view.waitForImage() == .green)
        await view.end()
    }

    @Test("a failed row shows what somebody else has loaded meanwhile")
    func failedRowLooksAtMemory() async throws {
        let fixture = try Fixture()
        let data = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.respond(to: "/a", with: .status(404), .ok(data, type: "image/png"))
        let view = ModelView(ImageRequest(url: fixture.server.url("/a")), in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForFailure() == .status(404))
        _ = try await fixture.pipeline.image(for: view.request)
        #expect(view.phase.isSuccess)
        await view.end()
    }

    @Test("a changed URL never shows the old image, not even before its task has begun")
    func changedURL() async throws {
        let fixture = try Fixture()
        let red = ImageRequest(url: fixture.serve("/red", color: .red))
        let blue = ImageRequest(url: fixture.serve("/blue", color: .blue))
        let view = ModelView(red, in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForImage(from: .network) == .red)
        view.change(to: blue)
        #expect(view.phase.image == nil)
        #expect(await view.waitForImage() == .blue)
        await view.end()
    }

    @Test("the same image in a new size: the old one stays until the new one is there")
    func newSize() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 64, height: 64, color: .green)
        let view = ModelView(ImageRequest(url: url, size: .pixels(8, 8)), in: fixture.pipeline)
        view.appear()
        _ = await view.waitForImage(from: .network)
        let small = view.phase.image
        let gate = ProcessingGate()
        fixture.decoder.hold(at: gate)
        view.change(to: ImageRequest(url: url, size: .pixels(64, 64)))
        #expect(view.phase.isSuccess && view.phase.image === small)
        await gate.waitUntilReached()
        #expect(view.phase.isSuccess && view.phase.image === small)
        gate.open()
        await view.wait { $0.image?.pixelSize == PixelSize(width: 64, height: 64) }
        #expect(view.phase.isSuccess)
        await view.end()
    }

    @Test("a new size that can't be had leaves the old image where it is")
    func newSizeFails() async throws {
        let fixture = try Fixture { $0.store = nil }
        let data = TestImages.solidPNG(width: 64, height: 64, color: .green)
        fixture.server.respond(to: "/a", with: .ok(data, type: "image/png"), .status(404))
        let url = fixture.server.url("/a")
        let view = ModelView(ImageRequest(url: url, size: .pixels(8, 8)), in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForImage(from: .network) == .green)
        view.change(to: ImageRequest(url: url, size: .pixels(64, 64)))
        await fixture.events.wait { if case .failed = $0 { true } else { false } }
        #expect(view.phase.isSuccess && view.phase.image?.pixelSize.width == 8)
        await view.end()
    }

    @Test("an image without its processors is never shown for one with them")
    func processors() async throws {
        let fixture = try Fixture()
        let url = fixture.serve("/a", width: 64, height: 64)
        let view = ModelView(ImageRequest(url: url), in: fixture.pipeline)
        view.appear()
        _ = await view.waitForImage()
        view.change(to: ImageRequest(url: url, processors: [.circle]))
        #expect(view.phase.image == nil)
        #expect(await view.waitForImage() == .clear)
        await view.end()
    }

    @Test("a row's image is the first frame of the detail view, under the ID that both have")
    func preview() async throws {
        let fixture = try Fixture()
        let thumbnail = fixture.serve("/thumbnail", width: 8, height: 8, color: .green)
        let gate = LoopbackServer.Gate()
        let data = TestImages.solidPNG(width: 64, height: 64, color: .blue)
        fixture.server.route("/full") { _ in .ok(data, type: "image/png").gated(gate) }
        let id = ResourceID("photo 1")
        _ = try await fixture.pipeline.image(for: ImageRequest(url: thumbnail, id: id))
        let view = ModelView(ImageRequest(url: fixture.server.url("/full"), id: id), in: fixture.pipeline)
        #expect(!view.phase.isSuccess && view.color == .green)
        view.appear()
        try await gate.waitUntilHeld()
        #expect(!view.phase.isSuccess && view.color == .green)
        gate.open()
        #expect(await view.waitForImage() == .blue)
        await view.end()
    }

    @Test("a stale image is shown at once, and the new one when it comes")
    func stale() async throws {
        let fixture = try Fixture()
        let fields: HTTPFields = ["Cache-Control": "max-age=10, stale-while-revalidate=1000"]
        let old = TestImages.solidPNG(width: 8, height: 8, color: .red)
        let new = TestImages.solidPNG(width: 8, height: 8, color: .green)
        fixture.server.respond(
            to: "/a", with: .ok(old, type: "image/png", fields: fields), .ok(new, type: "image/png", fields: fields))
        let request = ImageRequest(url: fixture.server.url("/a"))
        _ = try await fixture.pipeline.image(for: request)
        fixture.clock.advance(by: .seconds(60))
        let view = ModelView(request, in: fixture.pipeline)
        #expect(view.phase.isSuccess && view.color == .red)
        view.appear()
        await view.wait { $0.image?.bitmap.pixel(0, 0) == .green }
        #expect(view.phase.isSuccess)
        await view.end()
    }

    @Test("a stale image from the store is shown at once, and the new one when it comes")
    func staleInStore() async throws {
        let fixture = try Fixture()
        let fields: HTTPFields = ["Cache-Control": "max-age=10, stale-while-revalidate=1000"]
        let old = TestImages.solidPNG(width: 8, height: 8, color: .red)
        let new = TestImages.solidPNG(width: 8, height: 8, color: .green)
        let gate = LoopbackServer.Gate()
        fixture.server.respond(
            to: "/a", with: .ok(old, type: "image/png", fields: fields),
            .ok(new, type: "image/png", fields: fields).gated(gate))
        let request = ImageRequest(url: fixture.server.url("/a"))
        _ = try await fixture.pipeline.image(for: request)
        fixture.memory.removeAll()
        fixture.clock.advance(by: .seconds(60))
        let view = ModelView(request, in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForImage(from: .storage) == .red)
        try await gate.waitUntilHeld()
        gate.open()
        await view.wait { $0.image?.bitmap.pixel(0, 0) == .green }
        #expect(view.phase.isSuccess)
        await view.end()
        #expect(fixture.server.requestCount == 2)
    }

    @Test("a cancellation that an app's closure throws by itself is a failure, and isn't tried again and again")
    func foreignCancellation() async throws {
        let fixture = try Fixture()
        let calls = Counter()
        let request = ImageRequest(id: "a") {
            calls.increment()
            throw CancellationError()
        }
        let view = ModelView(request, in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForFailure() == .sourceFailed)
        await fixture.pipeline.waitUntilIdle()
        await view.end()
        #expect(calls.value == 1)
    }

    @Test("progress begins anew when the body does")
    func progressStartsOver() async throws {
        let data = TestImages.gradientPNG(width: 100, height: 100)
        let gate = LoopbackServer.Gate()
        let fixture = try Fixture { $0.retry = RetryPolicy(attemptLimit: 2, baseDelay: .zero) }
        let most = data.count * 9 / 10
        fixture.server.respond(
            to: "/a", with: .ok(data, type: "image/png").truncated(afterBodyBytes: most),
            .ok(data, type: "image/png").gated(gate, afterBodyBytes: data.count / 10))
        let view = ModelView(ImageRequest(url: fixture.server.url("/a")), in: fixture.pipeline)
        view.appear()
        try await gate.waitUntilHeld()
        await view.wait { ($0.progress?.fraction ?? 1) < 0.5 }
        gate.open()
        await view.wait { $0.isSuccess }
        await view.end()
    }

    @Test("a change of priority restarts nothing")
    func subject() throws {
        let fixture = try Fixture()
        let request = ImageRequest(url: fixture.serve("/a"))
        var urgent = request
        urgent.priority = .veryHigh
        var larger = request
        larger.size = .pixels(10, 10)
        var reloading = request
        reloading.cachePolicy = .reload
        let subject = { RemoteImageModel.Subject($0, fixture.pipeline) }
        #expect(subject(request) == subject(urgent))
        #expect(subject(request) != subject(larger))
        #expect(subject(request) != subject(reloading))
        #expect(try subject(request) != RemoteImageModel.Subject(request, Fixture().pipeline))
    }

    @Test("a second task takes the place of the first, which ends")
    func secondTask() async throws {
        let fixture = try Fixture()
        fixture.server.respond(to: "/a", with: .hanging)
        let blue = ImageRequest(url: fixture.serve("/blue", color: .blue))
        let model = RemoteImageModel()
        let request = ImageRequest(url: fixture.server.url("/a"))
        let first = Task { await model.show(request, in: fixture.pipeline) }
        _ = try await fixture.server.nextRequest(to: "/a")
        let second = Task { await model.show(blue, in: fixture.pipeline) }
        await first.value
        await fixture.events.waitForLoad(from: .network)
        second.cancel()
        await second.value
        #expect(model.phase(for: blue, in: fixture.pipeline).isSuccess)
    }
}
