import Calotype
import Foundation

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

    /// How many pixels an image has that is loaded for this room.
    func pixelSize(of original: PixelSize, displayScale: CGFloat) -> PixelSize {
        size(displayScale: displayScale).target().pixelSize(for: original)
    }
}

/// Where an image has been laid out.
struct ImagePlacement: Hashable, Sendable {
    /// What was proposed.
    var room: ImageRoom
    /// The size of what shows the image, or of what stands in for it; `nil` while a placeholder is there. An image that isn't
    /// resizable has its own size in any room, and one that is scaled to fill reaches over it.
    var content: ImageRoom?

    /// The room to load an image for that has been loaded for `loaded`, if it needs more pixels here.
    ///
    /// - Parameter original: The image's own size, once it is known.
    /// - Returns: A room of whole steps; `nil` if there are pixels enough.
    func growth(from loaded: ImageRoom, original: PixelSize?, displayScale: CGFloat) -> ImageRoom? {
        let needed = content.map(room.union) ?? room
        guard let original else {
            return needed.exceeds(loaded) ? SizeBuckets.bucket(needed.union(loaded)) : nil
        }
        let wanted = needed.pixelSize(of: original, displayScale: displayScale)
        let there = loaded.pixelSize(of: original, displayScale: displayScale)
        // Content's size is rounded on its way: a pixel is no reason to decode again.
        guard wanted.width > there.width + 1 || wanted.height > there.height + 1 else { return nil }
        return SizeBuckets.bucket(needed)
    }
}

extension ImageRoom {
    /// Whether an image of any shape that covers `other` may have too few pixels here.
    fileprivate func exceeds(_ other: ImageRoom) -> Bool {
        // An image of its own size has all its pixels.
        guard other.width != nil || other.height != nil else { return false }
        guard width != nil || height != nil else { return true }
        return (width ?? 0) > (other.width ?? 0) || (height ?? 0) > (other.height ?? 0)
    }
}
