public struct ButtonRole: Equatable, Sendable {
    let name: String
    public static let cancel = ButtonRole(name: "cancel")
    public static let destructive = ButtonRole(name: "destructive")
}

public nonisolated struct Button<Label>: View where Label: View {
    public typealias Body = Never
    let action: @MainActor () -> Void
    let label: Label
}

extension Button {
    @preconcurrency
    public nonisolated init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }

    @preconcurrency
    public nonisolated init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label)
    {
        self.init(action: action, label: label)
    }
}

extension Button where Label == Text {
    @preconcurrency
    public nonisolated init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(titleKey) }
    }

    @preconcurrency @_disfavoredOverload
    public nonisolated init<S>(_ title: S, action: @escaping @MainActor () -> Void) where S: StringProtocol {
        self.init(action: action) { Text(title) }
    }

    @preconcurrency
    public nonisolated init(
        _ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) {
        self.init(action: action) { Text(titleKey) }
    }
}

@MainActor
extension Button: PrimitiveView {
    package func children(of node: ViewNode) -> [ChildView] { [ChildView(key: .index(0), view: label)] }

    package func layoutItems(of node: ViewNode) -> [LayoutItem] {
        [TapItem(node, action: action, children: [StackItem.overlaying(node.childItems, node: node)])]
    }
}

/// What can be tapped.
final class TapItem: LayoutItem {
    private let action: @MainActor () -> Void

    init(_ node: ViewNode, action: @escaping @MainActor () -> Void, children: [LayoutItem]) {
        let isEnabled = node.environment.isEnabled
        self.action = { if isEnabled { action() } }
        super.init(node, children: children)
    }

    override var kind: Element.Kind { .button(action) }
    override var isTransparent: Bool { false }
}

public nonisolated struct _TapModifier: ViewModifier {
    public typealias Body = Never
    let action: () -> Void
}

@MainActor
extension _TapModifier: PrimitiveModifier {
    package func arrange(_ item: LayoutItem, of node: ViewNode) -> LayoutItem {
        TapItem(node, action: { action() }, children: [item])
    }
}

extension View {
    public nonisolated func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
        modifier(_TapModifier(action: action))
    }
    public nonisolated func buttonStyle(_ style: some PrimitiveButtonStyle) -> some View {
        modifier(_DecorationModifier())
    }
}

public protocol PrimitiveButtonStyle {}
public struct PlainButtonStyle: PrimitiveButtonStyle {
    public init() {}
}
extension PrimitiveButtonStyle where Self == PlainButtonStyle {
    public static var plain: PlainButtonStyle { PlainButtonStyle() }
}
