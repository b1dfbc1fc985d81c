package import Calotype

/// Prefetches what a list will show, by the places in the list: what a list says of places is passed on as requests.
///
/// Stopping stops what was started for a place, whatever the list holds there by then; what is wanted for another place as
/// well goes on.
///
/// - Isolation: main actor, where lists ask. Loading happens elsewhere.
/// - Ownership: Owns the prefetcher, and with it what is under way: that ends when this is let go.
@MainActor
package final class IndexedPrefetching<Place: Hashable> {
    private let prefetcher: ImagePrefetcher
    private let requests: @MainActor (Place) -> [ImageRequest]
    private var started: [Place: [ImageRequest]] = [:]
    /// For how many places each is wanted.
    private var counts: [RemoteImageModel.Subject: Int] = [:]
    private let pipeline: ImagePipeline

    /// - Parameter requests: What is shown at a place, in sizes that are known.
    package init(
        pipeline: ImagePipeline, to destination: ImagePrefetcher.Destination,
        onOutcome: (@Sendable (ImagePrefetcher.Outcome) -> Void)? = nil,
        requests: @escaping @MainActor (Place) -> [ImageRequest]
    ) {
        self.pipeline = pipeline
        self.requests = requests
        prefetcher = ImagePrefetcher(pipeline: pipeline, to: destination, onOutcome: onOutcome)
    }

    /// - Parameters:
    ///   - places: In the order in which they will be shown.
    ///   - displayScale: Pixels per point of the list.
    package func prefetch(_ places: [Place], displayScale: Double) {
        // Lists don't say that a place is shown by now: what was started is forgotten once it has all come.
        if prefetcher.pendingCount == 0, prefetcher.runningCount == 0 {
            started = [:]
            counts = [:]
        }
        for place in places where started[place] == nil {
            let wanted = requests(place).map { request in
                var request = request
                request.size = request.size.resolved(displayScale: displayScale)
                return request
            }
            started[place] = wanted
            for request in wanted { counts[RemoteImageModel.Subject(request, pipeline), default: 0] += 1 }
            prefetcher.start(wanted)
        }
    }

    package func cancel(_ places: [Place]) {
        prefetcher.stop(
            places.flatMap { started.removeValue(forKey: $0) ?? [] }.filter { request in
                let subject = RemoteImageModel.Subject(request, pipeline)
                let count = (counts[subject] ?? 1) - 1
                counts[subject] = count > 0 ? count : nil
                return count == 0
            })
    }

    package func stopAll() {
        prefetcher.stopAll()
        started = [:]
        counts = [:]
    }

    /// Places that something was started for: for tests.
    package var startedCount: Int { started.count }
}
