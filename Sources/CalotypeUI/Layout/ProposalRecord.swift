import Calotype
import Foundation
import Synchronization

/// The room that a layout has for an image, in points. A side that is `nil` doesn't count; without either, the image has its
/// own size.
struct ImageRoom: Hashable, Sendable {
    var width: CGFloat?
    var height: CGFloat?

    /// The room that a proposal gives: sides that are neither infinite nor empty.
    init(width: CGFloat?, height: CGFloat?) {
        func length(_ side: CGFloat?) -> CGFloat? { side.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } }
        self.width = length(width)
        self.height = length(height)
    }

    /// Whether an image that covers `other` may have too few pixels here.
    func exceeds(_ other: ImageRoom) -> Bool {
        // An image of its own size has all its pixels.
        guard other.width != nil || other.height != nil else { return false }
        guard width != nil || height != nil else { return true }
        return (width ?? 0) > (other.width ?? 0) || (height ?? 0) > (other.height ?? 0)
    }

    /// The room that holds both.
    func union(_ other: ImageRoom) -> ImageRoom {
        func larger(_ a: CGFloat?, _ b: CGFloat?) -> CGFloat? { a.flatMap { a in b.map { max(a, $0) } } ?? a ?? b }
        return ImageRoom(width: larger(width, other.width), height: larger(height, other.height))
    }

    /// The size to ask a pipeline for: the image covers the room.
    func size(displayScale: CGFloat) -> ImageRequest.Size {
        guard width != nil || height != nil else { return .original }
        return .points(width.map(Double.init), height.map(Double.init), scale: Double(displayScale), .fill)
    }
}

/// Where a layout notes the room that it had for an image.
///
/// - Isolation: Layouts may be asked on any thread: a lock guards it.
final class ProposalRecord: Sendable {
    private struct State {
        var room: ImageRoom?
        /// Whether there has been a placement since the view was last away.
        var isPlaced = false
        var observer: (@Sendable (ImageRoom) -> Void)?
    }

    private let state = Mutex(State())

    /// The room at the last placement; `nil` before the first.
    var room: ImageRoom? { state.withLock { $0.room } }

    /// Is told of each placement with another room than before, and of the first since the view was away; on the layout's thread. Must not block.
    func observe(_ observer: @escaping @Sendable (ImageRoom) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Whether the view has been laid out since it was last away.
    var isPlaced: Bool { state.withLock { $0.isPlaced } }

    /// The view is away. Its next placement is told, though the room be the same.
    func leave() {
        state.withLock { $0.isPlaced = false }
    }

    func note(_ room: ImageRoom) {
        let observer = state.withLock { state -> (@Sendable (ImageRoom) -> Void)? in
            guard state.room != room || !state.isPlaced else { return nil }
            state.room = room
            state.isPlaced = true
            return state.observer
        }
        observer?(room)
    }
}
