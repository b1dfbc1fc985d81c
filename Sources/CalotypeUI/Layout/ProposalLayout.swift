import SwiftUI

/// Lays out its child as if it weren't there, and notes the size that it was proposed.
///
/// It is the placement's proposal that counts: stacks also ask what a child would do with nothing or with everything, to see
/// how flexible it is.
struct ProposalLayout: Layout {
    let record: ProposalRecord
    /// Whether the child shows the image: its size then asks for pixels, too. An image that isn't resizable has its own size
    /// in any room, and one that is scaled to fill reaches over it.
    let holdsImage: Bool

    func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) -> CGSize {
        // Views that the app's closure returns side by side lie on one another.
        subviews.reduce(CGSize.zero) { size, subview in
            let own = subview.sizeThatFits(proposal)
            return CGSize(width: max(size.width, own.width), height: max(size.height, own.height))
        }
    }

    func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) {
        var room = ImageRoom(width: proposal.width, height: proposal.height)
        for subview in subviews {
            let size = subview.sizeThatFits(proposal)
            if holdsImage { room = room.union(ImageRoom(width: size.width, height: size.height)) }
            let corner = CGPoint(x: bounds.midX - size.width / 2, y: bounds.midY - size.height / 2)
            subview.place(at: corner, anchor: .topLeading, proposal: proposal)
        }
        record.note(room)
    }

    func explicitAlignment(
        of guide: HorizontalAlignment, in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews,
        cache: inout ()
    ) -> CGFloat? {
        subviews.first?.dimensions(in: proposal)[explicit: guide]
    }

    func explicitAlignment(
        of guide: VerticalAlignment, in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ()
    ) -> CGFloat? {
        subviews.first?.dimensions(in: proposal)[explicit: guide]
    }
}
