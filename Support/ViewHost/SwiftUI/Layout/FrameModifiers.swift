/// A fixed size, or limits of a flexible one.
public nonisolated struct _FrameModifier: ViewModifier {
    public typealias Body = Never
    let width: Limits
    let height: Limits
    let alignment: Alignment

    /// One dimension's rules.
    struct Limits: Sendable {
        var fixed: CGFloat?
        var minimum: CGFloat?
        var ideal: CGFloat?
        var maximum: CGFloat?

        func proposal(_ proposed: CGFloat?) -> CGFloat? {
            if let fixed { return fixed }
            guard let length = proposed ?? ideal else { return nil }
            return max(min(length, maximum ?? .infinity), minimum ?? 0)
        }

        func length(_ proposed: CGFloat?, child: CGFloat) -> CGFloat {
            if let fixed { return fixed }
            var length = child
            let proposed = proposed ?? ideal
            if let minimum { length = max(minimum, proposed.map { min(length, $0) } ?? length) }
            if let maximum { length = min(maximum, proposed.map { max(length, $0) } ?? length) }
            return length
        }
    }
}

@MainActor
extension _FrameModifier: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem { FrameItem(node, item, frame: self) }
}

private final class FrameItem: LayoutItem {
    private let rules: _FrameModifier

    init(_ node: ViewNode, _ child: LayoutItem, frame: _FrameModifier) {
        rules = frame
        super.init(node, children: [child])
    }

    private func inner(_ proposal: ProposedViewSize) -> ProposedViewSize {
        ProposedViewSize(
            width: rules.width.proposal(proposal.width), height: rules.height.proposal(proposal.height))
    }

    override func measure(_ proposal: ProposedViewSize) -> CGSize {
        let child = children[0].sizeThatFits(inner(proposal))
        return CGSize(
            width: rules.width.length(proposal.width, child: child.width),
            height: rules.height.length(proposal.height, child: child.height))
    }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        let inner = inner(proposal)
        let size = children[0].sizeThatFits(inner)
        children[0].place(
            in: CGRect(origin: rules.alignment.origin(of: size, in: rect), size: size), proposal: inner,
            context: context)
    }
}

extension View {
    public nonisolated func frame(
        width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View {
        modifier(
            _FrameModifier(
                width: .init(fixed: width), height: .init(fixed: height), alignment: alignment))
    }

    public nonisolated func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View {
        modifier(
            _FrameModifier(
                width: .init(minimum: minWidth, ideal: idealWidth, maximum: maxWidth),
                height: .init(minimum: minHeight, ideal: idealHeight, maximum: maxHeight), alignment: alignment))
    }

    public nonisolated func fixedSize(horizontal: Bool, vertical: Bool) -> some View {
        modifier(_FixedSizeModifier(horizontal: horizontal, vertical: vertical))
    }

    public nonisolated func fixedSize() -> some View { fixedSize(horizontal: true, vertical: true) }
}

/// Proposes nothing along some axes, so that the content takes its ideal size there.
public nonisolated struct _FixedSizeModifier: ViewModifier {
    public typealias Body = Never
    let horizontal: Bool
    let vertical: Bool
}

@MainActor
extension _FixedSizeModifier: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem {
        ProposalItem(node, item) { [horizontal, vertical] proposal, _ in
            ProposedViewSize(width: horizontal ? nil : proposal.width, height: vertical ? nil : proposal.height)
        }
    }
}

/// Changes the proposal, and takes the size that the child chooses then.
final class ProposalItem: LayoutItem {
    private let change: @MainActor (ProposedViewSize, LayoutItem) -> ProposedViewSize

    init(
        _ node: ViewNode, _ child: LayoutItem,
        change: @escaping @MainActor (ProposedViewSize, LayoutItem) -> ProposedViewSize
    ) {
        self.change = change
        super.init(node, children: [child])
    }

    override func measure(_ proposal: ProposedViewSize) -> CGSize {
        children[0].sizeThatFits(change(proposal, children[0]))
    }

    override func placeChildren(in rect: CGRect, proposal: ProposedViewSize, context: PlacementContext) {
        children[0].place(in: rect, proposal: change(proposal, children[0]), context: context)
    }
}
