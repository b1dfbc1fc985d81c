public enum ContentMode: CaseIterable, Hashable, Sendable {
    case fit
    case fill
}

public nonisolated struct _AspectRatioModifier: ViewModifier {
    public typealias Body = Never
    let ratio: CGFloat?
    let mode: ContentMode
}

@MainActor
extension _AspectRatioModifier: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem {
        ProposalItem(node, item) { proposal, child in self.proposal(for: child, within: proposal) }
    }

    /// The largest size of the ratio that fits in the proposal, or the smallest that fills it.
    private func proposal(for child: LayoutItem, within proposal: ProposedViewSize) -> ProposedViewSize {
        let ideal = child.sizeThatFits(.unspecified)
        guard let ratio = ratio ?? (ideal.height > 0 ? ideal.width / ideal.height : nil), ratio > 0 else {
            return proposal
        }
        switch (proposal.width, proposal.height) {
        case (nil, nil):
            return self.ratio == nil ? .unspecified : ProposedViewSize(width: ideal.width, height: ideal.width / ratio)
        case (let width?, nil): return ProposedViewSize(width: width, height: width / ratio)
        case (nil, let height?): return ProposedViewSize(width: height * ratio, height: height)
        case (let width?, let height?):
            let isBoundByWidth = (width / height < ratio) == (mode == .fit)
            return isBoundByWidth
                ? ProposedViewSize(width: width, height: width / ratio)
                : ProposedViewSize(width: height * ratio, height: height)
        }
    }
}

extension View {
    public nonisolated func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View {
        modifier(_AspectRatioModifier(ratio: aspectRatio, mode: contentMode))
    }

    public nonisolated func aspectRatio(_ aspectRatio: CGSize, contentMode: ContentMode) -> some View {
        modifier(_AspectRatioModifier(ratio: aspectRatio.width / aspectRatio.height, mode: contentMode))
    }

    public nonisolated func scaledToFit() -> some View { aspectRatio(nil, contentMode: .fit) }

    public nonisolated func scaledToFill() -> some View { aspectRatio(nil, contentMode: .fill) }
}
