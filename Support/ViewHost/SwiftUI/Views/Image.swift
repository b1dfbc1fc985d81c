public struct Image: Equatable, Sendable {
    public enum ResizingMode: Hashable, Sendable {
        case tile
        case stretch
    }

    public enum TemplateRenderingMode: Hashable, Sendable {
        case template
        case original
    }

    public enum Interpolation: Hashable, Sendable {
        case none
        case low
        case medium
        case high
    }

    public enum Orientation: UInt8, CaseIterable, Hashable, Sendable {
        case up
        case upMirrored
        case down
        case downMirrored
        case left
        case leftMirrored
        case right
        case rightMirrored
    }

    public struct DynamicRange: Hashable, Sendable {
        let rawValue: Int
        public static let standard = DynamicRange(rawValue: 0)
        public static let constrainedHigh = DynamicRange(rawValue: 1)
        public static let high = DynamicRange(rawValue: 2)
    }

    /// What the host draws: the image of another library, or a name.
    package let content: Content
    /// In points.
    package let size: CGSize
    package private(set) var isResizable = false
    package private(set) var renderingMode: TemplateRenderingMode?
    package private(set) var interpolation = Interpolation.medium
    package private(set) var isAntialiased = true
    package private(set) var dynamicRange: DynamicRange?

    package enum Content: Sendable, Equatable {
        case named(String)
        case hosted(HostedPayload)
    }

    public init(_ name: String, bundle: Bundle? = nil) {
        self.init(content: .named(name), size: CGSize(width: 20, height: 20))
    }

    public init(systemName: String) {
        self.init(content: .named(systemName), size: CGSize(width: 20, height: 20))
    }

    /// Makes an image of one of the platform's: what `init(uiImage:)` and `init(nsImage:)` are on Apple's.
    /// - Parameters:
    ///   - payload: The image. Two payloads are equal if they are the same object, or equal values.
    ///   - size: In points: pixels divided by the scale.
    package init(hosted payload: any Sendable, size: CGSize) {
        self.init(content: .hosted(HostedPayload(value: payload)), size: size)
    }

    private init(content: Content, size: CGSize) {
        self.content = content
        self.size = size
    }

    /// The platform's image that this was made of.
    package var payload: (any Sendable)? {
        if case .hosted(let payload) = content { payload.value } else { nil }
    }

    public func resizable(capInsets: EdgeInsets = EdgeInsets(), resizingMode: ResizingMode = .stretch) -> Image {
        changed { $0.isResizable = true }
    }

    public func renderingMode(_ renderingMode: TemplateRenderingMode?) -> Image {
        changed { $0.renderingMode = renderingMode }
    }

    public func interpolation(_ interpolation: Interpolation) -> Image {
        changed { $0.interpolation = interpolation }
    }

    public func antialiased(_ isAntialiased: Bool) -> Image { changed { $0.isAntialiased = isAntialiased } }

    public func allowedDynamicRange(_ range: DynamicRange?) -> Image { changed { $0.dynamicRange = range } }

    private func changed(_ change: (inout Image) -> Void) -> Image {
        var image = self
        change(&image)
        return image
    }
}

package struct HostedPayload: Sendable, Equatable {
    package let value: any Sendable

    package static func == (left: HostedPayload, right: HostedPayload) -> Bool {
        func compare<T: Equatable>(_ left: T) -> Bool { (right.value as? T) == left }
        if let left = left.value as? any Equatable { return compare(left) }
        if type(of: left.value) is AnyObject.Type {
            return (left.value as AnyObject) === (right.value as AnyObject)
        }
        return false
    }
}

extension Image: View {
    public typealias Body = Never
}

@MainActor
extension Image: PrimitiveView {
    // An image that isn't resizable keeps its size, whatever is proposed; a resizable one takes what is proposed.
    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [
            LeafItem(node, .image(self)) { proposal in
                isResizable ? proposal.replacingUnspecifiedDimensions(by: size) : size
            }
        ]
    }
}
