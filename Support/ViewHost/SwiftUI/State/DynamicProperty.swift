public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

/// A property that the host gives its place in the tree before the body is evaluated.
package protocol BoundProperty: DynamicProperty {
    /// Ties the property to its node.
    /// - Parameter slot: The property's offset in the view, which tells two properties of one view apart.
    @MainActor mutating func bind(to node: ViewNode, slot: Int)
}
