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
    func host<Content: View>(
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
}
