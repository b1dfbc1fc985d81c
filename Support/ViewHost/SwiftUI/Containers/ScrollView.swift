public nonisolated struct ScrollView<Content>: View where Content: View {
    public typealias Body = Never
    let axes: Axis.Set
    let content: Content

    public nonisolated init(_ axes: Axis.Set = .vertical, @ViewBuilder content: () -> Content) {
        self.axes = axes
        self.content = content()
    }

    public nonisolated init(
        _ axes: Axis.Set = .vertical, showsIndicators: Bool, @ViewBuilder content: () -> Content
    ) {
        self.init(axes, content: content)
    }
}

@MainActor
extension ScrollView: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] { [ChildView(key: .index(0), view: content)] }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        let content = StackItem.overlaying(node.childItems, node: node)
        return [ScrollItem(node, axes: axes, content: content)]
    }
}

/// Rows one below the other, made as they come into sight: a `LazyVStack` in a `ScrollView`. Separators, insets and
/// selection are outside the slice.
public nonisolated struct List<SelectionValue, Content>: View where SelectionValue: Hashable, Content: View {
    let content: Content

    @MainActor public var body: some View {
        ScrollView { LazyVStack(alignment: .leading, spacing: 0) { content } }
    }
}

extension List where SelectionValue == Never {
    public nonisolated init(@ViewBuilder content: () -> Content) { self.content = content() }

    public nonisolated init<Data, RowContent>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    )
    where
        Content == ForEach<Data, Data.Element.ID, RowContent>, Data: RandomAccessCollection, RowContent: View,
        Data.Element: Identifiable
    {
        content = ForEach(data, content: rowContent)
    }

    public nonisolated init<Data, ID, RowContent>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, ID, RowContent>, Data: RandomAccessCollection, ID: Hashable, RowContent: View {
        content = ForEach(data, id: id, content: rowContent)
    }

    public nonisolated init<RowContent>(
        _ data: Range<Int>, @ViewBuilder rowContent: @escaping (Int) -> RowContent
    ) where Content == ForEach<Range<Int>, Int, RowContent>, RowContent: View {
        content = ForEach(data, content: rowContent)
    }
}

/// How far a scroll view is scrolled, and how far it could be.
@MainActor
package final class ScrollState {
    package var offset = CGPoint.zero
    package fileprivate(set) var contentSize = CGSize.zero
    package fileprivate(set) var viewport = CGSize.zero

    package func clamp() {
        offset.x = max(0, min(offset.x, contentSize.width - viewport.width))
        offset.y = max(0, min(offset.y, contentSize.height - viewport.height))
    }
}

package final class ScrollItem: LayoutItem {
    private let axes: Axis.Set
    package let state: ScrollState

    init(_ node: ViewNode, axes: Axis.Set, content: LayoutItem) {
        self.axes = axes
        state = node.storage as? ScrollState ?? ScrollState()
        node.storage = state
        super.init(node, children: [content])
    }

    private func inner(_ proposal: ProposedViewSize) -> ProposedViewSize {
        ProposedViewSize(
            width: axes.contains(.horizontal) ? nil : proposal.width,
            height: axes.contains(.vertical) ? nil : proposal.height)
    }

    // What is offered along the axes it scrolls, and the content's size across.
    override func measure(_ proposal: ProposedViewSize) -> CGSize {
        let content = children[0].sizeThatFits(inner(proposal))
        return CGSize(
            width: axes.contains(.horizontal) ? proposal.width ?? content.width : content.width,
            height: axes.contains(.vertical) ? proposal.height ?? content.height : content.height)
    }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        let inner = inner(ProposedViewSize(rect.size))
        let size = children[0].sizeThatFits(inner)
        state.contentSize = size
        state.viewport = rect.size
        state.clamp()
        let origin = CGPoint(x: rect.minX - state.offset.x, y: rect.minY - state.offset.y)
        children[0].place(
            in: CGRect(origin: origin, size: size), proposal: inner,
            context: PlacementContext(viewport: rect.intersection(context.viewport)))
    }

    override func decorate(_ elements: [Element]) -> [Element] { elements.map { $0.clipped(to: frame) } }
}
