public nonisolated struct _AppearanceModifier: ViewModifier {
    public typealias Body = Never
    var appear: (() -> Void)?
    var disappear: (() -> Void)?
}

@MainActor
extension _AppearanceModifier: PrimitiveModifier {
    package var lifecycle: (any Lifecycle)? { self }
}

@MainActor
extension _AppearanceModifier: Lifecycle {
    package func appeared(_ node: ViewNode) {
        if let appear, !node.graph.settings.withholds(.appear, node.explicitIDs) { appear() }
    }

    package func disappeared(_ node: ViewNode) {
        if let disappear, !node.graph.settings.withholds(.disappear, node.explicitIDs) { disappear() }
    }
}

extension View {
    public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View {
        modifier(_AppearanceModifier(appear: action))
    }

    public nonisolated func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        modifier(_AppearanceModifier(disappear: action))
    }
}
