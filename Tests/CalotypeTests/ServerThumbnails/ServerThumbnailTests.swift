import CalotypeTesting
import Foundation
import Synchronization
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Server-made thumbnails: the image server is asked for what is shown, and the picture stays the same one")
struct ServerThumbnailTests {
    let origin: ThumbnailOrigin
    let fixture: Fixture
    let url: URL

    init() throws {
        let origin = try ThumbnailOrigin()
        self.origin = origin
        fixture = try Fixture { $0.serverThumbnails = origin.thumbnails() }
        url = fixture.serve("/a", width: 2_000, height: 1_500, fields: ["Cache-Control": "max-age=60"])
    }

    private func request(_ width: Int?, _ height: Int? = nil, _ mode: ImageRequest.Size.Mode = .fill) -> ImageRequest {
        ImageRequest(url: url, size: .pixels(width, height, mode))
    }

    // MARK: What is asked for

    @Test("sizes within one step share a thumbnail, and each is decoded to its own size")
    func steps() async throws {
        var layers: [LoadReport.Layer] = []
        for width in [290, 305, 320] {
            let result = try await fixture.pipeline.result(for: request(width))
            #expect(result.image.pixelSize.width == width)
            #expect(result.image.bitmap.pixel(0, 0) == .blue)
            #expect(result.report.alternative == .serverThumbnail)
            layers.append(result.report.layer)
        }
        #expect(origin.paths == ["/t/fit/320x0/a"])
        #expect(layers == [.network, .storage, .storage])
        #expect(fixture.server.requests.isEmpty)
        // The response is stored as what it is, and belongs to the picture.
        #expect(try await fixture.store.responses(for: FetchKey(url: origin.server.url("/t/fit/320x0/a"))).count == 1)
        await fixture.pipeline.invalidate(ResourceID(url: url))
        #expect(try await fixture.store.usage().responseCount == 0)
        #expect(fixture.pipeline.cachedImage(for: request(290)) == nil)
    }

