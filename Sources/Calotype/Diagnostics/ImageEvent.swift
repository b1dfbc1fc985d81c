/// Something that happened, and that nobody waits for.
public enum ImageEvent: Sendable {
    /// A load has ended well.
    case loaded(LoadReport)
    /// A load has failed.
    case failed(ImageError)
    /// A cache couldn't do its work. The load goes on without it.
    case cacheFault(operation: String, any Error)
    /// Stored bytes turned out to be damaged, and have been removed.
    case removedDamaged(RedactedURL?)
}
