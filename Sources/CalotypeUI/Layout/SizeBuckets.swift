import Foundation

/// The sizes that a growing image goes through, so that a window that is dragged wider doesn't decode at each step.
enum SizeBuckets {
    /// The next of eight steps between each power of two and the next: at most an eighth more than is needed.
    static func bucket(_ length: CGFloat) -> CGFloat {
        guard length.isFinite, length > 8 else { return length }
        let step = exp2(floor(log2(length))) / 8
        return (length / step).rounded(.up) * step
    }

    static func bucket(_ room: ImageRoom) -> ImageRoom {
        ImageRoom(width: room.width.map(bucket), height: room.height.map(bucket))
    }
}
