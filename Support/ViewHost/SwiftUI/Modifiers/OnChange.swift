public nonisolated struct _ChangeModifier<Value: Equatable>: ViewModifier {
    public typealias Body = Never
    let value: Value
    let initial: Bool
    let action: (Value, Value) -> Void
}

@MainActor
extension _ChangeModifier: PrimitiveModifier {
    package var lifecycle: (any Lifecycle)? { self }
}

@MainActor
extension _ChangeModifier: Lifecycle {
    package func appeared(_ node: ViewNode) {
        node.storage = value
        if initial { action(value, value) }
    }

    package func updated(_ node: ViewNode) {
        guard let old = node.storage as? Value, old != value else { return }
        node.storage = value
        action(old, value)
    }

    package func disappeared(_ node: ViewNode) { node.storage = nil }
}

extension View {
    public nonisolated func onChange<V>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View where V: Equatable {
        modifier(_ChangeModifier(value: value, initial: initial) { _, _ in action() })
    }

    public nonisolated func onChange<V>(
        of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
    ) -> some View where V: Equatable {
        modifier(_ChangeModifier(value: value, initial: initial, action: action))
    }
}
