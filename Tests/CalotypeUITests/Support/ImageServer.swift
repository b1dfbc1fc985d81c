import Calotype
import CalotypeTesting
import CalotypeUI
import Foundation
import SwiftUI
import ViewHost

/// A server of images whose colours tell their numbers, and a pipeline with caches of its own that loads them.
@MainActor
struct ImageServer {
    let server: LoopbackServer
    let memory: MemoryCache
    let pipeline: ImagePipeline

    init(
        memoryByteCount: Int = 64 << 20, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) throws {
        server = try LoopbackServer()
        memory = MemoryCache(costLimit: memoryByteCount, reactsToMemoryPressure: false)
        var configuration = ImagePipeline.Configuration(
            transport: ImagePipeline.defaultTransport, memory: memory, store: MemoryStore())
        configuration.retry = .none
        change(&configuration)
        pipeline = ImagePipeline(configuration)
    }

    /// An image of that number, fresh for an hour unless told otherwise.
    @discardableResult
    func serve(
        _ number: Int, at path: String? = nil, side: Int = 32, gate: LoopbackServer.Gate? = nil,
        fields: HTTPFields = ["Cache-Control": "max-age=3600"]
    ) -> URL {
        let path = path ?? "/\(number)"
        let data = TestImages.solidPNG(width: side, height: side, color: .number(number))
        server.route(path) { _ in
            let response = LoopbackServer.Response.ok(data, type: "image/png", fields: fields)
            return gate.map { response.gated($0) } ?? response
        }
        return server.url(path)
    }

    /// How many requests there were for an image.
    func requestCount(_ number: Int) -> Int { server.requests(to: "/\(number)").count }
}

extension PixelColor {
    /// Tells up to 40 numbers apart.
    static func number(_ number: Int) -> PixelColor {
        PixelColor(UInt8(number % 40 * 6), UInt8(250 - number % 40 * 6), 7)
    }
}

extension Image {
    /// The pixels of an image that was loaded.
    var decoded: DecodedImage? { payload as? DecodedImage }

    /// Its colour, in a corner.
    var color: PixelColor? { decoded?.bitmap.pixel(0, 0) }
}

/// Notes what frames show, from now on.
@MainActor
final class FrameLog {
    private(set) var frames: [Frame] = []

    init(_ host: ViewHost) {
        host.onFrame = { [weak self] in self?.frames.append($0) }
    }

    /// How many frames show a placeholder.
    var placeholderCount: Int { frames.count { $0.showsProgress } }

    func clear() { frames = [] }
}

extension Frame {
    /// Whether each of the rows that exist shows an image.
    var isComplete: Bool { !showsProgress && !images.isEmpty }
}

extension ViewHost {
    /// Lets tasks that wait for nothing run, on the main actor and elsewhere, and shows what they have changed.
    func settle(turns: Int = 20) async {
        for _ in 0..<turns { await Task.detached {}.value }
        render()
    }
}

/// A thumbnail as apps write it.
struct Thumbnail: View {
    let url: URL?
    var side: CGFloat = 88

    var body: some View {
        CachedAsyncImage(url: url) { image in
            image.resizable().scaledToFill()
        } placeholder: {
            ProgressView()
        }
        .frame(width: side, height: side)
        .clipped()
    }
}

/// Shows the failure's reason and a button.
struct RetryThumbnail: View {
    let url: URL?
    var side: CGFloat = 88

    var body: some View {
        CachedAsyncImage(url: url) { image in
            image.resizable().scaledToFill()
        } placeholder: {
            ProgressView()
        } failure: { error, retry in
            VStack {
                Text(verbatim: (error as? ImageError).map { "\($0.reason)" } ?? "\(type(of: error))")
                Button("Retry", action: retry)
            }
        }
        .frame(width: side, height: side)
        .clipped()
    }
}
