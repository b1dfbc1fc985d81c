/// How carefully an image is made smaller.
///
/// What is measured against is a resize of all pixels by Lanczos with three lobes; photographs, made a quarter to a tenth
/// of their size. Sources are premultiplied, and stay in the encoding they come in.
public enum ResizeQuality: Sendable, Hashable {
    /// Lanczos with three lobes, on averages of boxes that leave at least twice the target, their loss of detail undone:
    /// 50 dB and more, which no eye tells apart.
    case balanced
    /// Lanczos with two lobes, on boxes that leave at least one and a half times the target: a little softer, 38 to 47 dB,
    /// for half the work.
    case fast
}

extension ResizeQuality {
    /// Of the Lanczos function.
    var lobes: Int {
        switch self {
        case .balanced: 3
        case .fast: 2
        }
    }

    /// How many times the target's side a pre-shrink must leave for the filter.
    var gap: Double {
        switch self {
        case .balanced: 2
        case .fast: 1.5
        }
    }
}
