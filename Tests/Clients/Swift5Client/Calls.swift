import Calotype
import Foundation

// What calls a client back, and what a client conforms to, views aside. Both clients have this file: each sees the
// isolation of its closures and types otherwise, and a wrong guess ends the process when one of them is called.

/// Uses all of it, from the main actor as apps do.
///
/// - Parameter file: An image that any decoder here reads.
/// - Returns: The names of what has been called back.
@MainActor
package func callEverything(file: Data) async throws -> Set<String> {
    let log = CallLog()
    let transport = ClientTransport(file: file, log: log)
    var configuration = ImagePipeline.Configuration(
        transport: transport, memory: MemoryCache(costLimit: 1 << 20), store: MemoryStore()
    ) { request in
        log.note("authorize")
        return request
    }
    configuration.onEvent = { _ in log.note("onEvent") }
    configuration.random = {
        log.note("random")
        return 0
    }
    configuration.clock = ClientClock(log: log)
    configuration.network = ClientNetwork(log: log)
    configuration.decoders = ImageDecoders([ClientDecoder(log: log)])
    configuration.retry = RetryPolicy(attemptLimit: 2, baseDelay: .milliseconds(1))
    let pipeline = ImagePipeline(configuration)

    // A request that fails at first, with steps of the client's own.
    let steps: [any ImageProcessor] = [
        .custom(identifier: "client") { image in
            log.note("custom")
            return image
        }
    ]
    let request = ImageRequest(url: ClientTransport.url("first"), processors: steps, partition: "client")
    let load = pipeline.load(request)
    for await update in load.updates {
        if case .image = update { log.note("updates") }
    }
    _ = try await load.result
    _ = try await pipeline.data(for: ClientTransport.url("bytes"))

    // The app's own source.
    let closure = ImageRequest(id: "closure") {
        log.note("data")
        return file
    }
    _ = try await pipeline.image(for: closure)

    // One whose priority changes once it is under way.
    let slow = pipeline.load(ImageRequest(url: ClientTransport.url("slow"), priority: .low))
    for await _ in transport.arrivals { break }
    slow.priority = .high
    _ = try await slow.result

    let prefetcher = ImagePrefetcher(pipeline: pipeline, to: .disk) { _ in log.note("onOutcome") }
    prefetcher.start([ClientTransport.url("prefetched")])
    await prefetcher.finished()

    // A picture that is shown, and one that can't be had for want of a connection, which is waited for.
    let model = RemoteImageModel()
    model.update = { _, change in
        log.note("update")
        change()
    }
    for (path, awaited) in [("shown", "update"), ("unreachable", "observe")] {
        let request = ImageRequest(url: ClientTransport.url(path))
        let showing = Task { await model.show(request, in: pipeline) }
        while model.phase(for: request, in: pipeline).isPending || !log.names.contains(awaited) { await Task.yield() }
        showing.cancel()
        await showing.value
    }
    var spared = ImageRequest(url: ClientTransport.url("large"))
    spared.lowDataURL = ClientTransport.url("small")
    _ = try await pipeline.image(for: spared)

    let still = try await pipeline.image(for: request)
    let animation = ImageAnimation(durations: [.milliseconds(100), .milliseconds(100)], loopCount: 0) { _ in
        log.note("frame")
        return still
    }
    _ = try await animation.frame(at: 1)

    await pipeline.invalidate(request.id)
    await pipeline.removePartition("client")
    await pipeline.removeAll()
    return log.names
}

extension RemoteImagePhase {
    fileprivate var isPending: Bool { image == nil && error == nil }
}

/// Notes names, from whatever thread it is called.
nonisolated final class CallLog: @unchecked Sendable {
    // `lock` guards it.
    private var noted: Set<String> = []
    private let lock = NSLock()

    var names: Set<String> { lock.withLock { noted } }

    func note(_ name: String) { lock.withLock { _ = noted.insert(name) } }
}

/// Answers with the file: at the second attempt, or after a change of priority, where the path says so.
nonisolated final class ClientTransport: HTTPTransport {
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation
    private let file: Data
    private let log: CallLog

    init(file: Data, log: CallLog) {
        self.file = file
        self.log = log
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    static func url(_ path: String) -> URL { URL(string: "http://images.example.com/\(path)")! }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        switch request.url.lastPathComponent {
        case "first" where !log.names.contains("send"):
            log.note("send")
            return HTTPResponse(status: 503)
        case "unreachable":
            throw HTTPTransportError(.cannotConnect)
        case "slow":
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            request.priority.onChange { [log] _ in
                log.note("onChange")
                change.yield()
            }
            arrival.yield()
            for await _ in changes { break }
        default: break
        }
        return HTTPResponse(
            status: 200, fields: ["Content-Type": "image/png", "Cache-Control": "max-age=60"], body: HTTPBody(file))
    }
}

nonisolated struct ClientClock: ImageClock {
    let log: CallLog

    func now() -> Date {
        log.note("now")
        return Date()
    }

    func sleep(for duration: Duration) async throws {
        log.note("sleep")
        try await Task.sleep(for: duration)
    }
}

nonisolated struct ClientNetwork: NetworkMonitor {
    let log: CallLog

    var status: NetworkStatus {
        log.note("status")
        return NetworkStatus()
    }

    func observe(_ handler: @escaping @Sendable (NetworkStatus, NetworkStatus) -> Void) -> StatusObservation {
        log.note("observe")
        return StatusObservation { [log] in log.note("onEnd") }
    }
}

nonisolated struct ClientDecoder: ImageDecoder {
    let log: CallLog

    func supports(_ format: ImageFormat) -> Bool {
        log.note("supports")
        return true
    }

    func decode(_ data: Data, format: ImageFormat, options: DecodeOptions) throws -> DecodedImage {
        log.note("decode")
        return try SystemImageDecoder().decode(data, format: format, options: options)
    }
}
