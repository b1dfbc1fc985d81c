public nonisolated struct Spacer: View {
    public typealias Body = Never
    public var minLength: CGFloat?
    public init(minLength: CGFloat? = nil) { self.minLength = minLength }
}

@MainActor
extension Spacer: PrimitiveView {
    package func layoutItems(of node: ViewNode) -> [LayoutItem] { [SpacerItem(node, minLength: minLength ?? 8)] }
}

/// Takes all space along its stack's axis, which the stack sees to, and none across. It chooses last.
private final class SpacerItem: LayoutItem {
    private let minLength: CGFloat

    init(_ node: ViewNode, minLength: CGFloat) {
        self.minLength = minLength
        super.init(node)
    }

    override var layoutPriority: Double { -.infinity }
    override var spacerMinimum: CGFloat? { minLength }
    override func measure(_ proposal: ProposedViewSize) -> CGSize {
        proposal.replacingUnspecifiedDimensions(by: CGSize(width: minLength, height: minLength))
    }
}

public nonisolated struct Divider: View {
    public typealias Body = Never
    public init() {}
}

@MainActor
extension Divider: PrimitiveView {
    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [LeafItem(node, .shape("Divider")) { CGSize(width: $0.width ?? 10, height: 1) }]
    }
}
