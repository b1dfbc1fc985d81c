import Foundation
import Synchronization

/// What is shown of an image while it still arrives.
extension LoadCoordinator {
    /// Threads that may block, and give way to those that finish images.
    private static let threads = DispatchQueue.global(qos: .utility)

    /// Makes previews for as long as bytes come. Called once for each feed.
    func beginPreviews(_ feed: PreviewFeed, of job: RenditionJob) {
        feed.run(Task.detached(priority: .utility) { [self] in await makePreviews(feed, of: job) })
    }

    private func makePreviews(_ feed: PreviewFeed, of job: RenditionJob) async {
        defer { feed.end() }
        var decode: PreviewDecode?
        for await _ in feed.arrivals {
            do {
                try await clock.sleep(for: PreviewFeed.interval)
            } catch {
                // The body is complete, or nobody waits for it any more.
                return
            }
            guard await decodeQueue.takeSparePlace() else { return }
            let goesOn = await makePreview(feed, of: job, &decode)
            decodeQueue.returnSparePlace()
            if !goesOn { return }
        }
    }

    /// Makes a preview of all bytes that have come so far, and shows it.
    ///
    /// - Returns: Whether there may be another one.
    private func makePreview(
        _ feed: PreviewFeed, of job: RenditionJob, _ decode: inout PreviewDecode?
    ) async -> Bool {
        guard let bytes = feed.takeBytes() else { return true }
        let (target, processors) = (job.query.target, job.request.processors)
        if bytes.areFirst {
            decode = nil
            let byteCount = maker.estimatedByteCount(
                of: bytes.joined, bytes.header, target: target, processors: processors)
            guard let room = decodeQueue.takeSpareBytes(byteCount) else {
                feed.rewind()
                return true
            }
            guard let decoding = maker.progressiveDecoding(bytes.header, target: target, feed.cancellation) else {
                return false
            }
            decode = PreviewDecode(decoding: decoding, room: room)
        }
        guard let decoding = decode?.decoding else { return false }
        let preview = await Self.onThread { [maker] in
            try maker.preview(decoding, appending: bytes.pieces, processors: processors, feed.cancellation)
        }
        // What a decoder makes of half a file says nothing yet: the finished one decides.
        guard case .success(let image) = preview, !feed.cancellation.isCancelled else { return false }
        guard let image else { return true }
        let loads = audience(of: job, for: image.pixelSize)
        if !loads.isEmpty { feed.count() }
        for load in loads { load.show(image) }
        return true
    }

    /// Those who want a preview of that size.
    private func audience(of job: RenditionJob, for size: PixelSize) -> [ImageLoad] {
        books.withLock { _ in job.loads.waiters.filter { $0.wantsPreview(of: size) } }
    }

    private static func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            threads.async { continuation.resume(returning: Result { try work() }) }
        }
    }
}

/// A decode of bytes that still arrive, and the room that it takes up as long as it is there.
private struct PreviewDecode {
    let decoding: any ProgressiveDecoding
    let room: WorkQueue.SpareBytes
}

extension PreviewFeed.Bytes {
    /// All of them in one piece.
    fileprivate var joined: Data {
        pieces.count == 1 ? pieces[0] : pieces.reduce(into: Data()) { $0.append($1) }
    }
}
