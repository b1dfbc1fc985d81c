import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

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
