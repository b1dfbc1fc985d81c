import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

// Server-made thumbnails, power, processors and animation, Linux and servers.
extension ArticleSnippets {
    @Test("an image server is asked for the size that is shown")
    func serverThumbnails() async throws {
        let imageServer = try #require(URL(string: "https://thumbs.example.com"))
        let photo = try #require(URL(string: "https://photos.example.com/a.jpg"))
        let key = "a key"
        func asked(_ configuration: ImagePipeline.Configuration) async throws -> String? {
            let transport = OnePicture()
            var configuration = configuration
            configuration.transport = transport
            configuration.memory = MemoryCache(reactsToMemoryPressure: false)
            let request = ImageRequest(url: photo, size: .pixels(300, nil))
            #expect(try await ImagePipeline(configuration).image(for: request).pixelSize.width == 300)
            return transport.asked.first
        }
        var configuration = ImagePipeline.Configuration(store: nil)
        configuration.serverThumbnails = ServerThumbnails(
            .thumbor(at: imageServer, key: key), for: ["photos.example.com"])
        let signed = try #require(try await asked(configuration))
        #expect(signed.hasPrefix("https://thumbs.example.com/") && signed.contains("/320x0/"))
        configuration.serverThumbnails = ServerThumbnails(
            .custom("thumbs") { original, size, _ in
                imageServer.appending(path: "\(size.width ?? 0)x\(size.height ?? 0)\(original.path())")
            }, for: ["*.example.com"])
        #expect(try await asked(configuration) == "https://thumbs.example.com/320x0/a.jpg")
    }

    @Test("a device may be as hot as it likes")
    func power() {
        var configuration = ImagePipeline.Configuration(store: nil)
        struct MainsPower: PowerMonitor {
            var status: PowerStatus { PowerStatus() }

            func observe(_ handler: @escaping @Sendable (PowerStatus, PowerStatus) -> Void) -> StatusObservation {
                StatusObservation {}
            }
        }
        configuration.power = MainsPower()
        #expect(ImagePipeline(configuration).configuration.power.status == PowerStatus(heat: .nominal))
    }

    @Test("processors crop and blur to the size that was asked for")
    func processors() async throws {
        let avatar = ImageRequest(url: url, size: .pixels(264, 264), processors: [.crop(toAspectRatio: 1), .circle])
        let backdrop = ImageRequest(url: url, size: .pixels(400, nil), processors: [.blur(radius: 12)])
        let pipeline = ownPipeline()
        #expect(try await pipeline.image(for: avatar).pixelSize == PixelSize(width: 264, height: 264))
        #expect(try await pipeline.image(for: backdrop).pixelSize.width == 400)
    }

    @Test("an animation gives its frames on demand")
    func animation() async throws {
        let pipeline = ownPipeline()
        let file = try #require(Bundle.module.url(forResource: "Fixtures/Images/quadrants", withExtension: "gif"))
        let request = ImageRequest(url: file)
        var shown: DecodedImage?
        func show(_ image: DecodedImage) { shown = image }
        let image = try await pipeline.image(for: request)
        if let animation = image.animation {
            print(animation.frameCount, "frames, played", animation.loopCount, "times (0: for ever)")
            let second = try await animation.frame(at: 1)
            show(second)
        }
        #expect((shown != nil) == (image.animation != nil))
    }

    #if !canImport(ImageIO)
    @Test("a processor of the app's own changes pixels")
    func ownProcessor() async throws {
        let pipeline = ownPipeline()
        let inverted = CustomProcessor(identifier: "inverted", dependsOnPixelSize: false) { image in
            let source = image.bitmap
            let bitmap = Bitmap(size: source.size) { pixels in
                source.withUnsafeBytes { pixels.copyMemory(from: $0) }
                for pixel in stride(from: 0, to: pixels.count, by: 4) {
                    for channel in pixel..<pixel + 3 { pixels[channel] = pixels[pixel + 3] - pixels[channel] }
                }
            }
            return DecodedImage(
                bitmap: bitmap, originalPixelSize: image.originalPixelSize, colorSpace: image.colorSpace)
        }
        let request = ImageRequest(url: url, processors: [inverted])
        let image = try await pipeline.image(for: request)
        let plain = try await pipeline.image(for: url)
        #expect(image.bitmap[7, 9].red == 255 - plain.bitmap[7, 9].red)
        #expect(image.bitmap[7, 9].alpha == 255)
    }

    @Test("pixels are compared")
    func comparison() async throws {
        let image = DecodedImage(bitmap: TestImages.gradientBitmap(width: 60, height: 40))
        let comparison = PixelComparison(image.bitmap, TestImages.gradientBitmap(width: 60, height: 40))
        #expect(comparison.isWithin(.init(maximum: 2, mean: 0.25)), "\(comparison)")
        let (decoded, expected) = (image.bitmap, image.bitmap)
        do {
            let comparison = PixelComparison(decoded, expected)
            #expect(comparison.isWithin(.init(maximum: 2, mean: 0.25)), "\(comparison)")
        }
    }
    #endif

