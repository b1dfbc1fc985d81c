import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The Swift snippets of Calotype's articles, in functions that compile and run: see ``SnippetComparison``.
@Suite("Articles")
struct ArticleSnippets {
    let server: LoopbackServer
    let url: URL
    let png = TestImages.solidPNG(width: 8, height: 8, color: .red)

    init() throws {
        DefaultFolder.use()
        server = try LoopbackServer()
        let image = LoopbackServer.Resource(
            TestImages.gradientPNG(width: 600, height: 400), type: "image/png", etag: "\"1\"",
            fields: ["Cache-Control": "max-age=60"])
        server.route(prefix: "/") { image.response(to: $0) }
        url = server.url("/\(UUID().uuidString).png")
    }

    /// A pipeline that shares nothing with others.
    func ownPipeline() -> ImagePipeline {
        ImagePipeline(.init(memory: MemoryCache(reactsToMemoryPressure: false), store: MemoryStore()))
    }

    // MARK: Getting started

    @Test("a pipeline of one's own logs without paths")
    func configuration() async throws {
        let logged = Mutex<[String]>([])
        let log: @Sendable (String) -> Void = { line in logged.withLock { $0.append(line) } }
        var configuration = ImagePipeline.Configuration(memory: MemoryCache(costLimit: 128 << 20))
        configuration.limits.pixelCount = 40_000_000
        configuration.onEvent = ImageEvent.log { _, line in log(line) }
        let pipeline = ImagePipeline(configuration)
        _ = try await pipeline.image(for: url)
        #expect(logged.withLock(\.count) == 1)
        #expect(!logged.withLock { $0.joined() }.contains(url.lastPathComponent))
    }

    @Test("what is in memory is had at once, and a load is followed")
    func followed() async throws {
        let pipeline = ownPipeline()
        let request = ImageRequest(url: url)
        var shown: [DecodedImage] = []
        func show(_ image: DecodedImage) { shown.append(image) }
        func show(_ fraction: Double?) {}
        do {
            let load = pipeline.load(request)
            load.priority = .high
            for await update in load.updates {
                switch update {
                case .progress(let progress): show(progress.fraction)
                case .preview(let image): show(image)
                case .image(let result): show(result.image)
                }
            }
            let result = try await load.result
            print(result.layer, result.report.duration)
            #expect(result.layer == .network)
        }
        if let image = pipeline.cachedImage(for: request) {
            show(image)
        }
        #expect(shown.count >= 2)
        #expect(shown.last === pipeline.cachedImage(for: request))
    }

    @Test("other URLs stand in, and errors are told apart")
    func failing() async throws {
        let (mirror, smallFile) = (url, url)
        let pipeline = ownPipeline()
        server.respond(to: "/gone.png", with: .status(404))
        let url = server.url("/gone.png")
        do {
            var request = ImageRequest(url: url)
            request.fallbackURLs = [mirror]
            request.lowDataURL = smallFile
            let image = try await pipeline.image(for: request)
            #expect(image.pixelSize.width == 600)
        }
        let request = ImageRequest(url: url)
        var shown: [String] = []
        func showPlaceholder() { shown.append("placeholder") }
        func log(_ text: String) { shown.append(text) }
        await pipeline.removeAll()
        do {
            _ = try await pipeline.image(for: request)
        } catch let error as ImageError where error.reason == .status(404) {
            showPlaceholder()
        } catch is CancellationError {
            // Nobody waits any more.
        } catch {
            log("\(error)")
        }
        #expect(shown == ["placeholder"])
    }

    // MARK: Sizes and memory

