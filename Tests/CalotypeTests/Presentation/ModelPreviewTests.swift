import Calotype
import CalotypeTesting
import Foundation
import Testing

@MainActor
@Suite("The model: an unfinished image until the finished one is there")
struct ModelPreviewTests {
    private static let stops = PreviewFixture.stops

    private func preview(_ phase: RemoteImagePhase) -> DecodedImage? {
        guard case .loading(_, let preview) = phase else { return nil }
        return preview
    }

    private func received(_ phase: RemoteImagePhase) -> Int { Int(phase.progress?.receivedByteCount ?? 0) }

    /// Makes the view appear, and lets the server answer once its task reads the load's updates: it does so without a pause
    /// on the main actor, where this goes on after that.
    private func show(_ view: ModelView, _ fixture: PreviewFixture) async throws {
        view.appear()
        try await fixture.start.waitUntilHeld()
        fixture.start.open()
    }

    @Test("progress, then previews with it, then the image")
    func phases() async throws {
        let colors: [PixelColor] = [.green, .blue]
        let fixture = try PreviewFixture(script: { number, decoding in try decoding.image(colors[number - 1]) })
        let view = ModelView(fixture.request, in: fixture.pipeline)
        try await show(view, fixture)
        await view.wait { received($0) >= Self.stops.0 }
        #expect(view.phase.image == nil)
        try await fixture.waitForTurn()
        await view.wait { $0.image != nil }
        #expect(view.color == .green && received(view.phase) >= Self.stops.0 && !view.phase.isSuccess)
        fixture.gates.0.open()
        await view.wait { received($0) >= Self.stops.1 }
        #expect(view.color == .green)
        try await fixture.waitForTurn()
        await view.wait { _ in view.color == .blue }
        fixture.gates.1.open()
        #expect(await view.waitForImage(from: .network) == .red)
        await view.end()
    }

    @Test("cancelling shows nothing again, and coming back begins with what has come")
    func cancellation() async throws {
        let fixture = try PreviewFixture()
        let view = ModelView(fixture.request, in: fixture.pipeline)
        try await show(view, fixture)
        await view.wait { received($0) >= Self.stops.0 }
        try await fixture.waitForTurn()
        await view.wait { $0.image != nil }
        await view.end()
        guard case .empty = view.phase else { return #expect(Bool(false), "\(view.phase)") }
        fixture.openAll()
        view.appear()
        #expect(await view.waitForImage() == .red)
        await view.end()
    }

    @Test("the first one takes the place of an impression")
    func impression() async throws {
        let store = MemoryImpressionStore()
        let hash = ThumbHash(TestImages.solidBitmap(width: 200, height: 150, color: .blue))
        // Before there is a pipeline, which begins at once to load what is there.
        store.keep(
            ImpressionRecord(hash: hash, pixelSize: PreviewFixture.size), of: "photo", in: nil, since: store.epoch())
        let fixture = try PreviewFixture { $0.store = store }
        await fixture.pipeline.prepare()
        let view = ModelView(ImageRequest(url: fixture.base.server.url("/a"), id: "photo"), in: fixture.pipeline)
        try await show(view, fixture)
        await view.wait { received($0) >= Self.stops.0 }
        #expect(preview(view.phase)?.pixelSize.width == 32)
        try await fixture.waitForTurn()
        await view.wait { preview($0)?.pixelSize == PreviewFixture.size }
        #expect(view.color == .green)
        fixture.openAll()
        #expect(await view.waitForImage() == .red)
        await view.end()
    }

    @Test("a smaller image from memory stays until there is a larger preview; a larger one stays until the image")
    func memory() async throws {
        let fixture = try PreviewFixture()
        func insert(_ width: Int, _ height: Int) {
            var request = fixture.request
            request.size = .pixels(width, height)
            let bitmap = TestImages.solidBitmap(width: width, height: height, color: .blue)
            fixture.pipeline.insert(DecodedImage(bitmap: bitmap, originalPixelSize: PreviewFixture.size), for: request)
        }
        insert(40, 30)
        var request = fixture.request
        request.size = .pixels(100, 75)
        request.cachePolicy = .revalidate
        let view = ModelView(request, in: fixture.pipeline)
        #expect(view.color == .blue)
        try await show(view, fixture)
        await view.wait { received($0) >= Self.stops.0 }
        #expect(preview(view.phase)?.pixelSize.width == 40)
        try await fixture.waitForTurn()
        await view.wait { preview($0)?.pixelSize.width == 100 }
        #expect(view.color == .green)
        // Another view's image comes into memory meanwhile.
        insert(200, 150)
        #expect(preview(view.phase)?.pixelSize.width == 200)
        fixture.openAll()
        #expect(await view.waitForImage(from: .network) == .red)
        await view.end()
    }

    @Test("an image that is shown stays while a larger one of it arrives")
    func changedSize() async throws {
        let fixture = try PreviewFixture()
        var small = fixture.request
        small.size = .pixels(100, 75)
        let bitmap = TestImages.solidBitmap(width: 100, height: 75, color: .blue)
        fixture.pipeline.insert(DecodedImage(bitmap: bitmap, originalPixelSize: PreviewFixture.size), for: small)
        let view = ModelView(small, in: fixture.pipeline)
        view.appear()
        #expect(await view.waitForImage() == .blue)
        try await waitUntil { view.model.isShowing }
        view.change(to: fixture.request)
        fixture.start.open()
        try await fixture.gates.0.waitUntilHeld()
        #expect(view.phase.isSuccess && view.color == .blue)
        fixture.openAll()
        await view.wait { $0.image?.pixelSize == PreviewFixture.size }
        #expect(view.color == .red)
        await view.end()
    }
}
