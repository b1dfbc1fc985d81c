import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The Swift snippets of README.md, in functions that compile and run: see ``SnippetComparison``.
@Suite("README")
struct ReadmeSnippets {
    private let server: LoopbackServer
    private let url: URL

    init() throws {
        DefaultFolder.use()
        server = try LoopbackServer()
        let image = LoopbackServer.Resource(
            TestImages.gradientPNG(width: 600, height: 400), type: "image/png", etag: "\"1\"",
            fields: ["Cache-Control": "max-age=60"])
        server.route(prefix: "/") { image.response(to: $0) }
        url = server.url("/\(UUID().uuidString).png")
    }

    @Test("an image is loaded by its URL")
    func image() async throws {
        let image = try await ImagePipeline.shared.image(for: url)
        #expect(image.pixelSize == PixelSize(width: 600, height: 400))
    }

    @Test("a thumbnail is loaded at its size, and is then had from memory")
    func thumbnail() async throws {
        let request = ImageRequest(url: url, size: .points(88, 88, scale: 3))
        let thumbnail = try await ImagePipeline.shared.image(for: request)
        print(thumbnail.pixelSize, "of", thumbnail.originalPixelSize)  // 396 x 264 of 600 x 400
        #expect("\(thumbnail.pixelSize) of \(thumbnail.originalPixelSize)" == "396 x 264 of 600 x 400")

        var shown: [DecodedImage] = []
        func show(_ image: DecodedImage) { shown.append(image) }
        if let image = ImagePipeline.shared.cachedImage(for: request) {
            show(image)
        }
        #expect(shown.first === thumbnail)
    }

    @Test("a load is followed, says which layer served it, and may be cancelled")
    func load() async throws {
        let request = ImageRequest(url: url)
        var shown: [DecodedImage] = []
        func show(_ image: DecodedImage) { shown.append(image) }
        func show(_ fraction: Double?) {}
        let load = ImagePipeline.shared.load(request)
        for await update in load.updates {
            switch update {
            case .progress(let progress): show(progress.fraction)
            case .preview(let image): show(image)
            case .image(let result): show(result.image)
            }
        }
        let result = try await load.result
        print(result.layer, result.report.duration)
        #expect(shown.last === result.image)
        #expect(result.layer == .network)
    }

    @Test("cancelling the task cancels the load")
    func cancellation() async throws {
        let slow = server.url("/slow")
        server.respond(to: "/slow", with: .hanging)
        let request = ImageRequest(url: slow)
        let pipeline = ImagePipeline.shared
        let task = Task { try await pipeline.image(for: request) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("rows ahead are prefetched")
    func prefetching() async throws {
        let pipeline = ImagePipeline(.init(memory: MemoryCache()))
        let rowsAhead = [url]
        let rowsPassed: [URL] = []
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        prefetcher.start(rowsAhead, size: .points(88, 88, scale: 3))
        prefetcher.stop(rowsPassed, size: .points(88, 88, scale: 3))
        await prefetcher.finished()
        #expect(pipeline.cachedImage(for: ImageRequest(url: url, size: .points(88, 88, scale: 3))) != nil)
    }

    @Test("a view shows the phase of its model")
    @MainActor
    func model() async throws {
        let pipeline = ImagePipeline(.init(memory: MemoryCache()))
        let request = ImageRequest(url: url)
        let model = RemoteImageModel()
        var shown: [String] = []
        func showPlaceholder(preview: DecodedImage?) { shown.append("placeholder") }
        func show(_ image: DecodedImage) { shown.append("image") }
        func showRetry(_ error: ImageError, _ action: () -> Void) { shown.append("retry") }
        func body() {
            let phase = model.phase(for: request, in: pipeline)  // in the body
            switch phase {
            case .empty, .loading: showPlaceholder(preview: phase.image)
            case .success(let image, _): show(image)
            case .failure(let error): showRetry(error) { model.retry() }
            }
        }
        func task() async {
            await model.show(request, in: pipeline)  // in the view's task, until it is cancelled
        }
        body()
        let visible = Task { await task() }
        _ = try await pipeline.image(for: request)
        // The model hears of it in a turn of its own.
        while !model.phase(for: request, in: pipeline).isSuccess { await Task.yield() }
        body()
        visible.cancel()
        await visible.value
        #expect(shown == ["placeholder", "image"])
    }

    @Test("other URLs stand in, and attempts are counted")
    func fallback() async throws {
        server.respond(to: "/gone.png", with: .status(404))
        let pipeline = ImagePipeline.shared
        let mirror = url
        let url = server.url("/gone.png")
        var request = ImageRequest(url: url)
        request.fallbackURLs = [mirror]
        request.retryPolicy = RetryPolicy(attemptLimit: 5)
        let image = try await pipeline.image(for: request)
        #expect(image.pixelSize.width == 600)
    }

    @Test("errors say what to do, and don't say the URL")
    func errors() async throws {
        server.respond(to: "/secret.png", with: .status(404))
        let url = server.url("/secret.png")
        var shown: [String] = []
        func showPlaceholder() { shown.append("placeholder") }
        func log(_ text: String) { shown.append(text) }
        do {
            _ = try await ImagePipeline.shared.image(for: url)
        } catch let error as ImageError {
            if error.reason == .status(404) { showPlaceholder() }
            log("\(error)")
        }
        #expect(shown.count == 2)
        #expect(!shown.joined().contains("secret"))
    }

    @Test("an image server makes the size that is shown")
    func serverThumbnails() throws {
        let thumbs = server.url("/")
        let key = "secret"
        var configuration = ImagePipeline.Configuration()
        configuration.serverThumbnails = ServerThumbnails(.thumbor(at: thumbs, key: key), for: ["photos.example.com"])
        #expect(configuration.serverThumbnails?.hosts == ["photos.example.com"])
    }

    @Test("a recorder writes what a pipeline has done")
    func recorder() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).html")
        defer { try? FileManager.default.removeItem(at: file) }
        let recorder = PipelineRecorder()
        var configuration = ImagePipeline.Configuration()
        configuration.recorder = recorder
        let pipeline = ImagePipeline(configuration)
        _ = try await pipeline.image(for: url)
        try recorder.page().write(to: file)
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(page.contains("127.0.0.1") && !page.contains(url.lastPathComponent))
    }

    @Test("an account's images are kept apart and erased as one")
    func partition() async throws {
        let account = (id: "account 1", name: "")
        let pipeline = ImagePipeline.shared
        let request = ImageRequest(url: url, partition: Partition(account.id))
        let avatar = try await pipeline.image(for: request)
        await pipeline.removePartition(Partition(account.id))
        #expect(avatar.pixelSize.width == 600)
        #expect(pipeline.cachedImage(for: request) == nil)
    }

    @Test("an app's own test scripts its server")
    func testSupport() async throws {
        let png = TestImages.solidPNG(width: 8, height: 8, color: .red)
        let server = try LoopbackServer()
        server.respond(to: "/cat.png", with: .status(404), .ok(png, type: "image/png"))
        let url = server.url("/cat.png")
        await #expect(throws: ImageError.self) { try await ImagePipeline.shared.image(for: url) }
        #expect(try await ImagePipeline.shared.image(for: url).pixelSize == PixelSize(width: 8, height: 8))
        #expect(server.requests.map(\.path) == ["/cat.png", "/cat.png"])
    }
}
