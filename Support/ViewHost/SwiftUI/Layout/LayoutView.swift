/// Arranges its content by a `Layout`.
public nonisolated struct _LayoutView<L: Layout, Content: View>: View {
    public typealias Body = Never
    let layout: L
    let content: Content
}

@MainActor
extension _LayoutView: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] { [ChildView(key: .index(0), view: content)] }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [CustomLayoutItem(node, layout: layout, children: node.childItems)]
    }
}

/// Keeps a layout's cache from pass to pass, in its node.
final class CustomLayoutItem<L: Layout>: LayoutItem {
    private let layout: L
    private let placements = Placements()

    init(_ node: ViewNode, layout: L, children: [LayoutItem]) {
        self.layout = layout
        super.init(node, children: children)
        let subviews = subviews
        if let cache = node.storage as? CacheBox<L.Cache> {
            layout.updateCache(&cache.value, subviews: subviews)
        } else {
            node.storage = CacheBox(layout.makeCache(subviews: subviews))
        }
    }

    private var subviews: LayoutSubviews {
        LayoutSubviews(subviews: children.map { LayoutSubview(item: $0, placements: placements) })
    }

    private var cache: CacheBox<L.Cache> { node.storage as! CacheBox<L.Cache> }

    override func measure(_ proposal: ProposedViewSize) -> CGSize {
        layout.sizeThatFits(proposal: proposal, subviews: subviews, cache: &cache.value)
    }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        placements.frames = [:]
        layout.placeSubviews(in: rect, proposal: proposal, subviews: subviews, cache: &cache.value)
        for child in children {
            // A subview that the layout doesn't place goes to the center.
            if placements.frames[ObjectIdentifier(child)] == nil {
                placements.place(child, at: CGPoint(x: rect.midX, y: rect.midY), anchor: .center, proposal: proposal)
            }
            if let place = placements.frames[ObjectIdentifier(child)] {
                child.place(in: place.rect, proposal: place.proposal, context: context)
            }
        }
    }
}

private final class CacheBox<Cache> {
    var value: Cache
    init(_ value: Cache) { self.value = value }
}

/// Gives a value to the layout around.
public nonisolated struct _LayoutValueWriter<Key: LayoutValueKey>: ViewModifier {
    public typealias Body = Never
    let value: Key.Value
}

@MainActor
extension _LayoutValueWriter: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem {
        LayoutValueItem<Key>(node, item, value: value)
    }
}

private final class LayoutValueItem<Key: LayoutValueKey>: LayoutItem {
    private let value: Key.Value

    init(_ node: ViewNode, _ child: LayoutItem, value: Key.Value) {
        self.value = value
        super.init(node, children: [child])
    }

    override func layoutValue<Asked: LayoutValueKey>(_ key: Asked.Type) -> Asked.Value {
        if key == Key.self, let value = value as? Asked.Value { return value }
        return super.layoutValue(key)
    }
}

extension View {
    public nonisolated func layoutValue<K>(key: K.Type, value: K.Value) -> some View where K: LayoutValueKey {
        modifier(_LayoutValueWriter<K>(value: value))
    }

    public nonisolated func layoutPriority(_ value: Double) -> some View {
        modifier(_DecorationModifier(priority: value))
    }
}
