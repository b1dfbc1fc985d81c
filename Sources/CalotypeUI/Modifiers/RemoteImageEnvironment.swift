public import Calotype
public import SwiftUI

extension EnvironmentValues {
    private enum PipelineKey: EnvironmentKey {
        static var defaultValue: ImagePipeline? { nil }
    }

    private enum PartitionKey: EnvironmentKey {
        static var defaultValue: Partition? { nil }
    }

    private enum SizeKey: EnvironmentKey {
        static var defaultValue: ImageRequest.Size? { nil }
    }

    private enum TransitionKey: EnvironmentKey {
        static var defaultValue: RemoteImageTransition { .none }
    }

    /// The pipeline that remote images are loaded through. ``/Calotype/ImagePipeline/shared`` unless set.
    public var imagePipeline: ImagePipeline {
        get { chosenPipeline ?? .shared }
        set { chosenPipeline = newValue }
    }

    /// The pipeline that a view above has set. A key path reads before it writes: through this one the shared pipeline, and
    /// with it the default store, isn't made where it isn't used.
    fileprivate var chosenPipeline: ImagePipeline? {
        get { self[PipelineKey.self] }
        set { self[PipelineKey.self] = newValue }
    }

    /// The partition of requests that name none.
    public var remoteImagePartition: Partition? {
        get { self[PartitionKey.self] }
        set { self[PartitionKey.self] = newValue }
    }

    /// The size of requests whose size is automatic; `nil` leaves it to the layout.
    public var remoteImageSize: ImageRequest.Size? {
        get { self[SizeKey.self] }
        set { self[SizeKey.self] = newValue }
    }

    /// How images take the place of what stood in for them.
    public var remoteImageTransition: RemoteImageTransition {
        get { self[TransitionKey.self] }
        set { self[TransitionKey.self] = newValue }
    }
}

extension View {
    /// Loads the remote images in this view through a pipeline: with its transport, its caches and its credentials.
    public nonisolated func imagePipeline(_ pipeline: ImagePipeline) -> some View {
        environment(\.chosenPipeline, pipeline)
    }

    /// Keeps the remote images in this view apart from those of others, as a signed-in account's. ``/Calotype/ImagePipeline/removePartition(_:)``
    /// blanks and erases them.
    public nonisolated func remoteImagePartition(_ partition: Partition?) -> some View {
        environment(\.remoteImagePartition, partition)
    }

    /// Decodes the remote images in this view to a size, rather than to the one that the layout proposes.
    public nonisolated func remoteImageSize(_ size: ImageRequest.Size?) -> some View {
        environment(\.remoteImageSize, size)
    }

    /// Animates how the remote images in this view take the place of what stood in for them. An image that was at hand is
    /// there at once.
    public nonisolated func remoteImageTransition(_ transition: RemoteImageTransition) -> some View {
        environment(\.remoteImageTransition, transition)
    }
}
