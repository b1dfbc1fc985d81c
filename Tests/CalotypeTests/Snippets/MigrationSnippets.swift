import Calotype
import CalotypeTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the articles about migration say to write, as far as it needs no view: see ``SnippetComparison``.
@Suite("Migration, in snippets")
struct MigrationSnippets {
    private let url = URL(string: "https://img.example.com/cat.png")!
    private let png = TestImages.solidPNG(width: 8, height: 8, color: .red)

    private struct RefusingDecoder: ImageDecoder {
        func supports(_ format: ImageFormat) -> Bool { false }
        func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage { .fixture }
    }

    @Test("requests say what other libraries' requests say")
    func requests() async throws {
        let (urlRequest, file, data) = (URLRequest(url: url), url, png)
        func bytes() async throws -> Data { png }
        let bytesOfApp = png
        var requests = [
            ImageRequest(url: url), ImageRequest(urlRequest: urlRequest), ImageRequest(url: url, id: "a"),
            ImageRequest(url: url, size: .pixels(400, 400, .fit)), ImageRequest(url: url, size: .pixels(264, 264)),
            ImageRequest(url: url, size: .points(88, 88, scale: 3)), ImageRequest(url: url, processors: [.circle]),
            ImageRequest(url: url, priority: .high), ImageRequest(url: url, cachePolicy: .reload),
            ImageRequest(url: url, cachePolicy: .storedOnly), ImageRequest(url: url, cachePolicy: .storedElseLoad),
            ImageRequest(url: url, cachePolicy: .revalidate), ImageRequest(url: url, cachePolicy: .noStore),
            ImageRequest(url: file), ImageRequest(data: data),
        ]
        requests.append(await Self.request(bytesOfApp))
        #expect(requests.count == 16)
        #expect(requests[3].size == .pixels(400, 400, .fit))
    }

    private static func request(_ data: Data) async -> ImageRequest {
        @Sendable func bytes() async throws -> Data { data }
        return ImageRequest(id: "a") { try await bytes() }
    }

    @Test("a request has options of its own")
    func options() {
        let (mirror, smallFile) = (url, url)
        var request = ImageRequest(url: url)
        request.progressivePreviews = false
        request.retryPolicy = RetryPolicy(attemptLimit: 3)
        request.fallbackURLs = [mirror]
        request.lowDataURL = smallFile
        #expect(request.retryPolicy == .standard)
    }

    @Test("processors stand for those of other libraries")
    func processors() {
        let request = ImageRequest(url: url, processors: [.crop(toAspectRatio: 1), .circle])
        let processors: [any ImageProcessor] = [.crop(to: PixelSize(width: 264, height: 264))]
        let others: [any ImageProcessor] = [
            .resize(.fill(width: 264, height: 264)), .resize(.fit(width: 264, height: 264)), .circle,
            .roundedCorners(radius: 8), .blur(radius: 8), .custom(identifier: "a") { image in image },
        ]
        #expect(request.processors.count + processors.count + others.count == 9)
    }

    @Test("a pipeline has the calls that are named for other libraries' own")
    func pipeline() async throws {
        let pipeline = ImagePipeline.scripted([url: .data(png)])
        let request = ImageRequest(url: url)
        let image = try await pipeline.image(for: url)
        #expect(try await pipeline.data(for: request) == png)
        #expect(try await pipeline.data(for: url) == png)
        let load = pipeline.load(request)
        load.priority = .low
        for await update in load.updates { _ = update }
        let result = try await load.result
        print(result.layer)
        load.cancel()
        #expect(pipeline.cachedImage(for: url) === image)
        #expect(pipeline.cachedImage(for: request) === image)
        #expect(pipeline.contains(request))
        pipeline.insert(image, for: request)
        await pipeline.invalidate(request.id)
        #expect(!pipeline.contains(request))
        let id = request.id
        await pipeline.invalidate(id)
        await pipeline.removeAll()
    }

    @Test("prefetchers stand for those of other libraries")
    func prefetching() async {
        let pipeline = ImagePipeline.scripted([url: .image(.fixture)])
        let urls = [url]
        do {
            let prefetcher = ImagePrefetcher(pipeline: pipeline)
            prefetcher.start(urls, size: .points(88, 88, scale: 3))
            prefetcher.stop(urls, size: .points(88, 88, scale: 3))
            prefetcher.isPaused = true
            prefetcher.stopAll()
            await prefetcher.finished()
            #expect(prefetcher.pendingCount == 0)
        }
        let outcomes = ImagePrefetcher(pipeline: pipeline, onOutcome: { _ in })
        outcomes.stopAll()
        let prefetcher = Calotype.ImagePrefetcher(pipeline: pipeline)
        let processor: any Calotype.ImageProcessor = .circle
        #expect(prefetcher.runningCount == 0)
        #expect(processor.identifier == "circle")
    }

    /// Makes a prefetcher of the shared pipeline, in whose store nothing is looked for yet.
    @Test("a prefetcher may bring files alone")
    func fileprefetching() {
        DefaultFolder.use()
        let prefetcher = ImagePrefetcher(to: .disk)
        #expect(prefetcher.runningCount == 0)
        #expect(ImagePipeline.shared.configuration.authorize == nil)
    }

    @Test("names may be qualified where two libraries are imported")
    func qualified() async throws {
        DefaultFolder.use()
        let server = try LoopbackServer()
        server.respond(to: "/cat.png", with: .ok(png, type: "image/png"))
        let url = server.url("/cat.png")
        let request = Calotype.ImageRequest(url: url)
        let image = try await Calotype.ImagePipeline.shared.image(for: request)
        #expect(image.pixelSize.width == 8)
        #if canImport(ImageIO)
        #expect(image.cgImage.width == 8)
        #endif
    }

    @Test("configurations have what other libraries are configured by")
    func configurations() {
        struct Session {
            @Sendable func sign(_ request: URLRequest) async throws -> URLRequest { request }
        }
        DefaultFolder.use()
        let session = Session()
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let decoder = RefusingDecoder()
        let log: @Sendable (String) -> Void = { _ in }
        let configurations = [
            ImagePipeline.Configuration(authorize: session.sign), ImagePipeline.Configuration(store: nil),
            ImagePipeline.Configuration(store: URLCacheStore(cache)),
        ]
        var configuration = ImagePipeline.Configuration()
        configuration.prefetchLimit = 4
        configuration.fetchLimit = 6
        configuration.decodeLimit = 2
        configuration.limits.bodyByteCount = 16 << 20
        configuration.limits.pixelCount = 40_000_000
        configuration.timeouts = HTTPTimeouts(idle: .seconds(30))
        configuration.fields["b"] = "a"
        configuration.decoders = ImageDecoders([decoder])
        configuration.onEvent = ImageEvent.log { _, line in log(line) }
        #expect(configurations.count == 3 && configuration.fields["B"] == "a")
    }

    @Test("caches are limited, and emptied, as other libraries' are")
    func caches() async throws {
        let limit = 64 << 20
        let memory = MemoryCache(costLimit: limit)
        memory.costLimit = limit
        memory.countLimit = 500
        memory.removeAll()
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let lastMonth = Date(timeIntervalSinceNow: -30 * 86_400)
        let store = SQLiteStore(directory: folder, options: .init(byteLimit: 1 << 30))
        #expect(try await store.removeUnused(since: lastMonth) == 0)
        #expect(try await store.usage().byteCount == 0)
        try await store.removeAll()
        await store.close()
    }
}
