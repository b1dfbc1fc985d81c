import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

@testable import CalotypeExamples

@Suite("Examples")
@MainActor
struct ExampleTests {
    private func pipeline() -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(store: MemoryStore())
        configuration.retry = .none
        return ImagePipeline(configuration)
    }

    private static func serve(_ server: LoopbackServer, at path: String, _ size: PixelSize) {
        let file = ServedImages.file(width: size.width, height: size.height)
        server.serve(
            LoopbackServer.Resource(
                file, type: "image/png", etag: "\"\(path)\"", fields: ["Cache-Control": "max-age=600"]),
            at: path)
    }

    @Test("an article's row shows its thumbnail, or a button that tries again")
    func articles() async throws {
        let server = try LoopbackServer()
        Self.serve(server, at: "/0.png", PixelSize(400, 300))
        server.respond(
            to: "/1.png", with: .status(500), .status(500),
            .ok(ServedImages.file(width: 176, height: 176), type: "image/png"))
        let articles = [
            Article(id: 0, title: "One", thumbnailURL: server.url("/0.png")),
            Article(id: 1, title: "Two", thumbnailURL: server.url("/1.png")),
            Article(id: 2, title: "Three", thumbnailURL: nil),
        ]
        let pipeline = pipeline()
        let host = ViewHost {
            ForEach(articles) { ArticleRow(article: $0) }
                .imagePipeline(pipeline)
                .environment(\.displayScale, 2)
        }
        try await host.next { $0.images(id: 0).count == 1 && $0.button("Retry", id: 1) != nil }
        #expect(host.frame.images(id: 0).first?.decoded?.pixelSize == PixelSize(235, 176))
        #expect(host.frame.images(id: 2).isEmpty && host.frame.texts(id: 2) == ["Three"])
        try host.tap("Retry", id: 1)
        try await host.next { $0.button("Retry", id: 1) == nil }
        try await host.next { $0.button("Retry", id: 1) != nil }
        try host.tap("Retry", id: 1)
        try await host.next { $0.images(id: 1).count == 1 }
        #expect(server.requests(to: "/1.png").count == 3)
    }

    @Test("a list of articles has each thumbnail loaded once, those out of sight ahead of time")
    func articleList() async throws {
        let server = try LoopbackServer()
        for index in 0..<20 { Self.serve(server, at: "/\(index).png", PixelSize(100, 100)) }
        let articles = (0..<20).map {
            Article(id: $0, title: "Article \($0)", thumbnailURL: server.url("/\($0).png"))
        }
        let pipeline = pipeline()
        let host = ViewHost { ArticleList(articles: articles).imagePipeline(pipeline) }
        try await server.waitForRequests(count: 20)
        await pipeline.waitUntilIdle()
        try host.scroll(to: 1_200)
        try await host.next { $0.images(id: 15).count == 1 }
        await pipeline.waitUntilIdle()
        #expect(server.requestCount == 20)
    }

    @Test("a grid has three columns; a photo opens with its thumbnail as the first frame")
    func grid() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        for index in 0..<9 { Self.serve(server, at: "/small/\(index).png", PixelSize(160, 120)) }
        let full = ServedImages.file(width: 1_000, height: 750)
        server.route(prefix: "/full/") { _ in .ok(full, type: "image/png").gated(gate) }
        let photos = (0..<9).map {
            Photo(
                id: "photo \($0)", thumbnailURL: server.url("/small/\($0).png"), fullURL: server.url("/full/\($0).png"))
        }
        let pipeline = pipeline()
        let host = ViewHost(size: CGSize(width: 304, height: 400)) { PhotoGrid(photos: photos).imagePipeline(pipeline) }
        try await host.next { $0.images.count == 9 }
        let columns = Set(host.frame.elements.filter { $0.action != nil }.map(\.rect.minX))
        #expect(columns == [0, 102, 204])

        try host.tap("Open photo 4")
        let first = host.render()
        #expect(first.button("Close") != nil)
        #expect(first.images.first?.decoded?.originalPixelSize == PixelSize(160, 120))
        try await gate.waitUntilHeld()
        gate.open()
        let last = try await host.next { $0.images.first?.decoded?.originalPixelSize == PixelSize(1_000, 750) }
        #expect(try #require(last.images.first?.decoded).pixelSize.width >= 304)
        try host.tap("Close")
        #expect(host.render().images.count == 9)
        #expect(server.requestCount == 10)
    }

    @Test("an avatar is loaded for its account; signing out erases it")
    func avatar() async throws {
        let server = try LoopbackServer()
        Self.serve(server, at: "/avatar.png", PixelSize(400, 400))
        let account = Account(id: "account", avatarURL: server.url("/avatar.png"))
        let request = ImageRequest(url: account.avatarURL, size: .pixels(200, 200), partition: account.partition)
        let pipeline = pipeline()
        let host = ViewHost {
            AccountView(account: account).imagePipeline(pipeline).environment(\.displayScale, 2)
        }
        let frame = try await host.next { !$0.images.isEmpty }
        #expect(frame.images.first?.decoded?.pixelSize == PixelSize(200, 200))
        #expect(frame.imageRect?.size == CGSize(width: 100, height: 100))
        #expect(pipeline.contains(request))
        #expect(!pipeline.contains(ImageRequest(url: account.avatarURL, size: .pixels(200, 200))))
        try host.tap("Sign out")
        let signedOut = host.render()
        #expect(signedOut.images.isEmpty && signedOut.texts == ["Signed out"])
        // The view's own task erases it.
        while pipeline.contains(request) { await Task.detached {}.value }
        #expect(pipeline.impression(for: request) == nil)
    }

    @Test("side by side, what comes back is loaded again at the left, and is there at the right")
    func sideBySide() async throws {
        let server = try LoopbackServer()
        for index in 0..<20 { Self.serve(server, at: "/\(index).png", PixelSize(100, 100)) }
        let urls = (0..<20).map { server.url("/\($0).png") }
        let pipeline = pipeline()
        let system = ImagePipeline(.init(store: nil))
        var environment = EnvironmentValues()
        environment.asyncImageLoader = AsyncImageLoader { request, scale in
            let request = ImageRequest(url: try #require(request.url), cachePolicy: .noStore)
            let image = try await system.image(for: request)
            return Image(hosted: image, size: CGSize(width: 100 / scale, height: 100 / scale))
        }
        environment.imagePipeline = pipeline
        let host = ViewHost(size: CGSize(width: 320, height: 88), environment: environment) { SideBySide(urls: urls) }
        try await host.next { $0.images(id: urls[0]).count == 2 }
        for list in [0, 1] { try host.scroll(to: 880, index: list) }
        try await host.next { $0.images(id: urls[10]).count == 2 }
        for list in [0, 1] { try host.scroll(to: 0, index: list) }
        let frame = host.render()
        let images = frame.elements(id: urls[0]).filter { $0.image != nil }
        #expect(images.count == 1 && images[0].rect.midX > 160)
        #expect(frame.elements(id: urls[0]).filter(\.isProgress).allSatisfy { $0.rect.midX < 160 })
        try await host.next { $0.images(id: urls[0]).count == 2 }
        // Twice for the left, once for the right.
        #expect(server.requests(to: "/0.png").count == 3)
    }
}
