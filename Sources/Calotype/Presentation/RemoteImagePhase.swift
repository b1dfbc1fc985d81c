/// What a view shows of a remote image: plain values, one at a time.
///
/// A failure is never a cancellation: who stops waiting gets back what was shown before.
public enum RemoteImagePhase: Sendable {
    /// There is nothing to show, and nothing is under way yet.
    case empty
    /// The image is on its way.
    ///
    /// - Parameters:
    ///   - progress: How much has arrived; `nil` until something has.
    ///   - preview: Something to show meanwhile: another size, a stale or an unfinished image, or a blurred one
    ///     (``DecodedImage/isImpression``), of 32 pixels.
    case loading(progress: LoadProgress?, preview: DecodedImage?)
    /// The image, and the layer that it came from. One from memory was there in the first frame: nothing should animate.
    case success(DecodedImage, source: LoadReport.Layer)
    /// There is no image.
    case failure(ImageError)

    /// The image, or what is shown in its place meanwhile.
    public var image: DecodedImage? {
        switch self {
        case .success(let image, _): image
        case .loading(_, let preview): preview
        case .empty, .failure: nil
        }
    }

    /// Why there is no image.
    public var error: ImageError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// How much has arrived, while something arrives.
    public var progress: LoadProgress? {
        if case .loading(let progress, _) = self { progress } else { nil }
    }

    /// Whether the image is there, rather than a preview.
    public var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
