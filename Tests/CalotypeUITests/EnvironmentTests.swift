import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

@Suite("What the environment says")
@MainActor
struct EnvironmentTests {
    @Test("pipeline, partition and size reach the images inside; what a request names itself stays")
    func reaches() async throws {
        let images = try ImageServer()
        let other = try ImageServer()
        let url = images.serve(1, side: 300)
        func image(_ request: ImageRequest, _ id: String) -> some View {
            CachedAsyncImage(request) { phase in phase.image.map { Image($0).resizable() } }
                .frame(width: 50, height: 50)
                .id(id)
        }
        let host = ViewHost {
            VStack {
                image(ImageRequest(url: url), "inherits")
                image(ImageRequest(url: url, size: .pixels(120, 120), partition: "own"), "its own")
                image(ImageRequest(url: other.serve(2)), "other").imagePipeline(other.pipeline)
                    .remoteImageSize(nil).remoteImagePartition(nil)
            }
            .remoteImageSize(.pixels(200, 200))
            .remoteImagePartition("account")
            .imagePipeline(images.pipeline)
        }
        let frame = try await host.next { $0.images.count == 3 }
        #expect(frame.images(id: "inherits").first?.decoded?.pixelSize.width == 200)
        #expect(frame.images(id: "its own").first?.decoded?.pixelSize.width == 120)
        func isCached(_ pipeline: ImagePipeline, _ url: URL, _ side: Int, _ partition: Partition?) -> Bool {
            pipeline.contains(ImageRequest(url: url, size: .pixels(side, side), partition: partition))
        }
        #expect(isCached(images.pipeline, url, 200, "account") && isCached(images.pipeline, url, 120, "own"))
        #expect(!isCached(images.pipeline, url, 120, nil))
        #expect(isCached(other.pipeline, other.server.url("/2"), 32, nil))
        #expect(images.server.requestCount == 2 && other.server.requestCount == 1)
    }

    @Test("points without a scale are the display's")
    func displayScale() async throws {
        let images = try ImageServer()
        let url = images.serve(1, side: 300)
        let host = ViewHost {
            Thumbnail(url: url).remoteImageSize(.points(40, 40)).environment(\.displayScale, 3)
                .imagePipeline(images.pipeline)
        }
        try await host.next { $0.images.first?.decoded?.pixelSize.width == 120 }
    }

    @Test("a change of pipeline, partition or size is followed")
    func changes() async throws {
        let images = try ImageServer()
        let other = try ImageServer()
        let url = images.serve(1, side: 300)
        func view(_ pipeline: ImagePipeline, _ partition: Partition?, _ side: Int) -> some View {
            Thumbnail(url: url).remoteImageSize(.pixels(side, side)).remoteImagePartition(partition)
                .imagePipeline(pipeline)
        }
        let host = ViewHost { view(images.pipeline, nil, 50) }
        try await host.next { $0.isComplete }
        host.update { view(images.pipeline, nil, 100) }
        try await host.next { $0.images.first?.decoded?.pixelSize.width == 100 }
        host.update { view(images.pipeline, "account", 100) }
        host.render()
        #expect(host.frame.showsProgress)
        try await host.next { $0.isComplete }
        host.update { view(other.pipeline, "account", 100) }
        host.render()
        #expect(host.frame.showsProgress)
        try await host.next { $0.isComplete }
        #expect(images.server.requestCount == 3)
    }
}

@Suite("Transitions")
@MainActor
struct TransitionTests {
    private let fade = Animation.easeOut(duration: 0.2)

    /// The changes up to the first frame with an image.
    private func changes(_ host: ViewHost, until isReached: @escaping @MainActor (Frame) -> Bool) async throws
        -> [Frame.Change]
    {
        try await host.next(where: isReached).changes
    }

