import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// What an app has around the snippets.

struct Story: Identifiable {
    let id: Int
    let thumbnailURL: URL?
    var url: URL { URL(string: "https://example.com/\(id)")! }
}

struct User { let avatarURL: URL? }
struct SignedInAccount { let id: Partition }
struct Picture { let id: ResourceID }

struct Row: View {
    let item: Story
    init(_ item: Story) { self.item = item }
    var body: some View { Text("\(item.id)") }
}

struct Avatar: View {
    let user: User
    init(_ user: User) { self.user = user }
    var body: some View { CachedAsyncImage(url: user.avatarURL) }
}

struct Feed: View {
    let articles: [Story]
    init(_ articles: [Story]) { self.articles = articles }
    var body: some View { ForEach(articles) { CachedAsyncImage(url: $0.thumbnailURL) } }
}

actor Session {
    private(set) var signedCount = 0

    @Sendable func sign(_ request: URLRequest) async throws -> URLRequest {
        signedCount += 1
        return request
    }
}

/// What a user writes: each function holds snippets as they stand, and runs them. That they are those of the documentation,
/// `SnippetComparison` sees to, among the tests of Calotype.
@Suite("Snippets")
@MainActor
struct SnippetTests {
    let url = URL(string: "https://example.com/a.png")!
    let article = Story(id: 1, thumbnailURL: URL(string: "https://example.com/a.png")!)

    /// Where the default store lies in these tests: no other test may use it before.
    private nonisolated static let folder: URL = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-ui-\(UUID().uuidString)")
        SQLiteStore.useDirectoryOfTests(folder)
        atexit { try? FileManager.default.removeItem(at: SnippetTests.folder) }
        return folder
    }()

    init() {
        let folder = Self.folder
        let store = ImagePipeline.defaultStore as? SQLiteStore
        precondition(store?.directory == folder, "Something has used the default store before.")
    }

    func frame(@ViewBuilder _ view: @escaping @MainActor () -> some View) -> Frame {
        let pipeline = ImagePipeline.scripted([url: .image(.fixture)])
        return ViewHost { view().imagePipeline(pipeline) }.frame
    }

    @Test("AsyncImage, renamed, shows its image")
    func renamed() {
        let frame = frame {
            CachedAsyncImage(url: article.thumbnailURL) { image in
                image.resizable().scaledToFill()
            } placeholder: {
                ProgressView()
            }
            .frame(width: 88, height: 88)
        }
        #expect(frame.images.count == 1)
    }

    @Test("a view goes by the phase")
    func phases() {
        let frame = frame {
            CachedAsyncImage(url: article.thumbnailURL, transaction: Transaction(animation: .easeIn)) { phase in
                switch phase {
                case .empty: ProgressView()
                case .success(let image): image.resizable().scaledToFit()
                case .failure: Color.red
                @unknown default: EmptyView()
                }
            }
        }
        #expect(frame.images.count == 1)
    }

    @Test("a failure has a view of its own, which retries")
    func failure() async throws {
        let bad = URL(string: "https://example.com/missing.png")!
        let p = ImagePipeline.scripted([url: .image(.fixture), bad: .failure(.status(404))])
        // swift-format-ignore
        func view(_ url: URL) -> some View {
            CachedAsyncImage(url: url) { $0.resizable() } placeholder: { Color.gray } failure: { error, retry in
                Button("Retry", action: retry)
            }
        }
        let host = ViewHost { view(bad).imagePipeline(p) }
        try await host.next { $0.button("Retry") != nil }
    }

    @Test("authenticated images have a pipeline, and an account's a partition")
    func authenticated() async {
        let session = Session()
        let user = User(avatarURL: nil)
        let account = SignedInAccount(id: "account")
        let pipeline = ImagePipeline(.init(authorize: session.sign))
        let host = ViewHost {
            Avatar(user).imagePipeline(pipeline).remoteImagePartition(account.id)
        }
        #expect(host.frame.images.isEmpty)
        await pipeline.removePartition(account.id)
        #expect(await session.signedCount == 0)
    }

    @Test("a list's images are prefetched")
    func prefetching() async throws {
        let server = try LoopbackServer()
        server.fallback { _ in .status(404) }
        var configuration = ImagePipeline.Configuration(store: MemoryStore())
        configuration.retry = .none
        let pipeline = ImagePipeline(configuration)
        struct Item: Identifiable {
            let id: Int
            let url: URL
        }
        let items = (0..<3).map { Item(id: $0, url: server.url("/\($0).png")) }
        func Row(_ item: Item) -> some View { Text("\(item.id)") }
        let host = ViewHost {
            List(items) { Row($0) }.prefetchImages(items.map(\.url), size: .points(88, 88), to: .disk)
                .imagePipeline(pipeline)
        }
        #expect(host.frame.texts == ["0", "1", "2"])
        try await server.waitForRequests(count: 3)
        await pipeline.waitUntilIdle()
    }

    @Test("a detail view begins with the row's image")
    func detail() {
        let full = url
        let photo = Picture(id: "photo")
        let pipeline = ImagePipeline.scripted([:])
        pipeline.insert(.fixture, for: ImageRequest(url: URL(string: "https://example.com/small.png")!, id: photo.id))
        let host = ViewHost {
            CachedAsyncImage(ImageRequest(url: full, id: photo.id)) { phase in
                phase.image?.resizable().scaledToFit()
            }
            .imagePipeline(pipeline)
        }
        #expect(host.frame.images.first?.decoded === DecodedImage.fixture)
    }

    @Test("an image and its bytes are loaded without a view")
    func withoutView() async throws {
        let server = try LoopbackServer()
        let png = ServedImages.file(width: 8, height: 8)
        server.route(prefix: "/") { _ in .ok(png, type: "image/png") }
        let url = server.url("/\(UUID().uuidString).png")
        let request = ImageRequest(url: url)

        let image = try await ImagePipeline.shared.image(for: url)
        let data = try await ImagePipeline.shared.data(for: url)
        let load = ImagePipeline.shared.load(request)
        load.priority = .low
        for await update in load.updates { _ = update }
        let result = try await load.result
        load.cancel()
        #expect(image.pixelSize == PixelSize(8, 8) && data == png && result.image === image)
    }

    @Test("a size may be named, a preview told apart, and an animation played")
    func migrated() {
        let frame = frame {
            // swift-format-ignore
            CachedAsyncImage(url: url) { $0.resizable() } placeholder: { Color.gray }
                .remoteImageSize(.points(88, 88))
            CachedAsyncImage(ImageRequest(url: url)) { phase in
                phase.image?.resizable().scaledToFit().opacity(phase.isSuccess ? 1 : 0.5)
            }
            CachedAsyncImage(ImageRequest(url: url)) { phase in
                AnimatedImage(phase.image) { $0.resizable().scaledToFit() }
            }
        }
        #expect(frame.images.count == 3)
    }

    @Test("a session becomes a pipeline")
    func session() {
        let configuration = URLSessionConfiguration.ephemeral
        let pipeline = ImagePipeline(.init(transport: URLSessionTransport(configuration: configuration)))
        let articles = [Story(id: 0, thumbnailURL: nil)]
        let host = ViewHost {
            Feed(articles).imagePipeline(pipeline)
        }
        #expect(host.frame.elements.count == 1)
    }
}
