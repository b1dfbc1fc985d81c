import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

// How a request flows: reports, events and the recorder.
extension ArticleSnippets {
    /// Lines, as a logger of the app's keeps them.
    private final class LineLog: Sendable {
        enum Level { case notice, error }

        private let kept = Mutex<[String]>([])

        var lines: [String] { kept.withLock { $0 } }

        func log(level: Level, _ message: String) { kept.withLock { $0.append(message) } }
    }

    @Test("a load has a report, and its end is an event")
    func report() async throws {
        let logger = LineLog()
        let log: @Sendable (String) -> Void = { line in logger.log(level: .notice, line) }
        var configuration = ImagePipeline.Configuration()
        configuration.onEvent = { event in
            switch event {
            case .loaded(let report): log("\(report)")
            case .failed(let load, let error): log("\(load): \(error)")
            case .cacheFault(let operation, let error): log("\(operation): \(error)")
            default: break
            }
        }
        let pipeline = ImagePipeline(configuration)
        let request = ImageRequest(url: url)
        let result = try await pipeline.result(for: request)
        let report = result.report
        print(report.layer, report.duration, report.receivedByteCount)
        print(report.times.queue ?? .zero, report.times.firstByte ?? .zero, report.times.decode ?? .zero)
        #expect(report.layer == .network)
        #expect(report.times.decode != nil)
        #expect(logger.lines.count == 1)
    }

    @Test("a log has what matters enough")
    func log() async throws {
        let logger = LineLog()
        var configuration = ImagePipeline.Configuration(store: nil)
        configuration.onEvent = ImageEvent.log(from: .notice) { level, message in
            logger.log(level: level == .error ? .error : .notice, "\(message)")
        }
        let pipeline = ImagePipeline(configuration)
        server.respond(to: "/gone.png", with: .status(404))
        _ = try await pipeline.image(for: url)
        await #expect(throws: ImageError.self) { try await pipeline.image(for: server.url("/gone.png")) }
        #expect(logger.lines.count == 1 && logger.lines[0].contains(" failed. "))
    }

    @Test("events come as a stream")
    func stream() async throws {
        var configuration = ImagePipeline.Configuration(store: nil)
        let (events, continuation) = AsyncStream.makeStream(
            of: ImageEvent.self, bufferingPolicy: .bufferingNewest(256))
        configuration.onEvent = { continuation.yield($0) }
        _ = try await ImagePipeline(configuration).image(for: url)
        continuation.finish()
        var levels: [ImageEvent.Level] = []
        for await event in events { levels.append(event.level) }
        #expect(levels.last == .info)
        #expect(levels.dropLast().allSatisfy { $0 == .debug })
    }

    @Test("a recorder writes a page and a trace")
    func recorder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let recorder = PipelineRecorder()
        var configuration = ImagePipeline.Configuration()
        configuration.recorder = recorder
        let pipeline = ImagePipeline(configuration)
        _ = try await pipeline.image(for: url)
        #expect(recorder.count == 1)
        try recorder.page().write(to: folder.appending(path: "loads.html"))
        try recorder.trace().write(to: folder.appending(path: "loads.json"))
        let page = try String(contentsOf: folder.appending(path: "loads.html"), encoding: .utf8)
        #expect(page.contains("http://127.0.0.1") && !page.contains(url.lastPathComponent))
    }
}
