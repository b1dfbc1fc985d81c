extension RemoteImageModel {
    /// One call of ``RemoteImageModel/show(_:in:)``: what it shows, and when it is to load.
    @MainActor
    final class Session {
        let request: ImageRequest
        let pipeline: ImagePipeline
        let subject: Subject
        /// An element for each time that it is to load anew. One that comes during a load is kept for after it; more
        /// aren't.
        let turns: AsyncStream<Void>
        var load: ImageLoad?
        private let continuation: AsyncStream<Void>.Continuation

        init(_ request: ImageRequest, _ pipeline: ImagePipeline) {
            self.request = request
            self.pipeline = pipeline
            subject = Subject(request, pipeline)
            (turns, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        }

        func takeTurn() {
            continuation.yield()
        }

        func cancelLoad() {
            load?.cancel()
            load = nil
        }

        /// Another session takes this one's place.
        func end() {
            continuation.finish()
            cancelLoad()
        }
    }

    /// A model's place among those that a pipeline tells of removals.
    ///
    /// - Ownership: Keeps the pipeline, so that no other gets its address while the model shows an image of it.
    final class Registration: Sendable {
        let pipeline: ImagePipeline
        private let id: ObjectIdentifier

        init(_ model: RemoteImageModel, _ pipeline: ImagePipeline) {
            self.pipeline = pipeline
            id = ObjectIdentifier(model)
            pipeline.audience.add(model)
        }

        deinit { pipeline.audience.remove(id) }
    }
}
