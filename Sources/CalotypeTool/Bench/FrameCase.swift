import Calotype
import Foundation

/// What a view's first frame costs when its image is in memory, or when nothing is known of it: a model is made, and asked
/// in the first evaluation of the body.
enum FrameCase: String, CaseIterable {
    case hit = "first-frame"
    case miss = "first-frame-miss"

    private static let counts = (10_000, 110_000)

    /// Instructions, and beside them the time.
    var benchCase: BenchCase {
        let title =
            self == .hit ? "a view's first phase, image in memory" : "a view's first phase, nothing known of the image"
        return BenchCase(
            .instructions, BenchRow(name: rawValue, title: title, unit: "instructions", bound: .atMost(3_500))
        ) { row, context in
            row.measured = try await context.instructions(of: rawValue, Self.counts)
            row.details = [.init(name: "time", value: try await context.measure([rawValue])[0], unit: "ns")]
        }
    }

    /// On the main thread, as a body is evaluated.
    @MainActor
    func run(_ count: Int) {
        let pipeline = ImagePipeline(
            .init(transport: SilentTransport(), memory: MemoryCache(costLimit: 64 << 20), store: MemoryStore()))
        let requests = (0..<64).map { ImageRequest(url: URL(string: "https://images.example.com/\($0).png?w=264")!) }
        if self == .hit { for request in requests { pipeline.insert(NoOpDecoder.image, for: request) } }
        for index in 0..<count {
            let phase = RemoteImageModel().phase(for: requests[index & 63], in: pipeline)
            precondition((phase.image != nil) == (self == .hit))
        }
    }

    /// The nanoseconds of one.
    @MainActor
    func nanoseconds() -> Double {
        run(10_000)
        let count = 200_000
        let start = ContinuousClock.now
        run(count)
        return (ContinuousClock.now - start) / .nanoseconds(1) / Double(count)
    }
}
