/// Takes the space it is offered, and makes its content once it knows how much that is.
public nonisolated struct GeometryReader<Content>: View where Content: View {
    public typealias Body = Never
    public var content: (GeometryProxy) -> Content
    public nonisolated init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) { self.content = content }
}

@MainActor
extension GeometryReader: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] {
        (node.storage as? CGRect).map { [child(in: $0)] } ?? []
    }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [
            GeometryReaderItem(node) { rect in
                guard node.storage as? CGRect != rect else { return }
                node.storage = rect
                let inputs = NodeInputs(environment: node.environment, transaction: node.transaction)
                node.reconcile([node.tracked { child(in: rect) }], inputs)
            }
        ]
    }

    private func child(in rect: CGRect) -> ChildView {
        ChildView(key: .index(0), view: content(GeometryProxy(size: rect.size, global: rect)))
    }
}

private final class GeometryReaderItem: LayoutItem {
    private let make: @MainActor (CGRect) -> Void
    private var placed: [LayoutItem] = []

    init(_ node: ViewNode, make: @escaping @MainActor (CGRect) -> Void) {
        self.make = make
        super.init(node)
    }

    override var visibleChildren: [LayoutItem] { placed }

    override func measure(_ proposal: ProposedViewSize) -> CGSize { proposal.replacingUnspecifiedDimensions() }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        make(rect)
        placed = node.childItems
        let inner = ProposedViewSize(rect.size)
        for item in placed {
            item.place(
                in: CGRect(origin: rect.origin, size: item.sizeThatFits(inner)), proposal: inner, context: context)
        }
    }
}
