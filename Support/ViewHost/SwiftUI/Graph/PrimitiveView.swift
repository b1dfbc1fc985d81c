/// What tells a child from its siblings, from one evaluation to the next.
package enum ChildKey: Hashable {
    /// The position in the source: which statement of a builder, which branch of a condition.
    case index(Int)
    /// An identity that the author gave, with `id(_:)` or through `ForEach`.
    case explicit(AnyHashable)

    var explicitID: AnyHashable? {
        if case .explicit(let id) = self { id } else { nil }
    }
}

/// A view inside another, before it has a node.
package struct ChildView {
    let key: ChildKey
    let view: any View
}

/// What a node passes down to its children.
package struct NodeInputs {
    package var environment: EnvironmentValues
    package var transaction: Transaction
}

/// A view that the host knows itself, without a body.
@MainActor
package protocol PrimitiveView: View where Body == Never {
    /// Changes what the children inherit.
    func configure(_ inputs: inout NodeInputs, of node: ViewNode)
    /// The views inside, in order.
    func children(of node: ViewNode) -> [ChildView]
    /// What takes part in the parent's layout: by default, what the children give.
    func layoutItems(of node: ViewNode) -> [LayoutItem]
    /// Actions that belong to the view's life, if it has any.
    var lifecycle: (any Lifecycle)? { get }
}

extension PrimitiveView {
    package func configure(_ inputs: inout NodeInputs, of node: ViewNode) {}
    package func children(of node: ViewNode) -> [ChildView] { [] }
    package func layoutItems(of node: ViewNode) -> [LayoutItem] { node.childItems }
    package var lifecycle: (any Lifecycle)? { nil }
}

/// A modifier that the host knows itself, without a body.
@MainActor
package protocol PrimitiveModifier: ViewModifier where Body == Never {
    func configure(_ inputs: inout NodeInputs, of node: ViewNode)
    /// Views that the modifier adds, such as a background. They come after the content.
    var secondary: [any View] { get }
    /// Arranges one of the content's items. Applied to several views, a modifier arranges each.
    func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem
    var lifecycle: (any Lifecycle)? { get }
}

extension PrimitiveModifier {
    package func configure(_ inputs: inout NodeInputs, of node: ViewNode) {}
    package var secondary: [any View] { [] }
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem { item }
    package var lifecycle: (any Lifecycle)? { nil }
}

/// Actions at the turns of a view's life. Each is called after the tree was updated and laid out, and before the frame
/// is shown, but for tasks, which start after it.
@MainActor
package protocol Lifecycle {
    func appeared(_ node: ViewNode)
    func updated(_ node: ViewNode)
    func laidOut(_ item: LayoutItem)
    func disappeared(_ node: ViewNode)
}

extension Lifecycle {
    package func appeared(_ node: ViewNode) {}
    package func updated(_ node: ViewNode) {}
    package func laidOut(_ item: LayoutItem) {}
    package func disappeared(_ node: ViewNode) {}
}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
    public typealias Body = Never
}

@MainActor
extension ModifiedContent: PrimitiveView where Content: View, Modifier: ViewModifier {
    package func configure(_ inputs: inout NodeInputs, of node: ViewNode) {
        (modifier as? any PrimitiveModifier)?.configure(&inputs, of: node)
    }

    package func children(of node: ViewNode) -> [ChildView] {
        if let primitive = modifier as? any PrimitiveModifier {
            let inside = [ChildView(key: .index(0), view: content)]
            return inside
                + primitive.secondary.enumerated().map { ChildView(key: .index($0.offset + 1), view: $0.element) }
        }
        var modifier = modifier
        node.bindProperties(of: &modifier)
        node.graph.countBody(of: Modifier.self)
        return [ChildView(key: .index(0), view: modifier.body(content: _ViewModifier_Content(content: content)))]
    }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        guard let primitive = modifier as? any PrimitiveModifier else { return node.childItems }
        return node.children[0].layoutItems.map { primitive.arrange($0, of: node) }
    }

    package var lifecycle: (any Lifecycle)? { (modifier as? any PrimitiveModifier)?.lifecycle }
}
