public import Foundation

/// Loads what will probably be wanted soon, in the order in which it was asked for, without being in anybody's way.
///
///     list -> line (first in, first out) -> a few at a time -> jobs of low priority, as any load's
///
/// A prefetch is a load that nobody waits for yet: a visible request for the same image joins it, and gives it its own
/// priority, down to the transfer; when the prefetcher is stopped then, the visible request goes on. What stands in the
/// line still, and has been loaded for somebody else meanwhile, is simply found.
///
/// A request without a size of its own (``ImageRequest/Size/automatic``) has none before its view is laid out: of such
/// only the bytes are brought, also where the destination is memory.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(pipeline: pipeline)
/// prefetcher.start(rowsAhead)             // as often as rows come into reach
/// prefetcher.stop(rowsPassed)             // and go out of it
/// ```
///
/// - Isolation: Any thread.
/// - Owns: a few tasks while there is something to do. The line ends with the prefetcher; an `onOutcome` that refers to
///   the prefetcher keeps it.
/// - Complexity: Starting and stopping take constant time for each request. A request that waits costs no task.
public final class ImagePrefetcher: Sendable {
    /// Where images are brought.
    public enum Destination: Sendable, Hashable {
        /// Into memory, decoded to the request's size; on the way into the store as well, as with any load.
        ///
        /// Without a size only the bytes are brought, into the store. Where that can't be, since the pipeline has no store
        /// or the source isn't HTTP, the outcome is a failure with the reason ``ImageError/Reason/noSize``.
        case memory
        /// Into the store: bytes alone, nothing is decoded.
        case disk
    }

    /// What came of one request.
    public struct Outcome: Sendable {
        /// How it went.
        public enum Result: Sendable {
            /// The image has been brought into memory.
            case loaded(LoadReport)
            /// The bytes have come over the network and are stored.
            case stored
            /// There was nothing to do: memory had the image, or the store had its bytes, fresh.
            case alreadyThere
            /// It couldn't be loaded, or not kept.
            case failed(ImageError)
            /// It was stopped, or its partition was removed.
            case cancelled
        }

        /// What was asked for.
        public let request: ImageRequest
        /// How it went.
        public let result: Result
    }

    private let line: PrefetchLine

    /// Makes a prefetcher with an empty line.
    ///
    /// - Parameters:
    ///   - pipeline: Does the loading.
    ///   - destination: How far images are brought.
    ///   - priority: How urgent the loads are, whatever their requests say. At `low` and below they keep to the
    ///     configuration's ``ImagePipeline/Configuration/prefetchLimit``.
    ///   - onOutcome: Is told what came of each request, once. Called on any thread; must not block.
    public init(
        pipeline: ImagePipeline = .shared, to destination: Destination = .memory,
        priority: ImageRequest.Priority = .low, onOutcome: (@Sendable (Outcome) -> Void)? = nil
    ) {
        line = PrefetchLine(pipeline, destination, priority, onOutcome)
    }

    deinit { line.stopAll() }

    /// Puts requests at the end of the line. Those that wait in it or are under way already are left out, unless their
    /// partition has been removed since they came: then these take the place of those, which are cancelled.
    public func start(_ requests: [ImageRequest]) {
        line.add(requests)
    }

    /// Puts the images at URLs at the end of the line.
    ///
    /// - Parameter size: The size they will be shown in. Without one only their bytes are brought.
    public func start(_ urls: [URL], size: ImageRequest.Size = .automatic) {
        line.add(urls.map { ImageRequest(url: $0, size: size) })
    }

    /// Takes requests back. Those that are under way stop, unless somebody else waits for them.
    public func stop(_ requests: [ImageRequest]) {
        line.stop(requests)
    }

    /// Takes the images at URLs back.
    ///
    /// - Parameter size: The size that they were started with.
    public func stop(_ urls: [URL], size: ImageRequest.Size = .automatic) {
        line.stop(urls.map { ImageRequest(url: $0, size: size) })
    }

    /// Takes everything back.
    public func stopAll() {
        line.stopAll()
    }

    /// Whether the line stands still. What is under way goes on to its end.
    public var isPaused: Bool {
        get { line.isPaused }
        set { line.isPaused = newValue }
    }

    /// How many requests wait in the line.
    public var pendingCount: Int { line.counts.pending }

    /// How many requests are under way.
    public var runningCount: Int { line.counts.running }

    /// Returns once nothing waits or is under way, and every outcome has been told; or when the task is cancelled.
    ///
    /// A line that is paused doesn't end as long as anything waits in it: this returns only after somebody has resumed or
    /// stopped it. Nor does it end while the device is too hot to begin anything: see ``PowerStatus``.
    public func finished() async {
        await line.finished()
    }
}
