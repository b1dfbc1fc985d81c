@propertyWrapper
public struct State<Value>: DynamicProperty {
    let initial: Value
    var location: StateLocation<Value>?

    public init(wrappedValue value: Value) {
        initial = value
    }

    public init(initialValue value: Value) {
        initial = value
    }

    public var wrappedValue: Value {
        get { location.map(\.value) ?? initial }
        // Before the view is in a tree there is nothing to write to: SwiftUI drops the write, too.
        nonmutating set { location?.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        guard let location else { return .constant(initial) }
        return Binding(uncheckedGet: { location.value }, set: { value, _ in location.value = value })
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() {
        self.init(initialValue: nil)
    }
}

extension State: Sendable where Value: Sendable {}

extension State: BoundProperty {
    @MainActor package mutating func bind(to node: ViewNode, slot: Int) {
        location = node.property(at: slot) { StateLocation(initial, node: node) }
    }
}

/// Where the host keeps a `@State` value: from the first evaluation of its view until the view is removed.
final class StateLocation<Value>: @unchecked Sendable {
    // Guarded by `lock`: SwiftUI allows `@State` to be read and written from any thread.
    private var stored: Value
    private let lock = NSLock()
    private let node: WeakNode

    @MainActor init(_ value: Value, node: ViewNode) {
        stored = value
        self.node = WeakNode(node)
    }

    var value: Value {
        get { lock.withLock { stored } }
        set {
            let old = lock.withLock {
                let old = stored
                stored = newValue
                return old
            }
            if !areEqual(old, newValue) { node.invalidate() }
        }
    }
}

/// Whether two values are known to be equal. Values that can't be compared are not.
func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
    func compare<T: Equatable>(_ left: T) -> Bool { (right as? T) == left }
    if let left = left as? any Equatable { return compare(left) }
    if Value.self is AnyObject.Type { return (left as AnyObject) === (right as AnyObject) }
    return false
}
