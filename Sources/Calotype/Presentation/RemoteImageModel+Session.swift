extension RemoteImageModel {
    /// One call of ``RemoteImageModel/show(_:in:)``: what it shows, and when it is to load.
    @MainActor
    package final class Session {
        /// As the view last gave it: its subject stays the same.
        var request: ImageRequest
        let pipeline: ImagePipeline
        let subject: Subject
        /// An element for each time that it is to load anew. One that comes during a load is kept for after it; more
        /// aren't.
        let turns: AsyncStream<Void>
        private(set) var load: ImageLoad?
        /// When the load began, as reconnections count.
        private(set) var moment: ReconnectionMoment
        private let continuation: AsyncStream<Void>.Continuation
        private var reconnection: Task<Void, Never>?
        /// Loads that have failed for want of a connection, one after another.
        private var disconnectionCount = 0

        init(_ request: ImageRequest, _ pipeline: ImagePipeline) {
            self.request = request
            self.pipeline = pipeline
            subject = Subject(request, pipeline)
            moment = pipeline.reconnectionMoment
            (turns, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        }

        func begin() {
            reconnection?.cancel()
            moment = pipeline.reconnectionMoment
            load = pipeline.load(request)
        }

        func forget(_ load: ImageLoad) {
            if self.load === load { self.load = nil }
        }

        func takeTurn() {
            continuation.yield()
        }

        /// Takes a turn once the connection may be back.
        ///
        /// A server that answers others and never this request would wake it each time: after a few failures only the
        /// network's return counts.
        func takeTurn(onReconnectionSince moment: ReconnectionMoment) {
            disconnectionCount += 1
            let url = disconnectionCount <= 3 ? request.url : nil
            reconnection = Task { [pipeline, continuation] in
                do {
                    try await pipeline.waitForReconnection(of: url, since: moment)
                    continuation.yield()
                } catch {
                    // Cancelled: there was a turn for another reason, or the session is over.
                }
            }
        }

        /// A load has gone well.
        func noteSuccess() {
            disconnectionCount = 0
        }

        func cancelLoad() {
            load?.cancel()
            load = nil
        }

        /// It is over, or another one takes its place.
        func end() {
            continuation.finish()
            reconnection?.cancel()
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
