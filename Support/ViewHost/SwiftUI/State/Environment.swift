@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    let read: (EnvironmentValues) -> Value
    var values: EnvironmentValues?

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
        read = { $0[keyPath: keyPath] }
    }

    public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable {
        read = {
            guard let object = $0[objectType] else {
                fatalError("No \(objectType) in the environment: give a view above .environment(object)")
            }
            return object
        }
    }

    public init<T>(_ objectType: T.Type) where Value == T?, T: AnyObject, T: Observable {
        read = { $0[objectType] }
    }

    public var wrappedValue: Value { read(values ?? EnvironmentValues()) }
}

// The closure only reads through a key path or a type.
extension Environment: @unchecked Sendable where Value: Sendable {}

extension Environment: BoundProperty {
    @MainActor package mutating func bind(to node: ViewNode, slot: Int) {
        values = node.environment
    }
}

/// Changes the environment of the views below.
public nonisolated struct _EnvironmentWriter: ViewModifier {
    public typealias Body = Never
    let write: (inout EnvironmentValues) -> Void
}

@MainActor
extension _EnvironmentWriter: PrimitiveModifier {
    @MainActor package func configure(_ inputs: inout NodeInputs, of node: ViewNode) {
        write(&inputs.environment)
    }
}

extension View {
    public nonisolated func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
    ) -> some View {
        modifier(_EnvironmentWriter { $0[keyPath: keyPath] = value })
    }

    public nonisolated func environment<T>(_ object: T?) -> some View where T: AnyObject, T: Observable {
        modifier(_EnvironmentWriter { $0[T.self] = object })
    }

    public nonisolated func transformEnvironment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, transform: @escaping (inout V) -> Void
    ) -> some View {
        modifier(_EnvironmentWriter { transform(&$0[keyPath: keyPath]) })
    }

    public nonisolated func redacted(reason: RedactionReasons) -> some View {
        modifier(_EnvironmentWriter { $0.redactionReasons.formUnion(reason) })
    }

    public nonisolated func unredacted() -> some View {
        modifier(_EnvironmentWriter { $0.redactionReasons = [] })
    }

    public nonisolated func disabled(_ disabled: Bool) -> some View {
        modifier(_EnvironmentWriter { $0.isEnabled = $0.isEnabled && !disabled })
    }
}
