import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import Testing
import ViewHost

@Suite("The first frame")
@MainActor
struct FirstFrameTests {
    private let url = URL(string: "https://example.com/a.png")!

    private func thumbnail(_ url: URL?, _ pipeline: ImagePipeline) -> some View {
        CachedAsyncImage(url: url) { image in
            image.resizable().scaledToFill()
        } placeholder: {
            ProgressView()
        }
        .frame(width: 88, height: 88)
        .imagePipeline(pipeline)
    }

    @Test("an image in memory is in the first frame: no placeholder, no animation")
    func memory() async throws {
        let pipeline = ImagePipeline.scripted([url: .image(.fixture)])
        let host = ViewHost { thumbnail(url, pipeline).remoteImageTransition(.fade()) }
        #expect(host.frame.number == 1)
        #expect(host.frame.images.count == 1 && host.frame.images[0].payload as? DecodedImage === DecodedImage.fixture)
        #expect(!host.frame.showsProgress)
        var frames: [Frame] = []
        host.onFrame = { frames.append($0) }
        await pipeline.waitUntilIdle()
        for _ in 0..<10 { await Task.yield() }
        for frame in frames {
            #expect(frame.images.count == 1 && !frame.showsProgress)
            #expect(frame.changes.allSatisfy { $0.animation == nil })
        }
    }

    @Test("an image that isn't there yet is loaded, for the size that the frame proposes")
    func loads() async throws {
        let large = DecodedImage(bitmap: TestImages.quadrantBitmap(width: 1200, height: 900))
        let data = try ImageEncoder().encoded(large, as: .png)
        let pipeline = ImagePipeline.scripted([url: .data(data)])
        let host = ViewHost { thumbnail(url, pipeline).environment(\.displayScale, 3) }
        #expect(host.frame.showsProgress)
        let frame = try await host.next { !$0.images.isEmpty }
        let image = try #require(frame.images.first?.payload as? DecodedImage)
        #expect(image.pixelSize == PixelSize(width: 352, height: 264))
        #expect(frame.images.first?.size == CGSize(width: 1200, height: 900))
    }

    @Test("no URL stays empty")
    func noURL() async throws {
        let host = ViewHost { thumbnail(nil, .scripted([:])) }
        #expect(host.frame.showsProgress)
        for _ in 0..<10 { await Task.yield() }
        host.render()
        #expect(host.frame.showsProgress)
    }
}
