package import Foundation

/// When a load that has failed for want of a connection is worth another attempt: for models, which wait for it.
extension ImagePipeline {
    /// The moment now, for ``waitForReconnection(of:since:)``. To be taken before a load begins.
    package var reconnectionMoment: ReconnectionMoment { loader.http.reconnection.moment }

    /// Returns once it is worth trying again what failed for want of a connection
    /// (``ImageError/isConnectivityFailure``): the network has become available or may be used more freely, or another load
    /// from the URL's origin has got an answer. The latter doesn't count for what has kept off a restricted network.
    ///
    ///     let moment = pipeline.reconnectionMoment
    ///     … the load fails …
    ///     try await pipeline.waitForReconnection(of: url, since: moment)
    ///     … and once more, with a new moment …
    ///
    /// Nothing that has happened since `moment` is missed: then it returns at once. So a load that goes on failing while
    /// others from its origin go well is tried once for each of those: whoever waits bounds how often.
    ///
    /// - Parameter url: What failed to load; `nil` waits for the network alone.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForReconnection(of url: URL?, since moment: ReconnectionMoment) async throws {
        try await loader.http.reconnection.wait(for: url, since: moment)
    }
}
