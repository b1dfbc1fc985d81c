extension RemoteImageModel {
    /// What a view is about: the value to restart its task by.
    ///
    /// ```swift
    /// .task(id: RemoteImageModel.Subject(request, pipeline)) { await model.show(request, in: pipeline) }
    /// ```
    ///
    /// Priority and credentials are no part of it: a change of those doesn't begin a load anew.
    public nonisolated struct Subject: Hashable, Sendable {
        private let pipeline: ObjectIdentifier
        private let query: RenditionQuery
        private let policy: ImageRequest.CachePolicy
        let resource: ResourceID
        let partition: Partition?

        /// What a request asks of a pipeline.
        public init(_ request: ImageRequest, _ pipeline: ImagePipeline) {
            self.pipeline = ObjectIdentifier(pipeline)
            query = pipeline.query(for: request)
            policy = request.cachePolicy
            resource = request.id
            partition = pipeline.partition(of: request)
        }

        /// Whether an image of one can stand for the other until the right one is there: the same picture for the same
        /// people after the same steps, in whatever size and from whatever URL.
        func depicts(_ other: Subject) -> Bool {
            pipeline == other.pipeline && query.key == other.query.key && query.processors == other.query.processors
        }
    }
}
