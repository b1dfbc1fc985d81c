import Calotype
import CalotypeTesting
import Foundation
import Synchronization

/// Operations of the pipeline that are counted: each runs `count` times.
enum PipelineCase: String, CaseIterable {
    case memoryHit = "memory-hit"
    case cachedRequest = "cached-image-request"
    case cachedURL = "cached-image-url"
    case awaitHit = "await-image-hit"
    case impression = "impression"
    case impressionMiss = "impression-miss"
    case impressionHash = "impression-hash"
    case impressionImage = "impression-image"
    case uniqueRequest = "unique-request"
    case uniqueURL = "unique-request-url"
    case uniqueText = "unique-request-text"
    case recorder = "recorder"
    case reportedRequest = "reported-request"
    case recordedRequest = "recorded-request"
    case waiters = "waiters"
    case waitingTasks = "waiting-tasks"
    case bareTasks = "bare-tasks"

    /// What one operation is.
    var title: String {
        switch self {
        case .memoryHit: "memory cache hit, digest at hand"
        case .cachedRequest: "cachedImage(for: request)"
        case .cachedURL: "cachedImage(for: url)"
        case .awaitHit: "await image(for: request), in memory"
        case .impression: "impression(for: request), one of 20,000"
        case .impressionMiss: "impression(for: request), there is none"
        case .impressionHash: "making the ThumbHash of 264 x 176 pixels"
        case .impressionImage: "making 32 x 21 pixels of a ThumbHash"
        case .uniqueRequest: "unique request, instant transport, no-op decoder"
        case .uniqueURL: "the same from a URL: the request is made as well"
        case .uniqueText: "the same from text: the URL is made as well"
        case .recorder: "keeping a load's report in a recorder"
        case .reportedRequest: "unique-request, with its report"
        case .recordedRequest: "reported-request, with a recorder"
        case .waiters: "one of 1,000 loads that wait for one image"
        case .waitingTasks: "one of 1,000 tasks that await one image"
        case .bareTasks: "one of 1,000 tasks that await a bare continuation"
        }
    }

    /// The most instructions that one operation may take.
    var limit: Int? {
        switch self {
        case .memoryHit: 250
        case .cachedRequest: 900
        case .cachedURL: 3_000
        case .awaitHit: 2_500
        case .impression, .impressionMiss: 3_000
        // Three hundredths of what a request may take.
        case .recorder: 1_050
        case .uniqueRequest: 35_000
        case .waiters: 6_000
        case .impressionHash, .impressionImage, .uniqueURL, .uniqueText, .reportedRequest, .recordedRequest: nil
        case .waitingTasks, .bareTasks: nil
        }
    }

    /// Two counts whose difference is what is measured.
    var counts: (Int, Int) {
        switch self {
        case .memoryHit, .cachedRequest, .cachedURL, .awaitHit, .impression, .impressionMiss: (10_000, 110_000)
        case .impressionHash, .impressionImage: (50, 250)
        case .recorder: (10_000, 110_000)
        case .uniqueRequest, .uniqueURL, .uniqueText, .reportedRequest, .recordedRequest: (500, 3_500)
        case .waiters, .waitingTasks, .bareTasks: (2_000, 12_000)
        }
    }

    /// The pipeline lives as long as the process: emptying its caches at the end is no part of an operation.
    private static let memory = MemoryCache(costLimit: 64 << 20)
    private static let pipeline = makePipeline(nil)
    private static let recordedPipeline = makePipeline(PipelineRecorder(countLimit: 1_000))

