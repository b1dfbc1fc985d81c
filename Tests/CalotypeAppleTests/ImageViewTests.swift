#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
import Calotype
import CalotypeUI
import Foundation
import Testing

#if canImport(UIKit)
import UIKit
private typealias PlatformImage = UIImage
private typealias PlatformImageView = UIImageView
#else
import AppKit
private typealias PlatformImage = NSImage
private typealias PlatformImageView = NSImageView
#endif

/// What the platform's own views do with the loaders, whose rules have their tests with a cell that isn't the platform's.
@Suite("The platform's image views")
@MainActor
struct ImageViewTests {
    /// Answers each request with the image that its path names by its width, once the test lets it.
    private final class Origin: HTTPTransport {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream() }

        func open() { continuation.finish() }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            for await _ in stream {}
            try Task.checkCancellation()
            let width = Int(request.url.lastPathComponent) ?? 0
            guard width > 0 else { return HTTPResponse(status: 404) }
            return HTTPResponse(
                status: 200, fields: ["Cache-Control": "max-age=60", "Content-Type": "image/png"],
                body: HTTPBody(try ImageEncoder().encoded(ImageViewTests.image(width: width), as: .png)))
        }
    }

    nonisolated private static func image(width: Int) -> DecodedImage {
        DecodedImage(
            bitmap: Bitmap(size: PixelSize(width: width, height: width)) { bytes in
                for index in bytes.indices { bytes[index] = 0xFF }
            })
    }

    private static func url(width: Int) -> URL { URL(string: "http://img.example.com/\(width)")! }

    private let origin = Origin()
    private let options: ImageViewOptions
    private var pipeline: ImagePipeline { options.pipeline }
    private let placeholder: PlatformImage

    init() {
        var configuration = ImagePipeline.Configuration(
            transport: origin, memory: MemoryCache(reactsToMemoryPressure: false), store: nil)
        configuration.retry = .none
        configuration.impressions = nil
        options = ImageViewOptions(pipeline: ImagePipeline(configuration))
        let pixels = Self.image(width: 1).cgImage
        #if canImport(UIKit)
        placeholder = UIImage(cgImage: pixels, scale: 1, orientation: .up)
        #else
        placeholder = NSImage(cgImage: pixels, size: NSSize(width: 1, height: 1))
        #endif
    }

    private func view(side: CGFloat = 10) -> PlatformImageView {
        let view = PlatformImageView(frame: CGRect(x: 0, y: 0, width: side, height: side))
        #if canImport(UIKit)
        view.contentMode = .center
        #else
        view.imageScaling = .scaleNone
        #endif
        return view
    }

    private func eventually(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            try #require(ContinuousClock.now < deadline, "It hasn't come true in 60 seconds.")
            await Task.yield()
        }
    }

    @Test("an image in memory is there when the call returns, as large as its file says")
    func memoryHit() {
        let url = Self.url(width: 40)
        pipeline.insert(Self.image(width: 40), for: ImageRequest(url: url, size: .original))
        let view = view()
        var phases: [RemoteImagePhase] = []
        view.setImage(with: url, placeholder: placeholder, options: options) { phases.append($0) }
        #expect(view.image?.size == CGSize(width: 40, height: 40))
        #expect(phases.count == 1 && phases.first?.isSuccess == true)
    }

    @Test("the placeholder stands in for the image, then for the next one; accessibility is as it was")
    func reuse() async throws {
        let view = view()
        #if canImport(UIKit)
        view.isAccessibilityElement = true
        #endif
        view.setImage(with: Self.url(width: 20), placeholder: placeholder, transition: .fade, options: options)
        #expect(view.image === placeholder)
        origin.open()
        try await eventually { view.image?.size.width == 20 }
        view.setImage(with: ImageRequest(url: Self.url(width: 30)), placeholder: placeholder, options: options)
        #expect(view.image === placeholder)
        try await eventually { view.image?.size.width == 30 }
        view.setImage(with: nil, options: options)
        #expect(view.image == nil)
        #if canImport(UIKit)
        #expect(view.isAccessibilityElement && view.subviews.allSatisfy { !$0.isAccessibilityElement })
        #endif
    }

    @Test("a view that is laid out later is loaded for its bounds then")
    func layout() async throws {
        let view = view(side: 0)
        #if canImport(UIKit)
        view.contentMode = .scaleAspectFit
        #else
        view.imageScaling = .scaleProportionallyUpOrDown
        #endif
        var pixelSize: PixelSize?
        view.setImage(with: Self.url(width: 3_000), options: options) { pixelSize = $0.image?.pixelSize }
        view.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
        #if canImport(UIKit)
        view.layoutIfNeeded()
        #endif
        origin.open()
        try await eventually { pixelSize != nil }
        // 1,024 is what is loaded for a view that says nothing of its size.
        #expect([100, 200, 300].contains(pixelSize?.width))
    }

    @Test("cancelling ends the wait, and so does the end of the view")
    func ends() async throws {
        let view = view()
        view.setImage(with: Self.url(width: 20), placeholder: placeholder, options: options)
        try await eventually { pipeline.jobCounts.fetches == 1 }
        view.cancelImageLoad()
        try await eventually { pipeline.jobCounts.fetches == 0 }
        #expect(view.image === placeholder)
        do {
            let other = self.view()
            other.setImage(with: Self.url(width: 20), options: options)
            try await eventually { pipeline.jobCounts.fetches == 1 }
            withExtendedLifetime(other) {}
        }
        try await eventually { pipeline.jobCounts.fetches == 0 }
    }

    #if canImport(UIKit)
    @Test("a button has an image and a background for each state, as large as was asked for")
    func button() async throws {
        origin.open()
        let button = UIButton(frame: CGRect(x: 0, y: 0, width: 44, height: 44))
        button.setImage(
            with: ImageRequest(url: Self.url(width: 100), size: .points(20, 20, .fit)), options: options)
        button.setImage(
            with: ImageRequest(url: Self.url(width: 90), size: .points(10, 10, .fit)), for: .highlighted,
            options: options)
        button.setBackgroundImage(with: Self.url(width: 80), options: options)
        try await eventually {
            button.image(for: .normal)?.size.width == 20 && button.image(for: .highlighted)?.size.width == 10
                && button.backgroundImage(for: .normal)?.size.width == 80
        }
    }

    @Test("a list's prefetching brings images into memory, in the sizes of its cells")
    func prefetching() async throws {
        origin.open()
        let urls = [20, 30].map { Self.url(width: $0) }
        let source = ImagePrefetchDataSource(pipeline: pipeline) { indexPath in
            [ImageRequest(url: urls[indexPath.item], size: .pixels(10, 10))]
        }
        let list = UICollectionView(
            frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
        list.prefetchDataSource = source
        source.collectionView(list, prefetchItemsAt: [IndexPath(item: 0, section: 0), IndexPath(item: 1, section: 0)])
        try await eventually {
            urls.allSatisfy { pipeline.contains(ImageRequest(url: $0, size: .pixels(10, 10))) }
        }
        source.collectionView(list, cancelPrefetchingForItemsAt: [IndexPath(item: 0, section: 0)])
    }
    #endif
}
#endif
