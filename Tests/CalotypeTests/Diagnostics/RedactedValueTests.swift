import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Redaction: what is private isn't printed, dumped or reflected")
struct RedactedValueTests {
    /// Values of one type, made of secrets, and the texts that show them.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let texts: @Sendable () async throws -> [String]

        init<Value>(_ name: String, _ make: @escaping @Sendable () async throws -> Value) {
            testDescription = name
            texts = { Exposure.texts(of: try await make()) }
        }
    }

    @Test("neither print, String(reflecting:), dump nor a mirror shows it", arguments: Row.all)
    func row(_ row: Row) async throws {
        let texts = try await row.texts()
        #expect(texts.count >= 3 && texts.allSatisfy { !$0.isEmpty })
        for text in texts {
            for secret in Secrets.all { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test("the same look finds a secret where nothing is redacted, bytes too")
    func exposure() {
        struct Plain {
            let url = Secrets.url
            let body = Data("b0dy".utf8)
        }
        let found = Exposure.texts(of: Plain()).joined()
        for secret in ["us3r", "passw0rd", "p4th", "t0ken", Exposure.bytes] { #expect(found.contains(secret)) }
        #expect(Secrets.all.contains(Exposure.bytes))
    }

    struct Description: Sendable, CustomTestStringConvertible {
        let value: any Sendable
        let text: String
        var testDescription: String { text }

        init(_ value: any Sendable, _ text: String) {
            self.value = value
            self.text = text
        }
    }

    @Test(
        "a description says what may be said",
        arguments: [
            Description(Secrets.fields, "Authorization: ..., Accept: ..."),
            Description(HTTPFields(), ""),
            Description(HTTPFields.Field("Cookie", "f1eld"), "Cookie: ..."),
            Description(
                HTTPRequest(method: "POST", url: Secrets.url, fields: Secrets.fields, body: Secrets.bytes),
                "POST https://img.example.com, Authorization: ..., Accept: ..., 4 bytes"),
            Description(HTTPRequest(url: Secrets.url), "GET https://img.example.com"),
            Description(
                HTTPResponse(status: 200, fields: ["ETag": "f1eld"], body: HTTPBody(Secrets.bytes)),
                "status 200, ETag: ..., body: 4 bytes"),
            Description(HTTPTransportError(.cannotConnect, detail: "t0ken"), "cannotConnect"),
            Description(ImageRequest.Source.url(Secrets.url), "https://img.example.com"),
            Description(ImageRequest.Source.data(Secrets.bytes), "4 bytes"),
            Description(ImageRequest.Source.closure { Secrets.bytes }, "closure"),
            Description(
                StoredResponse(id: .init(12), metadata: Secrets.bytes, bodyByteCount: 8_192),
                "#12, 8192 bytes, metadata 4 bytes"),
            Description(StoredBody.data(Secrets.bytes), "4 bytes"),
        ])
    func description(_ row: Description) {
        #expect("\(row.value)" == row.text)
        #expect(String(reflecting: row.value) == row.text)
    }

    @Test("what is redacted is there for whoever asks for it")
    func access() {
        #expect(Secrets.fields["Authorization"] == "Bearer f1eld")
        #expect(Secrets.fields.map(\.value) == ["Bearer f1eld", "image/*"])
        #expect(HTTPRequest(url: Secrets.url).url == Secrets.url)
        #expect(HTTPTransportError(.other, detail: "t0ken").detail == "t0ken")
        #expect(Secrets.error.underlyingError is Secrets.Leak)
        #expect(Secrets.error.localizedDescription == Secrets.error.description)
    }
}

extension RedactedValueTests.Row {
    static let all = requests + messages + stored + failures + objects

    private static let requests: [Self] = [
        .init("ImageRequest") { Secrets.request },
        .init("ImageRequest with a field and a body") { ImageRequest(urlRequest: Secrets.urlRequest) },
        .init("ImageRequest of bytes") { ImageRequest(data: Secrets.bytes, partition: "acc0unt") },
        .init("ImageRequest, loaded as a thumbnail") {
            let thumbnail = ServerThumbnail(
                url: Secrets.url, size: .init(width: 8, height: 8, mode: .fit), of: Secrets.request)
            return Secrets.request.loaded(as: thumbnail, isForeign: true)
        },
        .init("ImageRequest in an array") { [Secrets.request] },
        .init("ImageRequest.Source") {
            [.url(Secrets.url), .http(Secrets.message), .data(Secrets.bytes)] as [ImageRequest.Source]
        },
        .init("HTTPMessage") { Secrets.message },
        .init("Partition") { Partition("acc0unt") },
        .init("ResourceID") {
            [
                "n4med", ResourceID(url: Secrets.url), ResourceID(Secrets.message),
                ResourceID(content: Secrets.bytes),
            ]
        },
        .init("FetchKey") { Secrets.fetchKey },
        .init("RemoteImageModel.Subject") {
            RemoteImageModel.Subject(Secrets.request, ImagePipeline(.init(store: nil)))
        },
    ]

    private static let messages: [Self] = [
        .init("HTTPFields") { Secrets.fields },
        .init("HTTPFields.Field") { HTTPFields.Field("Authorization", "f1eld") },
        .init("HTTPRequest") {
            HTTPRequest(method: "POST", url: Secrets.url, fields: Secrets.fields, body: Secrets.bytes)
        },
        .init("HTTPResponse") {
            HTTPResponse(status: 200, fields: ["Set-Cookie": "f1eld"], body: HTTPBody(Secrets.bytes))
        },
        .init("HTTPBody") { HTTPBody(Secrets.bytes) },
        .init("HTTPBody.Iterator") { HTTPBody(Secrets.bytes).makeAsyncIterator() },
        .init("HTTPTransportError") { HTTPTransportError(.other, detail: "couldn't load \(Secrets.url)") },
        .init("ServerThumbnails") {
            let base = URL(string: "https://thumbs.example.com")!
            return try [
                .imgproxy(at: base, key: Secrets.key, salt: Secrets.key), .thumbor(at: base, key: Secrets.key),
                .cloudinary(cloudName: "demo", secret: Secrets.key), .imgix(domain: "x.imgix.net", token: Secrets.key),
            ].map(Secrets.thumbnails)
        },
        .init("InvalidSecret") {
            let base = URL(string: "https://thumbs.example.com")!
            return #expect(throws: ServerThumbnails.InvalidSecret.self) {
                try ServerThumbnails.Server.imgproxy(at: base, key: "t0ken", salt: "t0ken")
            }
        },
    ]

    private static let stored: [Self] = [
        .init("StoredResponse") { StoredResponse(id: .init(1), metadata: Secrets.bytes, bodyByteCount: 4) },
        .init("StoredBody") { StoredBody.data(Secrets.bytes) },
        .init("StoreEntry") {
            StoreEntry(
                id: .init(1), metadata: Secrets.bytes, bodyByteCount: 4, origin: "https://img.example.com",
                partitionTag: "1", stored: Date(), used: Date(), isInFile: false)
        },
        .init("HTTPCache.StoredHead") { Secrets.head },
        .init("HTTPCache.Decision") {
            HTTPCache.decide(candidates: [Secrets.head], request: ["X-Api-Key": "f1eld"], now: Date())
        },
    ]

    private static let failures: [Self] = [
        .init("ImageError") { Secrets.error },
        .init("ImageError, localized") { Secrets.error.localizedDescription },
        .init("ImageError as any Error") { Secrets.error as any Error },
        .init("ImageError as NSError") { Secrets.error as NSError },
        .init("Result") { Result<ImageResult, any Error>.failure(Secrets.error) },
        .init("RemoteImagePhase") { RemoteImagePhase.failure(Secrets.error) },
        .init("ImageEvent") {
            [
                .failed(LoadLabel(1, Secrets.url), Secrets.error), .cacheFault(operation: "read", Secrets.Leak()),
                .removedDamaged(RedactedURL(Secrets.url)),
            ] as [ImageEvent]
        },
        .init("ImagePrefetcher.Outcome") {
            ImagePrefetcher.Outcome(request: Secrets.request, result: .failed(Secrets.error))
        },
    ]

    private static let objects: [Self] = [
        .init("ImagePipeline.Configuration") {
            var configuration = ImagePipeline.Configuration(store: MemoryStore()) { request in
                var request = request
                request.setValue(Secrets.key, forHTTPHeaderField: "Authorization")
                return request
            }
            configuration.fields["X-Api-Key"] = "f1eld"
            configuration.serverThumbnails = Secrets.thumbnails(.imgix(domain: "x.imgix.net", token: Secrets.key))
            return configuration
        },
        .init("ImagePipeline") { try await Secrets.Loaded().fixture.pipeline },
        .init("its configuration") { try await Secrets.Loaded().fixture.pipeline.configuration },
        .init("MemoryCache") { try await Secrets.Loaded().fixture.memory },
        .init("MemoryStore") { try await Secrets.Loaded().fixture.store },
        .init("ImpressionTable") { try await Secrets.Loaded().fixture.pipeline.configuration.impressions },
        .init("Impression") { try await Secrets.Loaded().fixture.pipeline.impression(for: Secrets.request) },
        .init("PipelineRecorder") { try await Secrets.Loaded().recorder },
        .init("ImageLoad") { try await Secrets.Loaded().load },
        .init("ImageLoad.Update") { ImageLoad.Update.image(try await Secrets.Loaded().result) },
        .init("ImageResult") { try await Secrets.Loaded().result },
        .init("LoadReport") { try await Secrets.Loaded().result.report },
        .init("DecodedImage") { try await Secrets.Loaded().result.image },
        .init("Bitmap") { try await Secrets.Loaded().result.image.bitmap },
        .init("events") { try await Secrets.Loaded().fixture.events.all },
        .init("SQLiteStore") { SQLiteStore(directory: URL(filePath: "/p4th/us3r")) },
        .init("URLCacheStore") { URLCacheStore(URLCache(memoryCapacity: 0, diskCapacity: 0, diskPath: nil)) },
        .init("the transport") { ImagePipeline.defaultTransport },
        .init("ImagePrefetcher") {
            let prefetcher = ImagePrefetcher(pipeline: try await Secrets.Loaded().fixture.pipeline)
            prefetcher.isPaused = true
            prefetcher.start([Secrets.request])
            return prefetcher
        },
        .init("RemoteImageModel") {
            let loaded = try await Secrets.Loaded()
            let view = await ModelView(Secrets.request, in: loaded.fixture.pipeline)
            await view.appear()
            _ = await view.waitForImage()
            await view.end()
            return view.model
        },
    ]
}
