public import Calotype
public import SwiftUI

extension CachedAsyncImage {
    /// Shows what a request asks for, and a plain ground until it is there.
    public nonisolated init(_ request: ImageRequest?, scale: CGFloat = 1) where Content == Image {
        self.init(request, scale: scale, .plain)
    }

    /// Shows what a phase of a request is turned into: progress, previews and the image's source among it.
    ///
    /// ```swift
    /// CachedAsyncImage(ImageRequest(url: full, id: photo.id)) { phase in
    ///     phase.image?.resizable().scaledToFit()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: What to load; `nil` stays empty.
    ///   - scale: Pixels of the file per point, where the plain image is shown.
    ///   - transaction: Used when the phase changes, unless the image was at hand.
    ///   - content: Makes the view of a phase.
    public nonisolated init(
        _ request: ImageRequest?, scale: CGFloat = 1, transaction: Transaction = Transaction(),
        @ViewBuilder content: @escaping (RemoteImagePhase) -> Content
    ) {
        self.init(request, scale: scale, transaction: transaction, .content { phase, _ in content(phase) })
    }
}
