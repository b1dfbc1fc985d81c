import Calotype
import CalotypeTesting
import Foundation

/// Serves the tool's photos on 127.0.0.1, and a few things that go wrong.
struct DemoServer {
    /// A photo of the tool's resources. See Photos/LICENSES.tsv for where they come from.
    struct Photo {
        let name: String
        let data: Data

        /// The name without its extension.
        var stem: String { String(name.prefix { $0 != "." }) }
        var path: String { "/photos/\(name)" }

        /// The photos, by name.
        static func all() throws -> [Photo] {
            let folder = Bundle.module.bundleURL.appending(path: "Photos")
            return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
                .filter { $0.hasSuffix(".jpg") }.sorted()
                .map { Photo(name: $0, data: try Data(contentsOf: folder.appending(path: $0))) }
        }
    }

    /// Paths that bring no image, and why not.
    static let broken: [(path: String, reason: ImageError.Reason)] = [
        ("/gone.jpg", .status(404)),
        ("/login.jpg", .contentType("text/html")),
        ("/lies.jpg", .notAnImage),
    ]
    /// Brings half an image and then nothing more.
    static let slowPath = "/slow.jpg"

    private let server: LoopbackServer
    private let gate = LoopbackServer.Gate()

    init(_ photos: [Photo]) throws {
        server = try LoopbackServer()
        for photo in photos {
            let resource = LoopbackServer.Resource(
                photo.data, type: "image/jpeg", etag: "\"1\"", fields: ["Cache-Control": "max-age=3600"])
            server.route(photo.path) { resource.response(to: $0) }
        }
        let page = Data("<!doctype html><title>Sign in</title>Sign in to see the picture.".utf8)
        server.respond(to: "/login.jpg", with: .ok(page, type: "text/html"))
        server.respond(to: "/lies.jpg", with: .ok(page, type: "image/jpeg"))
        if let photo = photos.first {
            server.respond(
                to: Self.slowPath,
                with: .ok(photo.data, type: "image/jpeg").gated(gate, afterBodyBytes: photo.data.count / 2))
        }
    }

    var requestCount: Int { server.requestCount }

    func url(_ photo: Photo) -> URL { server.url(photo.path) }
    func url(_ path: String) -> URL { server.url(path) }

    /// Returns once half of the slow photo is on its way.
    func waitUntilSlowIsHeld() async throws {
        try await gate.waitUntilHeld(timeout: .seconds(5))
    }

    /// Whether the client of the slow photo hangs up, within seconds.
    func hasSeenCancellation() async -> Bool {
        guard let id = server.requests(to: Self.slowPath).last?.connectionID else { return false }
        return (try? await server.waitForConnectionEvent(.closedByClient(id), timeout: .seconds(5))) != nil
    }
}