    @Test("a fade animates an image that was loaded, and not one from memory")
    func fades() async throws {
        let images = try ImageServer()
        let url = images.serve(1)
        func view() -> some View {
            Thumbnail(url: url).remoteImageTransition(.fade(fade)).imagePipeline(images.pipeline)
        }
        let host = ViewHost { view() }
        let loaded = try await changes(host) { $0.isComplete }
        let insertion = try #require(loaded.first { $0.kind == .inserted && $0.transition != nil })
        #expect(insertion.transition == "opacity" && insertion.animation == fade && !insertion.disablesAnimations)
        #expect(loaded.contains { $0.kind == .removed && $0.animation == fade })

        let second = ViewHost { view() }
        let log = FrameLog(second)
        #expect(second.frame.images.count == 1)
        await second.settle()
        for change in second.frame.changes + log.frames.flatMap(\.changes) { #expect(change.animation == nil) }
    }

    @Test("what is remembered of an image fades into it; more pixels of it just come")
    func impression() async throws {
        let images = try ImageServer { $0.impressions = ImpressionTable() }
        let url = images.serve(1, side: 300)
        _ = try await images.pipeline.image(for: ImageRequest(url: url, size: .pixels(88, 88)))
        await images.pipeline.waitUntilIdle()
        images.memory.removeAll()
        func view(_ side: CGFloat) -> some View {
            Thumbnail(url: url, side: side).remoteImageTransition(.fade(fade)).imagePipeline(images.pipeline)
        }
        let host = ViewHost { view(88) }
        #expect(host.frame.images.first?.decoded?.isImpression == true)
        let loaded = try await changes(host) { $0.images.contains { $0.decoded?.pixelSize.width == 88 } }
        #expect(loaded.contains { $0.kind == .inserted && $0.transition == "opacity" && $0.animation == fade })
        #expect(loaded.contains { $0.kind == .removed && $0.animation == fade })

        host.update { view(200) }
        let log = FrameLog(host)
        try await host.next { ($0.images.first?.decoded?.pixelSize.width ?? 0) >= 200 }
        #expect(log.frames.flatMap(\.changes).allSatisfy { $0.kind != .inserted && $0.kind != .removed })
    }

    @Test("an image that came into memory after the first frame is shown at once")
    func lateMemoryHit() async throws {
        let images = try ImageServer()
        let url = images.serve(1)
        let host = ViewHost(rendering: .manual) {
            Thumbnail(url: url, side: 240).remoteImageTransition(.fade(fade)).imagePipeline(images.pipeline)
        }
        // Before the view's task has run.
        images.pipeline.insert(.fixture, for: ImageRequest(url: url, size: .original))
        await host.settle()
        await images.pipeline.waitUntilIdle()
        await host.settle()
        #expect(host.frame.images.count == 1)
        #expect(host.frame.changes.allSatisfy { $0.animation == nil && $0.disablesAnimations })
        #expect(images.server.requestCount == 0)
    }

    @Test("a failure fades in as well, and a custom transition is the app's")
    func failure() async throws {
        let images = try ImageServer()
        let url = images.server.url("/nothing")
        let host = ViewHost {
            RetryThumbnail(url: url)
                .remoteImageTransition(.custom(.slide, animation: .linear(duration: 1)))
                .imagePipeline(images.pipeline)
        }
        let changes = try await changes(host) { $0.button("Retry") != nil }
        #expect(
            changes.contains {
                $0.kind == .inserted && $0.transition == "slide" && $0.animation == .linear(duration: 1)
            })
    }

    @Test("the transaction that AsyncImage takes is used when the phase changes, with what is said last")
    func transaction() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let url = images.serve(1, gate: gate)
        func view(_ animation: Animation?, _ url: URL) -> some View {
            CachedAsyncImage(url: url, transaction: Transaction(animation: animation)) { phase in
                if let image = phase.image { image } else { Text(verbatim: phase.error == nil ? "empty" : "failure") }
            }
            .imagePipeline(images.pipeline)
        }
        let host = ViewHost { view(.linear, url) }
        try await gate.waitUntilHeld()
        host.update { view(.easeIn, url) }
        host.render()
        gate.open()
        let changes = try await changes(host) { !$0.images.isEmpty }
        #expect(!changes.isEmpty && changes.allSatisfy { $0.animation == .easeIn })

        let failing = ViewHost { view(.linear, images.server.url("/nothing")) }
        let failed = try await self.changes(failing) { $0.texts == ["failure"] }
        #expect(!failed.isEmpty && failed.allSatisfy { $0.animation == .linear })

        let hit = ViewHost { view(.linear, url) }
        let log = FrameLog(hit)
        await hit.settle()
        #expect(hit.frame.images.count == 1)
        #expect(log.frames.flatMap(\.changes).allSatisfy { $0.animation == nil })
    }

    @Test("without a transition the app's own view keeps its state from phase to phase")
    func keepsState() async throws {
        struct Counter: View {
            let image: Image?
            @State private var number = Int.random(in: 0..<Int.max)

            var body: some View {
                VStack {
                    Text(verbatim: "\(number)")
                    image
                }
            }
        }
        let images = try ImageServer()
        let url = images.serve(1)
        let host = ViewHost {
            CachedAsyncImage(url: url) { phase in Counter(image: phase.image) }.imagePipeline(images.pipeline)
        }
        let texts = host.frame.texts
        #expect(texts.count == 1)
        #expect(try await host.next { !$0.images.isEmpty }.texts == texts)
    }
}
