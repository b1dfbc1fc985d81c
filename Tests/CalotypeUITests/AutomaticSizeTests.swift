import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

@Suite("The automatic size")
@MainActor
struct AutomaticSizeTests {
    private func host<Content: View>(
        _ served: ServedImages, size: CGSize = CGSize(width: 320, height: 480), scale: CGFloat = 1,
        settings: ViewHost.Settings = .init(), @ViewBuilder _ view: @escaping @MainActor () -> Content
    ) -> ViewHost {
        ViewHost(size: size, settings: settings) {
            view().imagePipeline(served.pipeline).environment(\.displayScale, scale)
        }
    }

    @Test("a thumbnail is decoded once, for the frame and the display's scale, whatever its placeholder's size")
    func thumbnail() async throws {
        let served = try ServedImages()
        let host = host(served, scale: 3) {
            CachedAsyncImage(url: served.url) { image in
                image.resizable().scaledToFill()
            } placeholder: {
                ProgressView()
            }
            .frame(width: 88, height: 88)
        }
        try await served.wait(host, for: PixelSize(352, 264))
        #expect(served.decodedSizes == [PixelSize(352, 264)])
        #expect(host.frame.images.first?.decoded?.pixelSize == PixelSize(352, 264))
        #expect(host.frame.images.first?.size == CGSize(width: 1_200, height: 900))
        let rect = try #require(host.frame.imageRect)
        #expect(abs(rect.width - 352 / 3) < 0.01 && rect.height == 88 && rect.midX == 160 && rect.midY == 240)
    }

    @Test("a placeholder that is larger than the frame asks for no more")
    func largePlaceholder() async throws {
        let served = try ServedImages()
        let host = host(served) {
            CachedAsyncImage(url: served.url) { image in
                image.resizable().scaledToFill()
            } placeholder: {
                Color.gray.frame(width: 600, height: 600)
            }
            .frame(width: 88, height: 88)
        }
        try await served.wait(host, for: PixelSize(117, 88))
        #expect(served.decodedSizes == [PixelSize(117, 88)])
    }

    @Test("an image that is scaled to fit is decoded once")
    func fit() async throws {
        let served = try ServedImages()
        let host = host(served, scale: 2) {
            CachedAsyncImage(url: served.url) {
                $0.resizable().scaledToFit()
            } placeholder: {
                Color.gray
            }
            .frame(width: 100, height: 100)
        }
        try await served.wait(host, for: PixelSize(267, 200))
        #expect(served.decodedSizes == [PixelSize(267, 200)])
        #expect(host.frame.imageRect?.size == CGSize(width: 100, height: 75))
    }

    @Test("an image that isn't resizable gets all its pixels, and the size that AsyncImage gives it")
    func natural() async throws {
        let served = try ServedImages()
        let host = host(served, scale: 2) {
            CachedAsyncImage(url: served.url, scale: 2).frame(width: 88, height: 88)
        }
        try await served.wait(host, for: PixelSize(1_200, 900))
        #expect(served.decodedSizes.last == PixelSize(1_200, 900))
        #expect(served.decodedSizes.count == 2)
        #expect(served.server.requestCount == 1)
        #expect(host.frame.imageRect?.size == CGSize(width: 600, height: 450))
    }

    @Test("an image that isn't resizable gets as many pixels as the display shows of it")
    func naturalOnCoarseDisplay() async throws {
        let served = try ServedImages()
        let host = host(served) {
            CachedAsyncImage(url: served.url, scale: 2).frame(width: 88, height: 88)
        }
        try await served.wait(host, for: PixelSize(640, 480))
        #expect(served.decodedSizes == [PixelSize(117, 88), PixelSize(640, 480)])
        #expect(host.frame.imageRect?.size == CGSize(width: 600, height: 450))
    }

    @Test("what is remembered of an image tells how large it will be: it is decoded once")
    func naturalWithImpression() async throws {
        let served = try ServedImages()
        _ = try await served.pipeline.image(for: ImageRequest(url: served.url, size: .pixels(40, 40)))
        await served.pipeline.waitUntilIdle()
        #expect(served.pipeline.impression(for: ImageRequest(url: served.url)) != nil)
        let host = host(served) { CachedAsyncImage(url: served.url).frame(width: 88, height: 88) }
        #expect(host.frame.imageRect?.size == CGSize(width: 1_200, height: 900))
        try await served.wait(host, for: PixelSize(1_200, 900))
        #expect(served.decodedSizes == [PixelSize(53, 40), PixelSize(1_200, 900)])
    }

