import Calotype

/// Asks for the pictures of the rows next to those in view, as a list does for its data source.
@MainActor
final class FeedPrefetch {
    /// As many rows as a screen has.
    nonisolated static let reach = 8

    private let prefetcher: ImagePrefetcher
    private let rowCount: Int
    private let request: (Int) -> ImageRequest
    private var near: Set<Int> = []

    init(in pipeline: ImagePipeline, rowCount: Int, request: @escaping (Int) -> ImageRequest) {
        prefetcher = ImagePrefetcher(pipeline: pipeline)
        self.rowCount = rowCount
        self.request = request
    }

    /// Takes back what is out of reach, and starts what has come into it: the rows ahead first, the nearest of them before
    /// the others.
    func move(to visible: Range<Int>) {
        let ahead = visible.upperBound..<min(rowCount, visible.upperBound + Self.reach)
        let behind = max(0, visible.lowerBound - Self.reach)..<visible.lowerBound
        let reachable = Set(ahead).union(behind)
        guard reachable != near else { return }
        prefetcher.stop(near.subtracting(reachable).map(request))
        prefetcher.start((Array(ahead) + behind.reversed()).filter { !near.contains($0) }.map(request))
        near = reachable
    }

    /// Returns once everything within reach is there.
    func finished() async {
        await prefetcher.finished()
    }
}
