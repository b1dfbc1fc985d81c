import Calotype
import Foundation

/// The sizes that a growing image goes through, so that a window that is dragged wider doesn't decode at each step.
enum SizeBuckets {
    /// The next step: see ``SizeSteps``.
    static func bucket(_ length: CGFloat) -> CGFloat { CGFloat(SizeSteps.next(Double(length))) }

    static func bucket(_ room: ImageRoom) -> ImageRoom {
        ImageRoom(width: room.width.map(bucket), height: room.height.map(bucket))
    }
}
