import Calotype
import CalotypeTesting
import Foundation

/// What a thousand loads of one image at once make of it, in ten sizes: how often it is asked for, and decoded.
enum SharingCase: String, CaseIterable {
    case requests = "shared-requests"
    case decodes = "shared-decodes"

    private static let loadCount = 1_000
    private static let sizeCount = 10

    var benchCase: BenchCase {
        let (title, most) =
            self == .requests
            ? ("requests for 1,000 loads of one image at once", 1)
            : ("decodes for the same, in 10 sizes", Self.sizeCount)
        return BenchCase(
            .coalescing, BenchRow(name: rawValue, title: title, unit: "", bound: .atMost(Double(most)))
        ) { row, _ in
            row.measured = Double(try await measure())
        }
    }

    private func measure() async throws -> Int {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        let file = try Photo.all()[0].data
        server.fallback { _ in .ok(file, type: "image/jpeg").gated(gate) }
        let decoder = FeedDecoder()
        var configuration = ImagePipeline.Configuration(memory: MemoryCache(costLimit: 64 << 20), store: MemoryStore())
        configuration.decoders = ImageDecoders([decoder])
        let pipeline = ImagePipeline(configuration)
        let loads = (0..<Self.loadCount).map { number in
            pipeline.load(
                ImageRequest(url: server.url("/image.jpg"), size: .pixels(20 + 10 * (number % Self.sizeCount), nil)))
        }
        // All are under way before the first byte comes.
        try await gate.waitUntilHeld()
        gate.open()
        for load in loads { _ = try await load.result }
        return self == .requests ? server.requestCount : decoder.count.decodeCount
    }
}
