import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

@Suite("An image that was here before")
@MainActor
struct MemoryHitTests {
    /// Notes each phase that a body is evaluated for.
    @MainActor
    private final class PhaseLog {
        private(set) var phases: [RemoteImagePhase] = []

        func note(_ phase: RemoteImagePhase) -> Image? {
            phases.append(phase)
            return phase.image.map { Image($0) }
        }
    }

    /// The first body, the first frame, and all that follow.
    private func expectHit(
        _ images: ImageServer, _ request: ImageRequest, isSuccessAtOnce: Bool,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let requestCount = images.server.requestCount
        let log = PhaseLog()
        let host = ViewHost {
            CachedAsyncImage(request) { log.note($0)?.resizable() }
                .frame(width: 88, height: 88)
                .environment(\.displayScale, 3)
                .imagePipeline(images.pipeline)
                .remoteImageTransition(.fade())
        }
        let first = try #require(log.phases.first, sourceLocation: location)
        #expect(first.image != nil && (first.isSuccess || !isSuccessAtOnce), sourceLocation: location)
        let last = try #require(log.phases.last, sourceLocation: location)
        #expect(last.isSuccess, "The first frame shows the image.", sourceLocation: location)
        #expect(host.frame.number == 1 && host.frame.images.count == 1, sourceLocation: location)
        let frames = FrameLog(host)
        await images.pipeline.waitUntilIdle()
        await host.settle()
        for frame in frames.frames {
            #expect(frame.images.count == 1, sourceLocation: location)
            #expect(frame.changes.allSatisfy { $0.animation == nil && $0.kind == .updated }, sourceLocation: location)
        }
        #expect(log.phases.allSatisfy { $0.image != nil }, sourceLocation: location)
        #expect(images.server.requestCount == requestCount, sourceLocation: location)
        #expect(images.pipeline.jobCounts == (0, 0, 0), sourceLocation: location)
    }

    @Test("is in the first body and the first frame, without an animation and without a request")
    func inMemory() async throws {
        let images = try ImageServer()
        let request = ImageRequest(url: images.serve(1, side: 600), size: .points(88, 88))
        _ = try await images.pipeline.image(for: ImageRequest(url: images.server.url("/1"), size: .pixels(264, 264)))
        try await expectHit(images, request, isSuccessAtOnce: true)
    }

    @Test("of automatic size is in the first body, and is the image in the first frame")
    func automaticSize() async throws {
        let images = try ImageServer()
        let url = images.serve(1, side: 600)
        _ = try await images.pipeline.image(for: ImageRequest(url: url, size: .pixels(264, 264)))
        try await expectHit(images, ImageRequest(url: url), isSuccessAtOnce: false)
    }

    @Test("is what a detail view opens with: the row's image, though from another URL and smaller")
    func detail() async throws {
        let images = try ImageServer()
        let small = images.serve(1, at: "/small", side: 300)
        let gate = LoopbackServer.Gate()
        let full = images.serve(2, at: "/full", side: 900, gate: gate)
        let row = ViewHost {
            CachedAsyncImage(ImageRequest(url: small, id: "photo")) { $0.image.map { Image($0).resizable() } }
                .frame(width: 88, height: 88).environment(\.displayScale, 3).imagePipeline(images.pipeline)
        }
        try await row.next { !$0.images.isEmpty }
        let detail = ViewHost {
            CachedAsyncImage(ImageRequest(url: full, id: "photo")) { phase in
                phase.image.map { Image($0).resizable().scaledToFit() }
            }
            .imagePipeline(images.pipeline)
        }
        #expect(detail.frame.number == 1 && detail.frame.images.map(\.color) == [.number(1)])
        let log = FrameLog(detail)
        try await gate.waitUntilHeld()
        gate.open()
        try await detail.next { $0.images.first?.color == .number(2) }
        #expect(log.frames.allSatisfy { $0.images.count == 1 })
        #expect(images.server.requestCount == 2)
    }

    @Test("in a smaller size stays until the larger one has come")
    func largerSize() async throws {
        let images = try ImageServer()
        let url = images.serve(1, side: 600)
        func view(_ side: CGFloat) -> some View {
            CachedAsyncImage(ImageRequest(url: url, size: .points(side, side, scale: 1))) { phase in
                if let image = phase.image { Image(image).resizable() } else { ProgressView() }
            }
            .imagePipeline(images.pipeline)
        }
        let host = ViewHost { view(100) }
        try await host.next { $0.images.first?.decoded?.pixelSize.width == 100 }
        let log = FrameLog(host)
        host.update { view(400) }
        try await host.next { $0.images.first?.decoded?.pixelSize.width == 400 }
        #expect(log.frames.allSatisfy { $0.images.count == 1 && !$0.showsProgress })
        #expect(log.frames.first?.images.first?.decoded?.pixelSize.width == 100)
        #expect(images.server.requestCount == 1)
    }

    @Test("Two sizes of one image on one screen are one download")
    func twoSizes() async throws {
        let images = try ImageServer()
        let gate = LoopbackServer.Gate()
        let url = images.serve(1, side: 600, gate: gate)
        let host = ViewHost {
            VStack {
                Thumbnail(url: url)
                Thumbnail(url: url, side: 240)
            }
            .imagePipeline(images.pipeline)
        }
        try await gate.waitUntilHeld()
        gate.open()
        try await host.next { frame in Set(frame.images.compactMap { $0.decoded?.pixelSize.width }) == [88, 240] }
        #expect(images.server.requestCount == 1)
    }

    @Test("and was evicted shows its impression in the first frame, never the placeholder")
    func impression() async throws {
        let images = try ImageServer { $0.impressions = ImpressionTable() }
        let url = images.serve(1, side: 300)
        _ = try await images.pipeline.image(for: ImageRequest(url: url, size: .pixels(88, 88)))
        await images.pipeline.waitUntilIdle()
        images.memory.removeAll()
        let host = ViewHost { Thumbnail(url: url).imagePipeline(images.pipeline).remoteImageTransition(.fade()) }
        let impression = try #require(host.frame.images.first?.decoded)
        #expect(host.frame.number == 1 && !host.frame.showsProgress && impression.pixelSize.width <= 32)
        let log = FrameLog(host)
        try await host.next { $0.images.first?.decoded?.pixelSize.width == 88 }
        #expect(log.placeholderCount == 0)
        #expect(images.server.requestCount == 1)
    }
}
