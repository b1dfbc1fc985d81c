import Calotype
import Observation

/// A screen of rows, each with a model and a task as views have them.
///
/// - Isolation: main actor.
/// - Owns: the rows' tasks, from ``appear()`` to ``disappear()``.
@MainActor
final class StoryScreen {
    /// A row of the screen.
    @MainActor
    final class Row {
        let request: ImageRequest
        fileprivate let pipeline: ImagePipeline
        private let model = RemoteImageModel()
        private var task: Task<Void, Never>?

        init(_ request: ImageRequest, _ pipeline: ImagePipeline) {
            self.request = request
            self.pipeline = pipeline
        }

        /// What the row's body shows.
        var phase: RemoteImagePhase { model.phase(for: request, in: pipeline) }

        /// Whether there is nothing more to come, but for what the server says of a picture that is shown.
        var isFinal: Bool { phase.isSuccess || phase.error != nil }

        /// The picture, rather than something in its place.
        var picture: DecodedImage? { phase.isSuccess ? phase.image : nil }

        /// Which layer the picture came from.
        var layer: LoadReport.Layer? {
            if case .success(_, let layer) = phase { layer } else { nil }
        }

        /// The load is under way when this returns, whenever the task begins.
        fileprivate func appear() {
            let session = model.begin(request, in: pipeline)
            task = Task { [model] in await model.proceed(with: session) }
        }

        fileprivate func disappear() async {
            task?.cancel()
            await task?.value
            task = nil
        }
    }

    /// What no wait takes on any machine.
    private static let patience = Duration.seconds(60)

    let rows: [Row]

    init(_ requests: [ImageRequest], in pipeline: ImagePipeline) {
        rows = requests.map { Row($0, pipeline) }
    }

    /// Shows the rows.
    ///
    /// - Returns: What each showed in the first frame, before any of them began to load.
    func appear() -> [RemoteImagePhase] {
        let phases = rows.map(\.phase)
        for row in rows { row.appear() }
        return phases
    }

    /// Returns once no row does anything any more.
    func disappear() async {
        for row in rows { await row.disappear() }
    }

    /// Returns once every row is final.
    func settle() async throws {
        try await wait(for: "every row to show its picture or why it has none") { $0.allSatisfy(\.isFinal) }
    }

    /// Returns once a condition on what the rows show holds.
    ///
    /// - Parameter what: What is awaited, for the message of a wait that comes to nothing.
    /// - Throws: ``StoryError`` if it takes more than a minute; `CancellationError`.
    func wait(for what: String, until condition: @escaping @MainActor ([Row]) -> Bool) async throws {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let end = Task {
            try await Task.sleep(for: Self.patience)
            change.finish()
        }
        defer { end.cancel() }
        // A change is announced before it is made: whoever hears of it looks once the main actor is free.
        func look() -> Bool {
            withObservationTracking {
                condition(rows)
            } onChange: {
                change.yield()
            }
        }
        if look() { return }
        for await _ in changes where look() { return }
        try Task.checkCancellation()
        throw StoryError("Waited a minute for \(what).")
    }
}