    @Test("sizes are boxes to cover or to fit into, or the image's own")
    func sizes() {
        let whole = ImageRequest(url: url, size: .original)
        let row = ImageRequest(url: url, size: .points(88, 66, scale: 3))
        let banner = ImageRequest(url: url, size: .pixels(1200, nil))
        let page = ImageRequest(url: url, size: .points(320, 480, scale: 2, .fit))
        let file = PixelSize(width: 4000, height: 3000)
        let sizes = [whole, row, banner, page].map { $0.size.target().pixelSize(for: file) }
        #expect(
            sizes == [
                file, PixelSize(width: 264, height: 198), PixelSize(width: 1200, height: 900),
                PixelSize(width: 640, height: 480),
            ])
    }

    @Test("memory and decodes have the limits that the app names")
    func memoryLimits() {
        do {
            let memory = MemoryCache(costLimit: 96 << 20, countLimit: 500)
            let pipeline = ImagePipeline(.init(memory: memory))
            memory.trim(toCost: 32 << 20)
            #expect(pipeline.configuration.memory.countLimit == 500)
        }
        var configuration = ImagePipeline.Configuration()
        configuration.decodeLimit = 2
        configuration.decodeByteBudget = 64 << 20
        configuration.resizeQuality = .fast
        configuration.colorSpace = .displayP3
        let pipeline = ImagePipeline(configuration)
        #expect(pipeline.configuration.decodeByteBudget == 64 << 20)
    }

    @Test("an image's colours are remembered")
    func impression() async throws {
        let pipeline = ownPipeline()
        let request = ImageRequest(url: url)
        var shown: Impression.Color?
        func show(_ color: Impression.Color?) { shown = color }
        _ = try await pipeline.image(for: request)
        await pipeline.waitUntilIdle()
        await pipeline.prepare()  // at start: what earlier launches have remembered
        let impression = pipeline.impression(for: request)
        show(impression?.averageColor)
        #expect(shown?.alpha == 1)
    }

    @Test("an image has an impression before it was ever loaded, if a server sends its ThumbHash")
    func givenImpression() throws {
        let pipeline = ownPipeline()
        let picture = DecodedImage(bitmap: TestImages.solidBitmap(width: 60, height: 40, color: .green))
        let hash = Impression(of: picture).thumbHash.base64EncodedString()
        let list = Data(
            "[{\"url\": \"https://img.example.com/a\", \"thumbHash\": \"\(hash)\", \"width\": 600, \"height\": 400}]"
                .utf8)
        struct Photo: Decodable {
            let url: URL
            let thumbHash: Data  // base64 in JSON
            let width: Int
            let height: Int
        }
        for photo in try JSONDecoder().decode([Photo].self, from: list) {
            let size = PixelSize(width: photo.width, height: photo.height)
            guard let impression = Impression(thumbHash: photo.thumbHash, pixelSize: size) else { continue }
            pipeline.insertImpression(impression, for: ImageRequest(url: photo.url))
        }
        let url = try #require(URL(string: "https://img.example.com/a"))
        #expect(pipeline.impression(for: ImageRequest(url: url))?.aspectRatio == 1.5)
    }

    // MARK: HTTP caching and freshness

    @Test("policies are kept to, and the report says what was decided")
    func policies() async throws {
        let pipeline = ownPipeline()
        let avatar = ImageRequest(url: url, cachePolicy: .revalidate)
        let icon = ImageRequest(url: url, cachePolicy: .immutable)
        let offline = ImageRequest(url: url, cachePolicy: .storedOnly)
        await #expect(throws: ImageError.self) { try await pipeline.image(for: offline) }
        _ = try await pipeline.image(for: icon)
        pipeline.configuration.memory.removeAll()
        do {
            let request = ImageRequest(url: url)
            let result = try await pipeline.result(for: request)
            print(result.layer)  // storage
            let reason = result.report.cacheReason?.description ?? "none"
            print(reason)  // fresh: age 0 s of 60 s by max-age (RFC 9111, 5.2.2.1)
            #expect(result.layer == .storage)
            #expect(reason == "fresh: age 0 s of 60 s by max-age (RFC 9111, 5.2.2.1)")
        }
        #expect(try await pipeline.result(for: avatar).layer == .revalidation)
    }

    @Test("two URLs may name one picture, and one that has changed goes from memory")
    func names() async throws {
        let pipeline = ownPipeline()
        let (thumbnailURL, fullURL) = (url, server.url("/full.png"))
        let small = ImageRequest(url: thumbnailURL, id: "photo-17")
        let large = ImageRequest(url: fullURL, id: "photo-17")
        #expect(small.id == large.id)
        _ = try await pipeline.image(for: url)
        await pipeline.invalidate(ResourceID(url: url))
        #expect(pipeline.cachedImage(for: url) == nil)
    }

    @Test("a store keeps to the folder that the app names")
    func folder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = SQLiteStore(directory: folder, options: .init(byteLimit: 1 << 30))
        let pipeline = ImagePipeline(.init(store: store))
        _ = try await pipeline.image(for: url)
        #expect(try await store.usage().responseCount == 1)
        await store.close()
    }

    // MARK: Authenticated images and sign-out

    @Test("requests are signed, and an account is erased")
    func authentication() async throws {
        struct Session {
            func token() async throws -> String { "a token" }
        }
        let session = Session()
        let account = (id: "account 1", name: "")
        let authorize: @Sendable (URLRequest) async throws -> URLRequest = { request in
            guard request.url?.host() == "img.example.com" else { return request }
            var request = request
            request.setValue("Bearer \(try await session.token())", forHTTPHeaderField: "Authorization")
            return request
        }
        let pipeline = ImagePipeline(.init(authorize: authorize))
        let request = ImageRequest(url: url, partition: Partition(account.id))
        let avatar = try await pipeline.image(for: request)
        #expect(avatar.pixelSize.width == 600)
        #expect(server.requests.last?.fields["Authorization"] == nil, "The server's host is another.")
        await pipeline.removePartition(Partition(account.id))
        #expect(pipeline.cachedImage(for: request) == nil)
    }
}
