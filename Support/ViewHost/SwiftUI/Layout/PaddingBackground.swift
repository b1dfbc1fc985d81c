public nonisolated struct _PaddingModifier: ViewModifier {
    public typealias Body = Never
    let insets: EdgeInsets
}

@MainActor
extension _PaddingModifier: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem {
        PaddingItem(node, item, insets: insets)
    }
}

private final class PaddingItem: LayoutItem {
    private let insets: EdgeInsets

    init(_ node: ViewNode, _ child: LayoutItem, insets: EdgeInsets) {
        self.insets = insets
        super.init(node, children: [child])
    }

    private func inner(_ proposal: ProposedViewSize) -> ProposedViewSize {
        ProposedViewSize(
            width: proposal.width.map { max($0 - insets.leading - insets.trailing, 0) },
            height: proposal.height.map { max($0 - insets.top - insets.bottom, 0) })
    }

    override func measure(_ proposal: ProposedViewSize) -> CGSize {
        let size = children[0].sizeThatFits(inner(proposal))
        return CGSize(
            width: size.width + insets.leading + insets.trailing, height: size.height + insets.top + insets.bottom)
    }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        let inside = CGRect(
            x: rect.minX + insets.leading, y: rect.minY + insets.top,
            width: rect.width - insets.leading - insets.trailing, height: rect.height - insets.top - insets.bottom)
        children[0].place(in: inside, proposal: inner(proposal), context: context)
    }
}

/// A view behind or before another, which alone decides about the size.
public nonisolated struct _SecondaryModifier<Secondary: View>: ViewModifier {
    public typealias Body = Never
    let content: Secondary
    let alignment: Alignment
    let isBehind: Bool
}

@MainActor
extension _SecondaryModifier: PrimitiveModifier {
    package var secondary: [any View] { [_SecondaryContent(content: content)] }

    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem {
        let others = node.children.dropFirst().flatMap(\.layoutItems)
        return SecondaryItem(node, item, others: others, alignment: alignment, isBehind: isBehind)
    }
}

/// Keeps a background's identity apart from the content's.
nonisolated struct _SecondaryContent<Content: View>: View {
    typealias Body = Never
    let content: Content
}

@MainActor
extension _SecondaryContent: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] { [ChildView(key: .index(0), view: content)] }
}

private final class SecondaryItem: LayoutItem {
    private let primary: LayoutItem
    private let others: [LayoutItem]
    private let alignment: Alignment

    init(_ node: ViewNode, _ primary: LayoutItem, others: [LayoutItem], alignment: Alignment, isBehind: Bool) {
        self.primary = primary
        self.others = others
        self.alignment = alignment
        super.init(node, children: isBehind ? others + [primary] : [primary] + others)
    }

    override func measure(_ proposal: ProposedViewSize) -> CGSize { primary.sizeThatFits(proposal) }
    override var layoutPriority: Double { primary.layoutPriority }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        primary.place(in: rect, proposal: proposal, context: context)
        let inner = ProposedViewSize(rect.size)
        for item in others {
            let size = item.sizeThatFits(inner)
            item.place(
                in: CGRect(origin: alignment.origin(of: size, in: rect), size: size), proposal: inner,
                context: context)
        }
    }
}

extension View {
    public nonisolated func padding(_ insets: EdgeInsets) -> some View { modifier(_PaddingModifier(insets: insets)) }

    public nonisolated func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
        let length = length ?? 16
        return padding(
            EdgeInsets(
                top: edges.contains(.top) ? length : 0, leading: edges.contains(.leading) ? length : 0,
                bottom: edges.contains(.bottom) ? length : 0, trailing: edges.contains(.trailing) ? length : 0))
    }

    public nonisolated func padding(_ length: CGFloat) -> some View { padding(.all, length) }

    public nonisolated func background<V>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View where V: View {
        modifier(_SecondaryModifier(content: content(), alignment: alignment, isBehind: true))
    }

    public nonisolated func background<Background>(
        _ background: Background, alignment: Alignment = .center
    ) -> some View where Background: View {
        modifier(_SecondaryModifier(content: background, alignment: alignment, isBehind: true))
    }

    public nonisolated func overlay<V>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View where V: View {
        modifier(_SecondaryModifier(content: content(), alignment: alignment, isBehind: false))
    }

    public nonisolated func overlay<Overlay>(
        _ overlay: Overlay, alignment: Alignment = .center
    ) -> some View where Overlay: View {
        modifier(_SecondaryModifier(content: overlay, alignment: alignment, isBehind: false))
    }
}
