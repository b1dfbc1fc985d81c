import Calotype
public import SwiftUI

/// Shows a remote image, as `AsyncImage` does, from caches that remember it: an image that was here before is there in the
/// first frame.
///
/// ```swift
/// CachedAsyncImage(url: article.thumbnailURL) { image in
///     image.resizable().scaledToFill()
/// } placeholder: {
///     ProgressView()
/// }
/// .frame(width: 88, height: 88)
/// ```
///
/// The image is decoded for the size that the layout proposes, unless the request or `remoteImageSize(_:)`
/// names another, and is laid out as if it had all its pixels. Until it has come, what stands in for it is shown in its
/// place: the same picture in another size, the part of it that has arrived, or the blurred colours that are remembered of
/// it. When there is none of that, the placeholder is.
///
/// - Isolation: Initialisers may be called anywhere; the body runs on the main actor, and neither waits nor touches a file.
/// - Ownership: The view owns the wait. A view that disappears stops waiting, and lets go of its pixels; what it began goes
///   on if somebody else waits for it.
/// - Source: Apple, `AsyncImage`: labels, order and defaults of the initialisers, and the phases.
public nonisolated struct CachedAsyncImage<Content: View>: View {
    private let request: ImageRequest?
    private let scale: CGFloat
    private let transaction: Transaction
    private let presentation: Presentation

    /// How a phase becomes a view.
    enum Presentation {
        /// The image alone, on a plain ground until it is there.
        case plain
        case content((RemoteImagePhase, ImageAppearance) -> Content)
    }

    @State private var state = CachedImageState()
    @Environment(\.imagePipeline) private var pipeline
    @Environment(\.remoteImagePartition) private var partition
    @Environment(\.remoteImageSize) private var size
    @Environment(\.remoteImageTransition) private var transition
    @Environment(\.displayScale) private var displayScale

    init(
        _ request: ImageRequest?, scale: CGFloat, transaction: Transaction = Transaction(), _ presentation: Presentation
    ) {
        self.request = request
        self.scale = scale
        self.transaction = transaction
        self.presentation = presentation
    }

    /// What is shown, in the container that notes its room.
    @MainActor public var body: some View {
        let wish = state.wish(for: resolved, in: pipeline, displayScale: displayScale, updating: updates)
        let phase = state.phase(of: wish)
        ProposalLayout(record: state.record, holdsImage: phase.image != nil) {
            content(phase)
        }
        .onAppear { [state] in state.appear() }
        .task(id: wish.taskID) { [state] in await state.run() }
        .onDisappear { [state] in state.rest() }
    }

    /// The request, with what the environment adds to one that doesn't say it itself.
    private var resolved: ImageRequest? {
        guard var request else { return nil }
        if request.partition == nil { request.partition = partition }
        if request.size == .automatic, let size { request.size = size }
        return request
    }

    @MainActor @ViewBuilder private func content(_ phase: RemoteImagePhase) -> some View {
        let stage = transition.stage(of: phase)
        switch presentation {
        case .plain:
            if let image = phase.image {
                Image(image, scale: scale).transition(transition.effect)
            } else {
                Color.gray.opacity(0.15).transition(transition.effect)
            }
        case .content(let make):
            make(phase, ImageAppearance(scale: scale) { [state] in state.retry() })
                .id(stage)
                .transition(transition.effect)
        }
    }

    /// Changes the phase within the transaction that the app gave, or within the transition's.
    @MainActor private var updates: RemoteImageModel.Update {
        let transaction = transition.transaction ?? transaction
        return { isImmediate, change in
            if isImmediate {
                var still = Transaction()
                still.disablesAnimations = true
                withTransaction(still, change)
            } else {
                withTransaction(transaction, change)
            }
        }
    }
}

/// What turns a decoded image into a view, and a failure into another try.
struct ImageAppearance {
    let scale: CGFloat
    let retry: @MainActor () -> Void

    func image(_ image: DecodedImage) -> Image { Image(image, scale: scale) }
}
