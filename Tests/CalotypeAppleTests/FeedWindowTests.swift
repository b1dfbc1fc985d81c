import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import MainActorClient
import Swift5Client
import SwiftUI
import Testing

@testable import CalotypeExamples

/// What the view host's tests say of a feed, asked of the system's own SwiftUI.
@Suite("In a window", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct FeedWindowTests {
    private static let count = 30

    private let server: LoopbackServer
    private let pipeline: ImagePipeline

    init() throws {
        server = try LoopbackServer()
        let file = TestImages.gradientPNG(width: 176, height: 176)
        for number in 0..<Self.count {
            server.route("/\(number).png") { _ in
                .ok(file, type: "image/png", fields: ["Cache-Control": "max-age=3600"])
            }
        }
        var configuration = ImagePipeline.Configuration(
            memory: MemoryCache(reactsToMemoryPressure: false), store: MemoryStore())
        configuration.retry = .none
        pipeline = ImagePipeline(configuration)
    }

    private var urls: [URL] { (0..<Self.count).map { server.url("/\($0).png") } }

    @Test("the example's list asks for each thumbnail once, however often it is scrolled")
    func example() async throws {
        let articles = urls.enumerated().map { Article(id: $0, title: "Article \($0)", thumbnailURL: $1) }
        let window = HostWindow { ArticleList(articles: articles).imagePipeline(pipeline) }
        for toEnd in [true, false, true] { try await window.scroll(toEnd: toEnd) }
        window.close()
        await pipeline.waitUntilIdle()
        #expect(Set(server.requests.map(\.path)).count == Self.count)
        #expect(server.requestCount == Self.count)
    }

    /// How often a body showed a placeholder, and how often an image.
    @MainActor
    private final class Evaluations {
        var placeholderCount = 0
        var imageCount = 0

        func note(_ phase: AsyncImagePhase) {
            if phase.image == nil { placeholderCount += 1 } else { imageCount += 1 }
        }
    }

    private struct Feed: View {
        let urls: [URL]
        let evaluations: Evaluations

        var body: some View {
            List(urls, id: \.self) { url in
                CachedAsyncImage(url: url) { phase in
                    let _ = evaluations.note(phase)
                    if let image = phase.image { image.resizable().scaledToFill() } else { Color.gray }
                }
                .frame(width: 88, height: 88)
                .clipped()
            }
        }
    }

    @Test("rows that come back show their image in the first frame")
    func firstFrames() async throws {
        let evaluations = Evaluations()
        let window = HostWindow { Feed(urls: urls, evaluations: evaluations).imagePipeline(pipeline) }
        try await window.scroll(toEnd: true)
        try await window.wait("image of the last row") { _ in server.requestCount == Self.count }
        await pipeline.waitUntilIdle()
        try await window.scroll(toEnd: true)
        #expect(evaluations.placeholderCount > 0 && evaluations.imageCount > 0)

        (evaluations.placeholderCount, evaluations.imageCount) = (0, 0)
        for toEnd in [false, true] { try await window.scroll(toEnd: toEnd) }
        window.close()
        #expect(evaluations.imageCount > 0)
        #expect(evaluations.placeholderCount == 0)
        #expect(server.requestCount == Self.count)
    }

    @Test("clients that see isolation otherwise run without a trap")
    func clients() async throws {
        let missing = server.url("/missing.png")
        let swift5 = Swift5Counter()
        let mainActor = MainActorCounter()
        let pipelines = [ImagePipeline.swift5Client(counter: swift5), .mainActorClient(counter: mainActor)]
        let window = HostWindow {
            Swift5Screen(url: urls[0], missing: missing).imagePipeline(pipelines[0])
            MainActorScreen(url: urls[1], missing: missing).imagePipeline(pipelines[1])
        }
        try await window.wait("end of the loads") { _ in
            // A signature and an end for the picture, and for what is missing.
            swift5.count >= 4 && mainActor.count >= 4
        }
        window.close()
        for pipeline in pipelines { await pipeline.waitUntilIdle() }
        #expect(server.requests(to: "/missing.png").count == 2)
        #expect(server.requests.allSatisfy { $0.fields["X-Signed"] == "yes" })
        let file = TestImages.solidPNG(width: 60, height: 40, color: .red)
        let called = [
            try await Swift5Client.callEverything(file: file), try await MainActorClient.callEverything(file: file),
        ]
        #expect(called.allSatisfy { $0.isSuperset(of: ["authorize", "custom", "onEvent", "onOutcome", "update"]) })
    }
}
