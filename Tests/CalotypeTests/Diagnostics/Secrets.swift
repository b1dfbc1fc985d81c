import CalotypeTesting
import Foundation

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is private, in each place that a value may hold.
enum Secrets {
    static let all = [
        "us3r", "passw0rd", "p4th", "t0ken", "fr4gment", "f1eld", "b0dy", "c0ffee5ec2e7", "acc0unt", "n4med", "l3ak",
        Exposure.bytes,
    ]
    static let url = URL(string: "https://us3r:passw0rd@img.example.com/p4th/a.png?token=t0ken#fr4gment")!
    static let fields: HTTPFields = ["Authorization": "Bearer f1eld", "Accept": "image/*"]
    static let bytes = Data("b0dy".utf8)
    static let key = "c0ffee5ec2e7"

    struct Leak: Error, CustomStringConvertible {
        var description: String { "l3ak at \(Secrets.url)" }
    }

    static let error = ImageError(.network, .transport, source: RedactedURL(url), underlying: Leak())

    static var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = bytes
        for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        request.setValue("f1eld", forHTTPHeaderField: "X-Api-Key")
        return request
    }

    static var message: ImageRequest.HTTPMessage { ImageRequest.HTTPMessage(urlRequest) }

    static var request: ImageRequest {
        var request = ImageRequest(url: url, id: "n4med", size: .pixels(8, 8), partition: "acc0unt")
        request.fallbackURLs = [url]
        request.lowDataURL = url
        return request
    }

    static var fetchKey: FetchKey {
        FetchKey(method: "POST", url: url, partition: "acc0unt", fields: ["X-Api-Key": "f1eld"], body: bytes)
    }

    static var head: HTTPCache.StoredHead {
        HTTPCache.StoredHead(
            status: 200, fields: ["ETag": "f1eld", "Vary": "X-Api-Key", "Cache-Control": "no-cache"],
            requestTime: Date(), responseTime: Date(), requestFields: ["X-Api-Key": "f1eld"])
    }

    static func thumbnails(_ server: ServerThumbnails.Server) -> ServerThumbnails {
        ServerThumbnails(server, for: ["img.example.com"])
    }

    /// A pipeline that has loaded a picture, and everything that came of it.
    struct Loaded {
        let fixture: Fixture
        let recorder = PipelineRecorder()
        let load: ImageLoad
        let result: ImageResult

        init() async throws {
            let png = TestImages.solidPNG(width: 32, height: 24, color: .red)
            let recorder = recorder
            fixture = try Fixture(keepsSteps: true) {
                $0.transport = ScriptedTransport([
                    .respond(200, ["Content-Type": "image/png", "ETag": "f1eld", "Cache-Control": "max-age=60"], png)
                ])
                $0.fields["X-Api-Key"] = "f1eld"
                $0.recorder = recorder
            }
            load = fixture.pipeline.load(request)
            result = try await load.result
            await fixture.pipeline.waitUntilIdle()
        }
    }
}

/// Everything that can be seen of a value without asking it.
enum Exposure {
    /// Stands for bytes in the open.
    static let bytes = "bytes in the open"

    static func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var seen = "\(type(of: value))"
        look(at: value, depth: 0, &seen)
        return ["\(value)", String(reflecting: value), dumped, seen]
    }

    private static func look(at value: Any, depth: Int, _ seen: inout String) {
        if value is Data || (value as? [UInt8])?.isEmpty == false || value is UnsafeRawBufferPointer
            || value is UnsafeMutableRawBufferPointer
        {
            seen += "\n\(bytes)"
        }
        seen += "\n\(value)"
        guard depth < 20 else { return }
        for child in Mirror(reflecting: value).children {
            seen += "\n\(child.label ?? "")"
            look(at: child.value, depth: depth + 1, &seen)
        }
    }
}
