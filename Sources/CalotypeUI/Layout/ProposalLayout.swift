import SwiftUI

/// Lays out its child as if it weren't there, and notes the size that it was proposed.
///
/// It is the placement's proposal that counts: stacks also ask what a child would do with nothing or with everything, to see
/// how flexible it is.
struct ProposalLayout: Layout {
    let record: ProposalRecord
    /// Whether the child shows the image: its size then asks for pixels, too.
    let holdsImage: Bool

    func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) -> CGSize {
        // Views that the app's closure returns side by side lie on one another.
        subviews.reduce(CGSize.zero) { size, subview in
            let own = subview.sizeThatFits(proposal)
            return CGSize(width: max(size.width, own.width), height: max(size.height, own.height))
        }
    }

    func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) {
        for subview in subviews {
            let size = subview.sizeThatFits(proposal)
            let corner = CGPoint(x: bounds.midX - size.width / 2, y: bounds.midY - size.height / 2)
            subview.place(at: corner, anchor: .topLeading, proposal: proposal)
        }
        // Where there is nothing to see, nothing can be said of the size: a row that unfolds begins like that.
        let isFolded = proposal.width == 0 || proposal.height == 0
        if isFolded, !holdsImage || bounds.isEmpty { return }
        record.note(
            ImagePlacement(
                room: ImageRoom(width: proposal.width, height: proposal.height),
                content: holdsImage ? ImageRoom(width: bounds.width, height: bounds.height) : nil))
    }

    func spacing(subviews: Subviews, cache: inout ()) -> ViewSpacing {
        subviews.first?.spacing ?? .zero
    }

    func explicitAlignment(
        of guide: HorizontalAlignment, in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews,
        cache: inout ()
    ) -> CGFloat? {
        guard let child = subviews.first?.dimensions(in: proposal) else { return nil }
        return child[explicit: guide].map { $0 + (bounds.width - child.width) / 2 }
    }

    func explicitAlignment(
        of guide: VerticalAlignment, in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ()
    ) -> CGFloat? {
        guard let child = subviews.first?.dimensions(in: proposal) else { return nil }
        return child[explicit: guide].map { $0 + (bounds.height - child.height) / 2 }
    }
}