    @Test("a server makes thumbnails")
    func server() async throws {
        var configuration = ImagePipeline.Configuration(memory: MemoryCache(costLimit: 0), store: MemoryStore())
        configuration.limits.bodyByteCount = 16 << 20
        configuration.limits.decodeTime = .seconds(5)
        let pipeline = ImagePipeline(configuration)
        let thumbnail = try await pipeline.image(for: ImageRequest(url: url, size: .pixels(320, nil)))
        let file = try ImageEncoder().encoded(thumbnail, as: .jpeg(quality: 85))
        #expect(try await pipeline.image(for: ImageRequest(data: file)).pixelSize.width == 320)
    }

    @Test("a transport of the app's own answers from a folder")
    func ownTransport() async throws {
        struct FolderTransport: HTTPTransport {
            let folder: URL

            func send(_ request: HTTPRequest) async throws -> HTTPResponse {
                let file = folder.appending(path: request.url.lastPathComponent)
                guard let data = try? Data(contentsOf: file) else { return HTTPResponse(status: 404) }
                return HTTPResponse(status: 200, fields: ["Content-Type": "image/png"], body: HTTPBody(data))
            }
        }
        let folder = try #require(Bundle.module.url(forResource: "Fixtures/Images", withExtension: nil))
        let pipeline = ImagePipeline(.init(transport: FolderTransport(folder: folder), store: nil))
        let there = try #require(URL(string: "https://img.example.com/quadrants.png"))
        let missing = try #require(URL(string: "https://img.example.com/missing.png"))
        #expect(try await pipeline.image(for: there).pixelSize.width > 0)
        await #expect(throws: ImageError.self) { try await pipeline.image(for: missing) }
    }

    @Test("a decoder of the app's own reads a format that Calotype doesn't know")
    func ownDecoder() async throws {
        /// Sixteen by eight, whatever the file has.
        func sizeOfDrawing(_ data: Data) throws -> PixelSize { PixelSize(width: 16, height: 8) }
        func draw(_ data: Data, in size: PixelSize, _ limits: ImageLimits) throws -> Bitmap {
            TestImages.gradientBitmap(width: size.width, height: size.height)
        }
        var configuration = ImagePipeline.Configuration(store: nil)
        struct SVGDecoder: ImageDecoder {
            static let format = ImageFormat("SVG")

            func recognize(_ prefix: Data) -> FormatRecognition {
                let text = String(decoding: prefix, as: UTF8.self).trimmingPrefix(while: \.isWhitespace)
                if text.hasPrefix("<svg") { return .image(Self.format) }
                // There may be a declaration and comments in between. Of any of them, no more may be there yet than a letter.
                let mayFollow = ["<svg", "<?xml", "<!--"].contains { text.hasPrefix($0) || $0.hasPrefix(text) }
                guard mayFollow else { return .unrecognized }
                return text.contains("<svg") ? .image(Self.format) : .needsMoreBytes
            }

            func supports(_ format: ImageFormat) -> Bool { format == Self.format }

            func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
                let drawing = try sizeOfDrawing(data)
                let size = options.target.pixelSize(for: drawing)
                return DecodedImage(bitmap: try draw(data, in: size, options.limits), originalPixelSize: drawing)
            }
        }
        configuration.decoders = ImageDecoders([SVGDecoder()])
        let pipeline = ImagePipeline(configuration)
        for text in [
            "<svg/>", "\n<?xml version=\"1.0\"?><!-- a drawing -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        ] {
            let image = try await pipeline.image(for: ImageRequest(data: Data(text.utf8), size: .pixels(8, nil)))
            #expect(image.pixelSize == PixelSize(width: 8, height: 4))
            #expect(image.originalPixelSize == PixelSize(width: 16, height: 8))
            // Nor is it refused while it arrives, in whatever pieces.
            for count in 1...text.utf8.count {
                #expect(SVGDecoder().recognize(Data(text.utf8.prefix(count))) != .unrecognized, "\(count) bytes")
            }
        }
        for text in ["<!DOCTYPE html>", "<?xml version=\"1.0\"?><rss/>"] {
            let request = ImageRequest(data: Data(text.utf8))
            let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: request) }
            #expect(error?.reason == .notAnImage)
        }
    }
}

/// Answers every request with one picture of 320 by 240 pixels, and notes what was asked for.
private final class OnePicture: HTTPTransport {
    private let urls = Mutex<[String]>([])

    var asked: [String] { urls.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        urls.withLock { $0.append(request.url.absoluteString) }
        let data = TestImages.solidPNG(width: 320, height: 240, color: .red)
        return HTTPResponse(status: 200, fields: ["Content-Type": "image/png"], body: HTTPBody(data))
    }
}
