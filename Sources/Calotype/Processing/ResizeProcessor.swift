/// Makes an image smaller, by Lanczos. Never larger.
public struct ResizeProcessor: ImageProcessor, Hashable {
    /// The size to end at; the aspect ratio is kept.
    public let target: PixelTarget

    /// Makes the step.
    public init(_ target: PixelTarget) {
        self.target = target
    }

    /// "resize(fit 264 x any)", say.
    public var identifier: String { "resize(\(target.identifier))" }

    /// `true`: the size is the point.
    public var dependsOnPixelSize: Bool { true }

    /// Makes the smaller image.
    public func process(_ image: DecodedImage, cancellation: DecodeCancellation) throws -> DecodedImage {
        let size = target.pixelSize(for: image.pixelSize)
        guard size != image.pixelSize else { return image }
        return try image.mapBitmaps { try $0.resized(to: size, cancellation: cancellation) }
    }
}

extension ImageProcessor where Self == ResizeProcessor {
    /// Makes an image smaller, never larger, by Lanczos.
    public static func resize(_ target: PixelTarget) -> Self { ResizeProcessor(target) }
}

extension PixelTarget {
    fileprivate var identifier: String {
        func side(_ value: Int?) -> String { value.map(String.init) ?? "any" }
        return switch self {
        case .original: "original"
        case .fit(let width, let height): "fit \(side(width)) x \(side(height))"
        case .fill(let width, let height): "fill \(side(width)) x \(side(height))"
        }
    }
}
