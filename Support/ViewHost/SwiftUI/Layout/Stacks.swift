public nonisolated struct VStack<Content>: View where Content: View {
    public typealias Body = Never
    let alignment: HorizontalAlignment
    let spacing: CGFloat?
    let content: Content

    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content)
    {
        self.alignment = alignment
        self.spacing = spacing
        self.content = content()
    }
}

@MainActor
extension VStack: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] { [ChildView(key: .index(0), view: content)] }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [
            StackItem(
                node, axis: .vertical, alignment: Alignment(horizontal: alignment, vertical: .center),
                spacing: spacing ?? 8, children: node.childItems)
        ]
    }
}

public nonisolated struct HStack<Content>: View where Content: View {
    public typealias Body = Never
    let alignment: VerticalAlignment
    let spacing: CGFloat?
    let content: Content

    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
        self.alignment = alignment
        self.spacing = spacing
        self.content = content()
    }
}

@MainActor
extension HStack: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] { [ChildView(key: .index(0), view: content)] }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [
            StackItem(
                node, axis: .horizontal, alignment: Alignment(horizontal: .center, vertical: alignment),
                spacing: spacing ?? 8, children: node.childItems)
        ]
    }
}

public nonisolated struct ZStack<Content>: View where Content: View {
    public typealias Body = Never
    let alignment: Alignment
    let content: Content

    public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
        self.alignment = alignment
        self.content = content()
    }
}

@MainActor
extension ZStack: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] { [ChildView(key: .index(0), view: content)] }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [OverlayItem(node, alignment: alignment, children: node.childItems)]
    }
}

/// Views on top of each other: each gets the whole proposal, and together they take the largest sides.
final class OverlayItem: LayoutItem {
    private let alignment: Alignment

    init(_ node: ViewNode, alignment: Alignment, children: [LayoutItem]) {
        self.alignment = alignment
        super.init(node, children: children)
    }

    override func measure(_ proposal: ProposedViewSize) -> CGSize {
        children.reduce(CGSize.zero) { size, child in
            let next = child.sizeThatFits(proposal)
            return CGSize(width: max(size.width, next.width), height: max(size.height, next.height))
        }
    }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        for child in children {
            let size = child.sizeThatFits(proposal)
            child.place(
                in: CGRect(origin: alignment.origin(of: size, in: rect), size: size), proposal: proposal,
                context: context)
        }
    }
}

/// Views in a line. The least flexible choose first, from equal shares of what is left.
final class StackItem: LayoutItem {
    private let axis: Axis
    private let alignment: Alignment
    private let spacing: CGFloat

    init(_ node: ViewNode, axis: Axis, alignment: Alignment, spacing: CGFloat, children: [LayoutItem]) {
        self.axis = axis
        self.alignment = alignment
        self.spacing = spacing
        super.init(node, children: children)
    }

    /// The root of a window: one view as it is, several as in a `VStack`.
    static func overlaying(_ items: [LayoutItem], node: ViewNode) -> LayoutItem {
        if items.count == 1 { return items[0] }
        return StackItem(node, axis: .vertical, alignment: .center, spacing: 8, children: items)
    }

    /// A spacer grows along the stack only.
    private func size(of child: LayoutItem, _ proposal: ProposedViewSize) -> CGSize {
        guard let minimum = child.spacerMinimum else { return child.sizeThatFits(proposal) }
        return axis.size(max(axis.length(of: proposal) ?? minimum, minimum), across: 0)
    }

    private var gaps: CGFloat { spacing * CGFloat(max(children.count - 1, 0)) }

    override func measure(_ proposal: ProposedViewSize) -> CGSize {
        let sizes = proposals(for: proposal).enumerated().map { size(of: children[$0.offset], $0.element) }
        let along = sizes.reduce(gaps) { $0 + axis.length(of: $1) }
        let across = sizes.map { axis.other.length(of: $0) }.max() ?? 0
        return axis.size(along, across: across)
    }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        var position = axis == .horizontal ? rect.minX : rect.minY
        for (child, inner) in zip(children, proposals(for: proposal)) {
            let size = size(of: child, inner)
            let aligned = alignment.origin(of: size, in: rect)
            let origin =
                axis == .horizontal ? CGPoint(x: position, y: aligned.y) : CGPoint(x: aligned.x, y: position)
            child.place(in: CGRect(origin: origin, size: size), proposal: inner, context: context)
            position += axis.length(of: size) + spacing
        }
    }

    /// What each child is offered.
    private func proposals(for proposal: ProposedViewSize) -> [ProposedViewSize] {
        let across = axis.other.length(of: proposal)
        guard let total = axis.length(of: proposal) else {
            return children.map { _ in axis.proposal(nil, across: across) }
        }
        func length(_ index: Int, _ along: CGFloat) -> CGFloat {
            axis.length(of: size(of: children[index], axis.proposal(along, across: across)))
        }
        var left = max(total - gaps, 0)
        var offers = [CGFloat](repeating: 0, count: children.count)
        let minima = children.indices.map { length($0, 0) }
        let flexibility = children.indices.map { length($0, .infinity) - minima[$0] }
        let groups = Dictionary(grouping: children.indices, by: { children[$0].layoutPriority })
        var behind = minima.reduce(0, +)
        // A higher priority chooses first, and leaves to the lower ones what they need at least.
        for priority in groups.keys.sorted(by: >) {
            let group = (groups[priority] ?? []).sorted { (flexibility[$0], $0) < (flexibility[$1], $1) }
            behind -= group.reduce(0) { $0 + minima[$1] }
            var available = max(left - behind, 0)
            for (done, index) in group.enumerated() {
                offers[index] = available / CGFloat(group.count - done)
                let taken = length(index, offers[index])
                available = available.isInfinite ? .infinity : max(available - taken, 0)
                left = left.isInfinite ? .infinity : left - taken
            }
        }
        return offers.map { axis.proposal($0, across: across) }
    }
}