    @Test("where no height is proposed, the width decides", arguments: [1, 2] as [CGFloat])
    func lazyStack(scale: CGFloat) async throws {
        let served = try ServedImages()
        let host = host(served, scale: scale) {
            ScrollView {
                LazyVStack {
                    CachedAsyncImage(url: served.url) {
                        $0.resizable().scaledToFit()
                    } placeholder: {
                        Color.gray
                    }
                }
            }
        }
        try await served.wait(host, for: PixelSize(Int(320 * scale), Int(240 * scale)))
        #expect(served.decodedSizes == [PixelSize(Int(320 * scale), Int(240 * scale))])
        #expect(host.frame.imageRect?.size == CGSize(width: 320, height: 240))
    }

    @Test("what stacks try out doesn't count, only where they place the image")
    func stacks() async throws {
        let served = try ServedImages()
        let host = host(served, size: CGSize(width: 320, height: 60)) {
            HStack(spacing: 0) {
                CachedAsyncImage(url: served.url) {
                    $0.resizable()
                } placeholder: {
                    Color.gray
                }
                VStack(spacing: 0) {
                    Color.gray
                    Color.gray
                }
            }
        }
        try await served.wait(host, for: PixelSize(160, 120))
        // 160 by 60 points, covered.
        #expect(served.decodedSizes == [PixelSize(160, 120)])
        #expect(host.frame.imageRect?.size == CGSize(width: 160, height: 60))
    }

    @Test("where nothing is proposed, the image has its own size")
    func unproposed() async throws {
        let served = try ServedImages()
        let host = host(served) {
            CachedAsyncImage(url: served.url) {
                $0.resizable()
            } placeholder: {
                Color.gray
            }.fixedSize()
        }
        try await served.wait(host, for: PixelSize(1_200, 900))
        #expect(served.decodedSizes == [PixelSize(1_200, 900)])
        #expect(host.frame.imageRect?.size == CGSize(width: 1_200, height: 900))
    }

    @Test("a size that the environment names isn't left to the layout")
    func namedSize() async throws {
        let served = try ServedImages()
        let host = host(served, scale: 2) {
            CachedAsyncImage(url: served.url) {
                $0.resizable()
            } placeholder: {
                Color.gray
            }
            .remoteImageSize(.points(60, 60))
        }
        try await served.wait(host, for: PixelSize(160, 120))
        #expect(served.decodedSizes == [PixelSize(160, 120)])
    }

    @Test("a view that is folded away loads at a size of its own; unfolded small, it decodes nothing more")
    func folded() async throws {
        let served = try ServedImages(ServedImages.file(width: 1_500, height: 1_500))
        func row(height: CGFloat) -> some View {
            CachedAsyncImage(url: served.url) {
                $0.resizable()
            } placeholder: {
                Color.gray
            }
            .frame(height: height)
            .imagePipeline(served.pipeline)
        }
        let host = ViewHost { row(height: 0) }
        try await served.wait(host, for: PixelSize(1_024, 1_024))
        #expect(served.decodedSizes == [PixelSize(1_024, 1_024)])
        host.update { row(height: 200) }
        await served.settle(host)
        #expect(served.decodedSizes == [PixelSize(1_024, 1_024)])
        #expect(host.frame.images.first?.decoded?.pixelSize == PixelSize(1_024, 1_024))
        host.update { row(height: 1_400) }
        try await served.wait(host, for: PixelSize(1_408, 1_408))
        #expect(served.decodedSizes == [PixelSize(1_024, 1_024), PixelSize(1_408, 1_408)])
    }

    @Test("a view whose task never comes loads for the place that it was given")
    func withheld() async throws {
        let served = try ServedImages()
        var settings = ViewHost.Settings()
        settings.withholds = { event, _ in event == .task || event == .appear }
        let host = host(served, settings: settings) {
            CachedAsyncImage(url: served.url) {
                $0.resizable().scaledToFill()
            } placeholder: {
                Color.gray
            }
            .frame(width: 88, height: 88)
        }
        try await served.wait(host, for: PixelSize(117, 88))
        #expect(served.decodedSizes == [PixelSize(117, 88)])
        #expect(host.frame.images.count == 1)
    }

