public import CoreGraphics

public final class UIImage: Sendable {
    public enum Orientation: Int, Sendable {
        case up
        case down
        case left
        case right
        case upMirrored
        case downMirrored
        case leftMirrored
        case rightMirrored
    }

    public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) { fatalError() }
    public var size: CGSize { fatalError() }
    public var scale: CGFloat { fatalError() }
}
