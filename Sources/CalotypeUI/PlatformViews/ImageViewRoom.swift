import Calotype
package import Foundation

/// The room that a platform's view has for an image: its bounds in points, what it does with an image of another shape, and
/// the scale of its display.
package struct ImageViewRoom: Hashable, Sendable {
    /// How a view draws an image that isn't of its size.
    package enum Mode: Sendable, Hashable {
        /// The whole image is in the room.
        case fit
        /// The image covers the room, cropped or distorted.
        case fill
        /// The image has its own size, whatever the room.
        case own
    }

    package var width: CGFloat
    package var height: CGFloat
    package var mode: Mode
    /// Pixels per point.
    package var displayScale: CGFloat

    package init(width: CGFloat, height: CGFloat, mode: Mode, displayScale: CGFloat) {
        self.width = width
        self.height = height
        self.mode = mode
        self.displayScale = displayScale > 0 && displayScale.isFinite ? displayScale : 1
    }

    /// Whether the view hasn't been laid out yet, so that nothing can be said of the size.
    package var isEmpty: Bool { !(width > 0 && height > 0 && width.isFinite && height.isFinite) }

    /// The room to load for where a view never says how large it is: 1,024 pixels each way.
    var standIn: ImageViewRoom {
        ImageViewRoom(
            width: 1_024 / displayScale, height: 1_024 / displayScale, mode: mode, displayScale: displayScale)
    }

    /// The size to ask a pipeline for.
    var size: ImageRequest.Size {
        switch mode {
        case .fit: .points(width, height, scale: displayScale, .fit)
        case .fill: .points(width, height, scale: displayScale, .fill)
        case .own: .original
        }
    }

    /// The room to load for in this one where an image has been loaded for `loaded`, if it needs more pixels here.
    ///
    /// - Parameter original: The image's own size, once it is known.
    /// - Returns: A room of whole steps, so that a window that is dragged wider doesn't decode at each; `nil` if there are
    ///   pixels enough.
    func growth(from loaded: ImageViewRoom, original: PixelSize?) -> ImageViewRoom? {
        guard !isEmpty else { return nil }
        let needsMore: Bool
        if let original {
            let wanted = size.target().pixelSize(for: original)
            let there = loaded.size.target().pixelSize(for: original)
            // Layouts round: a pixel is no reason to decode again.
            needsMore = wanted.width > there.width + 1 || wanted.height > there.height + 1
        } else {
            needsMore = mayNeedMore(than: loaded)
        }
        guard needsMore else { return nil }
        var room = self
        room.width = SizeBuckets.bucket(width)
        room.height = SizeBuckets.bucket(height)
        return room
    }

    /// Whether an image of some shape needs more pixels here.
    private func mayNeedMore(than loaded: ImageViewRoom) -> Bool {
        switch (mode, loaded.mode) {
        case (_, .own): false
        case (.own, _), (.fill, .fit): true
        case (.fit, _), (.fill, .fill):
            width * displayScale > loaded.width * loaded.displayScale + 1
                || height * displayScale > loaded.height * loaded.displayScale + 1
        }
    }
}
