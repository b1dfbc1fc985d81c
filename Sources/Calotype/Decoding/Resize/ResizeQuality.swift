/// How carefully an image is made smaller.
///
/// What is measured against is a resize of all pixels by Lanczos with three lobes; photographs, made a quarter to a tenth
/// of their size. Sources are premultiplied, and stay in the encoding they come in.
public enum ResizeQuality: Sendable, Hashable {
    /// Lanczos with three lobes, on averages of boxes that leave at least 1.65 times the target (1.875 for large ones), their
    /// loss of detail undone: about 50 dB, and 45 at the least, which no eye tells apart.
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

    /// How many times the target's side averages of boxes must leave for the filter: what they let through of details too
    /// fine for the target is the more, the larger they are.
    ///
    /// - Parameter averaged: How many pixels of the file, along the axis, a box covers.
    func gap(averaged: Double) -> Double {
        switch self {
        case .balanced: averaged <= 2 ? 1.65 : 1.875
        case .fast: 1.5
        }
    }
}
