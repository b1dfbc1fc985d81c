/// How carefully an image is made smaller.
public enum ResizeQuality: Sendable, Hashable {
    /// Never visibly worse than a resize of all pixels by Lanczos.
    case balanced
    /// The fewest steps: a little softer or harder, for a fraction of the work.
    case fast
}
