import Calotype
import Foundation
import Synchronization

/// By whose rules the rows of a feed load.
enum FeedSide: String, CaseIterable, Sendable {
    case asyncImage = "asyncimage"
    case calotype

    var title: String {
        switch self {
        case .asyncImage: "AsyncImage's rules"
        case .calotype: "Calotype"
        }
    }

    /// The two differ in what keeps pixels. Both have the same transport and decoders, and keep responses by HTTP's rules.
    func pipeline(decoder: FeedDecoder) -> ImagePipeline {
        let memory = self == .calotype ? MemoryCache() : MemoryCache(costLimit: 0)
        var configuration = ImagePipeline.Configuration(memory: memory, store: MemoryStore())
        configuration.decoders = ImageDecoders([decoder])
        return ImagePipeline(configuration)
    }

    /// AsyncImage doesn't know how large it is shown, and decodes everything.
    func request(for url: URL) -> ImageRequest {
        switch self {
        case .asyncImage: ImageRequest(url: url)
        case .calotype: ImageRequest(url: url, size: .points(88, 88, scale: 3))
        }
    }

    /// AsyncImage has no way to ask for a picture before its row is there.
    @MainActor
    func prefetch(in pipeline: ImagePipeline, rowCount: Int, port: Int) -> FeedPrefetch? {
        switch self {
        case .asyncImage: nil
        case .calotype:
            FeedPrefetch(in: pipeline, rowCount: rowCount) { request(for: FeedServer.url(of: $0, port: port)) }
        }
    }

    @MainActor
    func row(_ url: URL, in pipeline: ImagePipeline) -> any FeedRow {
        switch self {
        case .asyncImage: AsyncImageRow(request(for: url), pipeline)
        case .calotype: CalotypeRow(request(for: url), pipeline)
        }
    }
}

/// The system's decoder, counted.
final class FeedDecoder: ImageDecoder {
    struct Count: Codable, Equatable {
        var decodeCount = 0
        /// Pixels that came out.
        var pixelCount = 0
    }

    private let decoder = SystemImageDecoder()
    private let counted = Mutex(Count())

    /// The decodes that went well so far.
    var count: Count { counted.withLock { $0 } }

    func supports(_ format: ImageFormat) -> Bool { decoder.supports(format) }

    func estimatedByteCount(
        of data: Data, format: ImageFormat, pixelSize: PixelSize?, target: PixelTarget
    ) -> Int {
        decoder.estimatedByteCount(of: data, format: format, pixelSize: pixelSize, target: target)
    }

    func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
        let image = try decoder.decode(data, format: format, options: options)
        counted.withLock { count in
            count.decodeCount += 1
            count.pixelCount += image.pixelSize.width * image.pixelSize.height
        }
        return image
    }
}
