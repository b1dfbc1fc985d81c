import Calotype
import CalotypeTesting
import Foundation
import Synchronization
import Testing

/// The Swift snippets about CalotypeTesting, and those of its comments: see ``SnippetComparison``.
@Suite("Testing, in snippets")
struct TestingSnippets {
    private let url = URL(string: "https://img.example.com/cat.png")!
    private let png = TestImages.solidPNG(width: 8, height: 8, color: .red)

    private func ownPipeline() -> ImagePipeline {
        ImagePipeline(.init(memory: MemoryCache(reactsToMemoryPressure: false), store: MemoryStore()))
    }

    @Test("a scripted pipeline answers from its script")
    func scripted() async throws {
        let missing = try #require(URL(string: "https://img.example.com/missing.png"))
        let offline = try #require(URL(string: "https://img.example.com/offline.png"))
        let slow = try #require(URL(string: "https://img.example.com/slow.png"))
        do {
            let pipeline = ImagePipeline.scripted([url: .image(.fixture), missing: .failure(.status(404))])
            #expect(pipeline.cachedImage(for: url) === DecodedImage.fixture)
        }
        let pipeline = ImagePipeline.scripted([
            url: .image(.fixture),
            missing: .failure(.status(404)),
            offline: .failure(.offline),
            slow: .waiting,
        ])
        #expect(pipeline.cachedImage(for: url) != nil)
        await #expect(throws: ImageError.self) { try await pipeline.image(for: missing) }
        let unmatched = Mutex<[URL]>([])
        let strict = ImagePipeline.scripted([:]) { request in
            unmatched.withLock { $0.append(request.url) }
        }
        await #expect(throws: ImageError.self) { try await strict.image(for: url) }
        #expect(unmatched.withLock { $0 } == [url])
    }

    @Test("a loopback server answers from its script")
    func server() async throws {
        let pipeline = ownPipeline()
        do {
            let server = try LoopbackServer()
            server.respond(to: "/cat.png", with: .status(503), .ok(png, type: "image/png"))
            let image = try await pipeline.image(for: server.url("/cat.png"))
            #expect(server.requests.map(\.path) == ["/cat.png", "/cat.png"])
            #expect(image.pixelSize.width == 8)
        }
        let server = try LoopbackServer()
        server.respond(to: "/cat.png", with: .status(503), .ok(png, type: "image/png"))  // first this, then that
        server.route("/echo") { request in .ok(request.body) }
        let image = try await pipeline.image(for: server.url("/cat.png"))
        #expect(server.requests.map(\.path) == ["/cat.png", "/cat.png"])
        #expect(image.pixelSize.width == 8)
        let resource = LoopbackServer.Resource(
            png, type: "image/png", etag: "\"v1\"", fields: ["Cache-Control": "max-age=0"])
        server.serve(resource, at: "/cat.png")
        #expect(try await pipeline.data(for: ImageRequest(url: server.url("/cat.png"), cachePolicy: .reload)) == png)
    }

    @Test("a gate holds a response")
    func gate() async throws {
        let pipeline = ownPipeline()
        let server = try LoopbackServer()
        do {
            let gate = LoopbackServer.Gate()
            server.respond(to: "/large.png", with: .ok(png, type: "image/png").gated(gate, afterBodyBytes: 100))
            let load = pipeline.load(ImageRequest(url: server.url("/large.png")))
            try await gate.waitUntilHeld()  // 100 bytes are out, the rest waits
            gate.open()
            let result = try await load.result
            #expect(result.image.pixelSize.width == 8)
        }
        let request = ImageRequest(url: server.url("/cat.png"))
        let gate = LoopbackServer.Gate()
        server.respond(to: "/cat.png", with: .ok(png).gated(gate, afterBodyBytes: 100))
        let load = pipeline.load(request)
        try await gate.waitUntilHeld()  // 100 bytes are out, the rest waits
        gate.open()
        #expect(try await load.result.layer == .network)
    }

    @Test("a clock that is moved by hand makes responses stale, and ends waits")
    func clock() async throws {
        let server = try LoopbackServer()
        let fields: HTTPFields = ["Cache-Control": "max-age=60, must-revalidate"]
        server.serve(.init(png, type: "image/png", etag: "\"v1\"", fields: fields), at: "/cat.png")
        let url = server.url("/cat.png")
        do {
            let clock = ManualClock()
            var configuration = ImagePipeline.Configuration(store: MemoryStore())
            configuration.clock = clock
            let pipeline = ImagePipeline(configuration)
            let request = ImageRequest(url: url)  // Cache-Control: max-age=60, must-revalidate
            _ = try await pipeline.image(for: request)
            clock.advance(by: .seconds(61))
            let result = try await pipeline.result(for: request)
            #expect(result.layer == .revalidation)
        }
        func retry(on clock: ManualClock) async throws -> Bool {
            try await clock.sleep(for: .seconds(2))
            return true
        }
        let clock = ManualClock()
        async let outcome = retry(on: clock)  // sleeps for two seconds before its second attempt
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        #expect(try await outcome)
    }

    @Test("a network and a device are as the test says, and numbers can be foretold")
    func network() {
        var configuration = ImagePipeline.Configuration(store: nil)
        let network = ManualNetworkMonitor(NetworkStatus(isAvailable: false))
        configuration.network = network
        network.status.isAvailable = true  // whoever waits for the network goes on
        #expect(configuration.network.status.isAvailable)

        let power = ManualPowerMonitor()
        configuration.power = power
        power.status.heat = .serious  // nothing is prefetched any more
        #expect(configuration.power.status.heat == .serious)

        var random = SeededGenerator(seed: 1)
        let side = Int.random(in: 1...100, using: &random)
        var again = SeededGenerator(seed: 1)
        #expect(side == Int.random(in: 1...100, using: &again))
    }

    @Test("rows ahead are prefetched")
    func prefetching() async {
        let pipeline = ImagePipeline.preview()
        let rowsAhead = [ImageRequest(url: url, size: .original)]
        let rowsPassed: [ImageRequest] = []
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        prefetcher.start(rowsAhead)  // as often as rows come into reach
        prefetcher.stop(rowsPassed)  // and go out of it
        await prefetcher.finished()
        #expect(pipeline.cachedImage(for: rowsAhead[0]) != nil)
    }
}