    private static func makePipeline(_ recorder: PipelineRecorder?) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(
            transport: InstantTransport(), memory: memory, store: MemoryStore())
        configuration.decoders = ImageDecoders([NoOpDecoder()])
        configuration.recorder = recorder
        return ImagePipeline(configuration)
    }

    func run(_ count: Int) async throws {
        let (memory, pipeline) = (Self.memory, Self.pipeline)
        let urls = (0..<64).map { URL(string: "https://images.example.com/photos/2026/11/picture-\($0).png?w=264")! }
        let requests = urls.map { ImageRequest(url: $0) }
        for request in requests { pipeline.insert(NoOpDecoder.image, for: request) }
        switch self {
        case .memoryHit:
            precondition(MemoryBench(memory, requests).hit(count) == count)
        case .cachedRequest:
            for index in 0..<count { precondition(pipeline.cachedImage(for: requests[index & 63]) != nil) }
        case .cachedURL:
            for index in 0..<count { precondition(pipeline.cachedImage(for: urls[index & 63]) != nil) }
        case .awaitHit:
            for index in 0..<count { _ = try await pipeline.image(for: requests[index & 63]) }
        case .impression, .impressionMiss:
            let pipeline = await ImpressionBench.pipeline(of: 20_000)
            let isThere = self == .impression
            let requests = (0..<64).map { ImpressionBench.request(isThere ? $0 * 300 : 20_000 + $0) }
            for index in 0..<count { precondition((pipeline.impression(for: requests[index & 63]) != nil) == isThere) }
        case .impressionHash:
            let bitmap = TestImages.gradientBitmap(width: 264, height: 176)
            for _ in 0..<count { precondition(ThumbHash(bitmap).byteCount > 0) }
        case .impressionImage:
            let hash = ThumbHash(TestImages.gradientBitmap(width: 264, height: 176))
            for _ in 0..<count { precondition(hash.bitmap(size: PixelSize(width: 32, height: 21)).byteCount > 0) }
        case .recorder:
            let recorder = PipelineRecorder(countLimit: 1_000)
            let request = ImageRequest(url: URL(string: "https://images.example.com/photos/2026/recorded.png?w=264")!)
            let report = try await pipeline.result(for: request).report
            for _ in 0..<count { recorder.record(report) }
            precondition(recorder.count == 1_000)
        case .uniqueRequest:
            for request in uniqueRequests.prefix(count) { _ = try await pipeline.image(for: request) }
        case .uniqueURL:
            for url in uniqueURLs.prefix(count) { _ = try await pipeline.image(for: ImageRequest(url: url)) }
        case .reportedRequest, .recordedRequest:
            let loading = self == .recordedRequest ? Self.recordedPipeline : pipeline
            for request in uniqueRequests.prefix(count) { _ = try await loading.result(for: request) }
        case .uniqueText:
            for index in 0..<count { _ = try await pipeline.image(for: ImageRequest(url: Self.uniqueURL(index))) }
        case .waiters:
            for round in 0..<count / 1_000 {
                let request = Self.sharedRequest(round)
                let loads = (0..<1_000).map { _ in pipeline.load(request) }
                for load in loads { _ = try await load.result }
            }
        case .waitingTasks:
            for round in 0..<count / 1_000 {
                let request = Self.sharedRequest(round)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<1_000 { group.addTask { _ = try await pipeline.image(for: request) } }
                    try await group.waitForAll()
                }
            }
        case .bareTasks:
            for _ in 0..<count / 1_000 {
                let meeting = Meeting(of: 1_000)
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<1_000 { group.addTask { await meeting.join() } }
                    await group.waitForAll()
                }
            }
        }
    }

    /// As many for either count: what it takes to make them is left out.
    private var uniqueRequests: [ImageRequest] { uniqueURLs.map { ImageRequest(url: $0) } }
    private var uniqueURLs: [URL] { (0..<counts.1).map(Self.uniqueURL) }

    private static func uniqueURL(_ number: Int) -> URL {
        URL(string: "https://images.example.com/photos/2026/11/unique-\(number).png?w=264")!
    }

    private static func sharedRequest(_ number: Int) -> ImageRequest {
        ImageRequest(url: URL(string: "https://images.example.com/photos/2026/11/shared-\(number).png?w=264")!)
    }
}

/// Lets those who come wait until the last one has: what any library has to pay for tasks that wait.
private final class Meeting: Sendable {
    private let count: Int
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    init(of count: Int) { self.count = count }

    func join() async {
        await withCheckedContinuation { continuation in
            let all = waiting.withLock { waiting -> [CheckedContinuation<Void, Never>] in
                waiting.append(continuation)
                return waiting.count == count ? waiting : []
            }
            for continuation in all { continuation.resume() }
        }
    }
}

/// Answers every request at once with the same few bytes.
struct InstantTransport: HTTPTransport {
    private static let body = TestImages.solidPNG(width: 1, height: 1, color: .red)
    private static let fields: HTTPFields = ["Content-Type": "image/png", "Cache-Control": "max-age=600"]

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(status: 200, fields: Self.fields, body: HTTPBody(Self.body))
    }
}

/// Never answers; ends when it is cancelled.
struct SilentTransport: HTTPTransport {
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let stream = AsyncStream<Never> { _ in }
        for await _ in stream {}
        throw CancellationError()
    }
}

/// Gives the same image for all bytes.
struct NoOpDecoder: ImageDecoder {
    static let image = DecodedImage(bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .red))

    func supports(_ format: ImageFormat) -> Bool { true }

    func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage { Self.image }
}
