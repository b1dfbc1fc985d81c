/// Something that happened, and that nobody waits for.
public enum ImageEvent: Sendable {
    /// A load has ended well.
    case loaded(LoadReport)
    /// A load has failed.
    case failed(ImageError)
    /// An attempt to load has failed, and another one follows after a wait. Attempts count from 1.
    case retrying(after: ImageError, attempt: Int, delay: Duration)
    /// A URL couldn't be loaded from, and another one of the request is used.
    case resorted(to: LoadReport.Alternative, after: ImageError)
    /// An image server has made no thumbnail, or none that will do; the original is loaded in its place.
    case refusedThumbnail(ImageError)
    /// A cache couldn't do its work. The load goes on without it.
    case cacheFault(operation: String, any Error)
    /// Stored bytes turned out to be damaged, and have been removed.
    case removedDamaged(RedactedURL?)
}
