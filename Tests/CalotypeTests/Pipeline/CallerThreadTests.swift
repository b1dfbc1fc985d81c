import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

@Suite(
    "Where a load begins: where its caller waits, unless an actor has other things to do there",
    .timeLimit(.minutes(5)))
struct CallerThreadTests {
    private static let picture = TestImages.solidPNG(width: 8, height: 8, color: .red)

    /// Answers at once, and notes whether it was asked on the main thread.
    private final class Transport: HTTPTransport {
        let status: Int
        let body: Data
        let threads = Mutex<[Bool]>([])

        init(status: Int = 200, body: Data = CallerThreadTests.picture) {
            self.status = status
            self.body = body
        }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            noteThread()
            return HTTPResponse(
                status: status, fields: ["Content-Type": "image/png", "Cache-Control": "max-age=60"],
                body: HTTPBody(body))
        }

        private func noteThread() { threads.withLock { $0.append(Thread.isMainThread) } }
    }

    private let store = MemoryStore()
    private let url = URL(string: "https://img.example.com/a.png")!

    private func pipeline(_ transport: Transport) -> ImagePipeline {
        ImagePipeline(
            .init(transport: transport, memory: MemoryCache(reactsToMemoryPressure: false), store: store))
    }

    @Test("nothing of it is done on the main actor's thread")
    @MainActor
    func mainActor() async throws {
        let transport = Transport()
        _ = try await pipeline(transport).image(for: url)
        #expect(transport.threads.withLock { $0 } == [false])
    }

    @Test("a body that is there at once is stored: another pipeline finds it")
    func stored() async throws {
        let transport = Transport()
        #expect(try await pipeline(transport).image(for: url).pixelSize == PixelSize(width: 8, height: 8))
        #expect(try await store.usage().responseCount == 1)
        let result = try await pipeline(transport).result(for: ImageRequest(url: url))
        #expect(result.layer == .storage)
        #expect(transport.threads.withLock { $0.count } == 1)
    }

    @Test(
        "a body that is there at once is checked like one that arrives, and nothing of it is stored",
        arguments: [
            (404, picture, ImageError.Reason.status(404)), (200, Data(), .emptyBody),
            (200, Data("<p>Sign in".utf8), .notAnImage), (200, picture.prefix(6), .notAnImage),
        ])
    func refused(status: Int, body: Data, reason: ImageError.Reason) async throws {
        let pipeline = pipeline(Transport(status: status, body: body))
        let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
        #expect(error?.reason == reason)
        #expect(try await store.usage().responseCount == 0)
    }
}
