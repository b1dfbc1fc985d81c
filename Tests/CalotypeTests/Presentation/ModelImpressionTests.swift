import Calotype
import CalotypeTesting
import Foundation
import Testing

@MainActor
@Suite("The model: an impression until the image is there")
struct ModelImpressionTests {
    /// A pipeline that is new, on a store that has kept an impression from an earlier launch, and a server that answers
    /// once the gate is open.
    private struct Restart {
        let fixture: Fixture
        let gate = LoopbackServer.Gate()
        let request: ImageRequest

        init(partition: Partition? = nil) async throws {
            let store = MemoryImpressionStore()
            let hash = ThumbHash(TestImages.solidBitmap(width: 60, height: 40, color: .green))
            store.keep(
                ImpressionRecord(hash: hash, pixelSize: PixelSize(width: 60, height: 40)), of: "photo", in: partition,
                since: store.epoch())
            fixture = try Fixture { $0.store = store }
            let data = TestImages.solidPNG(width: 60, height: 40, color: .green)
            fixture.server.route("/a") { [gate] _ in .ok(data, type: "image/png").gated(gate) }
            request = ImageRequest(url: fixture.server.url("/a"), id: "photo", partition: partition)
            await fixture.pipeline.prepare()
        }
    }

    private func preview(_ phase: RemoteImagePhase) -> DecodedImage? {
        guard case .loading(nil, let preview) = phase else { return nil }
        return preview
    }

    @Test("the first frame after a restart shows it, without I/O, and the same object again until the image comes")
    func firstFrame() async throws {
        let restart = try await Restart()
        let view = ModelView(restart.request, in: restart.fixture.pipeline)
        let image = try #require(preview(view.phase))
        #expect(image.pixelSize == PixelSize(width: 32, height: 21))
        #expect(image.originalPixelSize == PixelSize(width: 60, height: 40))
        #expect(image.bitmap.average.isClose(to: .green, within: 4))
        await restart.fixture.pipeline.waitUntilIdle()
        #expect(restart.fixture.pipeline.isIdle)
        #expect(restart.fixture.server.requestCount == 0)

        view.appear()
        try await restart.gate.waitUntilHeld()
        #expect(preview(view.phase) === image)
        restart.gate.open()
        #expect(await view.waitForImage() == .green)
        #expect(view.phase.image?.pixelSize == PixelSize(width: 60, height: 40))
        await view.end()
    }

    @Test("a real preview takes its place")
    func realPreview() async throws {
        let restart = try await Restart()
        let view = ModelView(restart.request, in: restart.fixture.pipeline)
        #expect(preview(view.phase)?.pixelSize.width == 32)
        var row = restart.request
        row.size = .pixels(12, 8, .fit)
        let bitmap = TestImages.solidBitmap(width: 12, height: 8, color: .blue)
        restart.fixture.pipeline.insert(
            DecodedImage(bitmap: bitmap, originalPixelSize: PixelSize(width: 60, height: 40)), for: row)
        #expect(view.color == .blue)
        #expect(preview(view.phase)?.pixelSize.width == 12)
    }

    @Test("of a partition that has been removed there is none")
    func removedPartition() async throws {
        let restart = try await Restart(partition: "first-account")
        let view = ModelView(restart.request, in: restart.fixture.pipeline)
        #expect(preview(view.phase) != nil)
        await restart.fixture.pipeline.removePartition("first-account")
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
    }

    @Test("a request with processors shows none: they may be there to hide something")
    func processors() async throws {
        let restart = try await Restart()
        var request = restart.request
        request.processors = [.circle]
        let view = ModelView(request, in: restart.fixture.pipeline)
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        #expect(restart.fixture.pipeline.impression(for: request) != nil)
    }

    @Test("a failure stays a failure")
    func failure() async throws {
        let restart = try await Restart()
        restart.fixture.server.route("/a") { _ in .status(404) }
        let view = ModelView(restart.request, in: restart.fixture.pipeline)
        view.appear()
        #expect(await view.waitForFailure() == .status(404))
        await view.end()
        #expect(view.phase.error != nil && view.phase.image == nil)
    }
}