    @Test("a window that is dragged wider decodes in steps of an eighth, and nothing as it shrinks")
    func resizing() async throws {
        let served = try ServedImages()
        let host = host(served, size: CGSize(width: 200, height: 150)) {
            CachedAsyncImage(url: served.url) {
                $0.resizable()
            } placeholder: {
                Color.gray
            }
        }
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
            return .ok(ServedImages.file(width: size.width, height: size.height), type: "image/png")
        }
        let served = try ServedImages {
            $0.serverThumbnails = ServerThumbnails(
                .custom("loopback", coversWithoutCropping: true) { _, size, _ in
                    imageServer.url("/\(size.width ?? 0)x\(size.height ?? 0)")
                }, for: ["127.0.0.1"])
        }
        let host = host(served, size: CGSize(width: 200, height: 150)) {
            CachedAsyncImage(url: served.url) {
                $0.resizable()
            } placeholder: {
                Color.gray
            }
        }
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

@Suite("Layout beside AsyncImage")
@MainActor
struct LayoutComparisonTests {
    /// Where AsyncImage, and where CachedAsyncImage puts the image and what is around it.
    private func rects<Shown: View, Around: View>(
        scale: CGFloat, @ViewBuilder _ content: @escaping (Image) -> Shown,
        around: @escaping @MainActor (AnyView) -> Around
    ) async throws -> (system: [CGRect], cached: [CGRect]) {
        let served = try ServedImages()
        var environment = EnvironmentValues()
        environment.asyncImageLoader = AsyncImageLoader { request, scale in
            let data = try await served.pipeline.data(for: try #require(request.url))
            let image = try await served.pipeline.image(for: ImageRequest(data: data, id: ResourceID("system")))
            return Image(
                hosted: image,
                size: CGSize(
                    width: CGFloat(image.pixelSize.width) / scale, height: CGFloat(image.pixelSize.height) / scale))
        }
        let system = ViewHost(environment: environment) {
            around(AnyView(AsyncImage(url: served.url, scale: scale, content: content) { Color.gray }))
        }
        try await system.next { !$0.images.isEmpty }
        let cached = ViewHost {
            around(
                AnyView(CachedAsyncImage(url: served.url, scale: scale, content: content) { Color.gray })
            )
            .imagePipeline(served.pipeline)
        }
        try await cached.next { !$0.images.isEmpty }
        await served.settle(cached)
        return (system.frame.elements.map(\.rect), cached.frame.elements.map(\.rect))
    }

    @Test("an image lies where AsyncImage puts it", arguments: [1, 3] as [CGFloat])
    func places(scale: CGFloat) async throws {
        func expectSame(_ rects: (system: [CGRect], cached: [CGRect]), _ location: SourceLocation = #_sourceLocation) {
            #expect(rects.system == rects.cached, sourceLocation: location)
            #expect(!rects.system.isEmpty, sourceLocation: location)
        }
        expectSame(
            try await rects(scale: scale) {
                $0
            } around: {
                $0
            })
        expectSame(
            try await rects(scale: scale) {
                $0
            } around: {
                $0.frame(width: 50, alignment: .leading)
            })
        expectSame(
            try await rects(scale: scale) {
                $0.resizable()
            } around: { view in
                VStack(alignment: .leading) {
                    Text("above")
                    view
                    Text("below")
                }
            })
        expectSame(
            try await rects(scale: scale) {
                $0.resizable().scaledToFit()
            } around: { view in
                HStack(alignment: .bottom) {
                    view
                    Text("beside")
                }
            })
        expectSame(
            try await rects(scale: scale) {
                $0.resizable().scaledToFill()
            } around: { view in
                ScrollView {
                    LazyVStack {
                        view
                        Text("below")
                    }
                }
            })
        expectSame(
            try await rects(scale: scale) {
                $0.resizable()
            } around: {
                $0.fixedSize()
            })
        expectSame(
            try await rects(scale: scale) { image in
                VStack {
                    image
                    Text("caption")
                }
            } around: {
                $0.padding(10)
            })
    }
}
