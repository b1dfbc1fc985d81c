import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

/// A Thumbor that `make test-thumbor` has started.
private enum RealThumbor {
    private static let environment = ProcessInfo.processInfo.environment
    static let url = environment["CALOTYPE_THUMBOR_URL"].flatMap { URL(string: $0) }
    static let key = environment["CALOTYPE_THUMBOR_KEY"] ?? ""
}

@Suite(
    "Against a real Thumbor", .serialized, .enabled(if: RealThumbor.url != nil, "Run by make test-thumbor."),
    .timeLimit(.minutes(5)))
struct ThumborTests {
    private func fixture(
        key: String = RealThumbor.key, _ change: (inout ServerThumbnails) -> Void = { _ in }
    ) throws -> Fixture {
        var thumbnails = ServerThumbnails(.thumbor(at: try #require(RealThumbor.url), key: key), for: ["127.0.0.1"])
        change(&thumbnails)
        return try Fixture { $0.serverThumbnails = thumbnails }
    }

    /// A picture whose left half is red and whose right half is blue, so that what is cropped shows.
    private func serve(_ fixture: Fixture, width: Int, height: Int, path: String = "/a.png") -> URL {
        let data = TestImages.png(width: width, height: height) { x, _ in x < width / 2 ? .red : .blue }
        fixture.server.route(path) { _ in .ok(data, type: "image/png") }
        return fixture.server.url(path)
    }

    private func refusals(_ fixture: Fixture) -> [ImageError.Reason] {
        fixture.events.all.compactMap { if case .refusedThumbnail(_, let error) = $0 { error.reason } else { nil } }
    }

    @Test("a signed URL brings the next step of a size, which is decoded to the size itself")
    func signed() async throws {
        let fixture = try fixture()
        let url = serve(fixture, width: 1_200, height: 900)
        let result = try await fixture.pipeline.result(for: ImageRequest(url: url, size: .pixels(300, nil)))
        #expect(result.report.originalPixelSize == PixelSize(width: 320, height: 240))
        #expect(result.image.pixelSize == PixelSize(width: 300, height: 225))
        #expect(result.report.alternative == .serverThumbnail)
        #expect(refusals(fixture).isEmpty)
        // It is Thumbor that has asked for the original.
        #expect(fixture.server.requests.allSatisfy { $0.fields["User-Agent"]?.contains("Thumbor") == true })
    }

    static let shapes: [(size: ImageRequest.Size, original: PixelSize, made: PixelSize)] = [
        (.pixels(320, 320, .fit), PixelSize(width: 1_200, height: 600), PixelSize(width: 320, height: 160)),
        (.pixels(320, 320, .fill), PixelSize(width: 1_200, height: 600), PixelSize(width: 640, height: 320)),
        (.pixels(320, 320, .fill), PixelSize(width: 600, height: 1_200), PixelSize(width: 320, height: 640)),
        (.pixels(nil, 160), PixelSize(width: 1_200, height: 600), PixelSize(width: 320, height: 160)),
        // Never more than there is.
        (.pixels(320, 320, .fit), PixelSize(width: 100, height: 50), PixelSize(width: 100, height: 50)),
        (.pixels(320, 320, .fill), PixelSize(width: 100, height: 50), PixelSize(width: 100, height: 50)),
        (.pixels(320, 320, .fill), PixelSize(width: 800, height: 100), PixelSize(width: 800, height: 100)),
        (.pixels(320, nil), PixelSize(width: 100, height: 50), PixelSize(width: 100, height: 50)),
    ]

    @Test("to fit or to cover, nothing is cropped and nothing enlarged", arguments: shapes)
    func shape(_ size: ImageRequest.Size, _ original: PixelSize, _ made: PixelSize) async throws {
        let fixture = try fixture()
        let url = serve(fixture, width: original.width, height: original.height)
        let result = try await fixture.pipeline.result(for: ImageRequest(url: url, size: size))
        #expect(result.report.originalPixelSize == made)
        #expect(result.report.alternative == .serverThumbnail)
        let bitmap = result.image.bitmap
        #expect(bitmap.pixel(bitmap.size.width / 2 - 4, 2) == .red)
        #expect(bitmap.pixel(bitmap.size.width / 2 + 4, 2) == .blue)
        // And it is a hit from then on.
        #expect(fixture.pipeline.contains(ImageRequest(url: url, size: size)))
    }

    @Test("an original whose URL has a query and spaces, in another format and quality")
    func query() async throws {
        let fixture = try fixture {
            $0.formats = [.webP]
            $0.quality = 60
        }
        _ = serve(fixture, width: 800, height: 600, path: "/a%20b.png")
        let url = fixture.server.url("/a%20b.png?v=2&w=3")
        let result = try await fixture.pipeline.result(for: ImageRequest(url: url, size: .pixels(320, nil)))
        #expect(result.report.format == .webP)
        #expect(result.report.originalPixelSize == PixelSize(width: 320, height: 240))
        #expect(fixture.server.requests.map(\.query) == ["v=2&w=3"])
    }

    @Test("a wrong key is refused, and the original is loaded; it isn't asked again")
    func wrongKey() async throws {
        let fixture = try fixture(key: "another key")
        let url = serve(fixture, width: 800, height: 600)
        for width in [320, 640] {
            let result = try await fixture.pipeline.result(for: ImageRequest(url: url, size: .pixels(width, nil)))
            #expect(result.report.originalPixelSize == PixelSize(width: 800, height: 600))
            #expect(result.report.alternative == nil)
        }
        #expect(refusals(fixture) == [.status(400)])
    }

    @Test("a picture that isn't there isn't there by either way")
    func missing() async throws {
        let fixture = try fixture()
        let request = ImageRequest(url: fixture.server.url("/none.png"), size: .pixels(320, nil))
        #expect(await failure { try await fixture.pipeline.image(for: request) } == .status(404))
        #expect(refusals(fixture) == [.status(404)])
    }
}
