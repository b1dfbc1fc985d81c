@_spi(Reflection) import Swift

/// Where a type's dynamic properties lie, found once for each type.
@MainActor
enum PropertyFields {
    struct Field {
        let offset: Int
        let type: any DynamicProperty.Type
    }

    private static var known: [ObjectIdentifier: [Field]] = [:]

    static func fields(of type: Any.Type) -> [Field] {
        if let fields = known[ObjectIdentifier(type)] { return fields }
        var fields: [Field] = []
        // Only the stored properties of structs: SwiftUI looks into nothing else.
        _forEachField(of: type) { _, offset, fieldType, _ in
            if let property = fieldType as? any DynamicProperty.Type {
                fields.append(Field(offset: offset, type: property))
            }
            return true
        }
        known[ObjectIdentifier(type)] = fields
        return fields
    }

    /// Binds every dynamic property of a value, in place, to its node.
    static func bind<Value>(_ value: inout Value, to node: ViewNode) {
        let fields = fields(of: Value.self)
        guard !fields.isEmpty else { return }
        withUnsafeMutablePointer(to: &value) { pointer in
            bind(fields, at: UnsafeMutableRawPointer(pointer), base: 0, to: node)
        }
    }

    private static func bind(_ fields: [Field], at base: UnsafeMutableRawPointer, base slot: Int, to node: ViewNode) {
        for field in fields {
            bind(field.type, at: base + field.offset, slot: slot + field.offset, to: node)
        }
    }

    private static func bind<Property: DynamicProperty>(
        _ type: Property.Type, at address: UnsafeMutableRawPointer, slot: Int, to node: ViewNode
    ) {
        // The offset and the type come from the metadata of the struct that `address` lies in, which is alive and
        // exclusively accessed for the time of the call.
        let property = address.assumingMemoryBound(to: type)
        if let bound = type as? any BoundProperty.Type {
            bindBound(bound, at: address, slot: slot, to: node)
        } else {
            bind(fields(of: type), at: address, base: slot, to: node)
            property.pointee.update()
        }
    }

    private static func bindBound<Property: BoundProperty>(
        _ type: Property.Type, at address: UnsafeMutableRawPointer, slot: Int, to node: ViewNode
    ) {
        address.assumingMemoryBound(to: type).pointee.bind(to: node, slot: slot)
    }
}
