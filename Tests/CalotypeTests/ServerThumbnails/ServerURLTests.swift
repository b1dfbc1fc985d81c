import CalotypeTesting
import Foundation
import Testing

@testable import Calotype

@Suite("Image servers' URLs have the form that their documentation gives")
struct ServerURLTests {
    typealias Server = ServerThumbnails.Server

    // MARK: The documentation's own examples

    @Test("imgproxy: the signature of the guide's example")
    func imgproxySignature() {
        // docs.imgproxy.net, "Signing a URL".
        let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
        #expect(
            Server.imgproxySignature(of: path, key: [UInt8]("secret".utf8), salt: [UInt8]("hello".utf8))
                == "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8")
    }

    @Test(
        "Thumbor: the signatures of the examples of a client library",
        arguments: [
            ("500/500/image.jpg", "VMKhXMULBn4h1UC52W3YliEgFfg="),
            ("500x400/smart/image.jpg", "rFZk5DrMK2hKAwVMJU4O4ZYDpeI="),
            ("200x200/my-image.jpg", "gliOovhxLB8RGXinV2YT_W607lw="),
        ])
    func thumborSignature(_ path: String, _ signature: String) {
        // hexdocs.pm/thumbor_client, "ThumborClient". Thumbor's own page gives the method, and no value.
        #expect(Server.thumborSignature(of: path, key: [UInt8]("123".utf8)) == signature)
    }

    @Test(
        "imgix: the signatures of the blueprint's examples",
        arguments: [
            ("/users/1.png", "6797c24146142d5b40bde3141fd3600c"),
            ("/http%3A%2F%2Favatars.com%2Fjohn-smith.png", "493a52f008c91416351f8b33d4883135"),
            ("/users/1.png?w=400&h=300", "c7b86f666a832434dd38577e38cf86d1"),
            ("/http%3A%2F%2Favatars.com%2Fjohn-smith.png?w=400&h=300", "61ea1cc7add87653bb0695fe25f2b534"),
        ])
    func imgixSignature(_ text: String, _ signature: String) {
        // github.com/imgix/imgix-blueprint, "Securing URLs".
        #expect(Server.imgixSignature(of: text, token: [UInt8]("FOO123bar".utf8)) == signature)
    }

    @Test(
        "Cloudinary: the signatures of its libraries' own tests, in which the version has no part",
        arguments: [
            ("c_crop,h_20,w_10/image.jpg", "Ai4Znfl3"), ("image.jpg", "--SjmNDA"),
            ("http://google.com/path/to/image.png", "hH_YcbiS"),
        ])
    func cloudinarySignature(_ text: String, _ signature: String) {
        // github.com/cloudinary/cloudinary_npm, test/unit/url/sign_url_spec.js.
        #expect(Server.cloudinarySignature(of: text, secret: [UInt8]("b".utf8)) == signature)
    }

    // MARK: Whole URLs

    struct Row: Sendable, CustomTestStringConvertible {
        let title: String
        let server: Server
        var original = "https://photos.example.com/a.jpg"
        var size = ImageRequest.Size.pixels(300, 200, .fit)
        var formats: [ImageFormat] = []
        var quality: Int?
        let url: String?

        var testDescription: String { title }
    }

    private static let base = URL(string: "https://img.example.net")!
    private static let imgproxy = try! Server.imgproxy(at: base, key: "736563726574", salt: "68656C6C6F")
    private static let thumbor = Server.thumbor(at: base, key: "123")
    private static let cloudinary = Server.cloudinary(cloudName: "demo")
    private static let imgix = Server.imgix(domain: "demo.imgix.net", token: nil)

    // 300 and 200 go up to 320 and 208, the next of eight steps. The signatures are by Python's hashlib and hmac.
    static let rows: [Row] = [
        Row(
            title: "imgproxy, fit, signed", server: imgproxy, formats: [.webP], quality: 80,
            url: "https://img.example.net/3oOFXTZvUdiMXXziu4fM5VxbxJqQdqPhZsm1Ilker0k/rs:fit:320:208/q:80/"
                + "aHR0cHM6Ly9waG90b3MuZXhhbXBsZS5jb20vYS5qcGc.webp"),
        Row(
            title: "imgproxy, unsigned, one side", server: .imgproxy(at: base), size: .pixels(300, nil),
            formats: [.jpeg],
            url: "https://img.example.net/unsafe/rs:fit:320:0/aHR0cHM6Ly9waG90b3MuZXhhbXBsZS5jb20vYS5qcGc.jpg"),
        Row(
            title: "imgproxy can't cover: a box of 16:9 each way", server: .imgproxy(at: base),
            size: .pixels(256, 256, .fill),
            url: "https://img.example.net/unsafe/rs:fit:456:456/aHR0cHM6Ly9waG90b3MuZXhhbXBsZS5jb20vYS5qcGc"),
        Row(title: "imgproxy's own URLs", server: .imgproxy(at: base), original: "https://img.example.net/a", url: nil),
        Row(
            title: "Thumbor, fit, signed", server: thumbor, formats: [.webP], quality: 80,
            url: "https://img.example.net/rG-ShlS08n2veeuuStyiqFAyM58=/fit-in/320x208/"
                + "filters:no_upscale():quality(80):format(webp)/https%3A%2F%2Fphotos.example.com%2Fa.jpg"),
        Row(
            title: "Thumbor covers", server: .thumbor(at: base, key: nil), size: .pixels(256, 200, .fill),
            url: "https://img.example.net/unsafe/full-fit-in/256x208/filters:no_upscale()/"
                + "https%3A%2F%2Fphotos.example.com%2Fa.jpg"),
        Row(
            title: "Thumbor, one side, an original with a query and a fragment", server: .thumbor(at: base, key: nil),
            original: "https://photos.example.com/a%20b.jpg?v=2&w=3#top", size: .pixels(nil, 256),
            url: "https://img.example.net/unsafe/0x256/filters:no_upscale()/"
                + "https%3A%2F%2Fphotos.example.com%2Fa%2520b.jpg%3Fv%3D2%26w%3D3"),
        Row(
            title: "Cloudinary fetches", server: cloudinary, formats: [.jpeg], quality: 80,
            url: "https://res.cloudinary.com/demo/image/fetch/c_limit,h_208,w_320/f_jpg,q_80/"
                + "https://photos.example.com/a.jpg"),
        Row(
            title: "Cloudinary covers, signed", server: .cloudinary(cloudName: "demo", secret: "b"),
            original: "https://photos.example.com/a.jpg?v=2", size: .pixels(320, 240),
            url: "https://res.cloudinary.com/demo/image/fetch/s--hQgQm8Jd--/if_ar_gt_320:240/c_limit,h_240/if_else/"
                + "c_limit,w_320/if_end/https://photos.example.com/a.jpg%3Fv%3D2"),
        Row(
            title: "Cloudinary's own upload", server: cloudinary,
            original: "https://res.cloudinary.com/demo/image/upload/v1312461204/sample.jpg", size: .pixels(320, nil),
            url: "https://res.cloudinary.com/demo/image/upload/c_limit,w_320/v1312461204/sample.jpg"),
        Row(
            title: "Cloudinary's own upload, changed already", server: cloudinary,
            original: "https://res.cloudinary.com/demo/image/upload/c_fill,w_100/sample.jpg", url: nil),
        Row(
            title: "imgix, by path", server: .imgix(domain: "demo.imgix.net", token: "FOO123bar"),
            original: "https://photos.example.com/users/1.png?v=2", formats: [.avif], quality: 80,
            url:
                "https://demo.imgix.net/users/1.png?v=2&w=320&h=208&fit=max&q=80&fm=avif&s=cabfc974e9c14b9d6e7581a535779f10"
        ),
        Row(
            title: "imgix, by the whole URL", server: .imgix(domain: "demo.imgix.net", token: nil, source: .wholeURL),
            url: "https://demo.imgix.net/https%3A%2F%2Fphotos.example.com%2Fa.jpg?w=320&h=208&fit=max"),
        Row(
            title: "imgix's own URL keeps its parameters", server: imgix,
            original: "https://demo.imgix.net/a.jpg?sepia=80", size: .pixels(256, 256),
            url: "https://demo.imgix.net/a.jpg?sepia=80&w=456&h=456&fit=max"),
        Row(
            title: "imgix's own URL, sized already", server: imgix, original: "https://demo.imgix.net/a.jpg?w=80",
            url: nil),
        Row(
            title: "Cloudflare, the image's own zone", server: .cloudflare(), formats: [.webP], quality: 75,
            url: "https://photos.example.com/cdn-cgi/image/width=320,height=208,fit=scale-down,quality=75,format=webp/"
                + "a.jpg"),
        Row(
            title: "Cloudflare, another zone", server: .cloudflare(zone: base),
            original: "https://photos.example.com/bucket/a.png?v=2", size: .pixels(80, nil),
            url: "https://img.example.net/cdn-cgi/image/width=80,fit=scale-down/"
                + "https://photos.example.com/bucket/a.png?v=2"),
        Row(
            title: "Cloudflare's own URLs", server: .cloudflare(),
            original: "https://photos.example.com/cdn-cgi/image/width=80/a.jpg", url: nil),
    ]

    @Test("the URL of a thumbnail has the form that the server's documentation gives it", arguments: rows)
    func url(_ row: Row) throws {
        var configuration = ImagePipeline.Configuration(store: nil)
        let hosts: Set<String> = ["photos.example.com", "img.example.net", "res.cloudinary.com", "demo.imgix.net"]
        var thumbnails = ServerThumbnails(row.server, for: hosts)
        thumbnails.formats = row.formats
        thumbnails.quality = row.quality
        configuration.serverThumbnails = thumbnails
        configuration.decoders = ImageDecoders([EverythingDecoder()])
        let request = ImageRequest(url: try #require(URL(string: row.original)), size: row.size)
        let thumbnail = try #require(ThumbnailRewriter(configuration)).thumbnail(of: request, original: nil)
        #expect(thumbnail?.url?.absoluteString == row.url)
        // The picture is the same one.
        if let thumbnail { #expect(thumbnail.id == request.id) }
    }

    @Test("keys that aren't hexadecimal are refused without being shown", arguments: ["SECRET", "abc", "ä", ""])
    func badKey(_ key: String) {
        for secrets in [(key, "00"), ("00", key)] {
            let error = #expect(throws: ServerThumbnails.InvalidSecret.self) {
                try Server.imgproxy(at: Self.base, key: secrets.0, salt: secrets.1)
            }
            if !key.isEmpty { #expect(error?.description.contains(key) == false) }
        }
    }

    @Test(
        "a host may be written as people do and as URLs do, whichever of them the URL has",
        arguments: [
            ("bücher.example", "http://bücher.example/a.jpg"), ("xn--bcher-kva.example", "http://bücher.example/a.jpg"),
            ("BÜCHER.example", "http://xn--bcher-kva.example/a.jpg"),
            ("*.bücher.example", "http://img.bücher.example/a.jpg"),
            ("[::1]", "http://[::1]:8080/a.jpg"), ("::1", "http://[::1]/a.jpg"),
            ("Example.com", "http://example.COM/a.jpg"),
        ])
    func hosts(_ name: String, _ url: String) throws {
        var configuration = ImagePipeline.Configuration(store: nil)
        configuration.serverThumbnails = ServerThumbnails(.thumbor(at: Self.base, key: nil), for: [name])
        let rewriter = try #require(ThumbnailRewriter(configuration))
        func thumbnail(_ url: String) throws -> ImageRequest? {
            rewriter.thumbnail(
                of: ImageRequest(url: try #require(URL(string: url)), size: .pixels(100, nil)), original: nil)
        }
        #expect(try thumbnail(url) != nil)
        #expect(try thumbnail("http://other.example/a.jpg") == nil)
        #expect(try thumbnail("http://example/a.jpg") == nil)
    }

    @Test("a format is asked for if something here decodes it")
    func formats() throws {
        var thumbnails = ServerThumbnails(.thumbor(at: Self.base, key: nil), for: ["photos.example.com"])
        thumbnails.formats = [.jpegXL, ImageFormat("own"), .webP, .jpeg]
        var configuration = ImagePipeline.Configuration(store: nil)
        configuration.serverThumbnails = thumbnails
        let request = ImageRequest(
            url: try #require(URL(string: "https://photos.example.com/a.jpg")), size: .pixels(100, nil))
        let url = try #require(ThumbnailRewriter(configuration)?.thumbnail(of: request, original: nil)?.url)
        #expect(url.absoluteString.contains("format(webp)"))
    }
}

/// Claims to decode every format.
private struct EverythingDecoder: ImageDecoder {
    func supports(_ format: ImageFormat) -> Bool { true }

    func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
        throw ImageError(.decoding, .unsupportedFormat(format))
    }
}
