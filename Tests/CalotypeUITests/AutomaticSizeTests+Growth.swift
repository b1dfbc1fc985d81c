import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

// Views, displays and images that change while they are shown.
extension AutomaticSizeTests {
    /// An image that fills the window.
    private func hostOfResizable(_ served: ServedImages, size: CGSize) -> ViewHost {
        host(served, size: size) {
            CachedAsyncImage(url: served.url) {
                $0.resizable()
            } placeholder: {
                Color.gray
            }
        }
    }

    @Test("a window that is dragged wider decodes in steps of an eighth, and nothing as it shrinks")
    func resizing() async throws {
        let served = try ServedImages()
        let host = hostOfResizable(served, size: CGSize(width: 200, height: 150))
        try await served.wait(host, for: PixelSize(200, 150))
        #expect(served.decodedSizes == [PixelSize(200, 150)])
        for width in stride(from: 204, through: 400, by: 4) {
            host.resize(CGSize(width: width, height: width * 3 / 4))
            let frame = try await host.next { $0.images.first?.decoded.map { $0.pixelSize.width >= width - 1 } == true }
            await served.settle(host)
            let shown = try #require(frame.images.first?.decoded?.pixelSize.width)
            #expect(shown <= width * 9 / 8 + 1)
        }
        let widths = served.decodedSizes.map(\.width)
        #expect(widths == widths.sorted() && Set(widths).count == widths.count)
        #expect(widths.count <= 1 + 9, "\(widths)")
        for width in stride(from: 396, through: 40, by: -20) {
            host.resize(CGSize(width: width, height: width * 3 / 4))
            await served.settle(host)
        }
        #expect(served.decodedSizes.map(\.width) == widths)
        #expect(served.server.requestCount == 1)
    }

    @Test("an image that an image server makes for the view grows with it")
    func serverThumbnails() async throws {
        let imageServer = try LoopbackServer()
        imageServer.route(prefix: "/") { request in
            let sides = request.path.dropFirst().split(separator: "x").compactMap { Int($0) }
            let size = PixelTarget.fill(width: sides.first, height: sides.last).pixelSize(for: PixelSize(1_200, 900))
            // Fresh, so that whoever comes after it has ended finds an answer and asks nothing.
            return .ok(
                ServedImages.file(width: size.width, height: size.height), type: "image/png",
                fields: ["Cache-Control": "max-age=600"])
        }
        let served = try ServedImages {
            $0.serverThumbnails = ServerThumbnails(
                .custom("loopback", coversWithoutCropping: true) { _, size, _ in
                    imageServer.url("/\(size.width ?? 0)x\(size.height ?? 0)")
                }, for: ["127.0.0.1"])
        }
        let host = hostOfResizable(served, size: CGSize(width: 200, height: 150))
        try await served.wait(host, for: PixelSize(200, 150))
        host.resize(CGSize(width: 320, height: 240))
        try await served.wait(host, for: PixelSize(320, 240))
        #expect(imageServer.requests.map(\.path) == ["/208x160", "/320x240"])
        #expect(served.server.requests.isEmpty)
    }

    @Test("a rotation decodes only if the image's own shape needs more pixels, and then once")
    func rotation() async throws {
        let portrait = CGSize(width: 320, height: 480), landscape = CGSize(width: 480, height: 320)
        for (file, sizes) in [
            (ServedImages.photo, [PixelSize(640, 480)]),
            (ServedImages.file(width: 500, height: 1_000), [PixelSize(320, 640), PixelSize(480, 960)]),
        ] {
            let served = try ServedImages(file)
            let host = host(served, size: portrait) {
                CachedAsyncImage(url: served.url) {
                    $0.resizable().scaledToFit()
                } placeholder: {
                    Color.gray
                }
            }
            try await served.wait(host, for: sizes[0])
            for size in [landscape, portrait, landscape] {
                host.resize(size)
                await served.settle(host)
            }
            try await served.wait(host, for: try #require(sizes.last))
            #expect(served.decodedSizes == sizes)
        }
    }

    @Test("while an image grows, the smaller one stays")
    func staysWhileGrowing() async throws {
        let served = try ServedImages()
        let host = host(served, size: CGSize(width: 100, height: 75)) {
            CachedAsyncImage(url: served.url) {
                $0.resizable()
            } placeholder: {
                ProgressView()
            }
        }
        try await served.wait(host, for: PixelSize(100, 75))
        var frames: [Frame] = []
        host.onFrame = { frames.append($0) }
        host.resize(CGSize(width: 400, height: 300))
        try await served.wait(host, for: PixelSize(427, 320))
        #expect(frames.last?.images.first?.decoded?.pixelSize == PixelSize(427, 320))
        #expect(frames.allSatisfy { $0.images.count == 1 && !$0.showsProgress })
    }

    @Test("an image that grows while it loads is downloaded once")
    func growsWhileLoading() async throws {
        let gate = LoopbackServer.Gate()
        let served = try ServedImages(gate: gate)
        var evaluationCount = 0
        let host = host(served, size: CGSize(width: 100, height: 75)) {
            CachedAsyncImage(ImageRequest(url: served.url)) { phase in
                evaluationCount += 1
                return phase.image.map { Image($0).resizable() }
            }
        }
        try await gate.waitUntilHeld()
        for width in [150, 200, 300] as [CGFloat] {
            let formerCount = evaluationCount
            host.resize(CGSize(width: width, height: width * 3 / 4))
            try await host.next { _ in evaluationCount > formerCount }
            // The larger load has taken the smaller one's place.
            while served.pipeline.jobCounts.renditions > 1 { await Task.yield() }
        }
        gate.open()
        try await served.wait(host, for: PixelSize(320, 240))
        #expect(served.server.requestCount == 1)
        #expect(served.decodedSizes == [PixelSize(320, 240)])
    }

    @Test("another scale of the display decodes anew")
    func displayScale() async throws {
        let served = try ServedImages()
        func view(_ scale: CGFloat) -> some View {
            CachedAsyncImage(url: served.url) {
                $0.resizable()
            } placeholder: {
                Color.gray
            }
            .frame(width: 100, height: 75)
            .imagePipeline(served.pipeline)
            .environment(\.displayScale, scale)
        }
        let host = ViewHost { view(1) }
        try await served.wait(host, for: PixelSize(100, 75))
        host.update { view(2) }
        try await served.wait(host, for: PixelSize(200, 150))
        #expect(served.decodedSizes == [PixelSize(100, 75), PixelSize(200, 150)])
        #expect(host.frame.images.first?.decoded?.pixelSize == PixelSize(200, 150))
    }

    @Test("another image in the same view begins with its own room")
    func nextImage() async throws {
        let served = try ServedImages()
        let other = served.server.url("/other.png")
        func view(_ url: URL, _ side: CGFloat) -> some View {
            CachedAsyncImage(url: url) {
                $0.resizable()
            } placeholder: {
                Color.gray
            }
            .frame(width: side, height: side * 3 / 4)
            .imagePipeline(served.pipeline)
        }
        let host = ViewHost { view(served.url, 100) }
        try await served.wait(host, for: PixelSize(100, 75))
        host.update { view(served.url, 400) }
        try await served.wait(host, for: PixelSize(427, 320))
        host.update { view(served.url, 100) }
        await served.settle(host)
        host.update { view(other, 100) }
        try await served.wait(host, for: PixelSize(100, 75))
        #expect(served.decodedSizes == [PixelSize(100, 75), PixelSize(427, 320), PixelSize(100, 75)])
    }
}
