public import Calotype
public import Foundation
public import SwiftUI

extension View {
    /// Loads images ahead of time, for a list whose rows will show them: in the order given, behind all that is visible, and
    /// joined by the rows that come into view.
    ///
    /// ```swift
    /// List(items) { Row($0) }.prefetchImages(items.map(\.url), size: .points(88, 88), to: .disk)
    /// ```
    ///
    /// Those that are no longer in the list are stopped; when the view disappears, all are.
    ///
    /// - Parameters:
    ///   - urls: In the order in which they will be needed.
    ///   - size: As the rows will ask for. With an automatic size only the bytes are loaded: the layout isn't known yet.
    ///   - destination: Memory, or the store alone.
    public nonisolated func prefetchImages(
        _ urls: [URL], size: ImageRequest.Size = .automatic, to destination: ImagePrefetcher.Destination = .memory
    ) -> some View {
        modifier(ImagePrefetching(urls: urls, size: size, destination: destination))
    }
}

private struct ImagePrefetching: ViewModifier {
    let urls: [URL]
    let size: ImageRequest.Size
    let destination: ImagePrefetcher.Destination

    @State private var line = PrefetchedImages()
    @Environment(\.imagePipeline) private var pipeline
    @Environment(\.remoteImagePartition) private var partition
    @Environment(\.displayScale) private var displayScale

    private struct TaskID: Hashable {
        let urls: [URL]
        let size: ImageRequest.Size
        let destination: ImagePrefetcher.Destination
        let pipeline: ObjectIdentifier
        let partition: Partition?
        let displayScale: CGFloat
    }

    func body(content: Content) -> some View {
        content.task(
            id: TaskID(
                urls: urls, size: size, destination: destination, pipeline: ObjectIdentifier(pipeline),
                partition: partition, displayScale: displayScale)
        ) {
            // Cancelled before it began, it would undo what came after it.
            guard !Task.isCancelled else { return }
            line.show(
                urls, size: size.resolved(displayScale: Double(displayScale)), partition: partition, in: pipeline,
                to: destination)
        }
        .onDisappear { line.stop() }
    }
}

/// The prefetcher of one view, and what it was last given.
@MainActor
private final class PrefetchedImages {
    /// Where images are loaded from, and how far.
    private struct Place: Equatable {
        let pipeline: ObjectIdentifier
        let destination: ImagePrefetcher.Destination
        let size: ImageRequest.Size
        let partition: Partition?
    }

    private var place: Place?
    private var prefetcher: ImagePrefetcher?
    private var urls: [URL] = []

    nonisolated init() {}

    func show(
        _ urls: [URL], size: ImageRequest.Size, partition: Partition?, in pipeline: ImagePipeline,
        to destination: ImagePrefetcher.Destination
    ) {
        let place = Place(
            pipeline: ObjectIdentifier(pipeline), destination: destination, size: size, partition: partition)
        if place != self.place {
            stop()
            prefetcher = ImagePrefetcher(pipeline: pipeline, to: destination)
            self.place = place
        }
        func requests(_ urls: [URL], without others: [URL]) -> [ImageRequest] {
            let others = Set(others)
            return urls.filter { !others.contains($0) }
                .map { ImageRequest(url: $0, size: size, partition: partition) }
        }
        prefetcher?.stop(requests(self.urls, without: urls))
        prefetcher?.start(requests(urls, without: self.urls))
        self.urls = urls
    }

    func stop() {
        prefetcher?.stopAll()
        urls = []
    }
}
