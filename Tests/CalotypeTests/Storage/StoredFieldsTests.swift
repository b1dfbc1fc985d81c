import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("What a load writes of a response's head")
struct StoredFieldsTests {
    /// What no store needs to know, each with a value that is found wherever it is written.
    private static let secrets: [(name: String, value: String)] = [
        ("Set-Cookie", "session=s3cret-01; HttpOnly"), ("Set-Cookie2", "session=s3cret-02"),
        ("Authentication-Info", "nextnonce=\"s3cret-03\""), ("Proxy-Authentication-Info", "nextnonce=\"s3cret-04\""),
        ("Proxy-Authenticate", "Basic realm=\"s3cret-05\""), ("WWW-Authenticate", "Digest nonce=\"s3cret-06\""),
        ("Authorization", "Bearer s3cret-07"), ("X-Auth-Token", "s3cret-08"), ("X-Request-Id", "s3cret-09"),
        ("NEL", "{\"report_to\":\"s3cret-10\"}"), ("Report-To", "{\"group\":\"s3cret-11\"}"),
        ("Link", "</b?X-Amz-Signature=s3cret-12>; rel=preload"), ("Content-Location", "/b?token=s3cret-13"),
        ("Server-Timing", "visitor;desc=s3cret-14"), ("Content-Disposition", "inline; filename=\"s3cret-15.png\""),
        ("X-Amz-Meta-Owner", "s3cret-16"), ("Alt-Svc", "h3=\"s3cret-17.example:443\""), ("ETag ", "s3cret-18"),
    ]

    private static let needed: HTTPFields = [
        "Cache-Control": "max-age=0", "Expires": "Thu, 01 Jan 2026 00:00:00 GMT", "Pragma": "x-pragma",
        "Age": "0", "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT", "ETag": "\"tag\"", "Vary": "Accept, X-Api-Key",
    ]

    @Test("of the fields, those are kept that a stored response is asked for, whatever their case")
    func kept() throws {
        var fields = HTTPFields()
        for field in Self.needed { fields.append(field.name.uppercased(), field.value) }
        fields.append("content-type", "image/png")
        fields.append("date", "Thu, 01 Jan 2026 00:00:00 GMT")
        let needed = fields
        for secret in Self.secrets { fields.append(secret.name, secret.value) }
        let now = HTTPCacheTime.now
        let head = HTTPCache.StoredHead(
            status: 200, fields: fields, requestTime: now, responseTime: now, requestFields: ["Accept": "a"])
        let read = try #require(HTTPCache.StoredHead(encoded: head.encodedForImages()))
        #expect(read.fields == needed)
        #expect(read.varyingFields == head.varyingFields)
        // Decisions are the same with and without the rest.
        for request in [[:], ["Accept": "a"], ["Cache-Control": "no-cache", "Accept": "a"]] as [HTTPFields] {
            for age in [0, 10, 100_000] as [Double] {
                let now = now.addingTimeInterval(age)
                #expect(
                    HTTPCache.decide(candidates: [read], request: request, now: now)
                        == HTTPCache.decide(candidates: [head], request: request, now: now))
            }
        }
        // Who passes responses on has all of them but those that no cache stores.
        let whole = try #require(HTTPCache.StoredHead(encoded: head.encoded()))
        #expect(whole == head && whole.fields["Set-Cookie"] != nil)
    }

    @Test("no credential reaches the disk: not in fields, nor by redirects, nor by what a response varies by")
    func disk() async throws {
        try await StoreFolder.with { folder in
            let secrets = Self.secrets.filter { $0.name != "ETag " }.map { HTTPFields.Field($0.name, $0.value) }
            let fields = HTTPFields(Self.needed + secrets)
            let picture = LoopbackServer.Resource(
                TestImages.solidPNG(width: 64, height: 48, color: .red), type: "image/png", etag: nil,
                fields: fields)
            // The 304 repeats all of them.
            let server = try LoopbackServer()
            server.route("/b") { request in
                let isKnown = request.fields["If-None-Match"] == "\"tag\""
                return isKnown ? .status(304, fields: fields) : picture.response(to: request)
            }
            let signature = "X-Amz-Algorithm=a&X-Amz-Credential=s3cret-20&X-Amz-Date=d&X-Amz-Signature=s3cret-21"
            server.route("/a") { _ in
                .status(
                    302,
                    fields: [
                        "Location": "/b?\(signature)", "Cache-Control": "max-age=600", "Set-Cookie": "s3cret-22",
                        "Vary": "X-Other-Key",
                    ])
            }
            server.route("/c") { _ in .status(302, fields: ["Location": "/b?token=s3cret-23"]) }
            for (path, layer) in [
                ("/a", .network), ("/a", .revalidation), ("/c?token=s3cret-24", .network),
                ("/c?token=s3cret-24", .revalidation),
            ] as [(String, LoadReport.Layer)] {
                let store = folder.store()
                var configuration = ImagePipeline.Configuration(
                    transport: Fixture.transport(), memory: MemoryCache(), store: store)
                configuration.fields["X-Other-Key"] = "s3cret-25"
                var message = URLRequest(url: server.url(path))
                for (name, value) in [
                    ("X-Api-Key", "s3cret-26"), ("Cookie", "s3cret-27"), ("Authorization", "Bearer s3cret-28"),
                ] {
                    message.setValue(value, forHTTPHeaderField: name)
                }
                let request = ImageRequest(urlRequest: message, partition: "s3cret-29")
                let result = try await ImagePipeline(configuration).result(for: request)
                #expect(result.report.layer == layer, "\(path)")
                #expect(try await store.usage().responseCount > 0)
                await store.close()
            }
            for file in folder.files {
                #expect(try Data(contentsOf: file).range(of: Data("s3cret".utf8)) == nil, "\(file.lastPathComponent)")
            }
        }
    }
}
