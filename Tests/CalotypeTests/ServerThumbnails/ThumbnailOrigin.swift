import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

/// An image server on loopback, for originals of one size that are red: its thumbnails are blue.
struct ThumbnailOrigin {
    let server: LoopbackServer
    let coversWithoutCropping: Bool

    init(
        originals: PixelSize = PixelSize(width: 2_000, height: 1_500), coversWithoutCropping: Bool = true,
        fields: HTTPFields = ["Cache-Control": "max-age=60"]
    ) throws {
        server = try LoopbackServer()
        self.coversWithoutCropping = coversWithoutCropping
        server.route(prefix: "/t/") { request in
            guard let size = Self.size(in: request.path) else { return .status(400) }
            let pixels = size.target.pixelSize(for: originals)
            let data = TestImages.solidPNG(width: pixels.width, height: pixels.height, color: .blue)
            return .ok(data, type: "image/png", fields: fields)
        }
    }

    /// As a configuration names it: the paths of originals follow the size.
    func thumbnails(for hosts: Set<String> = ["127.0.0.1"]) -> ServerThumbnails {
        let server = server
        return ServerThumbnails(
            .custom("loopback", coversWithoutCropping: coversWithoutCropping) { original, size, style in
                server.url("/t/\(size.mode)/\(size.width ?? 0)x\(size.height ?? 0)\(original.path())")
            }, for: hosts)
    }

    private static func size(in path: String) -> ServerThumbnails.Size? {
        let parts = path.split(separator: "/")
        guard parts.count >= 3 else { return nil }
        let sides = parts[2].split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2 else { return nil }
        return ServerThumbnails.Size(
            width: sides[0] == 0 ? nil : sides[0], height: sides[1] == 0 ? nil : sides[1],
            mode: parts[1] == "fill" ? .fill : .fit)
    }

    var paths: [String] { server.requests.map(\.path) }
}
