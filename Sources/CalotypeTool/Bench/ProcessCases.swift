import Calotype
import CalotypeTesting
import Foundation

/// Measurements of a whole process: memory and time. Each wants a process of its own.
enum ProcessCase: String, CaseIterable {
    case inFlightByteCount = "in-flight-bytes"
    case cancels = "cancels"
    case impressionLoad = "impression-load"
    case impressionByteCount = "impression-bytes"
    case memoryThreads = "memory-threads"
    case memoryThreadsShared = "memory-threads-shared"

    /// What is measured.
    var title: String {
        switch self {
        case .inFlightByteCount: "memory of one of 10,000 requests in flight"
        case .cancels: "cancelling 10,000 loads"
        case .impressionLoad: "loading 100,000 impressions from a store in memory"
        case .impressionByteCount: "memory of a table of 100,000 impressions"
        case .memoryThreads: "hits of two threads at once, each on its own images, as a multiple of one thread's"
        case .memoryThreadsShared: "the same on the same images, whose reference counts they share"
        }
    }

    var unit: String {
        switch self {
        case .inFlightByteCount, .impressionByteCount: "bytes"
        case .cancels, .impressionLoad: "ms"
        case .memoryThreads, .memoryThreadsShared: "x"
        }
    }

    /// The bound, if there is one, and whether it is the most or the least.
    var bound: (value: Double, isMost: Bool)? {
        switch self {
        case .inFlightByteCount: (2_560, true)
        case .cancels: (60, true)
        case .impressionLoad: (50, true)
        case .impressionByteCount: (8_000_000, true)
        case .memoryThreads: (1, false)
        case .memoryThreadsShared: nil
        }
    }

    func measure() async throws -> Double {
        switch self {
        case .inFlightByteCount: try Self.inFlight(10_000).byteCount
        case .cancels: try Self.inFlight(10_000).cancelMilliseconds
        case .impressionLoad: await ImpressionBench.loadMilliseconds(100_000)
        case .impressionByteCount: try await ImpressionBench.byteCount(100_000)
        case .memoryThreads: Self.threads(sharing: false)
        case .memoryThreadsShared: Self.threads(sharing: true)
        }
    }

    /// Starts unique loads that are never answered, and cancels them.
    private static func inFlight(_ count: Int) throws -> (byteCount: Double, cancelMilliseconds: Double) {
        let pipeline = ImagePipeline(
            .init(transport: SilentTransport(), memory: MemoryCache(costLimit: 1 << 20), store: MemoryStore()))
        let requests = (0..<count + 1_000).map {
            ImageRequest(url: URL(string: "https://images.example.com/photos/2026/11/unique-\($0).png?w=264")!)
        }
        // The first thousand warm up the allocator and fill the places that run.
        let warm = requests[..<1_000].map(pipeline.load)
        let before = try residentByteCount()
        let loads = requests[1_000...].map(pipeline.load)
        let after = try residentByteCount()
        let start = ContinuousClock.now
        for load in loads { load.cancel() }
        let duration = ContinuousClock.now - start
        for load in warm { load.cancel() }
        return (Double(after - before) / Double(count), duration / .milliseconds(1))
    }

    /// Hits in the memory cache by one thread, then by two.
    private static func threads(sharing: Bool) -> Double {
        let memory = MemoryCache(costLimit: 64 << 20)
        let pipeline = ImagePipeline(.init(transport: SilentTransport(), memory: memory, store: MemoryStore()))
        let requests = (0..<64).map { ImageRequest(url: URL(string: "https://images.example.com/\($0).png")!) }
        // An image for each: one image for all would make its reference count what is measured.
        for request in requests {
            let image = DecodedImage(bitmap: TestImages.solidBitmap(width: 1, height: 1, color: .red))
            pipeline.insert(image, for: request)
        }
        let count = 2_000_000
        func rate(threads: Int) -> Double {
            let benches = (0..<threads).map { thread in
                let own = requests[thread * 32..<thread * 32 + 32]
                return MemoryBench(memory, Array(sharing && thread > 0 ? requests[16..<32] + requests[..<16] : own))
            }
            let start = ContinuousClock.now
            DispatchQueue.concurrentPerform(iterations: threads) { precondition(benches[$0].hit(count) == count) }
            return Double(threads * count) / ((ContinuousClock.now - start) / .seconds(1))
        }
        _ = rate(threads: 1)
        let ratios = (0..<7).map { _ in rate(threads: 2) / rate(threads: 1) }
        return ratios.sorted()[ratios.count / 2]
    }

    /// - Throws: ``BenchError`` where the system doesn't say.
    static func residentByteCount() throws -> Int {
        let count = ProcessMemory.residentByteCount
        guard count > 0 else { throw BenchError("The system doesn't say how much memory is resident.") }
        return count
    }
}
