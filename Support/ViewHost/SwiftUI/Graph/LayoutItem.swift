/// What is passed down while views are placed.
package struct PlacementContext {
    /// What can be seen of the scroll view around, or of the window, in the window's coordinates.
    package var viewport: CGRect
}

/// One view as its container arranges it. Items are made anew for each layout pass; the base class takes the size of
/// its only child, as most modifiers do.
@MainActor
package class LayoutItem {
    package let node: ViewNode
    package let children: [LayoutItem]
    /// In the window's coordinates.
    package private(set) var frame = CGRect.zero
    /// The proposal that the view was placed with.
    package private(set) var placedProposal = ProposedViewSize.unspecified
    /// What can be seen of the scroll view around, in the window's coordinates.
    package private(set) var viewport = CGRect.zero
    private var sizes: [ProposedViewSize: CGSize] = [:]

    init(_ node: ViewNode, children: [LayoutItem] = []) {
        self.node = node
        self.children = children
    }

    /// The size that the view takes, given a proposal. Asked often, computed once.
    final package func sizeThatFits(_ proposal: ProposedViewSize) -> CGSize {
        if let size = sizes[proposal] { return size }
        let size = measure(proposal)
        sizes[proposal] = size
        return size
    }

    final package func place(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        frame = rect
        placedProposal = proposal
        viewport = context.viewport
        placeChildren(in: rect, proposal: proposal, context: context)
    }

    func measure(_ proposal: ProposedViewSize) -> CGSize {
        children.first?.sizeThatFits(proposal) ?? .zero
    }

    func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        for child in children { child.place(in: rect, proposal: proposal, context: context) }
    }

    // MARK: What containers ask

    var layoutPriority: Double { children.count == 1 ? children[0].layoutPriority : 0 }
    /// The least length of a spacer; nil for anything else.
    var spacerMinimum: CGFloat? { nil }
    var isSpacer: Bool { spacerMinimum != nil }
    func layoutValue<Key: LayoutValueKey>(_ key: Key.Type) -> Key.Value {
        children.count == 1 ? children[0].layoutValue(key) : Key.defaultValue
    }

    // MARK: The frame

    /// What is drawn here. The children's elements come inside.
    var kind: Element.Kind { .container("\(type(of: node.view))") }
    /// Whether the item draws nothing, so that only its children are in the frame.
    var isTransparent: Bool { true }
    /// What this item does to the elements of its children.
    func decorate(_ elements: [Element]) -> [Element] { elements }

    /// The items that are in the frame.
    var visibleChildren: [LayoutItem] { children }

    final package var elements: [Element] {
        let inside = decorate(visibleChildren.flatMap(\.elements))
        if isTransparent { return inside }
        return [Element(kind: kind, rect: frame, node: node, children: inside)]
    }

    final package func forEachItem(_ visit: (LayoutItem) -> Void) {
        visit(self)
        for child in visibleChildren { child.forEachItem(visit) }
    }
}

/// Something that is drawn.
class LeafItem: LayoutItem {
    private let content: Element.Kind
    private let fit: @MainActor (ProposedViewSize) -> CGSize

    init(_ node: ViewNode, _ content: Element.Kind, fit: @escaping @MainActor (ProposedViewSize) -> CGSize) {
        self.content = content
        self.fit = fit
        super.init(node)
    }

    override func measure(_ proposal: ProposedViewSize) -> CGSize { fit(proposal) }
    override var kind: Element.Kind { content }
    override var isTransparent: Bool { false }
}

/// Takes its child's size and changes how it is drawn.
final class DecorationItem: LayoutItem {
    private let change: @MainActor (inout Element) -> Void
    private let priority: Double?

    init(
        _ node: ViewNode, _ child: LayoutItem, priority: Double? = nil,
        change: @escaping @MainActor (inout Element) -> Void = { _ in }
    ) {
        self.change = change
        self.priority = priority
        super.init(node, children: [child])
    }

    override var layoutPriority: Double { priority ?? super.layoutPriority }

    override func decorate(_ elements: [Element]) -> [Element] {
        elements.map { element in
            var element = element
            element.changeAll(change)
            return element
        }
    }
}
