extension ImageRequest {
    /// How large the image will be shown, which is how large it is decoded.
    ///
    /// The image keeps its aspect ratio, is never cropped and never enlarged.
    public struct Size: Hashable, Sendable {
        /// Whether the image lies within the box or covers it.
        public enum Mode: Hashable, Sendable {
            /// The whole image fits in the box.
            case fit
            /// The image covers the box; what reaches over it is kept.
            case fill
        }

        package enum Value: Hashable, Sendable {
            case automatic
            case original
            case pixels(width: Int?, height: Int?, Mode)
            case points(width: Double?, height: Double?, scale: Double?, Mode)
        }

        package let value: Value

        /// The size that the view's layout gives the image. Without a view, the image's own size.
        public static let automatic = Size(value: .automatic)

        /// The image's own size, within the limits of the configuration.
        public static let original = Size(value: .original)

        /// A box in pixels. A side that is `nil` doesn't count.
        public static func pixels(_ width: Int?, _ height: Int?, _ mode: Mode = .fill) -> Size {
            Size(value: .pixels(width: width, height: height, mode))
        }

        /// A box in points. A side that is `nil` doesn't count.
        ///
        /// - Parameter scale: Pixels per point. `nil` takes the display's scale in a view, and 1 without one.
        public static func points(
            _ width: Double?, _ height: Double?, scale: Double? = nil, _ mode: Mode = .fill
        ) -> Size {
            Size(value: .points(width: width, height: height, scale: scale, mode))
        }

        /// The box in pixels that decoders work towards.
        ///
        /// - Parameter displayScale: Pixels per point where the size names no scale of its own.
        public func target(displayScale: Double = 1) -> PixelTarget {
            switch value {
            case .automatic, .original:
                return .original
            case .pixels(let width, let height, .fit):
                return .fit(width: width, height: height)
            case .pixels(let width, let height, .fill):
                return .fill(width: width, height: height)
            case .points(let width, let height, let scale, let mode):
                let scale = scale ?? displayScale
                let pixels = { (points: Double) in Self.pixelCount(points * scale) }
                switch mode {
                case .fit: return .fit(width: width.map(pixels), height: height.map(pixels))
                case .fill: return .fill(width: width.map(pixels), height: height.map(pixels))
                }
            }
        }

        /// The size in pixels, where it is given in points without a scale.
        package func resolved(displayScale: Double) -> Size {
            guard case .points(let width, let height, nil, let mode) = value else { return self }
            return .points(width, height, scale: displayScale, mode)
        }

        /// Rounds up to whole pixels. A layout may propose anything: what is no length counts as one pixel.
        private static func pixelCount(_ length: Double) -> Int {
            guard length.isFinite else { return length == .infinity ? Int(Int32.max) : 1 }
            return Int(min(max(length.rounded(.up), 1), Double(Int32.max)))
        }
    }
}
