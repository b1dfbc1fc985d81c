extension ServerThumbnails {
    /// What a server is asked for, in pixels and whole steps. At least one side counts.
    public struct Size: Sendable, Hashable {
        /// The width in pixels; `nil` doesn't count.
        public let width: Int?
        /// The height in pixels; `nil` doesn't count.
        public let height: Int?
        /// Whether the thumbnail lies within the box or covers it, with nothing cropped. If one side doesn't count, it is
        /// ``ImageRequest/Size/Mode/fit``: there is no difference.
        public let mode: ImageRequest.Size.Mode

        /// More than this isn't a thumbnail: the original is loaded.
        private static let longestSide = 8_192

        /// Of pictures between this shape and the same upright, those that fit into a box cover what it was made for: see
        /// ``boxToFit``.
        private static let commonRatio = (width: 16, height: 9)

        init(width: Int?, height: Int?, mode: ImageRequest.Size.Mode) {
            self.width = width
            self.height = height
            self.mode = width == nil || height == nil ? .fit : mode
        }

        /// The next step of a target; `nil` if that asks for all the pixels there are, or for so many that it may.
        init?(_ target: PixelTarget) {
            let (width, height, mode): (Int?, Int?, ImageRequest.Size.Mode)
            switch target {
            case .original: return nil
            case .fit(let w, let h): (width, height, mode) = (Self.step(w), Self.step(h), .fit)
            case .fill(let w, let h): (width, height, mode) = (Self.step(w), Self.step(h), .fill)
            }
            func isLong(_ side: Int?) -> Bool { side.map { $0 > Self.longestSide } ?? false }
            switch mode {
            case .fill:
                guard !isLong(width), !isLong(height) else { return nil }
                self.init(width: width, height: height, mode: .fill)
            case .fit:
                // A side that sets no limit worth the name doesn't count.
                self.init(width: isLong(width) ? nil : width, height: isLong(height) ? nil : height, mode: .fit)
            }
            if self.width == nil, self.height == nil { return nil }
        }

        private static func step(_ side: Int?) -> Int? {
            side.map { $0 > longestSide ? $0 : Int(SizeSteps.next(Double(max($0, 1)))) }
        }

        /// The same, for a server that can't cover without cropping: a box so large that a picture between 16:9 and 9:16
        /// which fits into it covers this one.
        ///
        /// It depends on nothing but the size: if it went by the picture's shape, once that is known, later requests would
        /// have other URLs than the first, and miss every cache on the way.
        var boxToFit: Size {
            guard mode == .fill, let width, let height else { return self }
            func long(_ side: Int) -> Int {
                (side * Self.commonRatio.width + Self.commonRatio.height - 1) / Self.commonRatio.height
            }
            return Size(width: max(width, long(height)), height: max(height, long(width)), mode: .fit)
        }

        var target: PixelTarget {
            switch mode {
            case .fit: .fit(width: width, height: height)
            case .fill: .fill(width: width, height: height)
            }
        }
    }
}
