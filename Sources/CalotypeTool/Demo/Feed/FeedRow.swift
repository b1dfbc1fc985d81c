import Calotype
import Observation

/// A row of the feed as long as it is in view: what its body shows, and the task that goes with it.
///
/// Made when the row comes into view, since that is how long a row's state lives in a lazy list.
@MainActor
protocol FeedRow: AnyObject {
    /// What the body shows now. Observable.
    var content: FeedContent { get }
    /// Begins what the row's task does, after the body was evaluated for the first time.
    func appear()
    /// Cancels it.
    func disappear()
}

/// What a row shows.
enum FeedContent {
    case placeholder
    case picture(DecodedImage)
    case failure

    /// What a phase looks like.
    init(_ phase: RemoteImagePhase) {
        if let image = phase.image {
            self = .picture(image)
        } else {
            self = phase.error == nil ? .placeholder : .failure
        }
    }

    var picture: DecodedImage? {
        if case .picture(let image) = self { image } else { nil }
    }

    var hasFailed: Bool {
        if case .failure = self { true } else { false }
    }

    /// Whether nothing more is to come.
    var isFinal: Bool {
        if case .placeholder = self { false } else { true }
    }
}

/// A row with Calotype's model, used as views use it.
@MainActor
final class CalotypeRow: FeedRow {
    private let model = RemoteImageModel()
    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private var task: Task<Void, Never>?

    init(_ request: ImageRequest, _ pipeline: ImagePipeline) {
        self.request = request
        self.pipeline = pipeline
    }

    var content: FeedContent { FeedContent(model.phase(for: request, in: pipeline)) }

    func appear() {
        task = Task { [model, request, pipeline] in await model.show(request, in: pipeline) }
    }

    func disappear() {
        task?.cancel()
    }
}

/// A row by AsyncImage's rules: empty until a load of its own has ended, and a new load whenever it comes into view.
@MainActor @Observable
final class AsyncImageRow: FeedRow {
    private(set) var content = FeedContent.placeholder
    @ObservationIgnored private let request: ImageRequest
    @ObservationIgnored private let pipeline: ImagePipeline
    @ObservationIgnored private var task: Task<Void, Never>?

    init(_ request: ImageRequest, _ pipeline: ImagePipeline) {
        self.request = request
        self.pipeline = pipeline
    }

    func appear() {
        task = Task {
            do {
                content = .picture(try await pipeline.image(for: request))
            } catch is CancellationError {
                // The row has left; nobody looks at its content any more.
            } catch {
                content = .failure
            }
        }
    }

    func disappear() {
        task?.cancel()
    }
}
