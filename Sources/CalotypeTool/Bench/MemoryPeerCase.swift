import Calotype
import Foundation

/// The memory cache beside Foundation's `NSCache`: what both are asked for is at hand, and all images fit.
enum MemoryPeerCase: String, CaseIterable {
    case hit = "nscache-hit"
    case insert = "nscache-insert"

    private static let imageCount = 4_000

    /// The median of the ratios of rounds, in which the two take turns.
    var benchCase: BenchCase {
        let title = "CPU of a memory cache's \(self == .hit ? "hit" : "insertion") among 4,000 images, NSCache's = 1"
        return BenchCase(.memory, BenchRow(name: rawValue, title: title, unit: "x", bound: .atMost(1))) {
            row, context in
            let numbers = try await context.measure([rawValue])
            guard numbers.count == 2 else { throw BenchError("bench-measure printed other numbers.") }
            row.measured = numbers[0] / numbers[1]
            row.details = [
                .init(name: "MemoryCache", value: numbers[0], unit: "ns"),
                .init(name: "NSCache", value: numbers[1], unit: "ns"),
            ]
        }
    }

    /// - Returns: The nanoseconds of an operation of the memory cache, and of one of `NSCache`.
    func measure() -> [Double] {
        let renditions = MemoryBench.Renditions(count: Self.imageCount)
        let keys = (0..<Self.imageCount).map(PeerKey.init)
        var own: [Double] = []
        var peer: [Double] = []
        for _ in 0..<7 {
            let memory = MemoryCache(costLimit: .max, reactsToMemoryPressure: false)
            let cache = NSCache<PeerKey, DecodedImage>()
            let insertion = Self.time(Self.imageCount) { renditions.insert(into: memory) }
            let peerInsertion = Self.time(Self.imageCount) {
                for (key, image) in zip(keys, renditions.images) { cache.setObject(image, forKey: key, cost: 4) }
            }
            switch self {
            case .insert:
                own.append(insertion)
                peer.append(peerInsertion)
            case .hit:
                let rounds = 50
                own.append(
                    Self.time(rounds * Self.imageCount) {
                        precondition(renditions.hit(memory, rounds: rounds) == rounds * Self.imageCount)
                    })
                peer.append(
                    Self.time(rounds * Self.imageCount) {
                        for _ in 0..<rounds { for key in keys { precondition(cache.object(forKey: key) != nil) } }
                    })
            }
        }
        return [.median(own), .median(peer)]
    }

    private static func time(_ count: Int, _ body: () -> Void) -> Double {
        let start = ProcessTime.nanoseconds()
        body()
        return Double(ProcessTime.nanoseconds() - start) / Double(count)
    }
}

/// A key that knows its hash, as a request knows its digest.
private final class PeerKey: NSObject {
    private let number: Int

    init(_ number: Int) { self.number = number }

    override var hash: Int { number }

    override func isEqual(_ object: Any?) -> Bool { (object as? PeerKey)?.number == number }
}
