import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

/// A pipeline whose decoder gives previews by a script, and a server that sends a picture in three parts.
struct PreviewFixture {
    /// 120 kB.
    static let file = TestImages.solidPNG(width: 200, height: 150, color: .red)
    static let size = PixelSize(width: 200, height: 150)
    /// Where the server waits.
    static let stops = (40_000, 80_000)

    let base: Fixture
    let decoder: PreviewDecoder
    /// Holds the answer back until somebody is there to look. Bytes that come before that are seen with those that come
    /// after it, and while the server waits, none do.
    let start = LoopbackServer.Gate()
    let gates = (LoopbackServer.Gate(), LoopbackServer.Gate())
    let request: ImageRequest

    init(
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }, script: PreviewDecoder.Script? = nil
    ) throws {
        let decoder = PreviewDecoder(script)
        self.decoder = decoder
        base = try Fixture {
            $0.decoders = ImageDecoders([decoder])
            change(&$0)
        }
        request = ImageRequest(url: base.server.url("/a"))
        base.server.respond(to: "/a", with: response)
    }

    /// The picture, held at the start and at both stops.
    var response: LoopbackServer.Response {
        .ok(Self.file, type: "image/png", fields: ["Cache-Control": "max-age=60"])
            .gated(start).gated(gates.0, afterBodyBytes: Self.stops.0).gated(gates.1, afterBodyBytes: Self.stops.1)
    }

    /// Begins a load, and lets the server answer once its updates are being read.
    func follow(_ request: ImageRequest) -> (ImageLoad, UpdateReader) {
        let load = pipeline.load(request)
        let updates = UpdateReader(load)
        start.open()
        return (load, updates)
    }

    var pipeline: ImagePipeline { base.pipeline }
    var clock: ManualClock { base.clock }

    /// Lets the time pass that a preview waits for.
    func waitForTurn() async throws {
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .milliseconds(250))
    }

    func openAll() {
        gates.0.open()
        gates.1.open()
    }
}

/// Decodes as the system does; notes what it is given of images that still arrive, and gives previews of them by a script.
final class PreviewDecoder: ImageDecoder {
    /// Makes a preview. The number counts from 1.
    typealias Script = @Sendable (_ number: Int, _ decoding: Decoding) throws -> DecodedImage?

    final class Decoding: ProgressiveDecoding {
        let options: DecodeOptions
        private let script: Script
        private let state = Mutex<(bytes: Data, previewCount: Int)>((Data(), 0))

        fileprivate init(_ options: DecodeOptions, _ script: @escaping Script) {
            self.options = options
            self.script = script
        }

        /// What it has been given.
        var bytes: Data { state.withLock { $0.bytes } }
        /// How often it has been asked for a preview.
        var previewCount: Int { state.withLock { $0.previewCount } }

        func append(_ bytes: Data) throws { state.withLock { $0.bytes += bytes } }

        func preview() throws -> DecodedImage? {
            let number = state.withLock { state in
                state.previewCount += 1
                return state.previewCount
            }
            return try script(number, self)
        }

        /// An image of one color, as large as it is to be.
        func image(_ color: PixelColor = .green) throws -> DecodedImage {
            guard case .image(let header) = ImageHeader.parse(bytes), let size = header.pixelSize else {
                throw ImageError(.decoding, .notAnImage)
            }
            let target = options.target.pixelSize(for: size)
            let bitmap = TestImages.solidBitmap(width: target.width, height: target.height, color: color)
            return DecodedImage(bitmap: bitmap, originalPixelSize: size)
        }
    }

    private let system = SystemImageDecoder()
    private let script: Script
    private let state = Mutex<(decodings: [Decoding], gate: ProcessingGate?)>(([], nil))

    init(_ script: Script? = nil) {
        self.script = script ?? { _, decoding in try decoding.image() }
    }

    /// Those that have begun, in their order.
    var decodings: [Decoding] { state.withLock { $0.decodings } }

    /// Holds up the decodes of complete images.
    func hold(at gate: ProcessingGate) { state.withLock { $0.gate = gate } }

    func supports(_ format: ImageFormat) -> Bool { system.supports(format) }

    func estimatedByteCount(
        of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget
    ) -> Int {
        system.estimatedByteCount(of: data, format: format, pixelSize: pixelSize, target: target)
    }

    func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
        state.withLock { $0.gate }?.pass()
        return try system.decode(data, format: format, options: options)
    }

    func progressiveDecoding(format: ImageFormat, options: DecodeOptions) -> (any ProgressiveDecoding)? {
        let decoding = Decoding(options, script)
        state.withLock { $0.decodings.append(decoding) }
        return decoding
    }
}

/// Reads a load's updates, one after the other.
struct UpdateReader {
    private let updates: AsyncStream<ImageLoad.Update>

    init(_ load: ImageLoad) { updates = load.updates }

    /// Reads on until so many bytes have arrived.
    ///
    /// - Returns: The previews on the way.
    @discardableResult
    func read(to byteCount: Int) async -> [DecodedImage] {
        var previews: [DecodedImage] = []
        for await update in updates {
            switch update {
            case .progress(let progress):
                if progress.receivedByteCount >= Int64(byteCount) { return previews }
            case .preview(let image): previews.append(image)
            case .image: return previews
            }
        }
        return previews
    }

    /// Reads on until there is a preview; `nil` if the image comes first, or the load ends.
    func preview() async -> DecodedImage? {
        for await update in updates {
            switch update {
            case .progress: break
            case .preview(let image): return image
            case .image: return nil
            }
        }
        return nil
    }

    /// Reads to the end.
    func rest() async -> (previews: [DecodedImage], images: [ImageResult]) {
        var rest: (previews: [DecodedImage], images: [ImageResult]) = ([], [])
        for await update in updates {
            switch update {
            case .progress: break
            case .preview(let image):
                #expect(rest.images.isEmpty, "A preview came after the image.")
                rest.previews.append(image)
            case .image(let result): rest.images.append(result)
            }
        }
        return rest
    }
}