    @Test("a size that is a step itself is a hit in memory afterwards", arguments: ImageRequest.Size.Mode.all)
    func memoryHit(_ mode: ImageRequest.Size.Mode) async throws {
        let request = request(320, 240, mode)
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.pipeline.contains(request))
        #expect(try await fixture.pipeline.result(for: request).report.layer == .memory)
        #expect(origin.server.requestCount == 1)
    }

    @Test(
        "smaller sizes are made of larger thumbnails in memory; larger ones are asked for, with the smaller as a preview"
    )
    func growthAndShrinking() async throws {
        _ = try await fixture.pipeline.image(for: request(512))
        let small = try await fixture.pipeline.result(for: request(100))
        #expect(small.image.pixelSize == PixelSize(width: 100, height: 75))
        #expect(small.report.layer == .memory)
        #expect(small.report.alternative == nil)
        let load = fixture.pipeline.load(request(1_000))
        #expect(load.preview?.pixelSize.width == 512)
        #expect(try await load.result.image.pixelSize == PixelSize(width: 1_000, height: 750))
        // Made of a thumbnail of 512, it doesn't pass for a thumbnail of 100 that is all there is.
        #expect(fixture.pipeline.cachedImage(for: request(99))?.pixelSize.width == 100)
        #expect(origin.paths == ["/t/fit/512x0/a", "/t/fit/1024x0/a"])
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("two sides to cover are covered, and nothing is cropped")
    func covering() async throws {
        let image = try await fixture.pipeline.image(for: request(300, 300))
        #expect(image.pixelSize == PixelSize(width: 400, height: 300))
        #expect(origin.paths == ["/t/fill/320x320/a"])
    }

    @Test("the original is loaded for who wants it, or its bytes, or something else than a picture of a size")
    func originals() async throws {
        var post = URLRequest(url: url)
        post.httpMethod = "POST"
        var part = URLRequest(url: url)
        part.setValue("bytes=0-", forHTTPHeaderField: "Range")
        let size = ImageRequest.Size.pixels(100, nil)
        for request in [
            ImageRequest(url: url), ImageRequest(url: url, size: .original),
            ImageRequest(url: url, size: .pixels(9_000, nil)),
            ImageRequest(urlRequest: post, size: size), ImageRequest(urlRequest: part, size: size),
        ] {
            fixture.memory.removeAll()
            #expect(try await fixture.pipeline.image(for: request).bitmap.pixel(0, 0) == .red)
        }
        #expect(try await fixture.pipeline.data(for: request(100)).count > 0)
        #expect(origin.server.requests.isEmpty)
    }

    static let hostRows: [(hosts: Set<String>, isServed: Bool)] = [
        (["example.com"], false), (["127.0.0.1"], true), (["*.0.0.1"], true), (["*.127.0.0.1", "0.0.1"], false),
        ([], false),
    ]

    @Test("other hosts are left alone; a star stands for those below one", arguments: hostRows)
    func hosts(_ hosts: Set<String>, _ isServed: Bool) async throws {
        let fixture = try Fixture { $0.serverThumbnails = origin.thumbnails(for: hosts) }
        let url = fixture.serve("/a", width: 200, height: 150)
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, size: .pixels(100, nil)))
        #expect(origin.server.requests.isEmpty == !isServed)
        #expect(fixture.server.requests.isEmpty == isServed)
    }

    @Test("of a small original all there is comes, once: no size asks again, but the original itself does")
    func smallOriginal() async throws {
        let origin = try ThumbnailOrigin(originals: PixelSize(width: 60, height: 45))
        let fixture = try Fixture { $0.serverThumbnails = origin.thumbnails() }
        let url = fixture.serve("/a", width: 60, height: 45)
        for width in [100, 400, 20] {
            let image = try await fixture.pipeline.image(for: ImageRequest(url: url, size: .pixels(width, nil)))
            #expect(image.pixelSize.width == min(width, 60))
            #expect(image.bitmap.pixel(0, 0) == .blue)
        }
        #expect(origin.server.requestCount == 1)
        #expect(try await fixture.pipeline.image(for: url).bitmap.pixel(0, 0) == .red)
    }

    @Test("nothing is asked of the image server that the original, once it is known, has no more pixels for")
    func knownOriginal() async throws {
        let url = fixture.serve("/small", width: 300, height: 200, fields: ["Cache-Control": "no-cache"])
        _ = try await fixture.pipeline.image(for: url)
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, size: .pixels(290, nil)))
        #expect(fixture.server.requestCount == 2)
        #expect(origin.server.requests.isEmpty)
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, size: .pixels(100, nil)))
        #expect(origin.paths == ["/t/fit/104x0/small"])
    }

    @Test("the picture leaves its impression, and a stale thumbnail is validated with the image server")
    func freshness() async throws {
        let origin = try ThumbnailOrigin(fields: ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        let fixture = try Fixture { $0.serverThumbnails = origin.thumbnails() }
        let url = fixture.serve("/a")
        let request = ImageRequest(url: url, size: .pixels(320, nil))
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.waitUntilIdle()
        #expect(fixture.pipeline.impression(for: request)?.aspectRatio == 4.0 / 3)
        fixture.clock.advance(by: .seconds(120))
        origin.server.respond(
            to: "/t/fit/320x0/a", with: .status(304, fields: ["ETag": "\"1\"", "Cache-Control": "max-age=60"]))
        #expect(fixture.pipeline.cachedImage(for: request) != nil)
        await fixture.events.waitForLoad(from: .revalidation)
        #expect(origin.server.requests.last?.fields["If-None-Match"] == "\"1\"")
        await fixture.pipeline.waitUntilIdle()
        #expect(try await fixture.pipeline.result(for: request).report.layer == .memory)
        #expect(origin.server.requestCount == 2)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("a prefetch to disk brings the thumbnail that a view of that size will want")
    func prefetch() async throws {
        let outcomes = Mutex<[ImagePrefetcher.Outcome.Result]>([])
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, to: .disk) { outcome in
            outcomes.withLock { $0.append(outcome.result) }
        }
        origin.server.route("/t/fit/320x0/b") { _ in .status(403) }
        let other = fixture.serve("/b")
        prefetcher.start([request(290), ImageRequest(url: other, size: .pixels(290, nil))])
        await prefetcher.finished()
        #expect(outcomes.withLock { $0.count { if case .stored = $0 { true } else { false } } } == 2)
        #expect(try await fixture.pipeline.result(for: request(310)).report.layer == .storage)
        #expect(origin.paths.sorted() == ["/t/fit/320x0/a", "/t/fit/320x0/b"])
        // Refused, the original takes its place.
        #expect(try await fixture.store.responses(for: FetchKey(url: other)).count == 1)
        #expect(fixture.server.requests.map(\.path) == ["/b"])
    }
}

extension ImageRequest.Size.Mode {
    static let all: [ImageRequest.Size.Mode] = [.fit, .fill]
}
