@preconcurrency
public protocol Shape: Sendable, Animatable, View {}

public nonisolated struct Rectangle: Shape {
    public typealias Body = Never
    public init() {}
}

public nonisolated struct Circle: Shape {
    public typealias Body = Never
    public init() {}
}

public nonisolated struct Capsule: Shape {
    public typealias Body = Never
    public init() {}
}

public nonisolated struct RoundedRectangle: Shape {
    public typealias Body = Never
    let cornerSize: CGSize
    public init(cornerSize: CGSize) { self.cornerSize = cornerSize }
    public init(cornerRadius: CGFloat) { cornerSize = CGSize(width: cornerRadius, height: cornerRadius) }
}

/// A shape in a colour.
public nonisolated struct _ShapeView<Content: Shape>: View {
    public typealias Body = Never
    let shape: Content
}

extension Shape {
    public nonisolated func fill<S>(_ content: S) -> some View where S: ShapeStyle { _ShapeView(shape: self) }
    public nonisolated func stroke<S>(_ content: S, lineWidth: CGFloat = 1) -> some View where S: ShapeStyle {
        _ShapeView(shape: self)
    }
}

@MainActor
private func shapeItem(_ node: ViewNode, _ shape: any Shape) -> LayoutItem {
    // A circle is the largest that fits, but takes all the space that is proposed, as the other shapes do.
    LeafItem(node, .shape("\(type(of: shape))")) { $0.replacingUnspecifiedDimensions() }
}

@MainActor
extension _ShapeView: PrimitiveView {
    package func layoutItems(of node: ViewNode) -> [LayoutItem] { [shapeItem(node, shape)] }
}
@MainActor
extension Rectangle: PrimitiveView {
    package func layoutItems(of node: ViewNode) -> [LayoutItem] { [shapeItem(node, self)] }
}
@MainActor
extension Circle: PrimitiveView {
    package func layoutItems(of node: ViewNode) -> [LayoutItem] { [shapeItem(node, self)] }
}
@MainActor
extension Capsule: PrimitiveView {
    package func layoutItems(of node: ViewNode) -> [LayoutItem] { [shapeItem(node, self)] }
}
@MainActor
extension RoundedRectangle: PrimitiveView {
    package func layoutItems(of node: ViewNode) -> [LayoutItem] { [shapeItem(node, self)] }
}
