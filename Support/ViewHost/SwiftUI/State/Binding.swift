@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    let get: () -> Value
    let set: (Value, Transaction) -> Void
    public var transaction = Transaction()

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.init(uncheckedGet: get, set: { value, _ in set(value) })
    }

    init(uncheckedGet get: @escaping () -> Value, set: @escaping (Value, Transaction) -> Void) {
        self.get = get
        self.set = set
    }

    public static func constant(_ value: Value) -> Binding<Value> {
        Binding(uncheckedGet: { value }, set: { _, _ in })
    }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set {
            if transaction.isEmpty {
                set(newValue, transaction)
            } else {
                withTransaction(transaction) { set(newValue, transaction) }
            }
        }
    }

    public var projectedValue: Binding<Value> { self }

    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject>(
            uncheckedGet: { get()[keyPath: keyPath] },
            set: { value, transaction in
                var whole = get()
                whole[keyPath: keyPath] = value
                set(whole, transaction)
            })
    }

    public func animation(_ animation: Animation? = .default) -> Binding<Value> {
        transaction(Transaction(animation: animation))
    }

    public func transaction(_ transaction: Transaction) -> Binding<Value> {
        var binding = self
        binding.transaction = transaction
        return binding
    }
}

extension Binding: @unchecked Sendable where Value: Sendable {}
extension Binding: DynamicProperty {}

@dynamicMemberLookup @propertyWrapper
public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }

    public init(wrappedValue: Value) where Value: AnyObject, Value: Observable {
        self.wrappedValue = wrappedValue
    }

    public init(_ wrappedValue: Value) where Value: AnyObject, Value: Observable {
        self.wrappedValue = wrappedValue
    }

    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> where Value: AnyObject {
        let object = wrappedValue
        return Binding<Subject>(
            uncheckedGet: { object[keyPath: keyPath] }, set: { value, _ in object[keyPath: keyPath] = value })
    }
}

extension Bindable: DynamicProperty {}
extension Bindable: Sendable where Value: Sendable {}
