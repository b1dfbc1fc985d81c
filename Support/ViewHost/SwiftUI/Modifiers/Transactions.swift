public nonisolated struct _TransactionModifier: ViewModifier {
    public typealias Body = Never
    let transform: (inout Transaction) -> Void
}

@MainActor
extension _TransactionModifier: PrimitiveModifier {
    package func configure(_ inputs: inout NodeInputs, of node: ViewNode) { transform(&inputs.transaction) }
}

/// Changes the transaction in the updates in which a value changes.
public nonisolated struct _ValueTransactionModifier<Value: Equatable>: ViewModifier {
    public typealias Body = Never
    let value: Value
    let transform: (inout Transaction) -> Void
}

@MainActor
extension _ValueTransactionModifier: PrimitiveModifier {
    package func configure(_ inputs: inout NodeInputs, of node: ViewNode) {
        if let old = node.storage as? Value, old != value { transform(&inputs.transaction) }
        node.storage = value
    }
}

/// Notes how its content comes and goes.
public nonisolated struct _TransitionModifier: ViewModifier {
    public typealias Body = Never
    let transition: AnyTransition
}

@MainActor
extension _TransitionModifier: PrimitiveModifier {}

/// A view whose coming and going an author has described.
@MainActor
package protocol Transitional {
    var appliedTransition: AnyTransition? { get }
}

@MainActor
extension ModifiedContent: Transitional where Content: View, Modifier: ViewModifier {
    package var appliedTransition: AnyTransition? { (modifier as? _TransitionModifier)?.transition }
}

extension View {
    public nonisolated func transaction(_ transform: @escaping (inout Transaction) -> Void) -> some View {
        modifier(_TransactionModifier(transform: transform))
    }

    public nonisolated func transaction(
        value: some Equatable, _ transform: @escaping (inout Transaction) -> Void
    ) -> some View {
        modifier(_ValueTransactionModifier(value: value, transform: transform))
    }

    public nonisolated func animation<V>(_ animation: Animation?, value: V) -> some View where V: Equatable {
        modifier(
            _ValueTransactionModifier(value: value) { transaction in
                if !transaction.disablesAnimations { transaction.animation = animation }
            })
    }

    public nonisolated func transition(_ t: AnyTransition) -> some View { modifier(_TransitionModifier(transition: t)) }
}
