/// Indeterminate: a circle of 20 by 20 points. Otherwise a bar, 4 points high, as wide as it may be.
public nonisolated struct ProgressView<Label, CurrentValueLabel>: View where Label: View, CurrentValueLabel: View {
    public typealias Body = Never
    let fraction: Double?
    let isBar: Bool
    let label: Label?
}

extension ProgressView where CurrentValueLabel == EmptyView {
    public nonisolated init() where Label == EmptyView {
        fraction = nil
        isBar = false
        label = nil
    }

    public nonisolated init(@ViewBuilder label: () -> Label) {
        fraction = nil
        isBar = false
        self.label = label()
    }

    public nonisolated init<S>(_ title: S) where Label == Text, S: StringProtocol {
        self.init { Text(title) }
    }

    public nonisolated init<V>(value: V?, total: V = 1.0) where Label == EmptyView, V: BinaryFloatingPoint {
        // Values out of range are clamped.
        fraction = value.map { Double(max(0, min($0, total)) / total) }
        isBar = value != nil
        label = nil
    }
}

@MainActor
extension ProgressView: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] {
        label.map { [ChildView(key: .index(0), view: $0)] } ?? []
    }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        let indicator = LeafItem(node, .progress(fraction)) { [isBar] proposal in
            isBar ? CGSize(width: proposal.width ?? 100, height: 4) : CGSize(width: 20, height: 20)
        }
        let labels = node.childItems
        guard !labels.isEmpty else { return [indicator] }
        return [
            StackItem(node, axis: .vertical, alignment: .center, spacing: 8, children: [indicator] + labels)
        ]
    }
}
