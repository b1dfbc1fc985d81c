import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@Suite("The scripted pipeline")
struct ScriptedPipelineTests {
    private let url = URL(string: "https://example.com/picture.png")!

    @Test("its images are there at once, in any size")
    func memory() async throws {
        let pipeline = ImagePipeline.scripted([url: .image(.fixture)])
        #expect(pipeline.cachedImage(for: url) === DecodedImage.fixture)
        #expect(pipeline.cachedImage(for: ImageRequest(url: url, size: .pixels(200, nil))) === DecodedImage.fixture)
        let small = try await pipeline.image(for: ImageRequest(url: url, size: .pixels(24, 18)))
        #expect(small.pixelSize == PixelSize(width: 24, height: 18))
    }

    @Test(
        "a failure is the one that was given, and comes at once",
        arguments: [
            (ScriptedAnswer.Failure.status(404), ImageError.Reason.status(404)), (.offline, .cannotConnect),
            (.timedOut, .timedOut),
        ])
    func failure(_ failure: ScriptedAnswer.Failure, _ reason: ImageError.Reason) async {
        let pipeline = ImagePipeline.scripted([url: .failure(failure)])
        let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
        #expect(error?.reason == reason)
    }

    @Test("what begins like an image and isn't one is corrupt")
    func corrupt() async {
        let pipeline = ImagePipeline.scripted([url: .failure(.corrupt)])
        let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
        #expect(error?.stage == .decoding)
    }

    @Test("what isn't scripted fails, names itself, and goes nowhere")
    func unmatched() async {
        let heard = Mutex<[URL]>([])
        let other = URL(string: "https://example.com/other.png")!
        let pipeline = ImagePipeline.scripted([url: .image(.fixture)]) { request in
            heard.withLock { $0.append(request.url) }
        }
        let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: other) }
        #expect((error?.underlyingError as? UnscriptedRequest)?.url == other)
        #expect(heard.withLock { $0 } == [other])
    }

    @Test("what waits does so until nobody does any more")
    func waiting() async throws {
        let pipeline = ImagePipeline.scripted([url: .waiting])
        let load = pipeline.load(ImageRequest(url: url))
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.result }
        await pipeline.waitUntilIdle()
    }

    @Test("a preview shows its image for every URL")
    func preview() async throws {
        let pipeline = ImagePipeline.preview(for: [url])
        #expect(pipeline.cachedImage(for: url) === DecodedImage.fixture)
        let other = try await pipeline.image(for: URL(string: "https://example.com/any")!)
        #expect(other.pixelSize == DecodedImage.fixture.pixelSize)
    }
}
