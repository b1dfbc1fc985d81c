import Foundation

/// The steps that sizes go up in, so that a window that is dragged wider doesn't decode at each step, and so that an image
/// server is asked for few sizes of one picture.
package enum SizeSteps {
    /// The next of eight steps between each power of two and the next: at most an eighth more than is needed.
    ///
    /// - Parameter length: Points or pixels. Of whole pixels it makes whole pixels.
    package static func next(_ length: Double) -> Double {
        guard length.isFinite, length > 8 else { return length }
        let step = exp2(floor(log2(length))) / 8
        return (length / step).rounded(.up) * step
    }
}
