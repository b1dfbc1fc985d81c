/// One run through an animation's frames, which are made in any order but best one after another.
///
/// - Isolation: Used by one thread at a time. ``ImageAnimation`` sees to that.
/// - Owns: What is kept between two frames, a canvas above all.
package protocol AnimationFrames: AnyObject, Sendable {
    /// Makes the frame at `index`, composed with what it covers, at the size that is shown.
    ///
    /// - Parameter cancellation: To be looked at between rows. A call that throws leaves this usable.
    func image(at index: Int, cancellation: DecodeCancellation) throws -> DecodedImage
}

/// Frames that a closure makes.
final class ClosureFrames: AnimationFrames {
    private let makeFrame: @Sendable (Int) throws -> DecodedImage

    init(_ makeFrame: @escaping @Sendable (Int) throws -> DecodedImage) {
        self.makeFrame = makeFrame
    }

    func image(at index: Int, cancellation: DecodeCancellation) throws -> DecodedImage {
        try cancellation.check()
        return try makeFrame(index)
    }
}

/// Frames made of those of another run by a step.
final class MappedFrames: AnimationFrames {
    private let base: any AnimationFrames
    private let step: @Sendable (DecodedImage) throws -> DecodedImage

    init(_ base: any AnimationFrames, _ step: @escaping @Sendable (DecodedImage) throws -> DecodedImage) {
        self.base = base
        self.step = step
    }

    func image(at index: Int, cancellation: DecodeCancellation) throws -> DecodedImage {
        let frame = try base.image(at: index, cancellation: cancellation)
        try cancellation.check()
        return try step(frame)
    }
}
